import { existsSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Context } from '../db/context'
import { DatabaseUnavailable, type Queries, type Workspace, type WorkspaceId } from '../db/database'
import { SqliteDatabase } from '../db/sqlite'
import type { ErrorCode } from '../http/api-error'
import { ApiError } from '../http/api-error'
import type { Outcome, StoreOutcome } from '../http/idempotency'
import { FileFault } from '../lib/file-fault'
import { copyInWorker } from './copy.sqlite'
import {
  FULL_DISK_DETAIL,
  isFullDisk,
  type RunFolder,
  removeAllButReport,
  removeDatabaseFiles,
  removeRunFolder,
} from './folder'
import { countPasses, type ImportKind, isWorkKind, type RunKind } from './kind'
import { createTally, type Tally } from './lines'
import type { ImportQueue, ReleaseSlot } from './queue'
import { runQueueNames } from './queue'
import { type ReadingLimits, readFile } from './read-file'
import { type RunProgress, toProgress, toReportItem } from './report'
import { ReportWriter } from './report-file.sqlite'
import { RunGone, runPasses } from './run-passes'
import { abandonWork, runWork } from './run-work'
import { SideFile } from './side-file.sqlite'
import { type Run, type RunError, type RunState, type RunUpdate, updateRun } from './store'

/** How long a file may take to be read, in milliseconds. */
const READ_MS = 15 * 60_000
/** How often progress is reported, and in a dry run stored, in milliseconds. */
const PROGRESS_MS = 500
/** Lines that are put into the report in one turn of the event loop. */
const LINES_PER_TURN = 500

/** Why a run is stopped from outside. `stopping`: it continues at the next start. */
export class RunStopped extends Error {
  override readonly name = 'Ended'

  constructor(readonly how: 'cancelled' | 'stopping') {
    super(how)
  }
}

export interface RunDeps extends Pick<Context, 'db' | 'now' | 'ticks' | 'log'> {
  /** Path of the database, for the copies of dry runs. */
  readonly database: string
  /** Decides which run is next. */
  readonly queue: ImportQueue
  readonly limits: Readonly<Record<Workspace['kind'], ReadingLimits>>
  /** @throws ApiError storage_full */
  readonly refuseOnFullDisk: (bytes: number) => void
  readonly storeOutcome: StoreOutcome
  /** What the request of a run that is done is answered with. */
  readonly answer: (run: Run) => Promise<Outcome>
  readonly report: (workspace: WorkspaceId, news: RunNews) => void
}

/** What the stream of changes says of a run. */
export interface RunNews extends RunProgress {
  readonly id: string
  readonly state: RunState
}

/** A run that is under way in this process. */
export class ActiveRun {
  /** As it is now. */
  run: Run
  side: SideFile | null = null
  /** Settles when it has ended, or stopped; with the run as it is then. */
  readonly ended: Promise<Run>
  readonly #stopper = new AbortController()
  #reportedAt = Number.NEGATIVE_INFINITY
  #began: { readonly at: number; readonly done: number } | null = null

  /** @param place that it has already; null: it waits in line */
  constructor(
    run: Run,
    private readonly kind: RunKind,
    private readonly folder: RunFolder,
    private readonly deps: RunDeps,
    place: ReleaseSlot | null,
  ) {
    this.run = run
    this.ended = this.#run(place)
    // A caller that waits gets the failure; if none does, it is in the log.
    this.ended.catch(() => {})
  }

  stop(how: RunStopped['how']): void {
    this.#stopper.abort(new RunStopped(how))
  }

  /** Seconds that it takes yet, from what it took so far; null if nothing can be said. */
  eta(): number | null {
    const { done, total } = toProgress(this.run, countPasses(this.kind))
    if (!this.#began || total === null || done <= this.#began.done) return null
    const took = this.deps.ticks() - this.#began.at
    return Math.round((took * (total - done)) / (done - this.#began.done) / 1000)
  }

  async #run(place: ReleaseSlot | null): Promise<Run> {
    const { queue, log } = this.deps
    const { signal } = this.#stopper
    let leave = place
    try {
      leave ??= await queue.enter(runQueueNames(this.run), null, signal)
      await this.#do()
      return await this.#end('done', null)
    } catch (error) {
      if (error instanceof RunStopped && error.how === 'stopping') return this.run
      if (error instanceof RunGone) return this.#gone()
      if (error instanceof RunStopped) return await this.#end('cancelled', null)
      const failure = toRunError(error)
      if (failure.code === 'internal') log.error({ err: error, run: this.run.id }, 'an import failed')
      return await this.#end('failed', failure)
    } finally {
      this.#closeSide()
      leave?.()
    }
  }

  async #do(): Promise<void> {
    const { kind, deps, run } = this
    const { signal } = this.#stopper
    this.#began = { at: deps.ticks(), done: run.done }
    if (isWorkKind(kind)) return runWork(run, { ...deps, kind, signal, move: (tx, move) => this.#move(tx, move) })
    await this.#read(kind)
    await this.#take(kind)
  }

  /** Makes the side file, unless it is there already. */
  async #read(kind: ImportKind): Promise<void> {
    const { folder, deps, run } = this
    if (run.state !== 'running' || !existsSync(folder.side)) {
      if (!existsSync(folder.file)) throw new FileFault('unavailable', GONE)
      removeDatabaseFiles(folder.side)
      await this.#move(deps.db, { state: 'reading', pass: 0, done: 0, total: null, tally: createTally() })
      await readFile({
        reader: kind.reader,
        file: folder.file,
        side: folder.side,
        params: run.params,
        limits: deps.limits[run.workspace.kind],
        deadline: READ_MS,
        signal: this.#stopper.signal,
        progress: (items, bytes) => {
          deps.refuseOnFullDisk(bytes)
          this.run = { ...this.run, done: items }
          this.#report(false)
        },
      })
    }
    const side = new SideFile(folder.side)
    this.side = side
    // A dry run starts over: its copy did not outlive the process.
    const lost = run.state !== 'running' || run.dryRun || !side.reaches(this.run.pass, this.run.done)
    const place = lost ? { pass: 0, done: 0, tally: tallyFaults(side) } : { pass: this.run.pass, done: this.run.done }
    side.forgetFrom(place.pass, place.done)
    await this.#move(deps.db, { ...place, state: 'running', total: side.total, facts: side.facts })
  }

  async #take(kind: ImportKind): Promise<void> {
    const { folder, deps, run, side } = this
    if (!side) throw new Error('a run has no items')
    const { signal } = this.#stopper
    const shared = { kind, side, ticks: deps.ticks, log: deps.log, signal }
    this.#began = { at: deps.ticks(), done: toProgress(run, kind.passes.length).done }
    if (!run.dryRun) {
      await runPasses(run, { ...shared, target: deps.db, move: (tx, _, move) => this.#move(tx, move) })
      return
    }
    removeDatabaseFiles(folder.copy)
    await copyInWorker({ from: deps.database, to: folder.copy, workspace: run.workspace }, signal)
    const target = new SqliteDatabase(folder.copy, { durable: false })
    try {
      await runPasses(run, { ...shared, target, move: (tx, at, move) => this.#moveTried(tx, at, move) })
    } finally {
      await target.close()
    }
  }

  /** Moves the row, in a transaction or at once. */
  async #move(tx: Queries, move: RunUpdate, at = this.deps.now()): Promise<Run> {
    const moved = { ...this.run, ...move, updatedAt: at }
    if (!(await updateRun(tx, this.run, move, at))) throw new RunGone()
    tx.afterCommit(`import ${moved.id}`, () => {
      this.run = moved
      this.#report(hasEnded(moved.state))
    })
    return moved
  }

  /** The row of a dry run is not in the copy, and moves now and then. */
  async #moveTried(tx: Queries, run: Run, move: RunUpdate): Promise<Run> {
    const moved = { ...run, ...move }
    tx.afterCommit(`import ${run.id}`, () => {
      this.run = moved
    })
    if (this.deps.ticks() - this.#reportedAt >= PROGRESS_MS) await this.#move(this.deps.db, move)
    return moved
  }

  #report(always: boolean): void {
    const { id, state, workspace } = this.run
    const at = this.deps.ticks()
    if (!always && at - this.#reportedAt < PROGRESS_MS) return
    this.#reportedAt = at
    this.deps.report(workspace.id, { id, state, ...toProgress(this.run, countPasses(this.kind)) })
  }

  /** Writes the report, ends the row, stores the outcome of the request, and removes the files. */
  async #end(state: 'done' | 'failed' | 'cancelled', error: RunError | null): Promise<Run> {
    const { kind, deps } = this
    const { db, storeOutcome, answer } = deps
    if (state !== 'done' && isWorkKind(kind)) await abandonWork(this.run, { ...deps, kind })
    await this.#writeReport()
    const at = this.deps.now()
    const { idempotencyKey, dryRun, workspace } = this.run
    const isKept = idempotencyKey && state === 'done' && !dryRun
    const outcome = isKept ? await answer({ ...this.run, state, updatedAt: at }) : null
    try {
      await db.transaction(async (tx) => {
        await this.#move(tx, { state, error }, at)
        if (idempotencyKey && outcome) await storeOutcome({ workspace, db: tx }, idempotencyKey, outcome)
      })
    } catch (failure) {
      if (failure instanceof RunGone) return this.#gone()
      // There is no room for the outcome: what is done stays, and is in the report.
      if (failure instanceof ApiError && state === 'done') return this.#end('failed', toRunError(failure))
      throw failure
    }
    this.#closeSide()
    removeAllButReport(this.folder)
    return this.run
  }

  async #writeReport(): Promise<void> {
    const { side } = this
    if (!side) return
    const report = new ReportWriter(this.folder.report)
    try {
      for (let seq = 0; ; ) {
        const lines = side.listLines(seq, LINES_PER_TURN)
        const last = lines.at(-1)
        if (!last) return
        const { dryRun } = this.run
        if (!report.add(lines.map(({ item, line }) => ({ seq: item.seq, item: toReportItem(item, line, dryRun) }))))
          return
        seq = last.item.seq + 1
        await setImmediate()
      }
    } finally {
      report.close()
    }
  }

  #closeSide(): void {
    this.side?.close()
    this.side = null
  }

  #gone(): Run {
    this.#closeSide()
    removeRunFolder(this.folder)
    this.run = { ...this.run, state: 'cancelled' }
    return this.run
  }
}

const GONE = 'The file of this import is not here any more, as after a backup was restored. Send it again.'

export const hasEnded = (state: RunState) => state === 'done' || state === 'failed' || state === 'cancelled'

function tallyFaults(side: SideFile): Tally {
  const tally = createTally()
  for (const { type, count } of side.faults()) tally.items[type] = { failed: count }
  return tally
}

/** Why a run failed, as its caller reads it. */
function toRunError(error: unknown): RunError {
  if (error instanceof FileFault || error instanceof ApiError)
    return { code: error.code as ErrorCode, detail: error.detail }
  if (isFullDisk(error)) return { code: 'storage_full', detail: FULL_DISK_DETAIL }
  if (error instanceof DatabaseUnavailable)
    return {
      code: 'unavailable',
      detail: 'The server could not write its data. What was imported by then stays; import the rest again.',
    }
  return {
    code: 'internal',
    detail: 'The server failed at this import. Its log has the details. What was imported by then stays.',
  }
}
