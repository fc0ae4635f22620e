import { toAnswerText } from './answer-text'
import type { ParsedRequest } from './request'
import { cutToUtf8Bytes } from './tools/fit'
import { escapeHidden } from './tools/preview'
import type { ChangePreview, ChatAction } from './tools/schema'
import type { ToolOutcome } from './tools/tool'

/** What the caller decides about what waits: by tokens beside the message, or by a message that is nothing else. */
export interface ConfirmationDecision {
  readonly tokens: readonly string[]
  readonly code: string | null
  /** The code of what is not to be done; then nothing is confirmed. */
  readonly cancel: string | null
}

/** Codes begin with a digit; words, as in "cancel dinner", are for an engine. */
const TYPED_CODE = /^(confirm|cancel) ([2-9][0-9a-z]{5})$/i

/** Null when the message is one for an engine. */
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

/** What came of it, a line for each action. */
export function reportOutcomes(outcomes: readonly ToolOutcome[]): string {
  return outcomes
    .flatMap(({ action, fault }) => (action ? [fault ? `${action.summary} ${fault.detail}` : action.summary] : []))
    .map(toAnswerText)
    .join('\n')
}

/**
 * Bytes of changes that all pending actions of one answer show in its text: clients send answers back, within limits.
 */
const MAX_SHOWN_BYTES = 8192

/**
 * The pending actions and how to confirm them, to be put after the text, with the changes: some clients show nothing
 * but the text, and what a model says of its changes need not be true.
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

/** A change as quotations, '' for what goes to the trash: the summary names that. */
function formatChange(preview: ChangePreview | null, bytes: number): string {
  if (!preview?.after) return ''
  return `Now:\n${formatQuotation(preview.before, bytes)}\nThen:\n${formatQuotation(preview.after, bytes)}`
}

/** Line by line, so that none can pass for text of ours, and nothing is hidden; a quotation ends at an empty line. */
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
