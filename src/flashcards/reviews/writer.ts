import type { Session, Workspace } from '../../db/database'
import type { RecordChange } from '../../db/journal'
import { Refusal } from '../../http/problem'
import type { WorkspaceUsage } from '../../http/schema'
import type { CardRow } from '../cards/store'
import type { Snapshot } from '../scheduling/snapshot'
import { countReviews, insertReview, markUndone, REVIEW_BYTES, type ReviewDraft, type ReviewRow } from './store'

/** Reviews that a workspace may hold, those that are undone among them: decades of study. */
export const MAX_REVIEWS: Readonly<Record<Workspace['kind'], number>> = { key: 1_000_000, scratch: 2000 }

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly record: RecordChange
  /** What the workspace holds. */
  readonly usage: (session: Session) => Promise<Pick<WorkspaceUsage, 'size_bytes'>>
}

/** A review without what follows from its card. */
export interface NewReview
  extends Pick<
    ReviewDraft,
    | 'id'
    | 'kind'
    | 'rating'
    | 'reviewed_at'
    | 'study_day'
    | 'duration_ms'
    | 'elapsed_days'
    | 'predicted_retrievability'
    | 'params_id'
    | 'fingerprint'
  > {
  readonly before: Snapshot
  readonly after: Snapshot
}

/** The one way to write single reviews. Each call keeps the journal in step. `session.db` must be a transaction. */
export interface ReviewWriter {
  /** Adds a review to the log. Throws quota_exceeded. */
  insert(session: Session, card: Pick<CardRow, 'key'>, review: NewReview): Promise<ReviewRow>
  /** Marks the review as undone. */
  undo(session: Session, review: ReviewRow): Promise<ReviewRow>
}

export function createReviewWriter({ now, record, usage }: Deps): ReviewWriter {
  async function requireRoom(session: Session): Promise<void> {
    const most = MAX_REVIEWS[session.workspace.kind]
    // A workspace that is smaller than so many reviews cannot hold them: only others are counted.
    if ((await usage(session)).size_bytes < most * REVIEW_BYTES) return
    if ((await countReviews(session.db, session.workspace.id)) < most) return
    throw new Refusal('quota_exceeded', `This workspace may hold ${most} reviews. Erase some facts, or use a key.`)
  }

  return {
    async insert(session, card, { before, after, ...members }) {
      await requireRoom(session)
      const at = now()
      const review = await insertReview(session.db, session.workspace.id, {
        ...members,
        revision: 1,
        created_at: at,
        updated_at: at,
        card: card.key,
        was_new: Number(before.state === 'new'),
        interval_days: before.scheduled_days,
        before: JSON.stringify(before),
        after: JSON.stringify(after),
        undone_at: null,
      })
      await record(session, changeOf(review, REVIEW_BYTES))
      return review
    },

    async undo(session, { key }) {
      const review = await markUndone(session.db, session.workspace.id, key, now())
      await record(session, changeOf(review, 0))
      return review
    },
  }
}

function changeOf({ id, revision, updated_at: at }: ReviewRow, bytes: number) {
  return { type: 'review', id, op: 'upsert', revision, at, resources: 0, bytes } as const
}
