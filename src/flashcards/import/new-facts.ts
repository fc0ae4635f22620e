import type { RecordChanges } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { toScheduleColumns } from '../card'
import { MAX_POSITION } from '../card-schema'
import type { CardRow } from '../card-store'
import { type FactMembers, factColumns, listOrdinals } from '../fact'
import type { FactsWriter, NewFact } from '../fact-bulk-writer'
import type { ParsedFact } from '../formats/parsed'
import { insertReviews, REVIEW_BYTES } from '../review-store'
import { NEW_SNAPSHOT } from '../scheduling/snapshot'
import type { ItemReport } from './item-report'
import { importSchedule, type LogRow, positionAfter, type ScheduleContext } from './schedule'

/** Rows of the log that are written at once. */
const ROWS_AT_ONCE = 500

/** What a file knows of a card. */
interface StudiedCard {
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
  const columns = { ...toScheduleColumns(snapshot), ...position, flag: known.flag & 7 }
  return { columns, log: seed ? [...log, seed] : log, rows: log.length }
}

/** A row of the log, and the key of its card. */
interface CardLogRow {
  readonly card: number
  readonly row: LogRow
}

interface LogImportDeps extends Pick<Context, 'ids'> {
  readonly recordAll: RecordChanges
}

/** Stores rows of the log, in their order. `session.db` must be a transaction. */
export type ImportLog = (session: Session, rows: readonly CardLogRow[], at: number) => Promise<void>

export function createLogImport({ ids, recordAll }: LogImportDeps): ImportLog {
  async function write(session: Session, group: readonly CardLogRow[], at: number): Promise<void> {
    const rows = group.map(({ card, row }) => ({ ...row, id: ids(), card }))
    await insertReviews(session.db, session.workspace.id, rows, at)
    const change = { type: 'review', op: 'upsert', revision: 1, at, resources: 0, bytes: REVIEW_BYTES } as const
    await recordAll(
      session,
      rows.map(({ id }) => ({ ...change, id })),
    )
  }

  return async (session, rows, at) => {
    for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) await write(session, rows.slice(i, i + ROWS_AT_ONCE), at)
  }
}

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly factsWriter: FactsWriter
  readonly importLog: ImportLog
}

/** A new fact, before it is a row. */
interface ImportedFact {
  readonly id: string
  /** The key of its deck. */
  readonly deck: number
  readonly members: FactMembers
  /** See namesOf. */
  readonly names: readonly string[]
  readonly item: ParsedFact
  /** Null: its cards begin as new, whatever the file knows. */
  readonly around: ScheduleContext | null
  readonly telling: ItemReport
}

/** New facts of one step, which wait to be written together. */
export interface NewFacts {
  add(draft: ImportedFact): void
  /** Whether one that waits has one of these names. */
  holds(names: readonly string[]): boolean
  write(session: Session): Promise<void>
  /** Puts the cards that follow behind one that was made otherwise. */
  standBehind(position: number): void
}

/**
 * @param behind the position of the last card before the import: those of the file count from there
 * @param last the position of the last card now
 */
export type OpenNewFacts = (behind: number, last: number) => NewFacts

/** Collects new facts: hundreds in one statement keep the writers behind an import waiting for a fraction of the time. */
export function createNewFacts({ now, ids, factsWriter, importLog }: Deps): OpenNewFacts {
  return (behind, lastNow) => {
    let last = lastNow
    let waiting: (NewFact & { readonly log: readonly { readonly card: string; readonly row: LogRow }[] })[] = []
    const held = new Set<string>()

    function add({ id, deck, members, names, item, around, telling }: ImportedFact): void {
      const at = now()
      const stamps = { id, revision: 1, created_at: at, updated_at: at, deleted_at: null }
      const known = listOrdinals(members).map((ordinal) => ({
        ...{ card: ids(), ordinal, study: around && withSchedule(item, ordinal, around, behind) },
      }))
      const next = Math.min(last + 1, MAX_POSITION)
      const cards = known.map(({ card, ordinal, study }) => ({
        ...{
          ...stamps,
          id: card,
          ordinal,
          ...toScheduleColumns(NEW_SNAPSHOT),
          flag: 0,
          position: next,
          ...study?.columns,
        },
      }))
      last = Math.max(last, ...cards.map(({ position }) => position))
      const log = known.flatMap(({ card, study }) => (study?.log ?? []).map((row) => ({ card, row })))
      const fact = { ...stamps, trashed_with: null, deck, ...factColumns(members) }
      waiting.push({ fact, cards, log })
      for (const name of names) held.add(name)
      const reviews = known.reduce((sum, { study }) => sum + rowsOf(study), 0)
      telling.became('created', id)
      telling.add('card', cards.length)
      telling.add('review', reviews)
      if (around && reviews < item.log.length)
        telling.warn('review_dropped', `${item.log.length - reviews} answers are of no card, or of no time.`)
    }

    async function write(session: Session): Promise<void> {
      if (waiting.length === 0) return
      const facts = waiting
      waiting = []
      held.clear()
      const keys = await factsWriter.insert(session, facts)
      const log = facts.flatMap((fact) => fact.log)
      const rows = log.map(({ card, row }) => ({ card: keys.get(card) ?? Number.NaN, row }))
      await importLog(session, rows, now())
    }

    return {
      add,
      write,
      holds: (names) => names.some((name) => held.has(name)),
      standBehind(position) {
        last = Math.max(last, position)
      },
    }
  }
}

/** By what a fact can be known again: its front, its source, its id. */
export function factIdentities(key: string, { source }: FactMembers, id: string | undefined): string[] {
  return [
    `front ${key}`,
    ...(source === null || source.id === null ? [] : [`source ${JSON.stringify([source.system, source.id])}`]),
    ...(id === undefined ? [] : [`id ${id}`]),
  ]
}

function rowsOf(study: StudiedCard | null): number {
  return study?.rows ?? 0
}
