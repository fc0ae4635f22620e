import type { Context, Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { createLoad } from '../../http/resource'
import { type Precondition, requireRevision, type Tagged } from '../../http/responses'
import { DEFAULT_LIMIT, readInstant, writeInstant } from '../../http/values'
import { type CardWriter, loadCard, requireUntrashedCard, showCard, toScheduleColumns, toSnapshot } from '../cards/card'
import { type CardRow, getCardsByKeys } from '../cards/card-store'
import { readDeckSettings, readStudy, type Study } from '../decks/study'
import { requireDeckKeys } from '../filter/filter'
import * as scheduler from '../scheduling/scheduler'
import { showPreview } from '../scheduling/snapshot'
import { isTooOld, reviewCard, toReview } from './review'
import { atEndOfLog, type ReviewLog, type StudiedCard } from './review-log'
import type { AnswerCard, AnsweredReview, CardPreview, ListReviews, Review, ReviewedCard } from './review-schema'
import {
  getLatestReview,
  getLatestReviewOfCard,
  getReview,
  isSuspendedByAnswer,
  listReviews,
  listReviewsAfter,
  type ReviewRow,
  wasMerged,
} from './review-store'
import type { ReviewWriter } from './review-writer'

/** How far the clock of a client may be ahead of ours. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000
/** The earliest instant of an answer: in Anki its id is its milliseconds since 1970. */
const EARLIEST_MS = 1

/** The most later reviews of a card that a late answer recomputes, so that no transaction is long. */
const MAX_LATER = 200

export interface ReplayBudget {
  left: number
}

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly cardWriter: CardWriter
  readonly reviewWriter: ReviewWriter
  readonly reviewLog: ReviewLog
}

/** The result of an answer: 201 for a new review, 200 for an existing one. */
export interface StoredAnswer {
  readonly status: 200 | 201
  readonly body: AnsweredReview
}

export type Reviews = ReturnType<typeof createReviews>

export function createReviews({ now, ids, reviewLog, cardWriter, reviewWriter }: Deps) {
  /** Schedules the card and adds a review to the end of its log. The answer must be allowed. */
  async function append(session: Session, { study, card, settings }: StudiedCard, given: AllowedAnswer) {
    const before = toSnapshot(card, study.clock)
    const { reviewed_at, rating } = given
    const scheduled = { ...before, id: card.id }
    const { after, ...members } = reviewCard(scheduled, { now: reviewed_at, rating }, settings, study.clock)
    const kind = before.state === 'new' ? 'learning' : before.state
    const saved = await cardWriter.save(session, card, toScheduleColumns(after))
    const review = await reviewWriter.insert(session, card, { ...given, ...members, kind, before, after })
    return { review, card: saved }
  }

  /** Puts a late answer at its place in the log. The answer must be allowed. Throws out_of_order, unavailable. */
  async function merge(
    session: Session,
    studied: StudiedCard,
    given: AllowedAnswer,
    later: readonly ReviewRow[],
    budget: ReplayBudget,
  ) {
    if (later.length > MAX_LATER)
      throw new ApiError('out_of_order', `More than ${MAX_LATER} answers of the card are later than this one.`, {
        last_reviewed_at: writeInstant(studied.card.last_reviewed_at ?? 0),
      })
    if (later.length > budget.left)
      throw new ApiError('unavailable', 'The batch has more late answers than one request may merge. Send them again.')
    budget.left -= later.length
    const { inserted, card } = await reviewLog.insert(session, studied, [given], later)
    return { review: inserted[0] as ReviewRow, card }
  }

  return {
    /**
     * Answers a card, once for each id of a review. An answer that is older than others which came first is put at its
     * place in the log, and the card is recomputed.
     * @throws ApiError invalid_request, conflict for the id of another review, not_found, precondition_failed (unless
     * the answer is late), card_suspended, out_of_order, unavailable, quota_exceeded; checked in this order
     * @param budget what is left of that of the request
     */
    answer(
      session: Session,
      cardId: string,
      body: AnswerCard,
      precondition: Precondition = null,
      budget: ReplayBudget = { left: MAX_LATER },
    ): Promise<StoredAnswer> {
      const asked = body.reviewed_at === undefined ? null : readAnswered(body.reviewed_at)
      const { rating, duration_ms = 0 } = body
      const fingerprint = makeFingerprint([cardId, rating, asked, duration_ms])
      return session.db.transaction(async (db) => {
        const tx = { ...session, db }
        const study = await readStudy(tx, now())
        const known = body.id === undefined ? null : await getReview(tx, body.id)
        if (known) return { status: 200, body: await repeated(tx, study, known, fingerprint) }
        const card = await requireUntrashedCard(tx, cardId)
        const id = body.id ?? ids()
        const reviewed_at = asked ?? (await atEndOfLog(tx, study, card, id))
        const place = { id, reviewed_at }
        const later = await listReviewsAfter(tx, card.key, place, MAX_LATER + 1)
        const isLate = later.length > 0 || isTooOld(reviewed_at, card)
        if (!isLate) requireRevision(precondition, (await showCard(tx, study, card)).resource)
        await requireAnswerable(tx, card, study, asked)
        const studied = { study, card, settings: await readDeckSettings(tx, study, card.deck) }
        const given = { ...place, rating, duration_ms, fingerprint }
        const stored = await (isLate ? merge(tx, studied, given, later, budget) : append(tx, studied, given))
        const shown = await showReviewedCard(tx, study, stored.review, stored.card)
        return { status: 201, body: { ...shown, merged: isLate } }
      })
    },

    /** Throws not_found. */
    async preview(session: Session, cardId: string): Promise<CardPreview> {
      const card = await requireUntrashedCard(session, cardId)
      const study = await readStudy(session, now())
      return previewCard(card, study, await readDeckSettings(session, study, card.deck))
    },

    /** Returns a review. Throws not_found. */
    get: async (session: Session, id: string): Promise<Tagged<Review>> => toReview(await loadReview(session, id)),
  }
}

interface AllowedAnswer extends Pick<Required<AnswerCard>, 'id' | 'rating' | 'duration_ms'> {
  readonly reviewed_at: number
  readonly fingerprint: string
}

const loadReview = createLoad('review', getReview)

async function loadCardOfReview(session: Session, review: ReviewRow): Promise<CardRow> {
  const [card] = await getCardsByKeys(session, [review.card])
  if (!card) throw new Error(`review ${review.id} has no card`)
  return card
}

async function showReviewedCard(
  session: Session,
  study: Study,
  review: ReviewRow,
  card: CardRow,
): Promise<ReviewedCard> {
  return { review: toReview(review).resource, card: (await showCard(session, study, card)).resource }
}

export function previewCard(
  card: CardRow,
  { now, clock }: Study,
  settings: Parameters<typeof scheduler.previewRatings>[2],
) {
  const at = Math.max(now, card.last_reviewed_at ?? now)
  return showPreview(scheduler.previewRatings({ ...toSnapshot(card, clock), id: card.id }, at, settings, clock))
}

/** Returns the outcome of a repeated request. Throws conflict if the review was made by another request. */
async function repeated(
  session: Session,
  study: Study,
  known: ReviewRow,
  fingerprint: string,
): Promise<AnsweredReview> {
  if (known.fingerprint !== fingerprint)
    throw new ApiError('conflict', 'A review with this id exists already, of another answer.', {
      existing_id: known.id,
    })
  const shown = await showReviewedCard(session, study, known, await loadCardOfReview(session, known))
  return { ...shown, merged: await wasMerged(session, known) }
}

/** Throws invalid_request. */
function readAnswered(text: string): number {
  const at = readInstant(text, '/reviewed_at')
  if (at < EARLIEST_MS) throw invalid('/reviewed_at', 'out_of_range', 'reviewed_at must not be before 1970')
  return at
}

/** Throws card_suspended, invalid_request. A device offline could not know that one elsewhere suspended the card. */
async function requireAnswerable(session: Session, card: CardRow, { now }: Study, asked: number | null) {
  const isKnown = async () => asked === null || !(await isSuspendedByAnswer(session, card.key))
  if (card.suspended === 1 && (await isKnown()))
    throw new ApiError('card_suspended', 'The card is suspended. Unsuspend it first.')
  if (asked !== null && asked > now + MAX_CLOCK_SKEW_MS)
    throw invalid('/reviewed_at', 'in_the_future', 'reviewed_at must not be more than five minutes ahead')
}

function makeFingerprint(value: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('hex')
}

/** A page of the log, the latest first. Throws not_found for a card or a deck, invalid_cursor, invalid_request. */
export async function listReviewPage(
  session: Session,
  { cursor, limit: asked, ...filters }: ListReviews,
): Promise<Page<Review>> {
  const { card_id, deck_id, from, to, kind, undone } = filters
  const limit = Number(asked ?? DEFAULT_LIMIT)
  const binding = JSON.stringify(['reviews', Object.entries(filters).toSorted()])
  const after = cursor === undefined ? null : readCursor(cursor, binding, ['number', 'string'])
  const rows = await listReviews(session, {
    card: card_id === undefined ? null : (await loadCard(session, card_id)).key,
    decks: deck_id === undefined ? null : await requireDeckKeys(session, deck_id),
    from: from === undefined ? null : readInstant(from, '/from'),
    to: to === undefined ? null : readInstant(to, '/to'),
    kind: kind ?? null,
    undone: undone === undefined ? null : undone === 'true',
    after,
    limit: limit + 1,
  })
  return toPage(
    rows,
    limit,
    binding,
    ({ reviewed_at, id }) => [reviewed_at, id],
    (row) => toReview(row).resource,
  )
}

interface UndoDeps extends Pick<Context, 'now'> {
  readonly reviewLog: ReviewLog
  readonly reviewWriter: ReviewWriter
}

export type ReviewUndo = ReturnType<typeof createReviewUndo>

export function createReviewUndo({ now, reviewLog, reviewWriter }: UndoDeps) {
  async function undo(session: Session, review: ReviewRow): Promise<ReviewedCard> {
    const study = await readStudy(session, now())
    const card = await loadCardOfReview(session, review)
    if (review.undone_at !== null) return showReviewedCard(session, study, review, card)
    await requireUndoable(session, review, card)
    const undone = await reviewWriter.undo(session, review)
    const settings = await readDeckSettings(session, study, card.deck)
    return showReviewedCard(session, study, undone, await reviewLog.remove(session, { study, card, settings }, undone))
  }

  return {
    /** Throws not_found, precondition_failed, not_latest_review; conflict if imported, or its card is in the trash. */
    one(session: Session, id: string, precondition: Precondition = null): Promise<ReviewedCard> {
      return session.db.transaction(async (db) => {
        const tx = { ...session, db }
        const review = await loadReview(tx, id)
        requireRevision(precondition, toReview(review).resource)
        return undo(tx, review)
      })
    },

    /**
     * Undoes the workspace's last review by order of arrival.
     * @param expected the id of the review that the caller takes for the last; undone already, it stays as it is
     * @throws ApiError not_found if there is none, not_latest_review if another is the last, conflict like `one`
     */
    last(session: Session, expected?: string): Promise<ReviewedCard> {
      return session.db.transaction(async (db) => {
        const tx = { ...session, db }
        const meant = expected === undefined ? null : await loadReview(tx, expected)
        if (meant && meant.undone_at !== null) return undo(tx, meant)
        const review = await getLatestReview(tx)
        if (!review) throw new ApiError('not_found', 'There is no review that could be undone.')
        if (meant && meant.key !== review.key)
          throw new ApiError('not_latest_review', 'Another review came after this one.', { latest_id: review.id })
        return undo(tx, review)
      })
    },
  }
}

async function requireUndoable(session: Session, review: ReviewRow, card: CardRow): Promise<void> {
  if (card.deleted_at !== null) throw new ApiError('conflict', 'The card is in the trash. Restore its fact first.')
  if (review.kind === 'import') throw new ApiError('conflict', 'A review that was imported cannot be undone.')
  const latest = await getLatestReviewOfCard(session, card.key)
  if (latest?.id !== review.id)
    throw new ApiError('not_latest_review', 'A later review of the card must be undone first.', {
      latest_id: latest?.id,
    })
}
