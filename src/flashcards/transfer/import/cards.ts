import type { Session } from '../../../db/database'
import type { RecordChanges } from '../../../db/journal'
import { scheduleOf } from '../../cards/card'
import type { CardRow } from '../../cards/store'
import type { CardWriter } from '../../cards/writer'
import { REVIEW_BYTES } from '../../reviews/store'
import type { ParsedCard, ParsedFact } from '../parsed'
import { type Around, type LogRow, learned, positionAfter } from './schedule'
import { insertReviews, takenReviewIds } from './store'

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
/** Rows of the log that are written at once. */
const ROWS_AT_ONCE = 500

interface Deps {
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly cardWriter: CardWriter
  readonly recordAll: RecordChanges
}

/** Gives new cards of a fact what the file knows of them; answers how many rows of the log that are. */
export type ImportCards = (
  session: Session,
  item: ParsedFact,
  cards: readonly CardRow[],
  around: Around & { readonly lastPosition: number },
) => Promise<number>

/** Writes schedules and logs. `session.db` must be a transaction. */
export function createCardImport({ ids, cardWriter, recordAll }: Deps): ImportCards {
  async function writeLog(session: Session, card: CardRow, log: readonly LogRow[], at: number): Promise<void> {
    const { db, workspace } = session
    const wanted = log.flatMap(({ id }) => (id !== null && ID.test(id) ? [id] : []))
    const taken = new Set(await takenReviewIds(db, workspace.id, wanted))
    const rows = log.map((row) => {
      const id = row.id !== null && ID.test(row.id) && !taken.has(row.id) ? row.id : ids()
      // One file may hold an id twice.
      taken.add(id)
      return { ...row, id, card: card.key, before: JSON.stringify(row.before), after: JSON.stringify(row.after) }
    })
    for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
      const group = rows.slice(i, i + ROWS_AT_ONCE)
      await insertReviews(db, workspace.id, group, at)
      const told = { type: 'review', op: 'upsert', revision: 1, at, resources: 0, bytes: REVIEW_BYTES } as const
      await recordAll(
        session,
        group.map(({ id }) => ({ ...told, id })),
      )
    }
  }

  async function write(session: Session, card: CardRow, known: ParsedCard, item: ParsedFact, around: Parameters<ImportCards>[3]) {
    const given = item.log.filter(({ ordinal }) => ordinal === card.ordinal)
    const { snapshot, log, seed } = learned(known, given, around)
    const position = known.position === null ? {} : { position: positionAfter(around.lastPosition, known.position) }
    await cardWriter.save(session, card, { ...scheduleOf(snapshot), ...position, flag: known.flag & 7 })
    if (log.length > 0 || seed) await writeLog(session, card, seed ? [...log, seed] : log, around.now)
    return log.length
  }

  return async (session, item, cards, around) => {
    let rows = 0
    for (const card of cards) {
      const known = item.cards.find(({ ordinal }) => ordinal === card.ordinal)
      if (known) rows += await write(session, card, known, item, around)
    }
    return rows
  }
}
