import type { RecordChanges } from '../../../db/change-feed'
import type { Session } from '../../../db/database'
import { scheduleOf } from '../../cards/card'
import type { CardRow } from '../../cards/store'
import { REVIEW_BYTES } from '../../reviews/store'
import type { ParsedFact } from '../parsed'
import { importSchedule, type LogRow, positionAfter, type ScheduleContext } from './schedule'
import { insertReviews } from './store'

/** Rows of the log that are written at once. */
const ROWS_AT_ONCE = 500

/** What a file knows of a card. */
export interface StudiedCard {
  readonly columns: Partial<CardRow>
  readonly log: readonly LogRow[]
  /** Rows of the file's log among them. */
  readonly rows: number
}

/**
 * What the file knows of a card that is new here, or null.
 * @param behind the highest position of a card before the import
 */
export function withSchedule(
  item: ParsedFact,
  ordinal: number,
  around: ScheduleContext,
  behind: number,
): StudiedCard | null {
  const known = item.cards.find((card) => card.ordinal === ordinal)
  if (!known) return null
  const given = item.log.filter((review) => review.ordinal === ordinal)
  const { snapshot, log, seed } = importSchedule(known, given, around)
  const position = known.position === null ? {} : { position: positionAfter(behind, known.position) }
  const columns = { ...scheduleOf(snapshot), ...position, flag: known.flag & 7 }
  return { columns, log: seed ? [...log, seed] : log, rows: log.length }
}

/** A row of the log, and the key of its card. */
export interface CardLogRow {
  readonly card: number
  readonly row: LogRow
}

interface Deps {
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly recordAll: RecordChanges
}

/** Stores rows of the log, in their order. `session.db` must be a transaction. */
export type ImportLog = (session: Session, rows: readonly CardLogRow[], at: number) => Promise<void>

export function createLogImport({ ids, recordAll }: Deps): ImportLog {
  async function write(session: Session, group: readonly CardLogRow[], at: number): Promise<void> {
    const rows = group.map(({ card, row }) => ({ ...row, id: ids(), card }))
    await insertReviews(session.db, session.workspace.id, rows, at)
    const told = { type: 'review', op: 'upsert', revision: 1, at, resources: 0, bytes: REVIEW_BYTES } as const
    await recordAll(
      session,
      rows.map(({ id }) => ({ ...told, id })),
    )
  }

  return async (session, rows, at) => {
    for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) await write(session, rows.slice(i, i + ROWS_AT_ONCE), at)
  }
}
