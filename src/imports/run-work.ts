import { type Context, DatabaseUnavailable, ownersOf, type Queries, type Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { yieldTurn } from '../lib/steps'
import { isFullDisk } from './folder'
import type { ImportKind, Line, Step, WorkKind } from './kind'
import { addToTally, failedLine, mergeLines, type Tally } from './lines'
import type { ItemLine, SideFile, SideItem } from './side-file.sqlite'
import type { Run, RunUpdate } from './store'

/** About this many rows are changed in the transaction of a request; more are changed by a run, in steps. */
export const MAX_ROWS_INLINE = 200
/** The size of the first step of a run, and the largest size of any. */
const STEP_SIZE = { first: 4, max: 1000 }
/** The size of the steps that are done in one transaction. */
const INLINE_STEP_SIZE = 50
/** The time that a step should hold the writer. Twice this is the limit, unless one item alone takes longer. */
const STEP_MS = 10

/**
 * Returns the size of the next step: at most double the last one, so that one fast step does not lead to a slow one.
 * @param size the size of the last step, which took `tookMs` milliseconds
 * @param max the largest size allowed
 */
export function nextStepSize(size: number, tookMs: number, max: number): number {
  const target = size * Math.min(2, STEP_MS / Math.max(tookMs, 0.1))
  return Math.max(1, Math.min(max, Math.floor(target)))
}

/** The number of items in the first group of a pass, and the largest number in any. */
const GROUP_ITEMS = { first: 8, max: 500 }

/** After this many items in a row that a full workspace refused the import ends: each attempt takes milliseconds. */
const MAX_ITEMS_OVER_QUOTA = 1000

/** Thrown if a run has no row any more, because its workspace was erased. */
export class RunGone extends Error {
  override readonly name = 'RunGone'
}

interface Deps extends Pick<Context, 'ticks' | 'log'> {
  readonly kind: ImportKind
  readonly side: SideFile
  /** The database that is written to: the main one, or for a dry run a copy of the workspace. */
  readonly target: Queries
  /** Updates the run's row; `tx` is the step's transaction. @throws RunGone */
  readonly update: (tx: Queries, run: Run, changes: RunUpdate) => Promise<Run>
  /** Checked between steps: if it is aborted, the run ends with its reason. */
  readonly signal: AbortSignal
}

/** Runs the rest of an import, to the end of its last pass. @throws the error that ends the run */
export async function runPasses(run: Run, deps: Deps): Promise<Run> {
  return new PassRunner(deps).runAll(run)
}

class PassRunner {
  #size = GROUP_ITEMS.first
  /** Items in a row that failed because the workspace is full. It starts at 0 again after a restart. */
  #itemsOverQuota = 0

  constructor(private readonly deps: Deps) {}

  async runAll(begun: Run): Promise<Run> {
    const { kind, side } = this.deps
    let run = begun
    while (run.pass < kind.passes.length) {
      this.#size = GROUP_ITEMS.first
      while (run.done < side.total) {
        await this.#yieldTurn()
        run = await this.#importGroup(run, side.items(run.done, this.#size))
      }
      run = await this.#nextPass(run)
    }
    for (let more = kind.finish !== undefined; more; ) {
      await this.#yieldTurn()
      more = await this.deps.target.transaction(async (tx) => (await kind.finish?.(this.#step(run, tx))) ?? false)
    }
    return run
  }

  /** Lets other requests read and write, then checks whether the run should end. */
  async #yieldTurn(): Promise<void> {
    await yieldTurn()
    this.deps.signal.throwIfAborted()
    this.#requireRoom()
  }

  async #nextPass(run: Run): Promise<Run> {
    const { side, target, update } = this.deps
    const next = { pass: run.pass + 1, done: 0 }
    side.storeLines(next.pass, next.done, [])
    return target.transaction((tx) => update(tx, run, next))
  }

  /** Imports items in one step. If one of them throws, imports each in a separate step. */
  async #importGroup(run: Run, items: readonly SideItem[]): Promise<Run> {
    try {
      return await this.#tryGroup(run, items)
    } catch (error) {
      this.deps.side.deleteLinesFrom(run.pass, run.done)
      if (endsRun(error)) throw error
      const [item] = items
      if (item && items.length === 1) return this.#recordFailure(run, item, error)
    }
    let after = run
    for (const item of items)
      do {
        await this.#yieldTurn()
        after = await this.#importGroup(after, [item])
      } while (after.done === item.seq)
    return after
  }

  async #tryGroup(run: Run, items: readonly SideItem[]): Promise<Run> {
    const { kind, target, ticks } = this.deps
    const readable = items.filter(({ isFaulty }) => !isFaulty)
    let tookMs = 0
    const after = await target.transaction(async (tx) => {
      const began = ticks()
      const lines = (await kind.passes[run.pass]?.(this.#step(run, tx), readable)) ?? []
      const done = countDone(items, readable, lines)
      const itemLines = readable.flatMap((item, i) => {
        const line = lines[i]
        return line ? [{ item, line }] : []
      })
      const moved = await this.#storeLines(tx, run, done, itemLines)
      tookMs = ticks() - began
      return moved
    })
    this.#size = nextStepSize(items.length, tookMs, GROUP_ITEMS.max)
    return after
  }

  async #recordFailure(run: Run, item: SideItem, error: unknown): Promise<Run> {
    const isRefused = error instanceof ApiError
    if (!isRefused) this.deps.log.error({ err: error, run: run.id, where: item.where }, 'an item cannot be imported')
    const internal = { code: 'internal', detail: 'The server failed at this item. Its log has the details.' }
    const line = failedLine(isRefused ? error : internal)
    return this.deps.target.transaction((tx) => this.#storeLines(tx, run, item.seq + 1, [{ item, line }]))
  }

  /** Stores the lines before the row is updated, so that every item that the database counts as done has its line. */
  async #storeLines(tx: Queries, run: Run, done: number, lines: readonly ItemLine[]): Promise<Run> {
    const { side, update } = this.deps
    const tally = updateTally(run, side, lines)
    side.storeLines(run.pass, done, lines)
    this.#countItemsOverQuota(lines)
    return update(tx, run, { done, tally })
  }

  /**
   * Counts items that a full workspace refused. They are refused one by one, since changes of existing resources may
   * still succeed; but a long row of refusals ends the import.
   */
  #countItemsOverQuota(lines: readonly ItemLine[]): void {
    for (const { line } of lines) this.#itemsOverQuota = isOverQuota(line) ? this.#itemsOverQuota + 1 : 0
  }

  /** @throws ApiError quota_exceeded */
  #requireRoom(): void {
    if (this.#itemsOverQuota < MAX_ITEMS_OVER_QUOTA) return
    const detail = `${MAX_ITEMS_OVER_QUOTA} items in a row did not fit the workspace. The rest of the file was not tried.`
    throw new ApiError('quota_exceeded', detail)
  }

  #step(run: Run, tx: Queries): Step {
    const { side } = this.deps
    const session: Session = { workspace: run.workspace, db: tx }
    return {
      session,
      params: run.params,
      line: (seq) => side.line(seq),
      lineOfKey: (key, type) => side.lineOfKey(key, type),
      hasMet: (id) => side.hasMet(id),
      // The kind of import knows the type of its own values.
      itemsOfKey: (key, type) => side.itemsOfKey(key, type) as never,
      bytes: (seq) => side.bytes(seq),
    }
  }
}

/** Returns how many items are done after a group: those before the one at which the pass stopped; see Pass. */
function countDone(items: readonly SideItem[], readable: readonly SideItem[], lines: readonly (Line | null)[]): number {
  const last = readable[lines.length - 1]
  if (lines.length > readable.length || (!last && readable.length > 0))
    throw new Error('a pass returned a wrong number of lines')
  if (last && lines.at(-1)?.again) return last.seq
  return ((lines.length < readable.length ? last : items.at(-1))?.seq ?? 0) + 1
}

function updateTally({ tally: before, pass }: Run, side: SideFile, lines: readonly ItemLine[]): Tally {
  const tally = structuredClone(before)
  const [first, last] = [lines[0]?.item.seq ?? 0, lines.at(-1)?.item.seq ?? -1]
  // A line of an earlier step of this pass is replaced; see Line.again.
  const [replaced, kept] = [side.lines(first, last), side.lines(first, last, pass)]
  for (const { item, line } of lines) {
    addToTally(tally, item.type, replaced.get(item.seq) ?? null, -1)
    addToTally(tally, item.type, mergeLines(kept.get(item.seq) ?? null, line), 1)
  }
  return tally
}

function isOverQuota({ action, warnings = [] }: Line): boolean {
  return action === 'failed' && warnings.some(({ code }) => code === 'quota_exceeded')
}

/** Whether an error ends the run: it is not caused by an item, and the next items would fail as well. */
function endsRun(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'storage_full'
  return error instanceof DatabaseUnavailable || error instanceof RunGone || isFullDisk(error)
}

interface WorkDeps extends Pick<Context, 'db' | 'ticks'> {
  readonly kind: WorkKind
  /** Updates the run's row; `tx` is the step's transaction. @throws RunGone */
  readonly update: (tx: Queries, changes: RunUpdate) => Promise<Run>
  /** Checked between steps: if it is aborted, the work ends with its reason. */
  readonly signal: AbortSignal
}

/** Other requests are served between the steps. @throws the error that ends the run */
export async function runWork(begun: Run, { kind, db, ticks, update, signal }: WorkDeps): Promise<void> {
  const owned = db.ownedBy(...ownersOf(begun.workspace))
  let size = STEP_SIZE.first
  let { work: state } = begun
  for (let more = true; more; ) {
    await yieldTurn()
    signal.throwIfAborted()
    let tookMs = 0
    const step = await owned.transaction(async (tx) => {
      const began = ticks()
      const done = await kind.step({ workspace: begun.workspace, db: tx }, begun.params, state, size)
      await update(tx, { state: 'running', work: done.state, done: done.done, total: done.total })
      tookMs = ticks() - began
      return done
    })
    state = step.state
    more = step.more
    size = step.startsSmall ? STEP_SIZE.first : nextStepSize(size, tookMs, STEP_SIZE.max)
  }
}

/** Cleans up after work that failed or was cancelled; see WorkKind.abandon. */
export async function abandonWork(
  { workspace, params }: Run,
  { kind, db, ticks }: Pick<WorkDeps, 'kind' | 'db' | 'ticks'>,
): Promise<void> {
  let size = STEP_SIZE.first
  for (let more = kind.abandon !== undefined; more; ) {
    await yieldTurn()
    let tookMs = 0
    more = await db.ownedBy(...ownersOf(workspace)).transaction(async (tx) => {
      const began = ticks()
      const hasMore = await kind.abandon?.({ workspace, db: tx }, params, size)
      tookMs = ticks() - began
      return hasMore ?? false
    })
    size = nextStepSize(size, tookMs, STEP_SIZE.max)
  }
}

/** All in the transaction `session.db`: for few resources, or all or nothing. @returns the state after the last step */
export async function runWorkInline<Params, State>(
  kind: Pick<WorkKind<Params, State>, 'step'>,
  session: Session,
  params: Params,
  begun: State | null = null,
): Promise<State> {
  for (let state = begun; ; ) {
    const done = await kind.step(session, params, state, INLINE_STEP_SIZE)
    if (!done.more) return done.state
    state = done.state
    // No other writer can join the transaction, but readers use another connection and must not wait for seconds.
    await yieldTurn()
  }
}
