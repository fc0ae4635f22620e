import { fromDay } from '../../../civil/day'
import { writeInstant } from '../../../http/values'
import type { ExportedFact as AnkiFact, ExportedReview as AnkiReview } from '../../anki/write-package'
import { snapshotOf } from '../../cards/card'
import type { CardRow } from '../../cards/store'
import { toFact } from '../../facts/form'
import type { ReviewRow } from '../../reviews/store'
import { DEFAULT_WEIGHTS, inherit } from '../../scheduling/settings'
import type { Snapshot } from '../../scheduling/snapshot'
import type { StudyClock } from '../../scheduling/study-day'
import type { Study } from '../../settings/study'
import type { ExportedCard, ExportedFact, ExportedReview } from '../json-form'
import type { ParsedCard } from '../parsed'
import type { PlacedDeck, WholeFact } from './content'

/** Facts, cards and rows of the log as the formats have them. */

/** Without `scheduling`, cards are left out: an import makes them anew. */
export function toJsonFact({ fact, deck, cards }: WholeFact, { clock }: Study, scheduling: boolean): ExportedFact {
  const { deck_id: _, trashed_at: __, revision: ___, ...members } = toFact(fact).resource
  return {
    ...members,
    deck: [...deck.path],
    cards: scheduling ? cards.map(({ card }) => toJsonCard(card, clock)) : [],
    reviews: scheduling
      ? cards.flatMap(({ card, log }) => log.map((review) => toJsonReview(review, card.ordinal)))
      : [],
  }
}

function toJsonCard(card: CardRow, clock: StudyClock): ExportedCard {
  const { ordinal, flag, position } = card
  return { ordinal, ...shownSnapshot(snapshotOf(card, clock)), flag, position }
}

function toJsonReview({ before, after, ...review }: ReviewRow, ordinal: number): ExportedReview {
  const { id, kind, rating, duration_ms, elapsed_days, predicted_retrievability, params_id } = review
  const written = {
    ...{ id, ordinal, kind, rating: rating as ExportedReview['rating'], duration_ms },
    reviewed_at: writeInstant(review.reviewed_at),
    study_day: fromDay(review.study_day),
    ...{ elapsed_days, predicted_retrievability, params_id },
    undone_at: instant(review.undone_at),
    before: shownSnapshot(JSON.parse(before)),
    after: shownSnapshot(JSON.parse(after)),
  }
  return written
}

function shownSnapshot({ due_at, due_day, last_reviewed_at, buried_until, ...rest }: Snapshot) {
  return {
    ...rest,
    due_at: instant(due_at),
    due_day: day(due_day),
    last_reviewed_at: instant(last_reviewed_at),
    buried_until: day(buried_until),
  }
}

const instant = (at: number | null) => (at === null ? null : writeInstant(at))
const day = (of: number | null) => (of === null ? null : fromDay(of))

/** Without `scheduling`, cards are new. */
export function toAnkiFact({ fact, deck, cards }: WholeFact, study: Study, scheduling: boolean): AnkiFact {
  const { external_id, source_note_id: _, ...content } = toFact(fact).resource
  const { desired_retention, weights } = settingsOf(deck, study)
  return {
    id: fact.id,
    fact: content,
    deck: deck.path,
    external_id,
    created_at: fact.created_at,
    updated_at: modifiedAt(fact),
    cards: cards.map(({ card }) => (scheduling ? toAnkiCard(card, study.clock) : newCard(card))),
    log: cards.flatMap(({ card, log }) => log.flatMap((review) => toAnkiReview(review, card.ordinal))),
    desired_retention,
    decay: (weights ?? DEFAULT_WEIGHTS).at(-1) ?? 0,
  }
}

/** What was imported and not changed since is as old as it was there: importing the package changes nothing. */
function modifiedAt({ revision, external_modified_at, updated_at }: WholeFact['fact']): number {
  return revision === 1 ? (external_modified_at ?? updated_at) : updated_at
}

function settingsOf({ chain }: PlacedDeck, { defaults }: Study) {
  return inherit(
    chain.map(({ id, settings }) => ({ id, overrides: JSON.parse(settings) })),
    defaults,
  ).effective
}

function toAnkiCard(card: CardRow, clock: StudyClock): ParsedCard {
  const { ordinal, flag, position } = card
  const { due_day, buried_until, ...snapshot } = snapshotOf(card, clock)
  return { ...snapshot, ordinal, due_day: day(due_day), buried_until: day(buried_until), ease: null, flag, position }
}

function newCard({ ordinal, position }: CardRow): ParsedCard {
  return {
    ...{ ordinal, state: 'new', due_day: null, due_at: null, stability: null, difficulty: null, ease: null },
    ...{ scheduled_days: 0, step: 0, reps: 0, lapses: 0, last_reviewed_at: null },
    ...{ suspended: false, buried_until: null, flag: 0, leech: false, position },
  }
}

/** Anki knows no undone answers, and no rows that only tell memory: those stand before an answer that was imported. */
function toAnkiReview(review: ReviewRow, ordinal: number): AnkiReview[] {
  const before: Snapshot = JSON.parse(review.before)
  const after: Snapshot = JSON.parse(review.after)
  const isSeed = review.kind === 'import' && review.rating === null && before.state === 'new'
  if (review.undone_at !== null || isSeed) return []
  const { reviewed_at, duration_ms } = review
  const rating = review.rating as AnkiReview['rating']
  const kind = rating === null ? 'manual' : before.state === 'new' ? 'learning' : before.state
  const intervals = { scheduled_days: after.scheduled_days, last_scheduled_days: before.scheduled_days }
  return [{ ordinal, reviewed_at, kind, rating, duration_ms, ...intervals }]
}
