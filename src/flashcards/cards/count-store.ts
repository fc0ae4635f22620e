import type { Queries, WorkspaceId } from '../../db/database'

export interface CardCounts {
  readonly new: number
  readonly learning: number
  readonly review: number
  readonly suspended: number
  readonly total: number
  readonly due_today: number
}

/** What is due when: whole days since 1970-01-01, and the instant at which the day ends. */
export interface DueBy {
  readonly today: number
  readonly dayEndsAt: number
}

/** Counts the living cards of these decks. It reads an index alone. */
export async function countCards(
  db: Queries,
  workspace: WorkspaceId,
  decks: readonly number[],
  { today, dayEndsAt }: DueBy,
): Promise<CardCounts> {
  const counts = await db.get<CardCounts>(
    `SELECT count(*) FILTER (WHERE suspended = 0 AND state = 'new') AS new,
       count(*) FILTER (WHERE suspended = 0 AND state IN ('learning', 'relearning')) AS learning,
       count(*) FILTER (WHERE suspended = 0 AND state = 'review') AS review,
       count(*) FILTER (WHERE suspended = 1) AS suspended,
       count(*) AS total,
       count(*) FILTER (WHERE suspended = 0 AND (due_day <= $3 OR due_at < $4) AND coalesce(buried_until, $3) <= $3)
         AS due_today
     FROM study_cards INDEXED BY study_cards_by_deck
     WHERE workspace = $1 AND trashed_at IS NULL AND deck IN (SELECT value FROM json_each($2))`,
    [workspace, JSON.stringify(decks), today, dayEndsAt],
  )
  if (!counts) throw new Error('a count gave no row')
  return counts
}
