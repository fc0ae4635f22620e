import type { Database, Queries, Session, Workspace, WorkspaceId } from '../db/database'
import { deleteOldOutcomes } from '../db/idempotency-store'
import type { Trash } from '../db/trash'
import { OUTCOME_KEPT_MS } from '../http/idempotency'
import type { WorkspaceEraser } from './erase-workspace'
import {
  deleteOldDeletions,
  findWorkspaceWithOldDeletions,
  findWorkspaceWithOldOutcomes,
  isIdleSpace,
  listIdleSpaces,
} from './store'
import { eraseTrashBatch } from './trash'

const MINUTE_MS = 60 * 1000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** How long what was deleted can be restored, and how long the feed tells of what was erased. */
const TRASH_KEPT_MS = 30 * DAY_MS
const DELETION_KEPT_MS = 90 * DAY_MS
/** Whole hours without a request, before the present one, after which a scratch space is erased. */
const QUIET_HOURS = 24
/** Transactions of one run of a job, and what one of them erases: others wait for so long, some milliseconds. */
const STEPS_PER_RUN = 500
const ITEMS_PER_STEP = 20
const ROWS_PER_STEP = 500

interface Deps {
  readonly db: Database
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: { warn(fields: object, message: string): void }
  readonly trash: readonly Trash[]
  readonly erasing: WorkspaceEraser
  /** The workspace with this id. */
  readonly find: (db: Queries, id: WorkspaceId) => Promise<Workspace>
  /** Counts bytes towards the quota of the workspace, or gives them back. */
  readonly reserve: (session: Session, bytes: number) => Promise<void>
}

/** Clears one step's worth, or less once `signal` is aborted. False: nothing more is due. */
type Step = (signal: AbortSignal) => Promise<boolean>

/**
 * The jobs that erase what has expired. Each run does a bounded amount of work in short transactions and may stop
 * between any two, by its signal or in a crash: the next run goes on.
 */
export function createCleanup(deps: Deps) {
  const job = (name: string, every_ms: number, steps: () => readonly Step[]) => ({
    name,
    every_ms,
    async run(signal: AbortSignal): Promise<void> {
      let left = STEPS_PER_RUN
      for (const step of steps()) while (!signal.aborted && left-- > 0 && (await step(signal)));
    },
  })
  return [
    { name: 'finish erasing workspaces', every_ms: MINUTE_MS, run: deps.erasing.finishAll },
    job('erase what was in the trash for 30 days', HOUR_MS, () => deps.trash.map((kind) => purge(deps, kind))),
    job('forget deletions after 90 days', HOUR_MS, () => [forgetOld(deps)]),
    job('drop outcomes that are not replayed any more', HOUR_MS, () => [dropOld(deps)]),
    job('erase scratch spaces after 24 hours without a request', 10 * MINUTE_MS, () => [eraseQuiet(deps)]),
  ]
}

function purge({ db, now, log, find }: Deps, kind: Trash): Step {
  // What cannot be erased, since too much depends on it, must not hold up the rest.
  const skipped: string[] = []
  return () =>
    db.transaction(async (tx) => {
      const among = { workspace: null, before: now() - TRASH_KEPT_MS, skipped }
      const { refused, more } = await eraseTrashBatch(tx, kind, among, find, ITEMS_PER_STEP)
      for (const { id, code } of refused) {
        skipped.push(id)
        log.warn({ type: kind.type, id, code }, 'what is old in the trash cannot be erased')
      }
      return more
    })
}

function forgetOld({ db, now }: Deps): Step {
  return () =>
    db.transaction(async (tx) => {
      const before = now() - DELETION_KEPT_MS
      const workspace = await findWorkspaceWithOldDeletions(tx, before)
      if (workspace === null) return false
      await deleteOldDeletions(tx, workspace, before, ROWS_PER_STEP)
      return true
    })
}

function dropOld({ db, now, find, reserve }: Deps): Step {
  return () =>
    db.transaction(async (tx) => {
      const before = now() - OUTCOME_KEPT_MS
      const id = await findWorkspaceWithOldOutcomes(tx, before)
      if (id === null) return false
      const freed = await deleteOldOutcomes(tx, id, before, ROWS_PER_STEP)
      await reserve({ db: tx, workspace: await find(tx, id) }, -freed)
      return true
    })
}

function eraseQuiet({ db, now, erasing }: Deps): Step {
  return async (signal) => {
    // The present hour and 24 whole ones before it were without a request.
    const before = Math.floor(now() / HOUR_MS) - QUIET_HOURS
    const spaces = await listIdleSpaces(db, before, ROWS_PER_STEP)
    for (const id of spaces) {
      if (signal.aborted) return false
      await db.transaction(async (tx) => {
        // A caller who came back meanwhile was noted before anything was written.
        if (await isIdleSpace(tx, id, before)) await erasing.forget(tx, id)
      })
      await erasing.finish(id, signal)
    }
    return spaces.length === ROWS_PER_STEP
  }
}
