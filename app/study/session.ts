/**
 * What is studied now, what comes next and what was answered. Pure: every function returns the session that follows. No
 * card is in two of `current`, `ready` and `learning`.
 */
import type { Queue } from '../api/types'
import { isLearning } from '../data/resources'

export type StudyItem = Queue['items'][number]
export type Rating = 1 | 2 | 3 | 4

/** A card in learning that comes back in this session. Its preview is null until it is known what the answer came to. */
export interface LearningItem {
  readonly item: StudyItem
  /** Milliseconds since 1970. */
  readonly dueAt: number
}

export interface Answered {
  /** As it was when it was shown. */
  readonly item: StudyItem
  readonly reviewId: string
  readonly rating: Rating
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface Session {
  /** The shown card; null: there is none now. */
  readonly current: StudyItem | null
  /** The next cards, in the server's order. */
  readonly ready: readonly StudyItem[]
  /** By `dueAt`. */
  readonly learning: readonly LearningItem[]
  /** The newest last. */
  readonly answers: readonly Answered[]
  /** Cards of today that the server has not sent yet. */
  readonly beyond: number
}

export const EMPTY: Session = { current: null, ready: [], learning: [], answers: [], beyond: 0 }

/** What was not known comes back after the usual first step, if the server has not said when. */
const UNKNOWN_AGAIN_SECONDS = 60

const OUTCOMES = { 1: 'again', 2: 'hard', 3: 'good', 4: 'easy' } as const

/** What a rating of an item leads to; null if it is not known. */
export const outcomeOf = ({ preview }: StudyItem, rating: Rating) => preview?.[OUTCOMES[rating]] ?? null

/** How many cards are left to study today, the shown one included. */
export const leftIn = ({ current, ready, learning, beyond }: Session) =>
  Number(current !== null) + ready.length + learning.length + beyond

/** When to show a card: `now` in milliseconds since 1970; cards in learning may come `aheadMs` early when no others are left. */
export interface Clock {
  readonly now: number
  readonly aheadMs: number
}

/**
 * Shows the next card, unless one is shown: what is due in learning, the earliest first, if its preview is there; else the
 * next one of the server; without one what is due in learning, or, once the server has no more, will be soon.
 */
export function showNext(session: Session, { now, aheadMs }: Clock): Session {
  if (session.current) return session
  const due = session.learning.find(({ item, dueAt }) => dueAt <= now && item.preview !== null)
  if (due) return takeLearning(session, due)
  const [next, ...ready] = session.ready
  if (next) return { ...session, current: next, ready }
  const [soon] = session.learning
  const latest = session.beyond > 0 ? now : now + aheadMs
  return soon && soon.dueAt <= latest ? takeLearning(session, soon) : session
}

const takeLearning = (session: Session, taken: LearningItem): Session => ({
  ...session,
  current: taken.item,
  learning: session.learning.filter((one) => one !== taken),
})

/** The card that showNext would show after the present one, as far as it is known. */
export function peekNext(session: Session, clock: Clock): StudyItem | null {
  return showNext({ ...session, current: null }, clock).current
}

/** Answers the shown card. If it stays in learning it comes back. */
export function answer(
  session: Session,
  rating: Rating,
  given: Pick<Answered, 'reviewId' | 'at'>,
  clock: Clock,
): Session {
  const item = session.current
  if (!item) return session
  const answered = { ...session, current: null, answers: [...session.answers, { item, rating, ...given }] }
  const seconds = secondsUntilAgain(item, rating)
  const again =
    seconds === null
      ? answered
      : addLearning(answered, { item: { ...item, preview: null }, dueAt: given.at + seconds * 1000 })
  return showNext(again, clock)
}

/** When a card comes back in this session; null: not, as far as is known here: the server may still say so. */
function secondsUntilAgain(item: StudyItem, rating: Rating): number | null {
  if (item.preview === null) return rating === 1 ? UNKNOWN_AGAIN_SECONDS : null
  return outcomeOf(item, rating)?.interval_seconds ?? null
}

function addLearning(session: Session, added: LearningItem): Session {
  const others = session.learning.filter(({ item }) => item.card.id !== added.item.card.id)
  return { ...session, learning: [...others, added].sort((a, b) => a.dueAt - b.dueAt) }
}

/** Takes back the last answer: its card is shown again, and the one that was shown comes after it. */
export function undoAnswer(session: Session): Session {
  const last = session.answers.at(-1)
  if (!last) return session
  const { id } = last.item.card
  const { current, ...rest } = withoutCards(session, (card) => card.id === id)
  return {
    ...rest,
    current: last.item,
    ready: current ? [current, ...rest.ready] : rest.ready,
    answers: session.answers.slice(0, -1),
  }
}

/** Takes cards out: they were suspended, buried or deleted. Another is not shown in place of them yet. */
export function withoutCards(session: Session, isGone: (card: StudyItem['card']) => boolean): Session {
  const { current } = session
  return {
    ...session,
    current: current && isGone(current.card) ? null : current,
    ready: session.ready.filter(({ card }) => !isGone(card)),
    learning: session.learning.filter(({ item }) => !isGone(item.card)),
  }
}

/** Puts a card in front, as before it was taken out. */
export function putBack(session: Session, item: StudyItem): Session {
  const rest = withoutCards(session, ({ id }) => id === item.card.id)
  return { ...rest, current: item, ready: rest.current ? [rest.current, ...rest.ready] : rest.ready }
}

/** Takes over a card that was edited. */
export function replaceCard(session: Session, card: StudyItem['card']): Session {
  const change = (item: StudyItem) => (item.card.id === card.id ? { ...item, card } : item)
  return {
    ...session,
    current: session.current && change(session.current),
    ready: session.ready.map(change),
    learning: session.learning.map(({ item, dueAt }) => ({ item: change(item), dueAt })),
  }
}

/**
 * Takes over the queue of the server. What was answered here after the server read it is left out; what the server has no
 * more goes. The shown card stays.
 * @param later cards in learning that come back, without those of this session
 */
export function receive(
  session: Session,
  { items, counts }: Pick<Queue, 'items' | 'counts'>,
  limit: number,
  clock: Clock,
  later: readonly LearningItem[] = [],
): Session {
  const answeredAt = new Map(session.answers.map(({ item, at }) => [item.card.id, at]))
  const known = ({ card }: StudyItem) => Date.parse(card.last_reviewed_at ?? '') || 0
  const isFresh = (item: StudyItem) => known(item) >= (answeredAt.get(item.card.id) ?? 0)
  const fresh = items.filter(isFresh)
  const ids = new Set(fresh.map(({ card }) => card.id))
  const all = counts.new + counts.learning + counts.review
  const own = new Set([...ids, ...session.learning.map(({ item }) => item.card.id), session.current?.card.id])
  const added = later.filter(({ item }) => isFresh(item) && !own.has(item.card.id))
  return showNext(
    {
      ...session,
      ready: fresh.filter(({ card }) => card.id !== session.current?.card.id),
      learning: added.reduce(addLearning, {
        ...session,
        learning: session.learning.filter(({ item }) => !ids.has(item.card.id)),
      }).learning,
      beyond: items.length < limit ? 0 : Math.max(0, all - items.length),
    },
    clock,
  )
}

/** What an answer came to, as the server says it or as it is worked out here. */
export interface Outcome {
  readonly card: StudyItem['card'] | null
  readonly preview: StudyItem['preview']
  readonly review: { readonly id: string } | null
}

/** Takes over what answers came to: when cards in learning come back, and the previews of their next ratings. */
export function learn(session: Session, outcomes: readonly Outcome[]): Session {
  return outcomes.reduce(learnOne, session)
}

function learnOne(session: Session, { card, preview, review }: Outcome): Session {
  const { current } = session
  const last = session.answers.findLast(({ item }) => item.card.id === card?.id)
  // It was taken back, or answered again since.
  if (!card || !last || last.reviewId !== review?.id) return session
  if (current?.card.id === card.id) {
    const known = { card: { ...current.card, ...card }, preview: current.preview ?? preview }
    return { ...session, current: known }
  }
  if (session.ready.some((item) => item.card.id === card.id)) return session
  const known = session.learning.find(({ item }) => item.card.id === card.id)?.item ?? last.item
  const rest = withoutCards(session, ({ id }) => id === card.id)
  if (!isLearning(card) || card.suspended || card.due_at === null) return rest
  // The answer has no HTML: that of before stays.
  return addLearning(rest, { item: { card: { ...known.card, ...card }, preview }, dueAt: Date.parse(card.due_at) })
}
