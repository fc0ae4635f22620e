import { say } from '../words/say'
import type { StreamedAnswer } from './answer'

/** A question with its answer. */
export interface Turn {
  /** The id of its conversation. */
  readonly conversation: string
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

/** A turn as it is shown again: one that was cut off by the end of its page has failed. */
export const readTurn = (turn: Turn): Turn => ({
  ...turn,
  undo: turn.undo === 'undone' ? 'undone' : 'none',
  ...(turn.state === 'asking' && { state: 'failed', fault: say`The page was closed before the answer was complete.` }),
})
