import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { type Precondition, requireRevision } from '../../http/conditional'
import type { CardRow } from '../card-store'
import { toReview } from '../review'
import type { ReviewLog } from '../review-log'
import type { ReviewedCard } from '../review-schema'
import { getLatestReview, getLatestReviewOfCard, type ReviewRow } from '../review-store'
import type { ReviewWriter } from '../review-writer'
import { readDeckSettings, readStudy } from '../study'
import { loadCardOfReview, loadReview, showReviewedCard } from './service'

interface Deps extends Pick<Context, 'now'> {
  readonly log: ReviewLog
  readonly reviewWriter: ReviewWriter
}

export type ReviewUndo = ReturnType<typeof createReviewUndo>

/** Creates the service that undoes answers and manual changes of the schedule. */
export function createReviewUndo({ now, log, reviewWriter }: Deps) {
  async function undo(session: Session, review: ReviewRow): Promise<ReviewedCard> {
    const study = await readStudy(session, now())
    const card = await loadCardOfReview(session, review)
    if (review.undone_at !== null) return showReviewedCard(session, study, review, card)
    await requireUndoable(session, review, card)
    const undone = await reviewWriter.undo(session, review)
    const settings = await readDeckSettings(session, study, card.deck)
    return showReviewedCard(session, study, undone, await log.remove(session, { study, card, settings }, undone))
  }

  return {
    /**
     * Undoes this review, unless it is undone already. Throws not_found, precondition_failed, not_latest_review, and
     * conflict for a review that was imported or whose card is in the trash.
     */
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
        const review = await getLatestReview(db, session.workspace.id)
        if (!review) throw new ApiError('not_found', 'There is no review that could be undone.')
        if (meant && meant.key !== review.key)
          throw new ApiError('not_latest_review', 'Another review came after this one.', { latest_id: review.id })
        return undo(tx, review)
      })
    },
  }
}

async function requireUndoable({ db, workspace }: Session, review: ReviewRow, card: CardRow): Promise<void> {
  if (card.deleted_at !== null) throw new ApiError('conflict', 'The card is in the trash. Restore its fact first.')
  if (review.kind === 'import') throw new ApiError('conflict', 'A review that was imported cannot be undone.')
  const latest = await getLatestReviewOfCard(db, workspace.id, card.key)
  if (latest?.id !== review.id)
    throw new ApiError('not_latest_review', 'A later review of the card must be undone first.', {
      latest_id: latest?.id,
    })
}
