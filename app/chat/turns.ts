/** The questions of a conversation with their answers, which the tab keeps. */
import type { StreamedAnswer } from './answer'

/** A question with its answer. */
export interface Turn {
  /** Also the Idempotency-Key: asked again, the server repeats the answer and does nothing twice. */
  readonly id: string
  /** The question as it is shown. */
  readonly question: string
  /** The question as it is sent. */
  readonly content: string
  readonly mode: 'read' | 'write'
  /** The tag that the answer is limited to; null: everything. */
  readonly tag: string | null
  /** The pending action that this turn decides; null: none. */
  readonly decides: { readonly token: string; readonly isConfirmed: boolean } | null
  readonly answer: StreamedAnswer
  readonly state: 'asking' | 'answered' | 'stopped' | 'failed'
  /** Why it failed, as a sentence; '' if it did not. */
  readonly fault: string
  readonly undo: 'none' | 'undoing' | 'undone'
  /** Steps of the undo that are done. */
  readonly stepsDone: number
  /** Why the undo failed; '' if it did not. */
  readonly undoFault: string
}

/** Turns that are kept. */
const MAX_KEPT = 50

/** The turns that the tab has kept under a name; those that were cut off by the end of the page have failed. */
export function loadTurns(name: string): Turn[] {
  try {
    const turns = JSON.parse(sessionStorage.getItem(name) ?? '[]') as Turn[]
    return turns.map((turn): Turn => {
      const isCut = turn.state === 'asking'
      return {
        ...turn,
        undo: turn.undo === 'undone' ? 'undone' : 'none',
        ...(isCut && { state: 'failed', fault: 'The page was closed before the answer was complete.' }),
      }
    })
  } catch {
    return [] // The browser stores nothing, or something else has written there.
  }
}

/** Keeps turns until the tab is closed. */
export function keepTurns(name: string, turns: readonly Turn[]): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(turns.slice(-MAX_KEPT)))
  } catch {
    // The browser stores nothing, or has no room: the conversation lasts as long as the page.
  }
}
