import { toAnswerText } from './answer-text'
import type { ParsedRequest } from './request'
import { cutToUtf8Bytes } from './tools/fit'
import { escapeHidden } from './tools/preview'
import type { ChangePreview, ChatAction } from './tools/schema'
import type { ToolOutcome } from './tools/tool'

/**
 * The caller's decision on pending actions: by tokens in the request, or by a message that is nothing but the decision.
 */
export interface ConfirmationDecision {
  readonly tokens: readonly string[]
  readonly code: string | null
  /** The code of an action to cancel; then nothing is confirmed. */
  readonly cancel: string | null
}

/** A message that is a decision. Codes begin with a digit, so that "cancel dinner" goes to an engine. */
const TYPED_CODE = /^(confirm|cancel) ([2-9][0-9a-z]{5})$/i

/** Reads the decision of a request; null if the message is for an engine. */
export function readDecision({
  message,
  confirm,
}: Pick<ParsedRequest, 'message' | 'confirm'>): ConfirmationDecision | null {
  const [, verb, spoken] = TYPED_CODE.exec(message.trim()) ?? []
  if (confirm.length === 0 && spoken === undefined) return null
  const code = spoken?.toLowerCase() ?? null
  return verb?.toLowerCase() === 'cancel'
    ? { tokens: [], code: null, cancel: code }
    : { tokens: confirm, code, cancel: null }
}

/** Reports what was done, a line for each action. */
export function reportOutcomes(outcomes: readonly ToolOutcome[]): string {
  return outcomes
    .flatMap(({ action, fault }) => (action ? [fault ? `${action.summary} ${fault.detail}` : action.summary] : []))
    .map(toAnswerText)
    .join('\n')
}

/**
 * Bytes of the changes that an answer shows in its text, for all pending actions. Clients send answers back, within
 * limits.
 */
const MAX_SHOWN_BYTES = 8192

/**
 * Writes what comes after the text: pending actions, their changes, and how to confirm them. Some clients show only the
 * text, and a model may misstate its changes.
 */
export function writeConfirmationText(actions: readonly ChatAction[], text: string): string {
  const waiting = actions.flatMap((action) => (action.confirm ? [{ ...action, confirm: action.confirm }] : []))
  if (waiting.length === 0) return ''
  const bytes = Math.floor(MAX_SHOWN_BYTES / (2 * waiting.length))
  const shown = waiting.map(({ summary, preview, confirm }) => {
    const how = `Reply: confirm ${confirm.code}`
    const change = formatChange(preview, bytes)
    if (change) return `${toAnswerText(summary)}\n${change}\n${how}`
    return waiting.length > 1 ? `${toAnswerText(summary)} ${how}` : how
  })
  const gap = text.endsWith('?') && shown[0]?.startsWith('Reply') ? ' ' : '\n\n'
  return (text === '' ? '' : gap) + shown.join('\n')
}

/** Formats a change as quotations; '' for a move to the trash, which the summary names. */
function formatChange(preview: ChangePreview | null, bytes: number): string {
  if (!preview?.after) return ''
  return `Now:\n${formatQuotation(preview.before, bytes)}\nThen:\n${formatQuotation(preview.after, bytes)}`
}

/**
 * Formats a quotation line by line, so that no line can pass for our text, and nothing is hidden. It ends with an empty
 * line.
 */
function formatQuotation({ text, clipped }: ChangePreview['before'], bytes: number): string {
  const whole = text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map(escapeHidden)
    .join('\n')
  const shown = cutToUtf8Bytes(whole, bytes)
  const lines = shown.split('\n').map((line) => `> ${toAnswerText(line)}`.trimEnd())
  if (clipped || shown.length < whole.length) lines.push('> …')
  return `${lines.join('\n')}\n`
}
