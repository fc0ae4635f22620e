/**
 * Tests that not every run has. They are left out and not skipped, so that a skipped test always means a missing program.
 *
 * `.ci/full` runs more than `bun run test`: it sets FULL. One file in full: `FULL=1 bun test FILE`.
 */
import { test } from 'bun:test'
import { ON_POSTGRES } from './database'

export const FULL = Boolean(process.env.FULL)

/** How many random cases a property gets: `count` in full, else an eighth of them, but at least three. */
export const runs = (count: number): number => (FULL ? count : Math.min(count, Math.max(3, Math.ceil(count / 8))))

/** Of a long list of likes, as of all routes: all in full, else every fourth. */
export const part = <Each>(list: readonly Each[]): readonly Each[] => (FULL ? list : list.filter((_, i) => i % 4 === 0))

const none = () => {}
/** Takes the place of `test` where a test is left out. */
export const leftOut = Object.assign(none, { each: () => none }) as unknown as typeof test

/** A test that only full runs, since it takes seconds: of large inputs, of speed, of all combinations. */
export const slow = FULL ? test : leftOut

/** A test of how SQLite works: the plans of its queries, its one line of transactions. */
export const onSqlite = ON_POSTGRES ? leftOut : test
/** The same of PostgreSQL. */
export const onPostgres = ON_POSTGRES ? test : leftOut
/** A test that is both slow and about SQLite. */
export const slowOnSqlite = ON_POSTGRES ? leftOut : slow
