import { existsSync } from 'node:fs'
import {
  type Context,
  DatabaseUnavailable,
  ownersOf,
  type Queries,
  type Workspace,
  type WorkspaceId,
} from '../db/database'
import { SqliteDatabase } from '../db/sqlite'
import { ApiError, type ErrorCode } from '../http/api-error'
import type { Outcome, StoreOutcome } from '../http/responses'
import { FileFault } from '../lib/file-fault'
import { yieldTurn } from '../lib/steps'
import { FULL_DISK_DETAIL, isFullDisk, type RunFolder, removeDatabaseFiles, removeRunFolder } from './folder'
import { countPasses, type ImportKind, isWorkKind, type RunKind } from './kind'
import { createTally, type Tally } from './lines'
import { type ImportQueue, type ReleaseSlot, runQueueNames } from './queue'
import { type ReadingLimits, readFile } from './read-file'
import { ReportWriter, type RunProgress, toProgress, toReportItem } from './report'
import { abandonWork, RunGone, runPasses, runWork } from './run-work'
import { SideFile } from './side-file.sqlite'
import { getRun, type Run, type RunError, type RunState, type RunUpdate, storeReport, updateRun } from './store'

const MAX_READ_MS = 15 * 60_000
/** The shortest time between two progress reports; in a dry run also between two updates of the row. */
const PROGRESS_MS = 500
/** Lines that are written to the report in one turn of the event loop. */
const LINES_PER_TURN = 500

/** Thrown in a run that is stopped from outside. `stopping`: the run continues when the server starts again. */
class RunStopped extends Error {
  override readonly name = 'RunStopped'

  constructor(readonly reason: 'cancelled' | 'stopping') {
    super(reason)
  }
}

export interface RunDeps extends Pick<Context, 'db' | 'now' | 'ticks' | 'log'> {
  readonly queue: ImportQueue
  readonly limits: Readonly<Record<Workspace['kind'], ReadingLimits>>
  /** @throws ApiError storage_full */
  readonly refuseOnFullDisk: (bytes: number) => void
  readonly storeOutcome: StoreOutcome
  /** Returns the response for the request that began a run, once the run is done. */
  readonly responseOf: (run: Run) => Promise<Outcome>
  /** Sends news of a run to the followers of the workspace. */
  readonly report: (workspace: WorkspaceId, news: RunNews) => void
}

/** The progress of a run, as the stream of changes reports it. */
interface RunNews extends RunProgress {
  readonly id: string
  readonly state: RunState
}

export class ActiveRun {
  /** The present state of the run; its row may be older. */
  run: Run
  side: SideFile | null = null
  /** Settles with the final state when the run has ended or stopped. */
  readonly ended: Promise<Run>
  readonly #owned: Queries
  readonly #stopper = new AbortController()
  #reportedAt = Number.NEGATIVE_INFINITY
  #began: { readonly at: number; readonly done: number } | null = null

  /** @param slot the slot of the queue that the run already holds; null: it waits for one */
  constructor(
    run: Run,
    private readonly kind: RunKind,
    private readonly folder: RunFolder,
    private readonly deps: RunDeps,
    slot: ReleaseSlot | null,
  ) {
    this.run = run
    this.#owned = deps.db.ownedBy(...ownersOf(run.workspace))
    this.ended = this.#run(slot)
    // A caller that waits gets the failure, and the registry logs it: it is never an unhandled rejection.
    this.ended.catch(() => {})
  }

  /** Its present state once it no longer waits, else null: it may be under way in another process, which its row knows. */
  get begun(): Run | null {
    return this.#began && this.run
  }

  stop(reason: RunStopped['reason']): void {
    this.#stopper.abort(new RunStopped(reason))
  }

  /** Estimates the remaining seconds from the time taken so far; null if there is nothing to go by. */
  etaSeconds(): number | null {
    const { done, total } = toProgress(this.run, countPasses(this.kind))
    if (!this.#began || total === null || done <= this.#began.done) return null
    const tookMs = this.deps.ticks() - this.#began.at
    return Math.round((tookMs * (total - done)) / (done - this.#began.done) / 1000)
  }

  async #run(slot: ReleaseSlot | null): Promise<Run> {
    const { queue, log } = this.deps
    const { signal } = this.#stopper
    let release = slot
    try {
      release ??= await queue.enter(runQueueNames(this.run), null, signal)
      await this.deps.db.exclusively(`import ${this.run.id}`, () => this.#work(), { wait: false })
      return this.run
    } catch (error) {
      if (error instanceof RunStopped && error.reason === 'stopping') return this.run
      if (error instanceof RunGone) return await this.#endGone()
      if (error instanceof RunStopped) return await this.#end('cancelled', null)
      const failure = toRunError(error)
      if (failure.code === 'internal') log.error({ err: error, run: this.run.id }, 'an import failed')
      return await this.#end('failed', failure)
    } finally {
      this.#closeSide()
      release?.()
    }
  }

  /** Does the work, unless another process has done it meanwhile. */
  async #work(): Promise<void> {
    if (this.deps.db.isShared) {
      this.run = (await getRun(this.deps.db, this.run.workspace.id, this.run.id)) ?? this.run
      if (hasEnded(this.run.state)) return
    }
    await this.#import()
    await this.#end('done', null)
  }

  async #import(): Promise<void> {
    const { kind, deps, run } = this
    const { signal } = this.#stopper
    this.#began = { at: deps.ticks(), done: run.done }
    if (isWorkKind(kind))
      return runWork(run, { ...deps, kind, signal, update: (tx, changes) => this.#update(tx, changes) })
    await this.#readFile(kind)
    await this.#importItems(kind)
  }

  /** Reads the file into the side file, unless that was done before a restart. */
  async #readFile(kind: ImportKind): Promise<void> {
    const { folder, deps, run } = this
    if (run.state !== 'running' || !existsSync(folder.side)) {
      if (!existsSync(folder.file)) throw new FileFault('unavailable', FILE_GONE)
      removeDatabaseFiles(folder.side)
      await this.#update(deps.db, { state: 'reading', pass: 0, done: 0, total: null, tally: createTally() })
      await readFile({
        reader: kind.reader,
        file: folder.file,
        side: folder.side,
        params: run.params,
        limits: deps.limits[run.workspace.kind],
        timeoutMs: MAX_READ_MS,
        signal: this.#stopper.signal,
        onProgress: (items, bytes) => {
          deps.refuseOnFullDisk(bytes)
          this.run = { ...this.run, done: items }
          this.#report(false)
        },
      })
    }
    const side = new SideFile(folder.side)
    this.side = side
    // A dry run starts over, since its copy of the workspace is not kept.
    const isLost = this.run.state !== 'running' || run.dryRun || !side.hasLinesUpTo(this.run.pass, this.run.done)
    const position = isLost
      ? { pass: 0, done: 0, tally: tallyFaults(side) }
      : { pass: this.run.pass, done: this.run.done }
    side.deleteLinesFrom(position.pass, position.done)
    await this.#update(deps.db, { ...position, state: 'running', total: side.total, facts: side.facts })
  }

  async #importItems(kind: ImportKind): Promise<void> {
    const { folder, deps, run, side } = this
    if (!side) throw new Error('a run has no items')
    const { signal } = this.#stopper
    const shared = { kind, side, ticks: deps.ticks, log: deps.log, signal }
    this.#began = { at: deps.ticks(), done: toProgress(run, kind.passes.length).done }
    if (!run.dryRun) {
      await runPasses(run, { ...shared, target: this.#owned, update: (tx, _, changes) => this.#update(tx, changes) })
      return
    }
    removeDatabaseFiles(folder.copy)
    await deps.db.copyWorkspace(run.workspace, folder.copy, signal)
    const target = new SqliteDatabase(folder.copy, { durable: false })
    try {
      await runPasses(run, { ...shared, target, update: (tx, at, changes) => this.#updateDryRun(tx, at, changes) })
    } finally {
      await target.close()
    }
  }

  /** Updates the row in `tx`, and `this.run` after the commit. @throws RunGone */
  async #update(tx: Queries, changes: RunUpdate, at = this.deps.now()): Promise<Run> {
    const next = { ...this.run, ...changes, updatedAt: at }
    if (!(await updateRun(tx, this.run, changes, at))) throw new RunGone()
    tx.afterCommit(`import ${next.id}`, () => {
      this.run = next
      this.#report(hasEnded(next.state))
    })
    return next
  }

  /** Updates `this.run` after a step of a dry run. Its row is in the main database, and is updated now and then. */
  async #updateDryRun(tx: Queries, run: Run, changes: RunUpdate): Promise<Run> {
    const next = { ...run, ...changes }
    tx.afterCommit(`import ${run.id}`, () => {
      this.run = next
    })
    if (this.deps.ticks() - this.#reportedAt >= PROGRESS_MS) await this.#update(this.deps.db, changes)
    return next
  }

  #report(isForced: boolean): void {
    const { id, state, workspace } = this.run
    const at = this.deps.ticks()
    if (!isForced && at - this.#reportedAt < PROGRESS_MS) return
    this.#reportedAt = at
    this.deps.report(workspace.id, { id, state, ...toProgress(this.run, countPasses(this.kind)) })
  }

  /** Stores the report, ends the row, stores the outcome of the request, and removes the files. */
  async #end(state: 'done' | 'failed' | 'cancelled', error: RunError | null): Promise<Run> {
    const { kind, deps } = this
    const { storeOutcome, responseOf } = deps
    if (state !== 'done' && isWorkKind(kind)) await abandonWork(this.run, { ...deps, kind })
    await this.#storeReport()
    const at = this.deps.now()
    const { idempotencyKey, dryRun, workspace } = this.run
    const isRepeatable = idempotencyKey && state === 'done' && !dryRun
    const outcome = isRepeatable ? await responseOf({ ...this.run, state, updatedAt: at }) : null
    try {
      await this.#owned.transaction(async (tx) => {
        await this.#update(tx, { state, error }, at)
        if (idempotencyKey && outcome) await storeOutcome({ workspace, db: tx }, idempotencyKey, outcome)
      })
    } catch (failure) {
      if (failure instanceof RunGone) return await this.#endGone()
      // There is no room for the stored outcome. The imported items stay, and the report lists them.
      if (failure instanceof ApiError && state === 'done') return this.#end('failed', toRunError(failure))
      throw failure
    }
    this.#closeSide()
    await removeRunFolder(this.folder)
    return this.run
  }

  async #storeReport(): Promise<void> {
    const { side, deps, run } = this
    if (!side) return
    const report = new ReportWriter()
    let lines = side.listLines(0, LINES_PER_TURN)
    while (lines.every(({ item, line }) => report.add({ seq: item.seq, item: toReportItem(item, line, run.dryRun) }))) {
      const last = lines.at(-1)
      if (!last) break
      await yieldTurn()
      lines = side.listLines(last.item.seq + 1, LINES_PER_TURN)
    }
    await storeReport(deps.db, run, await report.pack())
  }

  #closeSide(): void {
    this.side?.close()
    this.side = null
  }

  /** Ends a run that another process has cancelled, or whose workspace was erased. */
  async #endGone(): Promise<Run> {
    const { db } = this.deps
    const ended = db.isShared && (await getRun(db, this.run.workspace.id, this.run.id))
    if (ended) {
      this.side?.deleteLinesFrom(this.run.pass, this.run.done)
      await this.#storeReport()
    }
    this.#closeSide()
    await removeRunFolder(this.folder)
    this.run = ended || { ...this.run, state: 'cancelled' }
    return this.run
  }
}

const FILE_GONE =
  'The file of this import is no longer there, for example because a backup was restored. Send it again.'

/** Whether a run in this state never continues. */
export const hasEnded = (state: RunState) => state === 'done' || state === 'failed' || state === 'cancelled'

function tallyFaults(side: SideFile): Tally {
  const tally = createTally()
  for (const { type, count } of side.countFaults()) tally.items[type] = { failed: count }
  return tally
}

function toRunError(error: unknown): RunError {
  if (error instanceof FileFault || error instanceof ApiError)
    return { code: error.code as ErrorCode, detail: error.detail }
  if (isFullDisk(error)) return { code: 'storage_full', detail: FULL_DISK_DETAIL }
  if (error instanceof DatabaseUnavailable)
    return {
      code: 'unavailable',
      detail: 'The server could not write its data. What was imported before stays; import the rest again.',
    }
  return {
    code: 'internal',
    detail: 'The server failed at this import. Its log has the details. What was imported before stays.',
  }
}
