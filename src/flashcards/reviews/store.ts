import type { Queries, WorkspaceId } from '../../db/database'

/** What a review counts towards the quota, in bytes: a million of them fit. */
export const REVIEW_BYTES = 200

/** A row of `study_reviews`: instants are milliseconds, days whole days since 1970-01-01; see the migration for the rest. */
export interface ReviewRow {
  /** The order of arrival. */
  readonly key: number
  readonly id: string
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
  /** The key of its card. */
  readonly card: number
  readonly kind: 'learning' | 'review' | 'relearning' | 'manual' | 'import'
  readonly rating: number | null
  readonly reviewed_at: number
  readonly study_day: number
  readonly duration_ms: number
  readonly elapsed_days: number
  readonly predicted_retrievability: number | null
  readonly params_id: string | null
  /** 0 or 1. */
  readonly was_new: number
  readonly interval_days: number
  /** JSON: snapshots. */
  readonly before: string
  readonly after: string
  readonly undone_at: number | null
  readonly fingerprint: string | null
}

/** What the journal is told of reviews that go with their card. */
export function reviewsOfCards(
  db: Queries,
  workspace: WorkspaceId,
  cards: readonly number[],
): Promise<Pick<ReviewRow, 'id' | 'revision'>[]> {
  const sql = `SELECT id, revision FROM study_reviews
    WHERE +workspace = $1 AND card IN (SELECT value FROM json_each($2)) ORDER BY key`
  return db.all(sql, [workspace, JSON.stringify(cards)])
}
