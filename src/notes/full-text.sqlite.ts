import { setImmediate } from 'node:timers/promises'
import type { Queries } from '../db/database'
import { isLong } from './turns'

/**
 * Every write adds a segment to each full text table, and many segments make reads slow. SQLite would merge them within
 * some of the writes, for 10 ms and more; see the migrations, which tell it to wait, and docs/decisions/0010.
 */
const TABLES = ['notes_stems', 'notes_words', 'notes_trigrams', 'notes_pairs'] as const
/** Pages written by one step, a few milliseconds: for so long other writers wait. */
const STEP_PAGES = 64

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
  for (const table of TABLES) while (!signal.aborted && (await db.transaction((tx) => mergeStep(tx, table))));
}

/** Whether it found anything to merge: then it changes two rows or more. Source: sqlite.org/fts5.html, "merge". */
async function mergeStep(tx: Queries, table: string): Promise<boolean> {
  const before = await changes(tx)
  await tx.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', $1)`, [STEP_PAGES])
  return (await changes(tx)) - before >= 2
}

async function changes(tx: Queries): Promise<number> {
  return (await tx.get<{ n: number }>('SELECT total_changes() AS n'))?.n ?? 0
}
