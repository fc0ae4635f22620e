/** Studies a deck: fetches cards ahead, and keeps and sends the answers. */
import { batch, computed, effect, signal } from '@preact/signals'
import { inWords, Refused, Unreachable } from '../api/client'
import { newId } from '../data/ids'
import type { Workspace } from '../data/workspace'
import { notify } from '../shell/notice'
import { addDays } from '../tasks/dates'
import { loadSchedule } from './kept-day'
import { createQueueSource } from './queue-source'
import {
  type Answered,
  answer,
  type Clock,
  EMPTY,
  learn,
  putBack,
  type Rating,
  receive,
  replaceCard,
  type Session,
  type StudyItem,
  showNext,
  undoAnswer,
  withoutCards,
} from './session'

/** More are fetched when so few are left, together with the answers that are sent then. */
const LOW_CARDS = 12
/** Answers that are sent at once, before the queue ends. */
const SENT_ANSWERS = 10
/**
 * Answers that wait are sent after so long without another. They are stored before: this is not to lose none, but so that
 * other devices see them. A shorter time would cost whoever thinks that long about each card a request for each.
 */
const REST_MS = 30_000
/** The longest time of an answer that the server takes. */
const MAX_DURATION_MS = 3_600_000

export type StudyStatus =
  | { readonly is: 'loading' }
  | { readonly is: 'studying' }
  /** Nothing is left now; `nextAt` is when the next card in learning is due, an instant or null. */
  | { readonly is: 'done'; readonly nextAt: string | null }
  | { readonly is: 'failed'; readonly message: string }

export type Study = ReturnType<typeof createStudy>

/** Begins to study a deck with its subdecks; null: all decks. `close` sends what is left. */
export function createStudy(workspace: Workspace, deckId: string | null) {
  const { api, outbox, answered, study } = workspace
  const session = signal<Session>(EMPTY)
  const status = signal<StudyStatus>({ is: 'loading' })
  /** Counts the cards as they are shown: a card that comes back is another turn. */
  const turn = signal(1)
  const openTurn = signal(0)
  /** Whether the answer of the shown card is seen. */
  const isOpen = computed(() => openTurn.value === turn.value)
  const source = createQueueSource(workspace, deckId)
  let [shownAt, unsent] = [0, 0]
  let studyDay = ''
  let restTimer: ReturnType<typeof setTimeout> | undefined
  let fetching: Promise<void> | null = null
  let undoing: Promise<unknown> = Promise.resolve()
  let schedule: Awaited<ReturnType<typeof loadSchedule>> | null = null
  let closed = false

  const clock = (): Clock => ({ now: Date.now() + source.skewMs(), aheadMs: source.aheadMs() })

  function show(next: Session): void {
    const { current, answers } = session.peek()
    batch(() => {
      if (next.current?.card.id !== current?.card.id || next.answers.length !== answers.length) {
        shownAt = performance.now()
        turn.value += 1
      }
      session.value = next
      if (next.current) status.value = { is: 'studying' }
    })
  }

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
    show(receive(session.peek(), page, page.limit, clock(), page.later))
    if (!session.peek().current) status.value = { is: 'done', nextAt: page.next_learning_at }
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
        if (!(error instanceof Refused || error instanceof Unreachable)) throw error
        status.value = { is: 'failed', message: error.message }
      })
      .finally(() => {
        fetching = null
      })
    return fetching
  }

  /** Sends and fetches as far as it is time to. */
  function plan(): void {
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
  }

  /** Works out what answers came to, until the server says it: when cards come back, and what their ratings lead to. */
  function learnHere(answers: readonly Answered[]): void {
    const basis = source.basis()
    if (!schedule || !basis) return
    session.value = learn(session.peek(), schedule.outcomesOf(answers, basis))
  }

  const stopLearning = effect(() => {
    const outcomes = answered.value
    if (outcomes.length > 0) session.value = learn(session.peek(), outcomes)
  })
  refill()

  return {
    session,
    status,
    turn,
    isOpen,
    /** Shows the answer. */
    open(): void {
      openTurn.value = turn.peek()
    },

    acceptedOf: source.acceptedOf,

    /** Tries again after a failure. */
    retry(): void {
      status.value = { is: 'loading' }
      refill()
    },

    /** The clock of the session, to see what comes next. */
    clock,

    /** Answers the shown card, once its answer is seen, and shows the next one. */
    rate(rating: Rating): void {
      const { current } = session.peek()
      if (!current || !isOpen.peek()) return
      const [reviewId, at] = [newId(), clock().now]
      const duration_ms = Math.min(Math.round(performance.now() - shownAt), MAX_DURATION_MS)
      show(answer(session.peek(), rating, { reviewId, at }, clock()))
      learnHere(session.peek().answers.slice(-1))
      unsent += 1
      const reviewed_at = new Date(at).toISOString()
      outbox.add(
        [{ type: 'review', op: { id: reviewId, card_id: current.card.id, rating, reviewed_at, duration_ms } }],
        null,
      )
      plan()
    },

    /** Takes back the last answer of this session, and shows its card again. */
    undo(): void {
      const last = session.peek().answers.at(-1)
      if (!last) {
        notify('There is no answer to take back.')
        return
      }
      show(undoAnswer(session.peek()))
      const before = undoing
      undoing = (async () => {
        await before
        if (await outbox.withdraw(last.reviewId)) {
          unsent = Math.max(0, unsent - 1)
          return
        }
        await undoSent(workspace, last)
      })().catch((error: unknown) => {
        notify(`The answer could not be taken back. ${inWords(error)}`)
        if (session.peek().current !== last.item) return
        show(answer(session.peek(), last.rating, last, clock()))
        learnHere([last])
      })
    },

    /** Takes the shown card out of the session by a change such as `{ suspended: true }`, and offers to undo it. */
    async setAside(change: Aside, words: string): Promise<void> {
      const { current } = session.peek()
      if (!current) return
      show(
        showNext(
          withoutCards(session.peek(), ({ id }) => id === current.card.id),
          clock(),
        ),
      )
      plan()
      const path = `api/flashcards/cards/${current.card.id}`
      const patch = async (body: object) =>
        study.take([await api.call<StudyItem['card']>({ method: 'PATCH', path, body })])
      const bringBack = () => show(putBack(session.peek(), current))
      try {
        await patch(change === 'suspend' ? { suspended: true } : { buried_until: addDays(studyDay, 1) })
        notify(words, {
          label: 'Undo',
          run: () => {
            bringBack()
            patch(change === 'suspend' ? { suspended: false } : { buried_until: null }).catch((error: unknown) =>
              notify(inWords(error)),
            )
          },
        })
      } catch (error) {
        bringBack()
        notify(inWords(error))
      }
    },

    /** Shows the cards of an edited fact as they are now. */
    async reload(item: StudyItem): Promise<void> {
      const card = await api.call<StudyItem['card']>({
        path: `api/flashcards/cards/${item.card.id}`,
        query: { render: 'html' },
      })
      show(replaceCard(session.peek(), card))
      await study.take([card])
    },

    /** Sends the answers that wait. */
    send,

    close(): void {
      closed = true
      stopLearning()
      send()
    },
  }
}

/** Takes back an answer that the server has, or may have. Throws Refused, Unreachable. */
async function undoSent({ api, outbox, study }: Workspace, { reviewId }: Answered): Promise<void> {
  await outbox.flush()
  const path = `api/flashcards/reviews/${reviewId}/undo`
  const { card } = await api.call<{ card: StudyItem['card'] }>({ method: 'POST', path })
  await study.take([card])
}

type Aside = 'suspend' | 'bury'
