import type { Queries, WorkspaceId } from '../../../db/database'
import type { ReviewRow } from '../../reviews/store'
import type { CardSnapshot } from '../../scheduling/snapshot'

/** A row of the log as an import writes it. */
export type ImportedReview = Pick<
  ReviewRow,
  | 'id'
  | 'card'
  | 'rating'
  | 'reviewed_at'
  | 'study_day'
  | 'duration_ms'
  | 'elapsed_days'
  | 'predicted_retrievability'
  | 'was_new'
  | 'interval_days'
> & { readonly before: CardSnapshot; readonly after: CardSnapshot }

/** Stores rows of the log, in their order. */
export async function insertReviews(
  db: Queries,
  workspace: WorkspaceId,
  reviews: readonly ImportedReview[],
  at: number,
): Promise<void> {
  await db.run(
    `INSERT INTO study_reviews (workspace, id, revision, created_at, updated_at, card, kind, rating, reviewed_at,
       study_day, duration_ms, elapsed_days, predicted_retrievability, params_id, was_new, interval_days, before, after,
       undone_at, fingerprint)
     SELECT $1, value ->> 'id', 1, $2, $2, value ->> 'card', 'import', value ->> 'rating', value ->> 'reviewed_at',
       value ->> 'study_day', value ->> 'duration_ms', value ->> 'elapsed_days', value ->> 'predicted_retrievability',
       NULL, value ->> 'was_new', value ->> 'interval_days', value -> 'before', value -> 'after',
       NULL, NULL
     FROM json_each($3) ORDER BY key`,
    [workspace, at, JSON.stringify(reviews)],
  )
}
