import { plain } from '../compose'
import type { Ask } from '../request'
import type { ToolOutcome } from '../run'

/** What the caller decides about what waits: by tokens beside the message, or by a message that is nothing else. */
export interface Decision {
  readonly verb: 'confirm' | 'cancel'
  readonly tokens: readonly string[]
  readonly code: string | null
}

const SPOKEN = /^(confirm|cancel) ([0-9a-z]{6})$/i

/** Null when the message is one for an engine. */
export function decisionOf({ message, confirm }: Ask): Decision | null {
  const [, verb, code] = SPOKEN.exec(message.trim()) ?? []
  if (confirm.length === 0 && verb === undefined) return null
  const cancels = verb?.toLowerCase() === 'cancel'
  return {
    verb: cancels ? 'cancel' : 'confirm',
    tokens: cancels ? [] : confirm,
    code: code?.toLowerCase() ?? null,
  }
}

/** What came of it, a line for each action. */
export function report(outcomes: readonly ToolOutcome[]): string {
  return outcomes
    .flatMap(({ action, fault }) => (action ? [fault ? `${action.summary} ${fault.detail}` : action.summary] : []))
    .map(plain)
    .join('\n')
}
