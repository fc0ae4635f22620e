import type { Reserve } from '../../db/change-feed'
import type { Queries, Workspace, WorkspaceId } from '../../db/database'
import { eraseVersions, listMarks, nextToThin, setThinAt } from './store'
import { nextThinning, toThin } from './thinning'

/** Versions erased in one transaction: bounds how long other writers wait for it. */
const ERASED_AT_ONCE = 200

export interface ThinnerDeps {
  readonly reserve: Reserve
  /** The workspace with this id. */
  readonly find: (db: Queries, id: WorkspaceId) => Promise<Workspace>
}

/**
 * Erases the versions that need not be kept as of `now` (milliseconds), in at most `limit` short transactions. It may
 * stop between any two, by `signal` or in a crash: the next run goes on. Returns how many versions it erased.
 */
export type Thin = (db: Queries, now: number, limit: number, signal?: AbortSignal) => Promise<number>

export function createThinner({ reserve, find }: ThinnerDeps): Thin {
  /** Thins one note, or the oldest part of what one has too much. Returns how much, or null if none is due. */
  async function thinOne(db: Queries, now: number): Promise<number | null> {
    const due = await nextToThin(db, now)
    if (!due) return null
    const marks = await listMarks(db, due.workspace, due.key)
    const all = toThin(marks, now)
    const some = all.slice(0, ERASED_AT_ONCE)
    if (some.length > 0) {
      const bytes = await eraseVersions(db, due.workspace, due.key, some)
      await reserve({ db, workspace: await find(db, due.workspace) }, -bytes)
    }
    // A note with more to erase stays due.
    if (some.length === all.length) {
      const erased = new Set(some)
      const left = marks.filter(({ revision }) => !erased.has(revision))
      await setThinAt(db, due.workspace, due.key, nextThinning(left, now))
    }
    return some.length
  }

  return async (db, now, limit, signal) => {
    let total = 0
    for (let step = 0; step < limit && !signal?.aborted; step++) {
      const erased = await db.transaction((tx) => thinOne(tx, now))
      if (erased === null) break
      total += erased
    }
    return total
  }
}
