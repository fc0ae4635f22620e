import type { Session } from '../../db/database'
import type { CardWriter } from '../cards/card'
import { toScheduleColumns, toSnapshot } from '../cards/card'
import type { CardRow } from '../cards/card-store'
import type { Study } from '../decks/study'
import { haveSameWeights, paramsId, reviewCard } from '../reviews/review'
import * as scheduler from '../scheduling/scheduler'
import type { DeckSettings } from '../scheduling/settings'
import { type CardSnapshot, computeDue, isRating, type Rating, resetSnapshot, setDue } from '../scheduling/snapshot'
import { studyDay } from '../scheduling/study-day'
import { isEarlierInLog, isTooOld, readSnapshot, toLogEntries } from './review'
import { getLastPlace, type LogPlace, listLogOfCards, listReviewsAfter, type ReviewRow } from './review-store'
import type { NewReview, ReplayedReview, ReviewWriter } from './review-writer'

// Changes in the middle of a card's log. What comes later is recomputed, so that the card and its log are what they
// would be if all had arrived in the order of time.

export interface StudiedCard {
  readonly study: Study
  readonly card: CardRow
  readonly settings: DeckSettings
}

interface LateAnswer extends Pick<NewReview, 'id' | 'reviewed_at' | 'duration_ms' | 'fingerprint'> {
  readonly rating: Rating
}

/** The card at a place of its log: as it is now, and as it was when the reviews after that place arrived. */
interface Course {
  readonly state: CardSnapshot
  readonly stored: CardSnapshot
}

export type ReviewLog = ReturnType<typeof createReviewLog>

/** Creates what adds reviews to the middle of logs, and takes them out of anywhere. `session.db` must be a transaction. */
export function createReviewLog({ cardWriter, reviewWriter }: { cardWriter: CardWriter; reviewWriter: ReviewWriter }) {
  /**
   * Inserts the answers, and recomputes the reviews that stand after one and the card, up to a review that finds the
   * card as before.
   * @param from where it begins; null: nothing is different before the first answer
   * @param entries answers, and all reviews that are stored after the first of them, in the order of the log
   */
  async function replayEntries(
    session: Session,
    studied: StudiedCard,
    from: Course | null,
    entries: readonly (LateAnswer | ReviewRow)[],
  ) {
    const { card, study } = studied
    const nextOf = findNextStored(entries)
    const inserted: ReviewRow[] = []
    const replayed: ReplayedReview[] = []
    let course = from
    for (const [i, entry] of entries.entries()) {
      const next = nextOf[i] ?? null
      const stored = next ? readSnapshot(next.before) : toSnapshot(card, study.clock)
      if (!isStored(entry)) {
        if (!course) await reviewWriter.rewrite(session, replayed.splice(0))
        const before = course
          ? keepChangesByHand(course.state, course.stored, stored)
          : await withPresentMemory(session, studied, stored, entry, next?.params_id ?? null)
        const result = replayAnswer(studied, entry, before)
        const study_day = studyDay(entry.reviewed_at, study.clock)
        inserted.push(await reviewWriter.insert(session, card, { ...entry, ...result, study_day }))
        course = { state: result.after, stored }
      } else if (course) {
        const before = keepChangesByHand(course.state, course.stored, stored)
        const result = Bun.deepEquals(before, stored) ? null : replayReview(studied, entry, before)
        if (result) replayed.push([entry, result])
        course = result && { state: result.after, stored: readSnapshot(entry.after) }
      }
    }
    await reviewWriter.rewrite(session, replayed)
    if (!course) return { inserted, card }
    const end = keepChangesByHand(course.state, course.stored, toSnapshot(card, study.clock))
    return { inserted, card: await cardWriter.save(session, card, toScheduleColumns(end)) }
  }

  return {
    /**
     * Puts answers at their places in the log. Returns them with the card.
     * @param answers in the order of the log
     * @param later all reviews that stand after the first of them, in the order of the log
     * @throws ApiError quota_exceeded
     */
    insert(
      session: Session,
      studied: StudiedCard,
      answers: readonly LateAnswer[],
      later: readonly ReviewRow[],
    ): Promise<{ readonly inserted: readonly ReviewRow[]; readonly card: CardRow }> {
      const entries = [...answers, ...later].toSorted((a, b) => (isEarlierInLog(a, b) ? -1 : 1))
      return replayEntries(session, studied, null, entries)
    },

    /** Computes the card as if the review, which is undone, had never been. Returns the card. */
    async remove(session: Session, studied: StudiedCard, review: ReviewRow): Promise<CardRow> {
      const later = await listReviewsAfter(session, studied.card.key, review, Number.MAX_SAFE_INTEGER)
      const before = readSnapshot(review.before)
      const state = await withPresentMemory(session, studied, before, review, review.params_id)
      const course = { state, stored: readSnapshot(review.after) }
      return (await replayEntries(session, studied, course, later)).card
    },
  }
}

function isStored(entry: LateAnswer | ReviewRow): entry is ReviewRow {
  return 'before' in entry
}

/** Returns for each entry the stored review at its place, or the next one. */
function findNextStored(entries: readonly (LateAnswer | ReviewRow)[]): (ReviewRow | undefined)[] {
  let next: ReviewRow | undefined
  const backwards = entries.toReversed().map((entry) => {
    if (isStored(entry)) next = entry
    return next
  })
  return backwards.reverse()
}

/** What an answer comes to on a card as it was before; one that is older than all that is known changes nothing. */
function replayAnswer(
  { card, study, settings }: StudiedCard,
  { reviewed_at, rating }: { readonly reviewed_at: number; readonly rating: Rating },
  found: CardSnapshot,
): ReplayedReview[1] {
  const before = { ...found, ...computeDue(found, study.clock) }
  const kind = before.state === 'new' ? 'learning' : before.state
  if (isTooOld(reviewed_at, before)) return { ...unanswered(settings), kind, before, after: before }
  const scheduled = { ...before, id: card.id }
  const result = reviewCard(scheduled, { now: reviewed_at, rating }, settings, study.clock)
  const { study_day: _, ...members } = result
  return { ...members, kind, before }
}

/** Computes what a review of the log, an answer or a schedule that was set by hand, comes to on a card. */
function replayReview(studied: StudiedCard, row: ReviewRow, found: CardSnapshot): ReplayedReview[1] {
  const { rating, reviewed_at, study_day } = row
  if (isRating(rating)) return replayAnswer(studied, { reviewed_at, rating }, found)
  const { clock } = studied.study
  const before = { ...found, ...computeDue(found, clock) }
  const { due_day } = readSnapshot(row.after)
  const after = due_day === null ? resetSnapshot(before) : setDue(before, due_day, study_day, clock)
  return { ...unanswered(studied.settings), kind: 'manual', before, after }
}

function unanswered(settings: DeckSettings) {
  return { elapsed_days: 0, predicted_retrievability: null, params_id: paramsId(settings) }
}

/** The card with changes by hand between two reviews: what the first left otherwise than the second found it. */
function keepChangesByHand(state: CardSnapshot, left: CardSnapshot, found: CardSnapshot): CardSnapshot {
  return {
    ...state,
    suspended: found.suspended === left.suspended ? state.suspended : found.suspended,
    leech: found.leech === left.leech ? state.leech : found.leech,
    buried_until: found.buried_until === left.buried_until ? state.buried_until : found.buried_until,
  }
}

/**
 * Returns a snapshot of the log with its memory by the present weights.
 * @param place where it is in the log
 * @param params_id of the settings that it was computed with; null: unknown, or the present ones
 */
async function withPresentMemory(
  session: Session,
  { card, settings }: StudiedCard,
  snapshot: CardSnapshot,
  place: LogPlace,
  params_id: string | null,
): Promise<CardSnapshot> {
  if (params_id === null || haveSameWeights(params_id, paramsId(settings))) return snapshot
  const log = await listLogOfCards(session, [card.key])
  const earlier = log.filter((row) => row.kind === 'import' || isEarlierInLog(row, place))
  return { ...snapshot, ...scheduler.replay(toLogEntries(earlier), settings.weights) }
}

/** Returns the instant of what is done to a card now, under this id: so that it is last in the log. */
export async function atEndOfLog(
  session: Session,
  { now }: Pick<Study, 'now'>,
  { key, last_reviewed_at }: Pick<CardRow, 'key' | 'last_reviewed_at'>,
  id: string,
): Promise<number> {
  const last = await getLastPlace(session, key)
  const at = Math.max(now, last_reviewed_at ?? now, last?.reviewed_at ?? now)
  return last && isEarlierInLog({ reviewed_at: at, id }, last) ? at + 1 : at
}
