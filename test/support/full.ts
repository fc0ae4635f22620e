/** What `.ci/full` runs beyond `bun run test`: it sets FULL. One file in full: `FULL=1 bun test FILE`. */
import { test } from 'bun:test'

export const FULL = Boolean(process.env.FULL)

/** How many random cases a property gets: `count` in full, else an eighth of them, but at least three. */
export const runs = (count: number): number => (FULL ? count : Math.min(count, Math.max(3, Math.ceil(count / 8))))

const none = () => {}
const noTest = Object.assign(none, { each: () => none, skipIf: () => none })

/** A test that only full runs, since it takes seconds: of large inputs, of speed, of all combinations. */
export const slow = FULL ? test : (noTest as unknown as typeof test)
