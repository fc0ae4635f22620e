import { setImmediate } from 'node:timers/promises'
import type { Context } from '../db/context'
import { type Database, DatabaseUnavailable, type Queries, type Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { isFullDisk } from './folder'
import type { ImportKind, Line, Step } from './kind'
import { addToTally, failedLine, mergeLines, type Tally } from './lines'
import type { ItemLine, SideFile, SideItem } from './side-file.sqlite'
import type { Run, RunUpdate } from './store'

/**
 * How long the writer is held by a step, in milliseconds, at best; twice that is the limit, but for one large item or
 * resource.
 */
const STEP_MS = 10

/**
 * How many the next step takes: at most twice as many, so that one quick step does not make the next a slow one.
 * @param size how many the last one took, in `took` milliseconds
 * @param most how many any may take
 */
export function nextStepSize(size: number, took: number, most: number): number {
  const fitting = size * Math.min(2, STEP_MS / Math.max(took, 0.1))
  return Math.max(1, Math.min(most, Math.floor(fitting)))
}

/** How many items the first group of a pass has, and any at most. */
const GROUP = { first: 8, most: 500 }

/** Items in a row that a full workspace refuses before the rest of the file is not tried: each takes milliseconds. */
const MOST_WITHOUT_ROOM = 1000

/** The run is gone: its workspace was erased. */
export class RunGone extends Error {
  override readonly name = 'RunGone'
}

interface Deps extends Pick<Context, 'ticks' | 'log'> {
  readonly kind: ImportKind
  readonly side: SideFile
  /** What is written to: the database, or a copy of the workspace for a dry run. */
  readonly target: Database
  /** Moves the run's row; `tx` is the step's transaction. @throws RunGone */
  readonly move: (tx: Queries, run: Run, move: RunUpdate) => Promise<Run>
  /** Asked between steps: ends the run with the signal's reason. */
  readonly signal: AbortSignal
}

/** Runs an open import from where it is to the end of its last pass. @throws what ends a run */
export async function runPasses(run: Run, deps: Deps): Promise<Run> {
  return new PassRunner(deps).all(run)
}

class PassRunner {
  #size = GROUP.first
  /** Failed items in a row, since the workspace is full. After a restart it counts from 0. */
  #withoutRoom = 0

  constructor(private readonly deps: Deps) {}

  async all(begun: Run): Promise<Run> {
    const { kind, side } = this.deps
    let run = begun
    while (run.pass < kind.passes.length) {
      this.#size = GROUP.first
      while (run.done < side.total) {
        await this.#turn()
        run = await this.#group(run, side.items(run.done, this.#size))
      }
      run = await this.#nextPass(run)
    }
    for (let more = kind.finish !== undefined; more; ) {
      await this.#turn()
      more = await this.deps.target.transaction(async (tx) => (await kind.finish?.(this.#step(run, tx))) ?? false)
    }
    return run
  }

  /** Lets other requests write and read. */
  async #turn(): Promise<void> {
    await setImmediate()
    this.deps.signal.throwIfAborted()
    this.#refuseWithoutRoom()
  }

  async #nextPass(run: Run): Promise<Run> {
    const { side, target, move } = this.deps
    const next = { pass: run.pass + 1, done: 0 }
    side.keepLines(next.pass, next.done, [])
    return target.transaction((tx) => move(tx, run, next))
  }

  /** Imports some items as one step; where one of them throws, each as a step of its own. */
  async #group(run: Run, items: readonly SideItem[]): Promise<Run> {
    try {
      return await this.#take(run, items)
    } catch (error) {
      this.deps.side.forgetFrom(run.pass, run.done)
      if (endsRun(error)) throw error
      const [item] = items
      if (item && items.length === 1) return this.#fail(run, item, error)
    }
    let after = run
    for (const item of items)
      do {
        await this.#turn()
        after = await this.#group(after, [item])
      } while (after.done === item.seq)
    return after
  }

  async #take(run: Run, items: readonly SideItem[]): Promise<Run> {
    const { kind, target, ticks } = this.deps
    const readable = items.filter(({ isFaulty }) => !isFaulty)
    let took = 0
    const after = await target.transaction(async (tx) => {
      const began = ticks()
      const lines = (await kind.passes[run.pass]?.(this.#step(run, tx), readable)) ?? []
      const done = doneAfter(items, readable, lines)
      const lined = readable.flatMap((item, i) => {
        const line = lines[i]
        return line ? [{ item, line }] : []
      })
      const moved = await this.#keep(tx, run, done, lined)
      took = ticks() - began
      return moved
    })
    this.#size = nextStepSize(items.length, took, GROUP.most)
    return after
  }

  /** The line of an item that its pass cannot import. */
  async #fail(run: Run, item: SideItem, error: unknown): Promise<Run> {
    const refused = error instanceof ApiError
    if (!refused) this.deps.log.error({ err: error, run: run.id, where: item.where }, 'an item cannot be imported')
    const internal = { code: 'internal', detail: 'The server failed at this item. Its log has the details.' }
    const line = failedLine(refused ? error : internal)
    return this.deps.target.transaction((tx) => this.#keep(tx, run, item.seq + 1, [{ item, line }]))
  }

  /** Keeps the lines first, so that every item that the database counts as done has its line. */
  async #keep(tx: Queries, run: Run, done: number, lined: readonly ItemLine[]): Promise<Run> {
    const { side, move } = this.deps
    const tally = updateTally(run.tally, side, lined)
    side.keepLines(run.pass, done, lined)
    this.#countWithoutRoom(lined)
    return move(tx, run, { done, tally })
  }

  /** A full workspace refuses items one by one, so that changes of existing resources still succeed; but not a whole file of new ones. */
  #countWithoutRoom(lined: readonly ItemLine[]): void {
    for (const { line } of lined) this.#withoutRoom = isWithoutRoom(line) ? this.#withoutRoom + 1 : 0
  }

  /** @throws ApiError quota_exceeded */
  #refuseWithoutRoom(): void {
    if (this.#withoutRoom < MOST_WITHOUT_ROOM) return
    const detail = `${MOST_WITHOUT_ROOM} items in a row had no room in the workspace: the rest of the file was not tried.`
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
      // Only the kind knows the type of its values.
      itemsOfKey: (key, type) => side.itemsOfKey(key, type) as never,
      bytes: (seq) => side.bytes(seq),
    }
  }
}

/** How many items are done after a group: up to where its pass stopped, if that was before the end; see Pass. */
function doneAfter(items: readonly SideItem[], readable: readonly SideItem[], lines: readonly (Line | null)[]): number {
  const last = readable[lines.length - 1]
  if (lines.length > readable.length || (!last && readable.length > 0)) throw new Error('a pass gave no answer')
  if (last && lines.at(-1)?.again) return last.seq
  return ((lines.length < readable.length ? last : items.at(-1))?.seq ?? 0) + 1
}

function updateTally(before: Tally, side: SideFile, lined: readonly ItemLine[]): Tally {
  const tally = structuredClone(before)
  for (const { item, line } of lined) {
    const earlier = side.line(item.seq)
    addToTally(tally, item.type, earlier, -1)
    addToTally(tally, item.type, mergeLines(earlier, line), 1)
  }
  return tally
}

function isWithoutRoom({ action, warnings = [] }: Line): boolean {
  return action === 'failed' && warnings.some(({ code }) => code === 'quota_exceeded')
}

/** Whether an error ends the run: it is no fault of an item, and the next items would fail as well. */
function endsRun(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'storage_full'
  return error instanceof DatabaseUnavailable || error instanceof RunGone || isFullDisk(error)
}
