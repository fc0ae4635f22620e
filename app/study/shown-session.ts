/** The session as the screen shows it: which card, since when, and whether its answer is seen. */
import { batch, computed, signal } from '@preact/signals'
import type { QueuePage } from './queue-source'
import { EMPTY, learn, type Outcome, type Session } from './session'

export type StudyStatus =
  | { readonly is: 'loading' }
  | { readonly is: 'studying' }
  /** Nothing is left now; `nextAt` is when the next card in learning is due, an instant or null. `kept` as in QueuePage. */
  | ({ readonly is: 'done'; readonly nextAt: string | null } & Pick<QueuePage, 'kept'>)
  | { readonly is: 'failed'; readonly message: string }

export type ShownSession = ReturnType<typeof createShownSession>

export function createShownSession() {
  const session = signal<Session>(EMPTY)
  const status = signal<StudyStatus>({ is: 'loading' })
  /** Counts the cards as they are shown: a card that comes back is another turn. */
  const turn = signal(1)
  const openTurn = signal(0)
  /** Whether the answer of the shown card is seen. */
  const isOpen = computed(() => openTurn.value === turn.value)
  let shownAt = 0

  return {
    session,
    status,
    turn,
    isOpen,

    show(next: Session): void {
      const { current, answers } = session.peek()
      batch(() => {
        if (next.current?.card.id !== current?.card.id || next.answers.length !== answers.length) {
          shownAt = performance.now()
          turn.value += 1
        }
        session.value = next
        if (next.current) status.value = { is: 'studying' }
      })
    },

    /** Takes over what answers came to. */
    learn(outcomes: readonly Outcome[]): void {
      if (outcomes.length > 0) session.value = learn(session.peek(), outcomes)
    },

    open(): void {
      openTurn.value = turn.peek()
    },

    /** How long the card has been shown, in milliseconds. */
    shownMs: () => Math.round(performance.now() - shownAt),
  }
}
