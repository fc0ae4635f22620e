import { toAnswerText } from '../compose'
import type { ParsedRequest } from '../request'
import type { ToolOutcome } from '../run'

/** What the caller decides about what waits: by tokens beside the message, or by a message that is nothing else. */
export interface Decision {
  readonly tokens: readonly string[]
  readonly code: string | null
  /** The code of what is not to be done; then nothing is confirmed. */
  readonly cancel: string | null
}

/** Codes begin with a digit; words, as in "cancel dinner", are for an engine. */
const SPOKEN = /^(confirm|cancel) ([2-9][0-9a-z]{5})$/i

/** Null when the message is one for an engine. */
export function readDecision({ message, confirm }: Pick<ParsedRequest, 'message' | 'confirm'>): Decision | null {
  const [, verb, spoken] = SPOKEN.exec(message.trim()) ?? []
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
