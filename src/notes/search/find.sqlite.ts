import type { Queries, WorkspaceId } from '../../db/database'
import type { Key } from '../../http/cursor'
import { fold } from '../../search/fold'
import { textLeaves } from '../../search/needle'
import type { Query } from '../../search/query'
import { placing } from '../../search/rank'
import { conditions } from '../filter-store'
import { type NoteFilter, passesAll } from '../filters'
import { SUMMARY, type SummaryRow } from '../store'
import { type Range, shelfOf } from './doc-index.sqlite'
import { NO_SHORTCUT, shortcutOf } from './few.sqlite'
import { tagText } from './follower'
import { type Match, type Plan, partsOf, planOf } from './plan'
import { keysOf } from './row-condition.sqlite'
import { Statement } from './statement.sqlite'

/** A note that was found. */
export interface Found {
  readonly key: number
  readonly id: string
  readonly updated_at: number
  /** As its candidate's. */
  readonly standing: number
}

/** A match, before its note is looked at. */
export interface Candidate {
  /** Its row in the full text. */
  readonly doc: number
  /** Two for each text of the query that the title holds, one for each that only the tags hold: as Place.standing. */
  readonly standing: number
}

/** Above so many matches it is quicker to walk the notes from the newest on than to sort what matches. */
const MATCHES_TO_SORT = 20_000

/** Below so many notes it is quicker to read and sort them than to walk to a page of them, newest first. */
const FEW_TO_SORT = 1000

/** The `limit` matches whose text was written last, those first. */
export async function findWrittenLast(
  db: Queries,
  workspace: WorkspaceId,
  query: Query,
  filter: NoteFilter,
  limit: number,
): Promise<Candidate[]> {
  const range = await shelfOf(db, workspace)
  if (!range) return []
  const plan = planOf(query)
  const driver = driverOf(plan)
  const { few, common } = driver ? NO_SHORTCUT : await shortcutOf(db, workspace, plan, filter)
  const statement = new Statement(workspace, range, '+note_docs.doc', common)
  const row = driver ? `notes_${driver.index}.rowid` : few ? '+note_docs.doc' : 'note_docs.doc'
  const rest = partsOf(plan).filter((part) => part !== driver && !(part.kind === 'row' && part.leaf === few))
  const where = [
    driver ? statement.matching(driver) : statement.within(row),
    few && `note_docs.key IN (${keysOf(few, statement.bind)})`,
    ...rest.map((part) => statement.condition(part)),
  ]
  // A note's own row is long, and looking up 2,000 of them takes most of the time: only where a condition needs it.
  const byIndex = passesAll(filter) && !statement.readsNotes
  if (!byIndex) where.push(`notes.key = note_docs.key AND notes.workspace = $1 ${conditions(filter, statement.bind)}`)
  const tables = [
    driver && `notes_${driver.index}`,
    (!driver || !byIndex || rest.length > 0) && 'note_docs',
    !byIndex && 'notes',
  ].filter(Boolean)
  if (driver && tables.length > 1) where.push(`note_docs.doc = ${row}`)
  const found = await db.all<{ doc: number }>(
    `SELECT ${row} AS doc FROM ${tables.join(' CROSS JOIN ')} WHERE ${where.filter(Boolean).join(' AND ')}
     ORDER BY ${row} DESC LIMIT ${statement.bind.add(limit)}`,
    statement.bind.values,
  )
  const docs = found.map(({ doc }) => doc)
  const standings = await standingsOf(db, workspace, query, docs)
  return docs.map((doc) => ({ doc, standing: standings.get(doc) ?? 0 }))
}

/** When the notes of candidates were last changed. */
export async function findTimes(db: Queries, candidates: readonly Candidate[]): Promise<Map<number, number>> {
  const rows = await db.all<{ doc: number; changed_at: number }>(
    'SELECT doc, changed_at FROM json_each($1) CROSS JOIN note_docs ON doc = value',
    [JSON.stringify(candidates.map(({ doc }) => doc))],
  )
  return new Map(rows.map(({ doc, changed_at }) => [doc, changed_at]))
}

/** The notes of candidates, in no order that counts. */
export async function findNotes(
  db: Queries,
  workspace: WorkspaceId,
  candidates: readonly Candidate[],
): Promise<Found[]> {
  const standings = new Map(candidates.map(({ doc, standing }) => [doc, standing]))
  const rows = await db.all<Omit<Found, 'standing'> & { doc: number }>(
    `SELECT doc, notes.key, notes.id, updated_at
     FROM json_each($2) CROSS JOIN note_docs ON doc = value CROSS JOIN notes ON notes.key = note_docs.key
     WHERE +workspace = $1`,
    [workspace, JSON.stringify([...standings.keys()])],
  )
  return rows.map(({ doc, ...note }) => ({ ...note, standing: standings.get(doc) ?? 0 }))
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
  const driver = driverOf(plan)
  const { few, common } = driver ? NO_SHORTCUT : await shortcutOf(db, workspace, plan, filter, FEW_TO_SORT)
  const walk = driver ? await isCommon(db, workspace, range, driver) : few === null
  const doc = walk || few ? '+note_docs.doc' : 'note_docs.doc'
  const statement = new Statement(workspace, range, doc, common)
  const where = [
    few && `note_docs.key IN (${keysOf(few, statement.bind)})`,
    statement.within(doc),
    statement.condition(plan),
    `notes.workspace = $1 ${conditions(filter, statement.bind)}`,
    after && `(updated_at, notes.id) < (${after.map((key) => statement.bind.add(key)).join(', ')})`,
  ]
  return db.all<Found>(
    `SELECT notes.key, notes.id, updated_at, 0 AS standing FROM ${walk ? 'notes CROSS JOIN note_docs' : 'note_docs CROSS JOIN notes'}
     WHERE notes.key = note_docs.key AND ${where.filter(Boolean).join(' AND ')}
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
function driverOf(plan: Plan): Match | null {
  return partsOf(plan).find((part): part is Match => part.kind === 'match' && !part.negated) ?? null
}

async function isCommon(db: Queries, workspace: WorkspaceId, range: Range, driver: Match): Promise<boolean> {
  const statement = new Statement(workspace, range)
  const row = await db.get<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT $1 FROM notes_${driver.index} WHERE ${statement.matching(driver)}
     LIMIT ${statement.bind.add(MATCHES_TO_SORT)})`,
    statement.bind.values,
  )
  return row?.n === MATCHES_TO_SORT
}

/**
 * The standings of candidates, by their own titles and tags. FTS5's bm25 may not be asked: it counts words in all workspaces
 * together, so that the order of a caller's own notes would tell what others have written.
 */
async function standingsOf(
  db: Queries,
  workspace: WorkspaceId,
  query: Query,
  docs: readonly number[],
): Promise<Map<number, number>> {
  if (textLeaves(query).length === 0) return new Map()
  const rows = await db.all<{ doc: number; title: string; tags: string }>(
    `SELECT doc, title, tags
     FROM json_each($2) CROSS JOIN note_docs ON doc = value CROSS JOIN notes ON notes.key = note_docs.key
     WHERE +workspace = $1`,
    [workspace, JSON.stringify(docs)],
  )
  const place = placing(query)
  return new Map(
    rows.map(({ doc, title, tags }) => [doc, place({ title: fold(title), tags: fold(tagText(tags)) }).standing]),
  )
}
