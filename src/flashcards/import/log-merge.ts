import type { Session } from '../../db/database'
import { keysOf } from '../../db/table'
import { type CardRow, listCardsOfFact } from '../cards/card-store'
import type { StudyContext } from '../context'
import type { Study } from '../decks/study'
import type { FactRow } from '../facts/fact-store'
import type { ParsedFact, ParsedReview } from '../formats/parsed'
import { type LoggedAnswer, listAnswersOfCards, listReviewsAfter } from '../reviews/review-store'
import type { DeckSettings } from '../scheduling/settings'
import { isRating, type Rating } from '../scheduling/snapshot'
import { isImportable } from './schedule'

// Answers that were given in another program after the cards were imported, or before they went there.

/** The most answers of one fact that are merged in one step: about 10 ms. */
const MAX_MERGED_AT_ONCE = 100
/** How far an export may move the time of an answer: in a package no two answers have the same millisecond. */
const MAX_MOVED_MS = 10_000

interface MergeParams {
  readonly study: Study
  readonly settings: DeckSettings
  readonly item: Pick<ParsedFact, 'log'>
  readonly fact: Pick<FactRow, 'key'>
}

/** How many answers were merged, and whether some are left for another step. */
interface MergedLog {
  readonly merged: number
  readonly isLeft: boolean
}

/** Merges the log of a file into that of the cards of a fact. `session.db` must be a transaction. Throws quota_exceeded. */
export type MergeLog = (session: Session, params: MergeParams) => Promise<MergedLog>

/**
 * Creates MergeLog. An answer that a card lacks is put at its place in the log, as a late answer of a device is. What
 * has no rating, such as a due date that was set by hand there, changes nothing here and is left out.
 */
export function createLogMerge({ ids, reviewLog }: Pick<StudyContext, 'ids' | 'reviewLog'>): MergeLog {
  return async (session, { study, settings, item, fact }) => {
    const given = item.log.filter((review) => isRating(review.rating) && isImportable(review, study.now))
    if (given.length === 0) return { merged: 0, isLeft: false }
    const cards = (await listCardsOfFact(session, fact.key)).filter((card) => card.deleted_at === null)
    const known = Map.groupBy(await listAnswersOfCards(session, keysOf(cards)), ({ card }) => card)
    let left = MAX_MERGED_AT_ONCE
    let isLeft = false
    for (const card of cards) {
      const own = given.filter(({ ordinal }) => ordinal === card.ordinal)
      const missing = listMissing(own, known.get(card.key) ?? [])
      isLeft ||= missing.length > left
      await insertAnswers(session, { study, settings, card }, missing.slice(0, left))
      left -= Math.min(left, missing.length)
    }
    return { merged: MAX_MERGED_AT_ONCE - left, isLeft }
  }

  async function insertAnswers(
    session: Session,
    studied: { readonly study: Study; readonly settings: DeckSettings; readonly card: CardRow },
    missing: readonly ParsedReview[],
  ): Promise<void> {
    const answers = missing.map(({ reviewed_at, rating, duration_ms }) => ({
      ...{ id: ids(), reviewed_at, duration_ms, fingerprint: null },
      rating: rating as Rating,
    }))
    const [first] = answers
    if (!first) return
    const later = await listReviewsAfter(session, studied.card.key, first, Number.MAX_SAFE_INTEGER)
    await reviewLog.insert(session, studied, answers, later)
  }
}

/**
 * Returns the answers of a file that the log of the card lacks. They have the time by which Anki identifies them; one
 * that an export had to move is the same if rating and duration are. Each stored answer matches one of the file.
 */
export function listMissing(given: readonly ParsedReview[], known: readonly LoggedAnswer[]): ParsedReview[] {
  const times = new Set(known.map(({ reviewed_at }) => reviewed_at))
  const others = given.filter(({ reviewed_at }) => !times.has(reviewed_at))
  if (others.length === 0) return []
  const found = new Set(given.map(({ reviewed_at }) => reviewed_at))
  const unmatched = known.filter(({ reviewed_at }) => !found.has(reviewed_at))
  return others.filter((review) => {
    const moved = unmatched.findIndex((answer) => isMoved(review, answer))
    if (moved >= 0) unmatched.splice(moved, 1)
    return moved < 0
  })
}

function isMoved(review: ParsedReview, { reviewed_at, rating, duration_ms }: LoggedAnswer): boolean {
  const moved = review.reviewed_at - reviewed_at
  return moved > 0 && moved <= MAX_MOVED_MS && review.rating === rating && review.duration_ms === duration_ms
}
