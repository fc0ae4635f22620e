import type { RecordChange, RecordChanges } from '../../db/change-feed'
import type { Context, Session, Workspace } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { changeOf } from '../../http/resource'
import type { WorkspaceUsage } from '../../http/schema'
import type { CardRow } from '../cards/card-store'
import type { CardSnapshot } from '../scheduling/snapshot'
import { countReviews, REVIEW_BYTES, type ReviewDraft, type ReviewRow, reviewTable } from './review-store'

/** The most reviews of a workspace, including undone ones: decades of study. */
const MAX_REVIEWS: Readonly<Record<Workspace['kind'], number>> = { key: 1_000_000, scratch: 2000 }

/** Rows of an imported log that are written in one statement. */
const ROWS_AT_ONCE = 500

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly recordAll: RecordChanges
  readonly usage: (session: Session) => Promise<Pick<WorkspaceUsage, 'size_bytes'>>
}

/** A new review, without members that are derived from its card. */
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
  readonly before: CardSnapshot
  readonly after: CardSnapshot
}

/** A row of an imported log, without its id and its card. */
export type LogRow = Omit<NewReview, 'id' | 'kind' | 'params_id' | 'fingerprint'>

export type StoredReview = NewReview & Pick<ReviewDraft, 'revision' | 'created_at' | 'updated_at' | 'undone_at'>

/** A stored review, and what its answer comes to after others were put before it. */
export type ReplayedReview = readonly [
  row: ReviewRow,
  next: Pick<NewReview, 'kind' | 'elapsed_days' | 'predicted_retrievability' | 'params_id' | 'before' | 'after'>,
]

export type ReviewWriter = ReturnType<typeof createReviewWriter>

/** The only writer of reviews. Each call records the change. `session.db` must be a transaction. */
export function createReviewWriter({ now, ids, record, recordAll, usage }: Deps) {
  async function requireRoom(session: Session): Promise<void> {
    const most = MAX_REVIEWS[session.workspace.kind]
    // Counting is needed only if the workspace is larger than MAX_REVIEWS reviews.
    if ((await usage(session)).size_bytes < most * REVIEW_BYTES) return
    if ((await countReviews(session)) < most) return
    throw new ApiError('quota_exceeded', `This workspace may hold ${most} reviews. Erase some facts, or use a key.`)
  }

  /** Adds an archived review to the log, as the latest to arrive. Throws quota_exceeded. */
  async function insertStored(session: Session, card: Pick<CardRow, 'key'>, given: StoredReview): Promise<ReviewRow> {
    await requireRoom(session)
    const draft = { ...toColumns(given), card: card.key }
    const review = await reviewTable.insert(session, draft)
    if (!review) throw new Error(`there is a review ${draft.id} already`)
    await record(session, changeOf('review', review, 0, REVIEW_BYTES))
    return review
  }

  async function update(session: Session, changed: ReviewRow): Promise<ReviewRow> {
    const review = await reviewTable.update(session, changed)
    await record(session, changeOf('review', review, 0, 0))
    return review
  }

  return {
    insertStored,

    /** Stores the changed members of an archived review, whose revision must be higher. */
    replace: (session: Session, old: ReviewRow, next: StoredReview): Promise<ReviewRow> =>
      update(session, { ...old, ...toColumns(next) }),

    async rewrite(session: Session, replayed: readonly ReplayedReview[]): Promise<void> {
      if (replayed.length === 0) return
      const at = now()
      const reviews = replayed.map(([row, next]) => {
        const columns = toColumns({ ...row, ...next, revision: row.revision + 1, updated_at: at })
        return { ...columns, key: row.key }
      })
      await reviewTable.updateAll(session, reviews)
      await recordAll(
        session,
        reviews.map((review) => changeOf('review', review, 0, 0)),
      )
    },

    /** Adds a review to the log. Throws quota_exceeded. */
    insert(session: Session, card: Pick<CardRow, 'key'>, review: NewReview): Promise<ReviewRow> {
      const at = now()
      const stamps = { revision: 1, created_at: at, updated_at: at, undone_at: null }
      return insertStored(session, card, { ...review, ...stamps })
    },

    /** Adds rows of imported logs, each with the key of its card, in their order. */
    async insertImported(session: Session, rows: readonly { readonly card: number; readonly row: LogRow }[]) {
      const at = now()
      const stamps = { revision: 1, created_at: at, updated_at: at, undone_at: null }
      const common = { ...stamps, kind: 'import' as const, params_id: null, fingerprint: null }
      for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
        const group = rows.slice(i, i + ROWS_AT_ONCE)
        const reviews = group.map(({ card, row }) => toColumns({ ...common, ...row, id: ids(), card }))
        await reviewTable.insertAll(session, reviews)
        await recordAll(
          session,
          reviews.map((review) => changeOf('review', review, 0, REVIEW_BYTES)),
        )
      }
    },

    undo(session: Session, review: ReviewRow): Promise<ReviewRow> {
      const at = now()
      return update(session, { ...review, revision: review.revision + 1, updated_at: at, undone_at: at })
    },
  }
}

function toColumns<Given extends Pick<NewReview, 'kind' | 'rating' | 'before' | 'after'>>(given: Given) {
  const { before, after } = given
  return {
    ...given,
    was_new: Number(before.state === 'new' && !isSeed(given)),
    interval_days: before.scheduled_days,
    before: JSON.stringify(before),
    after: JSON.stringify(after),
  }
}

/** Whether the review only sets memory: an imported card without a log. It is not a first answer. */
function isSeed({ kind, rating }: Pick<NewReview, 'kind' | 'rating'>): boolean {
  return kind === 'import' && rating === null
}
