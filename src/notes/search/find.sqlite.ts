import { Bindings } from '../../db/bindings'
import type { Queries, WorkspaceId } from '../../db/database'
import type { Key } from '../../http/cursor'
import { conditions } from '../filter-store'
import type { NoteFilter } from '../filters'
import { SUMMARY, type SummaryRow } from '../store'
import { type Range, shelfOf } from './doc-index.sqlite'
import { type Match, type Plan, planOf, scoring } from './plan'
import { rowCondition } from './row-condition.sqlite'

/** A note that was found. */
export interface Found {
  readonly key: number
  readonly id: string
  readonly updated_at: number
  /** bm25, the best lowest; 0 where nothing that was asked for has a rank. */
  readonly score: number
}

/** Above so many matches it is quicker to walk the notes from the newest on than to sort what matches. */
const MATCHES_TO_SORT = 20_000

/** The weights of title, tags and body in bm25. */
const WEIGHTS = '10, 5, 1'

/** What is asked for, and how it is written down in SQL. */
class Statement {
  readonly bind: Bindings

  constructor(
    workspace: WorkspaceId,
    readonly range: Range,
    /**
     * The row of a note. The plus keeps SQLite from looking every match up in the list of each note, and not each note in
     * the list of the matches: seconds, not milliseconds.
     */
    private readonly doc = '+note_docs.doc',
  ) {
    this.bind = new Bindings(workspace)
  }

  /** The rows of one index that match, within the workspace's range. */
  matching({ index, expression }: Match): string {
    const table = `notes_${index}`
    return `${table} MATCH ${this.bind.add(expression)} AND ${this.within(`${table}.rowid`)}`
  }

  within(row: string): string {
    return `${row} BETWEEN ${this.bind.add(this.range[0])} AND ${this.bind.add(this.range[1])}`
  }

  condition(plan: Plan): string {
    switch (plan.kind) {
      case 'match':
        return `${this.doc} ${plan.negated ? 'NOT IN' : 'IN'} (SELECT rowid FROM notes_${plan.index} WHERE ${this.matching(plan)})`
      case 'row':
        return rowCondition(plan.leaf, this.bind)
      case 'not':
        return `NOT ${this.condition(plan.part)}`
      default:
        return `(${plan.parts.map((part) => this.condition(part)).join(plan.kind === 'and' ? ' AND ' : ' OR ')})`
    }
  }
}

/** The `limit` matches whose text was written last, with their scores; in no order that counts. */
export async function findWrittenLast(
  db: Queries,
  workspace: WorkspaceId,
  plan: Plan,
  filter: NoteFilter,
  limit: number,
): Promise<Found[]> {
  const range = await shelfOf(db, workspace)
  if (!range) return []
  const statement = new Statement(workspace, range)
  const { driver, rest } = driven(plan)
  const from = driver
    ? `notes_${driver.index} CROSS JOIN note_docs ON note_docs.doc = notes_${driver.index}.rowid`
    : 'note_docs'
  const found = await db.all<Found & { doc: number }>(
    `SELECT notes.key, notes.id, updated_at, note_docs.doc, ${driver ? scoreOf(driver) : '0'} AS score
     FROM ${from} CROSS JOIN notes ON notes.key = note_docs.key
     WHERE ${driver ? statement.matching(driver) : statement.within('note_docs.doc')} AND notes.workspace = $1
       ${rest.map((part) => `AND ${statement.condition(part)}`).join(' ')} ${conditions(filter, statement.bind)}
     ORDER BY ${driver ? `notes_${driver.index}.rowid` : 'note_docs.doc'} DESC
     LIMIT ${statement.bind.add(limit)}`,
    statement.bind.values,
  )
  const scores: ReadonlyMap<number, number>[] = []
  for (const match of scoring(plan))
    if (match !== driver)
      scores.push(
        await scoresOf(
          db,
          match,
          found.map(({ doc }) => doc),
        ),
      )
  return found.map((one) => ({ ...one, score: scores.reduce((sum, map) => sum + (map.get(one.doc) ?? 0), one.score) }))
}

/** Living notes whose body holds a text, whatever the case and the accents, by id after `after`. */
export async function findHolding(
  db: Queries,
  workspace: WorkspaceId,
  text: string,
  after: string,
  limit: number,
): Promise<{ id: string; title: string; body: string }[]> {
  const range = await shelfOf(db, workspace)
  const plan = planOf({ kind: 'text', field: 'body', text, match: 'substring' })
  if (!range || plan.kind !== 'match') return []
  const statement = new Statement(workspace, range)
  return db.all(
    // CROSS JOIN: the index first. In the order of ids, every note of the workspace would be looked up in it.
    `SELECT notes.id, notes.title, note_bodies.body
     FROM notes_${plan.index} CROSS JOIN note_docs CROSS JOIN notes CROSS JOIN note_bodies
     WHERE ${statement.matching(plan)} AND note_docs.doc = notes_${plan.index}.rowid AND notes.key = note_docs.key
       AND notes.workspace = $1 AND note_bodies.key = notes.key AND notes.id > ${statement.bind.add(after)}
     ORDER BY notes.id LIMIT ${statement.bind.add(limit)}`,
    statement.bind.values,
  )
}

/** A page of the matches by the time of their last change, newest first, behind `after`. */
export async function findNewest(
  db: Queries,
  workspace: WorkspaceId,
  plan: Plan,
  filter: NoteFilter,
  { after, limit }: { after: readonly Key[] | null; limit: number },
): Promise<Found[]> {
  const range = await shelfOf(db, workspace)
  if (!range) return []
  const common = await isCommon(db, workspace, range, plan)
  const doc = common ? '+note_docs.doc' : 'note_docs.doc'
  const tables = common ? 'notes CROSS JOIN note_docs' : 'note_docs CROSS JOIN notes'
  const statement = new Statement(workspace, range, doc)
  const behind = after ? `AND (updated_at, notes.id) < (${after.map((key) => statement.bind.add(key)).join(', ')})` : ''
  return db.all<Found>(
    `SELECT notes.key, notes.id, updated_at, 0 AS score FROM ${tables}
     WHERE notes.key = note_docs.key AND ${statement.within(doc)} AND notes.workspace = $1
       AND ${statement.condition(plan)} ${conditions(filter, statement.bind)} ${behind}
     ORDER BY updated_at DESC, notes.id DESC LIMIT ${statement.bind.add(limit)}`,
    statement.bind.values,
  )
}

/** The summaries of notes, by their keys. */
export async function getSummaries(
  db: Queries,
  workspace: WorkspaceId,
  keys: readonly number[],
): Promise<Map<number, SummaryRow>> {
  // The plus keeps SQLite from walking all notes of the workspace instead.
  const rows = await db.all<SummaryRow>(
    `SELECT ${SUMMARY} FROM notes WHERE +workspace = $1 AND notes.key IN (SELECT value FROM json_each($2))`,
    [workspace, JSON.stringify(keys)],
  )
  return new Map(rows.map((row) => [row.key, row]))
}

export async function getBody(db: Queries, workspace: WorkspaceId, key: number): Promise<string> {
  const row = await db.get<{ body: string }>(
    `SELECT body FROM note_bodies JOIN notes ON notes.key = note_bodies.key WHERE workspace = $1 AND notes.key = $2`,
    [workspace, key],
  )
  return row?.body ?? ''
}

/** The match to walk along: whatever else is asked for is looked up for each of its rows. */
function driven(plan: Plan): { driver: Match | null; rest: readonly Plan[] } {
  const parts = plan.kind === 'and' ? plan.parts : [plan]
  const driver = parts.find((part): part is Match => part.kind === 'match' && !part.negated) ?? null
  return { driver, rest: parts.filter((part) => part !== driver) }
}

async function isCommon(db: Queries, workspace: WorkspaceId, range: Range, plan: Plan): Promise<boolean> {
  const { driver } = driven(plan)
  if (!driver) return true
  const statement = new Statement(workspace, range)
  const row = await db.get<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT $1 FROM notes_${driver.index} WHERE ${statement.matching(driver)}
     LIMIT ${statement.bind.add(MATCHES_TO_SORT)})`,
    statement.bind.values,
  )
  return row?.n === MATCHES_TO_SORT
}

function scoreOf({ index }: Match): string {
  return `bm25(notes_${index}, ${WEIGHTS})`
}

/** The scores of those of the rows that match. The plus keeps SQLite from asking the index for each row anew. */
async function scoresOf(db: Queries, match: Match, rows: readonly number[]): Promise<Map<number, number>> {
  const scores = await db.all<{ row: number; score: number }>(
    `SELECT rowid AS row, ${scoreOf(match)} AS score FROM notes_${match.index}
     WHERE notes_${match.index} MATCH $1 AND rowid BETWEEN $2 AND $3 AND +rowid IN (SELECT value FROM json_each($4))`,
    [match.expression, rows.at(-1) ?? 0, rows[0] ?? 0, JSON.stringify(rows)],
  )
  return new Map(scores.map(({ row, score }) => [row, score]))
}
