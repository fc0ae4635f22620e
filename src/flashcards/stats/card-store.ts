import type { Queries, WorkspaceId } from '../../db/database'
import { Bindings } from '../../db/database'

/** What statistics ask of living cards, a part at a time. */

/** Cards behind an id, up to and with another; null: from the first, or to the last. */
export interface CardPart {
  readonly after: string | null
  readonly upTo: string | null
  /** Keys; null: all decks. */
  readonly decks: readonly number[] | null
}

/** The id of the last of so many cards behind another, living or not; null if there are fewer. */
export async function endOfCards(
  db: Queries,
  workspace: WorkspaceId,
  after: string | null,
  size: number,
): Promise<string | null> {
  const sql = 'SELECT id FROM study_cards WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT 1 OFFSET $3'
  return (await db.get<{ id: string }>(sql, [workspace, after ?? '', size - 1]))?.id ?? null
}

function cards({ after, upTo, decks }: CardPart, bind: Bindings): string {
  const conditions = [
    `id > ${bind.add(after ?? '')}`,
    ...(upTo === null ? [] : [`id <= ${bind.add(upTo)}`]),
    ...(decks === null ? [] : [`+deck IN (SELECT value FROM json_each(${bind.add(JSON.stringify(decks))}))`]),
  ]
  return `FROM study_cards WHERE workspace = $1 AND +trashed_at IS NULL AND ${conditions.join(' AND ')}`
}

/** Cards that come up at the same time: on a study day, or in learning at an instant. */
export interface DueCount {
  readonly due_day: number | null
  readonly due_at: number | null
  readonly buried_until: number | null
  readonly count: number
  /** Σ 1 / interval in days, of those in review. */
  readonly load: number
}

/** When cards come up that are neither new nor suspended. */
export function countDue(db: Queries, workspace: WorkspaceId, part: CardPart): Promise<DueCount[]> {
  const bind = new Bindings(workspace)
  const sql = `SELECT due_day, due_at, buried_until, count(*) AS count,
      sum(CASE WHEN state <> 'review' THEN 0.0 WHEN scheduled_days > 1 THEN 1.0 / scheduled_days ELSE 1.0 END) AS load
    ${cards(part, bind)} AND +suspended = 0 AND +state <> 'new' GROUP BY 1, 2, 3`
  return db.all<DueCount>(sql, bind.values)
}

export interface RememberedCard {
  readonly deck: number
  readonly state: 'learning' | 'review' | 'relearning'
  readonly stability: number
  readonly difficulty: number
  readonly scheduled_days: number
  readonly last_reviewed_at: number | null
}

/** The cards that have memory. */
export function listRemembered(db: Queries, workspace: WorkspaceId, part: CardPart): Promise<RememberedCard[]> {
  const bind = new Bindings(workspace)
  const sql = `SELECT deck, state, stability, difficulty, scheduled_days, last_reviewed_at
    ${cards(part, bind)} AND stability IS NOT NULL AND difficulty IS NOT NULL`
  return db.all<RememberedCard>(sql, bind.values)
}
