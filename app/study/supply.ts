/** Fetches cards ahead of a session, and sends its answers as far as it is time to. */
import { inWords } from '../api/client'
import type { Workspace } from '../data/workspace'
import { loadSchedule } from './kept-day'
import { createQueueSource } from './queue-source'
import { type Answered, type Clock, receive } from './session'
import type { ShownSession } from './shown-session'

/** More are fetched when so few are left, together with the answers that are sent then. */
const LOW_CARDS = 12
/** Answers that are sent at once, before the queue ends. */
const SENT_ANSWERS = 10
/**
 * Answers that wait are sent after so long without another. They are stored before: this is not to lose none, but so that
 * other devices see them. With a shorter time, slow answers would cost a request each.
 */
const REST_MS = 30_000

export type Supply = ReturnType<typeof createSupply>

/** Makes what supplies a session of a deck with its subdecks; null: of all decks. */
export function createSupply(workspace: Workspace, deckId: string | null, shown: ShownSession) {
  const { outbox } = workspace
  const { session, status } = shown
  const source = createQueueSource(workspace, deckId)
  let unsent = 0
  let studyDay = ''
  let restTimer: ReturnType<typeof setTimeout> | undefined
  let fetching: Promise<void> | null = null
  let undoing: Promise<unknown> = Promise.resolve()
  let schedule: Awaited<ReturnType<typeof loadSchedule>> | null = null
  let closed = false

  const clock = (): Clock => ({ now: Date.now() + source.skewMs(), aheadMs: source.aheadMs() })

  /** Sends the answers that wait, unless the server asked to wait; they are stored. */
  async function send(): Promise<void> {
    clearTimeout(restTimer)
    await undoing
    unsent = 0
    if (outbox.state.peek().is !== 'waiting') await outbox.flush()
  }

  async function fetchMore(): Promise<void> {
    await send()
    const own = new Set(session.peek().answers.map(({ item }) => item.card.id))
    const page = await source.fetch(own)
    studyDay = page.study_day
    shown.show(receive(session.peek(), page, page.limit, clock(), page.later))
    if (!session.peek().current) status.value = { is: 'done', nextAt: page.next_learning_at, kept: page.kept }
    if (schedule) return
    // Without it, the server says what answers came to.
    schedule = await loadSchedule().catch(() => null)
    learnHere(session.peek().answers)
  }

  /** Fetches the queue again, once at a time. Fails only where nothing is left to show. */
  function refill(): Promise<void> {
    fetching ??= fetchMore()
      .catch((error: unknown) => {
        if (closed || session.peek().current) return
        status.value = { is: 'failed', message: inWords(error) }
      })
      .finally(() => {
        fetching = null
      })
    return fetching
  }

  /** Works out what answers came to, until the server says it: when cards come back, and what their ratings lead to. */
  function learnHere(answers: readonly Answered[]): void {
    const basis = source.basis()
    if (schedule && basis) shown.learn(schedule.outcomesOf(answers, basis))
  }

  return {
    /** The clock of the session, to see what comes next. */
    clock,
    /** The study day, a civil date: a session may go on over midnight. */
    studyDay(): string {
      const basis = source.basis()
      return schedule && basis ? schedule.dayAt(clock().now, basis) : studyDay
    },
    send,
    refill,
    learnHere,

    /** Sends and fetches as far as it is time to. */
    plan(): void {
      const { current, ready, beyond, learning } = session.peek()
      const isPreviewLate = ready.length === 0 && learning.some(({ item }) => item.preview === null)
      if (!current) {
        status.value = { is: 'loading' }
        refill()
      } else if (beyond > 0 && ready.length <= LOW_CARDS) refill()
      else if (unsent >= SENT_ANSWERS || (unsent > 0 && isPreviewLate)) send()
      else {
        clearTimeout(restTimer)
        restTimer = setTimeout(send, REST_MS)
      }
    },

    /** Counts one more answer that waits; -1: one that was taken back. */
    countUnsent(more: 1 | -1): void {
      unsent = Math.max(0, unsent + more)
    },

    /** Takes an answer back after those before it; until then nothing is sent. */
    afterUndoing(undo: () => Promise<void>): void {
      const before = undoing
      undoing = before.then(undo)
    },

    close(): void {
      closed = true
      send()
    },
  }
}
