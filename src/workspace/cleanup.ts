import type { Context, Queries, Session, Workspace, WorkspaceId } from '../db/database'
import { deleteOldOutcomes } from '../db/idempotency-store'
import type { Trash } from '../db/trash'
import { OUTCOME_KEPT_MS } from '../http/responses'
import type { WorkspaceEraser } from './processes'
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
/** Time for which a resource in the trash can be restored. */
const TRASH_KEPT_MS = 30 * DAY_MS
/** Time for which the feed lists deletions. */
const DELETION_KEPT_MS = 90 * DAY_MS
/** A scratch space is erased after this many whole hours without a request, not counting the present hour. */
const IDLE_HOURS = 24
/** Transactions of one run of a job. */
const STEPS_PER_RUN = 500
/** Resources that one transaction erases. It takes some milliseconds, for which other writers wait. */
const ITEMS_PER_STEP = 20
/** Small rows that one transaction deletes, or workspaces that one step reads. */
const ROWS_PER_STEP = 500

interface Deps extends Pick<Context, 'now' | 'db'> {
  readonly log: { warn(fields: object, message: string): void }
  readonly trash: readonly Trash[]
  readonly eraser: WorkspaceEraser
  readonly find: (db: Queries, id: WorkspaceId) => Promise<Workspace>
  /** Counts bytes towards the quota of the workspace, or gives them back. */
  readonly reserve: (session: Session, bytes: number) => Promise<void>
}

type Step = (signal: AbortSignal) => Promise<boolean>

/** Each run does a bounded amount of work in short transactions; after a crash between two, the next continues. */
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
    { name: 'finish erasing workspaces', every_ms: MINUTE_MS, run: deps.eraser.finishAll },
    job('erase what was in the trash for 30 days', HOUR_MS, () =>
      deps.trash.map((trash) => eraseOldTrash(deps, trash)),
    ),
    job('forget deletions after 90 days', HOUR_MS, () => [forgetOldDeletions(deps)]),
    job('drop outcomes that are not replayed any more', HOUR_MS, () => [deleteOutcomes(deps)]),
    job('erase scratch spaces after 24 hours without a request', 10 * MINUTE_MS, () => [eraseIdleSpaces(deps)]),
  ]
}

function eraseOldTrash({ db, now, log, find }: Deps, trash: Trash): Step {
  // Resources that cannot be erased, because too much depends on them, must not keep the others from being erased.
  const skipped: string[] = []
  return () =>
    db.transaction(async (tx) => {
      const filter = { workspace: null, before: now() - TRASH_KEPT_MS, skipped }
      const { refused, more } = await eraseTrashBatch(tx, trash, filter, find, ITEMS_PER_STEP)
      for (const { id, code } of refused) {
        skipped.push(id)
        log.warn({ type: trash.type, id, code }, 'an old resource in the trash cannot be erased')
      }
      return more
    })
}

function forgetOldDeletions({ db, now }: Deps): Step {
  return () =>
    db.transaction(async (tx) => {
      const before = now() - DELETION_KEPT_MS
      const workspace = await findWorkspaceWithOldDeletions(tx, before)
      if (workspace === null) return false
      await deleteOldDeletions(tx, workspace, before, ROWS_PER_STEP)
      return true
    })
}

function deleteOutcomes({ db, now, find, reserve }: Deps): Step {
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

function eraseIdleSpaces({ db, now, eraser }: Deps): Step {
  return async (signal) => {
    // The present hour and 24 whole ones before it were without a request.
    const before = Math.floor(now() / HOUR_MS) - IDLE_HOURS
    const spaces = await listIdleSpaces(db, before, ROWS_PER_STEP)
    for (const id of spaces) {
      if (signal.aborted) return false
      await db.transaction(async (tx) => {
        // The hour of a new request is stored before the request writes anything, so this check sees it.
        if (await isIdleSpace(tx, id, before)) await eraser.markForRemoval(tx, id)
      })
      await eraser.finish(id, signal)
    }
    return spaces.length === ROWS_PER_STEP
  }
}
