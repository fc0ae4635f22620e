/** Schedules cards as the server does it, with its own scheduler. Loaded when studying begins. */
import {
  nextSnapshot,
  previewRatings,
  retrievability,
  type ScheduledCard,
} from '../../src/flashcards/scheduling/scheduler'
import { type DeckSettings, inheritSettings, type Overrides } from '../../src/flashcards/scheduling/settings'
import { showPreview, showSnapshot } from '../../src/flashcards/scheduling/snapshot'
import { startOfStudyDay, studyDay } from '../../src/flashcards/scheduling/study-day'
import { fromDay, toDay } from '../../src/lib/civil/day'
import type { Card, CardAnswer, Deck, StudySettings } from '../api/types'
import { isLearning } from '../data/resources'
import type { Answered, LearningItem, Outcome, Rating, StudyItem } from './session'

/** What a schedule depends on, apart from the card. */
export interface Basis {
  readonly settings: StudySettings
  readonly decks: ReadonlyMap<string, Deck>
}

/** The rest of a study day. */
export interface DayHere {
  /** What can be shown now, in order. */
  readonly items: StudyItem[]
  /** What comes back today, by `dueAt`. */
  readonly later: readonly LearningItem[]
  /** Of now, a civil date. */
  readonly study_day: string
}

/** The decks from one to the topmost above it. */
function chainOf(deckId: string, decks: Basis['decks']): { id: string; overrides: Overrides }[] {
  const chain = []
  for (let deck = decks.get(deckId); deck; deck = decks.get(deck.parent_id ?? ''))
    chain.push({ id: deck.id, overrides: deck.settings })
  return chain
}

const settingsOf = ({ deck_id }: Card, { settings, decks }: Basis): DeckSettings =>
  inheritSettings(chainOf(deck_id, decks), settings.deck_defaults).effective

function toScheduled(card: Card): ScheduledCard {
  const instant = (text: string | null) => (text === null ? null : Date.parse(text))
  const day = (text: string | null) => (text === null ? null : toDay(text))
  const { id, state, stability, difficulty, scheduled_days, step, reps, lapses, suspended, leech } = card
  return {
    ...{ id, state, stability, difficulty, scheduled_days, step, reps, lapses, suspended, leech },
    due_at: instant(card.due_at),
    due_day: day(card.due_day),
    last_reviewed_at: instant(card.last_reviewed_at),
    buried_until: day(card.buried_until),
  }
}

/** The study day of an instant (milliseconds since 1970), a civil date. */
export const dayAt = (now: number, { settings }: Pick<Basis, 'settings'>) => fromDay(studyDay(now, settings))

/** A card with what its ratings lead to. `now` is milliseconds since 1970. */
export function withPreview(card: Card, now: number, basis: Basis): StudyItem {
  const scheduled = toScheduled(card)
  const at = Math.max(now, scheduled.last_reviewed_at ?? now)
  return { card, preview: showPreview(previewRatings(scheduled, at, settingsOf(card, basis), basis.settings)) }
}

/**
 * The card after an answer at an instant (milliseconds since 1970); null for one older than the last, which only
 * the server can put at its place.
 */
export function answerCard(card: Card, { rating, at }: { rating: Rating; at: number }, basis: Basis): Card | null {
  const before = toScheduled(card)
  if (before.last_reviewed_at !== null && at < before.last_reviewed_at) return null
  const [settings, clock] = [settingsOf(card, basis), basis.settings]
  const after = nextSnapshot(before, { now: at, rating }, settings, clock)
  const recalled = retrievability(after, studyDay(at, clock), settings.weights, clock)
  return { ...card, ...showSnapshot(after), retrievability: recalled }
}

/** What answers of a session came to, as far as it can be known without the server. */
export function outcomesOf(answers: readonly Answered[], basis: Basis): Outcome[] {
  return answers.flatMap(({ item, rating, at, reviewId }) => {
    // Without a preview, the answer before is not known yet, so that only the server knows what this one leads to.
    const card = item.preview && answerCard(item.card, { rating, at }, basis)
    return card ? { ...withPreview(card, at, basis), review: { id: reviewId } } : []
  })
}

/** Cards after the answers to them that the server has not confirmed. One that it has is left out by its instant. */
function afterAnswers(cards: readonly Card[], answers: readonly CardAnswer[], basis: Basis): Card[] {
  const byCard = Map.groupBy(answers, ({ card_id }) => card_id)
  const timeOf = ({ reviewed_at }: CardAnswer) => Date.parse(reviewed_at)
  return cards.map((card) => {
    const given = (byCard.get(card.id) ?? []).toSorted((a, b) => timeOf(a) - timeOf(b))
    const known = Date.parse(card.last_reviewed_at ?? '') || 0
    return given
      .filter((each) => timeOf(each) > known)
      .reduce((before, each) => answerCard(before, { rating: each.rating, at: timeOf(each) }, basis) ?? before, card)
  })
}

/**
 * Leaves out cards that another one of their fact hides, where their deck has it so: one of `before`, or one that comes
 * earlier. Those in review come before new ones here, in any order.
 */
function withoutSiblings(cards: readonly Card[], before: readonly Card[], basis: Basis): Card[] {
  const idsByFact = new Map<string, Set<string>>()
  const add = ({ id, fact_id }: Card) => idsByFact.set(fact_id, (idsByFact.get(fact_id) ?? new Set()).add(id))
  before.forEach(add)
  const picked = new Set<Card>()
  for (const card of cards.toSorted((one, other) => Number(one.state === 'new') - Number(other.state === 'new'))) {
    const ids = idsByFact.get(card.fact_id) ?? new Set()
    if (ids.size > Number(ids.has(card.id)) && settingsOf(card, basis).bury_siblings) continue
    add(card)
    picked.add(card)
  }
  return cards.filter((card) => picked.has(card))
}

/**
 * The rest of today of kept cards, in the order of the queue that they were in: as the server has it, as far
 * as it said of the day. The limits of the day are those of that queue.
 * @param deckId this deck with its subdecks; null: all
 * @param now milliseconds since 1970
 */
export function dayOf(
  cards: readonly Card[],
  answers: readonly CardAnswer[],
  basis: Basis,
  { deckId, now }: { readonly deckId: string | null; readonly now: number },
): DayHere {
  const clock = basis.settings
  const today = studyDay(now, clock)
  const endsAt = startOfStudyDay(today + 1, clock)
  const isAsked = ({ deck_id }: Card) =>
    deckId === null || chainOf(deck_id, basis.decks).some(({ id }) => id === deckId)
  const known = afterAnswers(cards, answers, basis)
  const present = known.filter(isShown)
  const learning = present
    .filter(isLearning)
    .map((card) => ({ card, dueAt: Date.parse(card.due_at ?? '') }))
    .filter(({ card, dueAt }) => dueAt < endsAt && isAsked(card))
    .sort((one, other) => one.dueAt - other.dueAt)
  const due = learning.filter(({ dueAt }) => dueAt <= now)
  // One that was suspended since it was answered hides the others of its fact as before.
  const answered = known.filter((card) => isAnsweredOn(card, today))
  const main = withoutSiblings(
    present.filter((card) => isDue(card) && isAsked(card)),
    [...answered, ...due.map(({ card }) => card)],
    basis,
  )
  const shown = (card: Card) => withPreview(card, now, basis)
  return {
    items: [...due.map(({ card }) => card), ...main].map(shown),
    later: learning.filter(({ dueAt }) => dueAt > now).map(({ card, dueAt }) => ({ item: shown(card), dueAt })),
    study_day: fromDay(today),
  }

  function isShown(card: Card): boolean {
    const buried = card.buried_until === null ? today : toDay(card.buried_until)
    return !card.suspended && card.deleted_at === null && buried <= today && basis.decks.has(card.deck_id)
  }

  function isDue({ state, due_day }: Card): boolean {
    return state === 'new' || (state === 'review' && due_day !== null && toDay(due_day) <= today)
  }

  function isAnsweredOn({ last_reviewed_at }: Card, day: number): boolean {
    return last_reviewed_at !== null && studyDay(Date.parse(last_reviewed_at), clock) === day
  }
}
