import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import type { ImportAction, ImportWarning, Line, Step } from './kind'

/** The precedence of actions: of several lines of one item, the highest counts. */
const STRENGTH: Readonly<Record<ImportAction, number>> = { unchanged: 0, skipped: 1, updated: 2, created: 3, failed: 4 }

/** Merges the lines of two passes for one item: the stronger action, all warnings, the sum of the counts. */
export function mergeLines(earlier: Line | null, later: Line): Line {
  if (!earlier) return later
  const counts = { ...earlier.counts }
  for (const [type, count] of Object.entries(later.counts ?? {})) counts[type] = (counts[type] ?? 0) + count
  return {
    action: STRENGTH[later.action] > STRENGTH[earlier.action] ? later.action : earlier.action,
    id: later.id ?? earlier.id,
    source: later.source ?? earlier.source ?? null,
    warnings: [...(earlier.warnings ?? []), ...(later.warnings ?? [])],
    counts,
    left: later.left ?? earlier.left,
  }
}

/** The number of items with each action, by type. */
export type Counts = Record<string, Partial<Record<ImportAction, number>>>

/** The sums of a run's lines. They are stored as JSON, so the names of the members must not change. */
export interface Tally {
  /** By type of item. */
  readonly items: Counts
  /** Resources that were written in addition to the items, by type; see Line.counts. */
  readonly beside: Counts
}

export const createTally = (): Tally => ({ items: {}, beside: {} })

/** Adds an item's line to a tally, or with `sign` -1 subtracts it. */
export function addToTally(tally: Tally, type: string, line: Line | null, sign: 1 | -1): void {
  if (!line) return
  add(tally.items, type, line.action, sign)
  for (const [otherType, number] of Object.entries(line.counts ?? {}))
    add(tally.beside, otherType, 'created', number * sign)
}

function add(counts: Counts, type: string, action: ImportAction, by: number): void {
  counts[type] ??= {}
  const ofType = counts[type]
  ofType[action] = (ofType[action] ?? 0) + by
}

export function failedLine({ code, detail }: ImportWarning): Line {
  return { action: 'failed', id: null, warnings: [{ code, detail }] }
}

/** A full disk is thrown, and ends the run. @returns what `work` returns, or the ApiError that it throws */
export async function attempt<T>(session: Session, work: (tx: Session) => Promise<T>): Promise<T | ApiError> {
  try {
    return await session.db.transaction((db) => work({ ...session, db }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'storage_full') throw error
    return error
  }
}

/** The earlier items of a file: of earlier steps, and of the present group, which `step` does not know yet. */
export class EarlierItems {
  readonly #keys = new Set<string>()
  readonly #ids = new Set<string>()

  /** @param type the type of the items whose keys count; without it, those of all types do */
  constructor(
    private readonly step: Pick<Step, 'lineOfKey' | 'hasMet'>,
    private readonly type?: string,
  ) {}

  add(key: string | null, id: string | null): void {
    if (key !== null) this.#keys.add(key)
    if (id !== null) this.#ids.add(id)
  }

  hasKey(key: string | null): boolean {
    return key !== null && (this.#keys.has(key) || this.step.lineOfKey(key, this.type) !== null)
  }

  /** Whether an earlier item has this resource. */
  hasMet(id: string | null): boolean {
    return id !== null && (this.#ids.has(id) || this.step.hasMet(id))
  }
}

export interface Overlap {
  /** Items that came as they are now. */
  readonly same: number
  /** Items by which something would change. */
  readonly changed: number
}

/** Files of one name that may have later versions. Those beyond are known only while they stay the same. */
const MAX_FILES = 50

/**
 * Finds the earlier file of the same name of which a file is a later version: at least half of what both have is equal, or
 * more than two thirds of its items are known. In doubt it is another one, so that nothing is overwritten.
 * @param compare compares the file with the one of a number, from 0
 * @param items how many are compared; Infinity: changed items do not tell whose they are
 * @param digest identifies what the file holds
 * @returns the name of the earlier file, or a free one; `isOther`: there are files, and it is a version of none
 */
export async function findEarlierFile(
  compare: (number: number) => Promise<Overlap>,
  items: number,
  digest: string,
): Promise<{ readonly name: string; readonly isOther: boolean }> {
  let best: { readonly name: string; readonly rank: number } | null = null
  let free: string | null = null
  for (let number = 0; free === null && number < MAX_FILES; number++) {
    const { same, changed } = await compare(number)
    const isLater = same >= changed || (same + changed) * 3 > items * 2
    if (same + changed === 0) free = String(number)
    else if (isLater && same * 2 + changed >= (best?.rank ?? 0))
      best = { name: String(number), rank: same * 2 + changed }
  }
  return { name: best?.name ?? free ?? digest, isOther: !best && free !== '0' }
}
