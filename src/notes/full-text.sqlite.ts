import { setImmediate } from 'node:timers/promises'
import type { Queries } from '../db/database'
import { readSegments, type Segment } from './full-text-segments'
import { isLong } from './turns'

/**
 * Every write adds a segment to each full text table, and many segments make reads slow. SQLite would merge them within
 * some of the writes, for 10 ms and more; see the migrations, which tell it to wait, and docs/decisions/0010.
 */
const TABLES = ['notes_stems', 'notes_words', 'notes_trigrams', 'notes_pairs'] as const
/** Pages written by one step, a few milliseconds: for so long other writers wait. */
const STEP_PAGES = 64
/** How many segments are merged at least, as the migrations set it, and while erased text is to be overwritten. */
const USER_MERGE = { usual: 8, overwriting: 2 }
/** Of the rows of a table, the part that may be deleted ones: above it they cost more than overwriting all does. */
const DELETED_PART = 1 / 4
/** Where `facts` tells that the tables may still hold the terms of erased notes. */
const ERASED = 'full_text_erased'
/** ERASED, until overwriting begins; from then on it is JSON: how far each table that has begun went at that time. */
const DUE = 'due'

type Table = (typeof TABLES)[number]
type Begun = Partial<Record<Table, number>>

/**
 * Puts texts into a full text table by `insert`. If one is long, SQLite writes its terms at once, as it does before a
 * savepoint, with turns for readers in between: left to the COMMIT, those of all tables would be written in one go. The
 * terms themselves are gathered by one statement, which nothing interrupts.
 */
export async function inTurns(db: Queries, texts: readonly string[], insert: () => Promise<unknown>): Promise<void> {
  if (!texts.some(isLong)) {
    await insert()
    return
  }
  await setImmediate()
  await insert()
  await setImmediate()
  await db.transaction(async () => {})
  await setImmediate()
}

/** Merges what there is to merge, in short transactions. It may stop between any two, by `signal` or in a crash. */
export async function mergeTexts(db: Queries, signal: AbortSignal): Promise<void> {
  // First, since until it is done two segments are enough to merge, and writers that never rest make them at once.
  await overwriteErased(db, signal)
  for (const table of TABLES) while (!signal.aborted && (await db.transaction((tx) => merge(tx, table, STEP_PAGES))));
}

/** Tells that a note was erased, in the transaction of that: the next run of mergeTexts overwrites its terms. */
export const textErased = (tx: Queries): Promise<void> => setMark(tx, DUE)

async function setMark(tx: Queries, value: string): Promise<void> {
  const sql = 'INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value'
  await tx.run(sql, [ERASED, value])
}

/**
 * A table without content cannot look up the terms of a row that is deleted: it only marks the row, and its terms stay
 * in their segments until those are merged. So all segments of this moment are merged into one, as "optimize" does, but
 * in steps, which go on where a crash cut them off. A step writes few pages but reads through what is deleted however
 * long that is; see docs/decisions/0029.
 */
async function overwriteErased(db: Queries, signal: AbortSignal): Promise<void> {
  for (const table of TABLES) {
    if (signal.aborted) return
    const newest = await db.transaction((tx) => begin(tx, table))
    if (newest === null) return
    while (!signal.aborted && (await db.transaction((tx) => overwriteStep(tx, table, newest))));
  }
  if (!signal.aborted) await db.transaction(end)
}

/** How far the table went when overwriting it began; null if nothing was erased, and few rows were deleted otherwise. */
async function begin(tx: Queries, table: Table): Promise<number | null> {
  const mark = await readMark(tx)
  if (mark === null && !(await hasManyDeleted(tx))) return null
  const begun = begunIn(mark)
  if (begun[table] !== undefined) return begun[table]
  const newest = Math.max(0, ...(await segments(tx, table)).map((segment) => segment.newest))
  await configure(tx, table, 'usermerge', USER_MERGE.overwriting)
  // A negative number puts all segments together; a merge that is under way goes on with positive ones.
  await merge(tx, table, -1)
  await setMark(tx, JSON.stringify({ ...begun, [table]: newest }))
  return newest
}

/** True while there is more to merge of what the table held at the beginning. */
async function overwriteStep(tx: Queries, table: Table, newest: number): Promise<boolean> {
  const old = (await segments(tx, table)).filter(({ oldest }) => oldest <= newest)
  // What is merged and what it becomes are there both until the merge ends.
  if (old.length > 1) {
    // For each page written so many more are read as there are deleted rows for a living one.
    const pages = Math.max(1, Math.round(STEP_PAGES * (1 - deletedPart(old))))
    // A merge of one segment is under the least number; nothing but another beginning goes on with it.
    if ((await merge(tx, table, pages)) || (await merge(tx, table, -pages))) return true
  }
  await configure(tx, table, 'usermerge', USER_MERGE.usual)
  return false
}

/** Removes the mark, unless more was erased meanwhile: then some table has yet to begin anew. */
async function end(tx: Queries): Promise<void> {
  const begun = begunIn(await readMark(tx))
  if (TABLES.every((table) => begun[table] !== undefined)) await tx.run('DELETE FROM facts WHERE name = $1', [ERASED])
}

async function readMark(tx: Queries): Promise<string | null> {
  return (await tx.get<{ value: string }>('SELECT value FROM facts WHERE name = $1', [ERASED]))?.value ?? null
}

const begunIn = (mark: string | null): Begun => (mark === null || mark === DUE ? {} : JSON.parse(mark))

async function hasManyDeleted(tx: Queries): Promise<boolean> {
  // Each table has a row for each text, so one tells of all.
  return deletedPart(await segments(tx, 'notes_words')) > DELETED_PART
}

function deletedPart(found: readonly Segment[]): number {
  const sum = (member: 'rows' | 'deleted') => found.reduce((total, segment) => total + segment[member], 0)
  return sum('deleted') / Math.max(1, sum('rows'))
}

async function segments(tx: Queries, table: string) {
  const row = await tx.get<{ block: Uint8Array }>(`SELECT block FROM ${table}_data WHERE id = 10`)
  return row ? readSegments(row.block) : []
}

async function configure(tx: Queries, table: string, name: string, value: number): Promise<void> {
  await tx.run(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', $1)`, [value])
}

/** Whether it found anything to merge: then it changes two rows or more. Source: sqlite.org/fts5.html, "merge". */
async function merge(tx: Queries, table: string, pages: number): Promise<boolean> {
  const before = await changes(tx)
  await configure(tx, table, 'merge', pages)
  return (await changes(tx)) - before >= 2
}

async function changes(tx: Queries): Promise<number> {
  return (await tx.get<{ n: number }>('SELECT total_changes() AS n'))?.n ?? 0
}
