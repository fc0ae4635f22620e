/** Studies a deck: shows card after card, and keeps and sends the answers. */
import { effect } from '@preact/signals'
import { inWords } from '../api/client'
import type { Card } from '../api/types'
import { newId } from '../data/ids'
import type { Workspace } from '../data/workspace'
import { notify } from '../shell/notice'
import { say } from '../words/say'
import { type Answered, answer, type Rating, replaceCard, type StudyItem, undoAnswer } from './session'
import { setAside, setFlag } from './set-aside'
import { createShownSession } from './shown-session'
import { createSupply } from './supply'

/** The longest time of an answer that the server takes. */
const MAX_DURATION_MS = 3_600_000

export type Study = ReturnType<typeof createStudy>

/** Begins to study a deck with its subdecks; null: all decks. `close` sends the rest. */
export function createStudy(workspace: Workspace, deckId: string | null) {
  const { api, outbox, answered, study } = workspace
  const shown = createShownSession()
  const supply = createSupply(workspace, deckId, shown)
  const { session, status, show } = shown
  const stopLearning = effect(() => shown.learn(answered.value))
  supply.refill()

  /** Shows again that a card was answered, if nothing else was done since it was taken back. */
  function answerAgain(taken: Answered): boolean {
    if (session.peek().current !== taken.item) return false
    show(answer(session.peek(), taken.rating, taken, supply.clock()))
    supply.learnHere([taken])
    return true
  }

  /** Takes back the last answer of this session, and shows its card again. */
  function undo(): void {
    const last = session.peek().answers.at(-1)
    if (!last) {
      notify(say`There is no answer to take back.`)
      return
    }
    show(undoAnswer(session.peek()))
    supply.afterUndoing(async () => {
      try {
        if (await outbox.withdraw(last.reviewId)) supply.countUnsent(-1)
        else await undoSent(workspace, last)
      } catch (error) {
        const words = say`The answer was sent already, and could not be taken back. ${inWords(error)}`
        notify(words, answerAgain(last) ? { label: say`Try again`, run: undo } : undefined)
      }
    })
  }

  return {
    session,
    status,
    turn: shown.turn,
    isOpen: shown.isOpen,
    open: shown.open,
    /** The clock of the session, to see what comes next. */
    clock: supply.clock,

    retry(): void {
      status.value = { is: 'loading' }
      supply.refill()
    },

    /** Answers the shown card, once its answer is seen, and shows the next one. */
    rate(rating: Rating): void {
      const { current } = session.peek()
      if (!current || !shown.isOpen.peek()) return
      const [reviewId, at] = [newId(), supply.clock().now]
      const duration_ms = Math.min(shown.shownMs(), MAX_DURATION_MS)
      show(answer(session.peek(), rating, { reviewId, at }, supply.clock()))
      supply.learnHere(session.peek().answers.slice(-1))
      supply.countUnsent(1)
      const reviewed_at = new Date(at).toISOString()
      outbox.add(
        [{ type: 'review', op: { id: reviewId, card_id: current.card.id, rating, reviewed_at, duration_ms } }],
        null,
      )
      supply.plan()
    },

    undo,

    /** Suspends the shown card. */
    suspend: () => setAside(workspace, { shown, supply }, 'suspend'),
    /** Buries the shown card until tomorrow. */
    bury: () => setAside(workspace, { shown, supply }, 'bury'),
    /** Flags the shown card, by a number from 1 to 7; 0, and the flag that it has, take it away. */
    flag: (flag: number) => setFlag(workspace, shown, flag),

    /** Shows the cards of an edited fact as they are now. */
    async reload(item: StudyItem): Promise<void> {
      const card = await api.call<Card>({ path: `api/flashcards/cards/${item.card.id}`, query: { render: 'html' } })
      show(replaceCard(session.peek(), card))
      await study.take([card])
    },

    /** Sends the answers that wait. */
    send: supply.send,

    close(): void {
      stopLearning()
      supply.close()
    },
  }
}

/** Takes back an answer that the server has, or may have. Throws Refused, Unreachable. */
async function undoSent({ api, outbox, study }: Workspace, { reviewId }: Answered): Promise<void> {
  await outbox.flush()
  const path = `api/flashcards/reviews/${reviewId}/undo`
  const { card } = await api.call<{ card: Card }>({ method: 'POST', path })
  await study.take([card])
}
