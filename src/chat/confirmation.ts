import { writeSide } from '../tools/fit'
import type { ChangePreview, ChatAction } from '../tools/schema'
import { type ToolOutcome, warningsOf } from '../tools/tool'
import { toAnswerText } from './answer-text'
import type { ParsedRequest } from './request'

/**
 * The caller's decision on pending actions: by tokens in the request, or by a message that is nothing but the decision.
 */
export interface ConfirmationDecision {
  readonly tokens: readonly string[]
  readonly code: string | null
  /** The code of an action to cancel; then nothing is confirmed. */
  readonly cancel: string | null
}

/** Words of courtesy around a decision. Of any others, a "not" or the words of a note might be among them. */
const COURTESY =
  "yes|yeah|ok|okay|sure|please|pls|now|then|thanks|thank you|ja|bitte|danke|oui|merci|s'il (?:te|vous) pla[iî]t|s[ií]|por favor|gracias"
/** What may be around words: no question mark, since a question decides nothing. */
const MARKS = '[\\s`*_"\'“”‘’„«».,!:;()-]'

/** A message that is a decision. Codes begin with a digit, so that "cancel dinner" goes to an engine. */
const decisionPattern = (verb: string, courtesy: string) =>
  new RegExp(
    `^${MARKS}*(?:(?:${courtesy})${MARKS}+){0,4}${verb}${MARKS}+([2-9][0-9a-z]{5})(?:${MARKS}+(?:${courtesy})){0,4}${MARKS}*$`,
    'iu',
  )
const CONFIRMS = decisionPattern('confirm', COURTESY)
const CANCELS = decisionPattern('cancel', `${COURTESY}|no|nein|non`)
/** UTF-16 units of a message that can be a decision. */
const MAX_DECISION_UNITS = 100

/** Reads the decision of a request; null if the message is for an engine. */
export function readDecision({
  message,
  confirm,
}: Pick<ParsedRequest, 'message' | 'confirm'>): ConfirmationDecision | null {
  const short = message.length <= MAX_DECISION_UNITS ? message : ''
  const cancel = CANCELS.exec(short)?.[1]?.toLowerCase() ?? null
  if (cancel !== null) return { tokens: [], code: null, cancel }
  const code = CONFIRMS.exec(short)?.[1]?.toLowerCase() ?? null
  return confirm.length === 0 && code === null ? null : { tokens: confirm, code, cancel: null }
}

/** The question of what waits to be confirmed, such as changes that an agent requested, and what is answered to it. */
const WAITING = [
  {
    asks: /^what(?:'s| is) waiting(?: for (?:me|my confirmation))?$/i,
    none: 'Nothing is waiting for your confirmation.',
    some: 'This is waiting for your confirmation.',
  },
  {
    asks: /^was wartet(?: auf mich| auf (?:meine )?bestätigung)?$/i,
    none: 'Nichts wartet auf deine Bestätigung.',
    some: 'Das wartet auf deine Bestätigung.',
  },
  {
    asks: /^qu['’]est-ce qui (?:m['’])?attend(?: ma confirmation)?$/i,
    none: "Rien n'attend votre confirmation.",
    some: 'Ceci attend votre confirmation.',
  },
  {
    asks: /^qué (?:me )?espera(?: mi confirmación)?$/i,
    none: 'Nada espera tu confirmación.',
    some: 'Esto espera tu confirmación.',
  },
] as const

/** Reads the question of what waits; null for another message. Returns what says the answer. */
export function readWaitingQuestion(message: string): ((waiting: readonly ToolOutcome[]) => string) | null {
  const asked = message.length > MAX_DECISION_UNITS ? '' : message.replace(/^[\s¿]+|[\s?!.]+$/g, '')
  const found = WAITING.find(({ asks }) => asks.test(asked))
  if (!found) return null
  return (waiting) => {
    const [first, ...others] = waiting
    if (!first) return found.none
    // Of several, each is named before its code.
    return others.length > 0 ? found.some : `${found.some} ${toAnswerText(first.action?.summary ?? '')}`
  }
}

/** Writes what quick add did not understand, unless the model has said it; '' for nothing. */
export function writeUnread(actions: readonly ChatAction[], text: string): string {
  const unread = actions.flatMap(({ result }) => warningsOf(result))
  const unsaid = unread.map(toAnswerText).filter((warning) => !text.includes(warning))
  return unsaid.length === 0 ? '' : `${text === '' ? '' : '\n\n'}Not understood: ${unsaid.join('; ')}.`
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

/** Formats a change as quotations; '' for one that the summary names whole: a move to the trash, a task reopened. */
function formatChange(preview: ChangePreview | null, bytes: number): string {
  if (!preview?.after || preview.before.text + preview.after.text === '') return ''
  const quote = (side: ChangePreview['before']) => writeSide(side, bytes, (line) => `> ${toAnswerText(line)}`.trimEnd())
  return `Now:\n${quote(preview.before)}\nThen:\n${quote(preview.after)}`
}
