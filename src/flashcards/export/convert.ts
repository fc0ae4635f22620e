import { fromDay } from '../../lib/civil/day'
import type { ExportedFact as AnkiFact, ExportedReview as AnkiReview } from '../anki/write-package'
import { toSnapshot } from '../card'
import type { CardRow } from '../card-store'
import { toFact, writePartId } from '../fact'
import type { GivenFactType } from '../fact-schema'
import type { ParsedCard } from '../formats/parsed'
import { estimateEase } from '../import/schedule'
import type { ReviewRow } from '../review-store'
import { DEFAULT_WEIGHTS, type DeckSettings, inheritSettings } from '../scheduling/settings'
import type { CardSnapshot } from '../scheduling/snapshot'
import type { StudyClock } from '../scheduling/study-day'
import type { Study } from '../study'
import type { DeckWithPath, FactWithCards } from './content'

// Converts facts, cards and rows of the log to the formats of exports.

/** What is written for a side of a card that shows nothing: a fact of texts must have both. */
const EMPTY_SIDE = '(empty)'

/** Returns the facts of texts that show a fact: itself, or one for each card of a custom one, which only its cards show. */
export async function toTextFacts({ fact, noteType, cards }: FactWithCards): Promise<TextFact[]> {
  const { resource } = toFact(fact)
  const { type, fields, source } = resource
  if (type !== 'custom') return [{ ...resource, type }]
  if (!noteType || !fields) throw new Error('a custom fact has no note type')
  // Only notes need the HTML libraries, so they are loaded on first use.
  const { renderNoteCard } = await import('../note')
  return cards.map(({ card: { ordinal } }): TextFact => {
    const { prompt, answer } = renderNoteCard(noteType.content, fields, ordinal)
    const isPart = cards.length > 1 && source?.system === 'anki' && source.id !== null
    return {
      ...resource,
      ...{ type: 'basic', front: prompt || EMPTY_SIDE, back: answer || EMPTY_SIDE },
      source: isPart ? { ...source, id: writePartId(source.id ?? '', ordinal) } : source,
    }
  })
}

type TextFact = Omit<ReturnType<typeof toFact>['resource'], 'type'> & { readonly type: GivenFactType }

const day = (of: number | null) => (of === null ? null : fromDay(of))

/** Converts a fact for an Anki package. Without `scheduling`, its cards are new. */
export function toAnkiFact(
  { fact, deck, cards, noteType }: FactWithCards,
  study: Study,
  scheduling: boolean,
): AnkiFact {
  const content = toFact(fact).resource
  const settings = settingsOf(deck, study)
  const { desired_retention, weights } = settings
  return {
    id: fact.id,
    fact: content,
    ...(noteType && content.fields ? { note: { noteType: noteType.content, fields: content.fields } } : {}),
    deck: deck.path,
    created_at: fact.created_at,
    updated_at: modifiedAt(fact),
    cards: cards.map(({ card }) => (scheduling ? toAnkiCard(card, study.clock, weights) : newCard(card))),
    log: cards.flatMap(({ card, log }) => log.flatMap((review) => toAnkiReview(review, card.ordinal))),
    desired_retention,
    decay: (weights ?? DEFAULT_WEIGHTS).at(-1) ?? 0,
    steps: { learning: settings.learning_steps_minutes.length, relearning: settings.relearning_steps_minutes.length },
  }
}

/**
 * Returns when the fact was changed; for an unchanged imported fact, when it was changed there: reimporting it does
 * nothing.
 */
function modifiedAt({ revision, external_modified_at, updated_at }: FactWithCards['fact']): number {
  return revision === 1 ? (external_modified_at ?? updated_at) : updated_at
}

export function settingsOf({ chain }: DeckWithPath, { defaults }: Pick<Study, 'defaults'>): DeckSettings {
  return inheritSettings(
    chain.map(({ id, settings }) => ({ id, overrides: JSON.parse(settings) })),
    defaults,
  ).effective
}

function toAnkiCard(card: CardRow, clock: StudyClock, weights: readonly number[] | null): ParsedCard {
  const { ordinal, flag, position, stability, difficulty } = card
  // Without FSRS, Anki needs an ease: one for all would make hard cards easy.
  const ease = stability === null || difficulty === null ? null : estimateEase({ stability, difficulty }, weights)
  const { due_day, buried_until, ...snapshot } = toSnapshot(card, clock)
  return { ...snapshot, ordinal, due_day: day(due_day), buried_until: day(buried_until), ease, flag, position }
}

function newCard({ ordinal, position }: CardRow): ParsedCard {
  return {
    ...{ ordinal, state: 'new', due_day: null, due_at: null, stability: null, difficulty: null, ease: null },
    ...{ scheduled_days: 0, step: 0, reps: 0, lapses: 0, last_reviewed_at: null },
    ...{ suspended: false, buried_until: null, flag: 0, leech: false, position },
  }
}

/** Converts a review; returns [] if it was undone or only holds memory, which Anki cannot express. */
function toAnkiReview(review: ReviewRow, ordinal: number): AnkiReview[] {
  const before: CardSnapshot = JSON.parse(review.before)
  const after: CardSnapshot = JSON.parse(review.after)
  const isSeed = review.kind === 'import' && review.rating === null && before.state === 'new'
  if (review.undone_at !== null || isSeed) return []
  const { reviewed_at, duration_ms } = review
  const rating = review.rating as AnkiReview['rating']
  const kind = rating === null ? 'manual' : before.state === 'new' ? 'learning' : before.state
  const intervals = { scheduled_days: after.scheduled_days, last_scheduled_days: before.scheduled_days }
  return [{ ordinal, reviewed_at, kind, rating, duration_ms, ...intervals }]
}
