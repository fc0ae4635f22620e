import type { Reserve } from '../../db/change-feed'
import type { Queries, Workspace, WorkspaceId } from '../../db/database'
import { eraseVersions, findNextToThin, listVersionAges, setThinAt, type VersionAge } from './store'

/**
 * Which versions of a note are kept, as a function of their ages. For ever: revision 1, the newest 50, the labelled
 * ones. Of the rest the newest of each 10 minutes (of the first day), of each day (of the first 30), of each ISO week.
 * Spans are those of the calendar in UTC, and one ages as a whole, by its end: so each lies within the span it becomes
 * part of, and what thinning erases today, thinning only tomorrow would have erased as well.
 */

/** The newest versions, which are always kept. */
export const NEWEST_KEPT_VERSIONS = 50
/** Versions of one note after thinning. Only decades of weekly ones could be more: then the oldest go. */
export const MAX_KEPT_VERSIONS = 1000

const TEN_MINUTES_MS = 10 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000
const WEEK_MS = 7 * DAY_MS
/** 1970 began on a Thursday, ISO weeks begin on Mondays. */
const MONDAY_OFFSET_MS = 3 * DAY_MS

/** The revisions to erase, in ascending order. */
export function listRevisionsToErase(revisions: readonly VersionAge[], now: number): number[] {
  const rest = listUnprotected(revisions)
  const newestOf = new Map(rest.map((mark) => [findSpan(mark, now).name, mark.revision]))
  const newest = new Set(newestOf.values())
  const losing = rest.filter(({ revision }) => !newest.has(revision))
  const winning = rest.filter(({ revision }) => newest.has(revision))
  const over = Math.max(0, revisions.length - losing.length - MAX_KEPT_VERSIONS)
  return [...losing, ...winning.slice(0, over)].map(({ revision }) => revision).toSorted((a, b) => a - b)
}

/** When age alone will next move one of these versions into a longer span; null if none ever will. */
export function getNextThinning(revisions: readonly VersionAge[], now: number): number | null {
  const changes = listUnprotected(revisions).map((mark) => findSpan(mark, now).until)
  const next = Math.min(...changes)
  return Number.isFinite(next) ? next : null
}

/** What may be erased at all, oldest first. */
function listUnprotected(revisions: readonly VersionAge[]): VersionAge[] {
  return revisions
    .toSorted((a, b) => a.revision - b.revision)
    .slice(0, -NEWEST_KEPT_VERSIONS)
    .filter(({ revision, labelled }) => revision > 1 && !labelled)
}

/** The span that a version is in, and the instant from which it will be in a longer one. */
function findSpan({ updated_at: at }: VersionAge, now: number): { name: string; until: number } {
  const slot = Math.floor(at / TEN_MINUTES_MS)
  const slotAges = (slot + 1) * TEN_MINUTES_MS + DAY_MS
  if (now < slotAges) return { name: `ten minutes ${slot}`, until: slotAges }
  const day = Math.floor(at / DAY_MS)
  const dayAges = (day + 1) * DAY_MS + 30 * DAY_MS
  if (now < dayAges) return { name: `day ${day}`, until: dayAges }
  return { name: `week ${Math.floor((at + MONDAY_OFFSET_MS) / WEEK_MS)}`, until: Number.POSITIVE_INFINITY }
}

/** Versions erased in one transaction: bounds how long other writers wait for it. */
const VERSIONS_PER_STEP = 200

interface ThinnerDeps {
  readonly reserve: Reserve
  /** The workspace with this id. */
  readonly find: (db: Queries, id: WorkspaceId) => Promise<Workspace>
}

/**
 * Erases the versions that need not be kept as of `now` (milliseconds), in at most `limit` short transactions. It may
 * stop between any two, by `signal` or in a crash: the next run goes on. Returns how many versions it erased.
 */
type Thin = (db: Queries, now: number, limit: number, signal?: AbortSignal) => Promise<number>

export function createThinner({ reserve, find }: ThinnerDeps): Thin {
  /** Thins one note, or the oldest part of what one has too much. Returns how much, or null if none is due. */
  async function thinOne(db: Queries, now: number): Promise<number | null> {
    const due = await findNextToThin(db, now)
    if (!due) return null
    const marks = await listVersionAges(db, due.workspace, due.key)
    const all = listRevisionsToErase(marks, now)
    const some = all.slice(0, VERSIONS_PER_STEP)
    if (some.length > 0) {
      const bytes = await eraseVersions(db, due.workspace, due.key, some)
      await reserve({ db, workspace: await find(db, due.workspace) }, -bytes)
    }
    // A note with more to erase remains due.
    if (some.length === all.length) {
      const erased = new Set(some)
      const left = marks.filter(({ revision }) => !erased.has(revision))
      await setThinAt(db, due.workspace, due.key, getNextThinning(left, now))
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
