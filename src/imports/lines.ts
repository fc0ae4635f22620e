import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import type { ImportAction, ImportWarning, Line, Step } from './kind'

/** Which action counts where several passes have a line of one item. */
const STRENGTH: Readonly<Record<ImportAction, number>> = { unchanged: 0, skipped: 1, updated: 2, created: 3, failed: 4 }

/** An item's line as it is after a later pass: the stronger action, all warnings, all counts. */
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

/** How many items have each action, by type. */
export type Counts = Record<string, Partial<Record<ImportAction, number>>>

/** The sums of the lines of a run, as its row keeps them. */
export interface Tally {
  /** By the types of the items. */
  readonly items: Counts
  /** What was written beside items, by its own types; see Line.counts. */
  readonly beside: Counts
}

export const createTally = (): Tally => ({ items: {}, beside: {} })

/** Takes an item's line out of a tally, or into it. @param by 1 or -1 */
export function addToTally(tally: Tally, type: string, line: Line | null, by: 1 | -1): void {
  if (!line) return
  add(tally.items, type, line.action, by)
  for (const [other, number] of Object.entries(line.counts ?? {})) add(tally.beside, other, line.action, number * by)
}

function add(counts: Counts, type: string, action: ImportAction, by: number): void {
  counts[type] ??= {}
  const ofType = counts[type]
  ofType[action] = (ofType[action] ?? 0) + by
}

/** The line of an item that cannot be taken. */
export function failedLine({ code, detail }: ImportWarning): Line {
  return { action: 'failed', id: null, warnings: [{ code, detail }] }
}

/**
 * Does a part of a step as a whole or not at all. A full disk is no fault of an item: it is thrown, and ends the run.
 * @returns what `work` returns, or the error that refuses it
 */
export async function attempt<T>(session: Session, work: (within: Session) => Promise<T>): Promise<T | ApiError> {
  try {
    return await session.db.transaction((db) => work({ ...session, db }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'storage_full') throw error
    return error
  }
}

/** What became of earlier items of the file; `step` does not know those of the present group yet. */
export class EarlierItems {
  readonly #keys = new Set<string>()
  readonly #ids = new Set<string>()

  /** @param type of the items whose keys count, if not of all */
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

  /** Whether a resource was made, or met. */
  hasMet(id: string | null): boolean {
    return id !== null && (this.#ids.has(id) || this.step.hasMet(id))
  }
}
