import type { ByteSource } from '../blobs/blob'
import type { Session } from '../db/database'
import type { Outcome } from '../http/responses'

/**
 * The contracts between src/imports and the features. For its files a feature supplies a reader, which runs in a
 * Worker and turns a file into items, and passes, which write the items in steps. Long work without a file is a kind of
 * run, too.
 */

export type ImportAction = 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed'

/** A warning about an item, or about the file. The code is stable, the detail a sentence for people. */
export interface ImportWarning {
  readonly code: string
  readonly detail: string
}

/** Facts about the file as a whole. A reader yields them at most once, before any item. */
export interface FileFacts {
  readonly format: string
  readonly warnings?: readonly ImportWarning[]
  /** Components that are not imported, and how many there are of each. */
  readonly ignored?: readonly { readonly component: string; readonly count: number }[]
}

export interface ReadItem<Value = unknown> {
  /** Its place in the file: a path, `line 12`, `data/note.jsonl:3`; empty for the file itself. */
  readonly where: string
  /** The type of resource that it becomes, such as `note`; the report counts by type. */
  readonly type: string
  /** The name by which other items of the file refer to it, if any: a UID, an id, a path. */
  readonly key?: string
  /** JSON; absent if there is a fault. */
  readonly value?: Value
  /** Binary data that belongs to it, such as a picture. */
  readonly bytes?: Uint8Array
  /** The reason why it cannot be read; the report lists it as failed. */
  readonly fault?: ImportWarning
}

/** A file on disk, as its reader sees it: read in pieces. */
export interface SourceFile {
  /** The path, for libraries that open files themselves. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Reads `length` bytes at `offset`; fewer only at the end of the file. */
  read(offset: number, length: number): Uint8Array<ArrayBuffer>
  /** Reads the whole file. @throws FileFault too_large above `limit` bytes */
  whole(limit?: number): Uint8Array<ArrayBuffer>
}

/**
 * Reads a file in a Worker; see serveReader. It changes nothing, and its memory must stay bounded whatever the file
 * holds.
 * @throws FileFault when the file as a whole is refused
 */
export type ReadImportFile<Params, Value = unknown> = (
  file: SourceFile,
  params: Params,
) => Iterable<FileFacts | ReadItem<Value>> | AsyncIterable<FileFacts | ReadItem<Value>>

export interface StoredItem<Value = unknown> {
  /** Its index among all items, from 0. */
  readonly seq: number
  readonly where: string
  readonly type: string
  readonly key: string | null
  readonly value: Value
  /** Whether `step.bytes(seq)` has something. */
  readonly hasBytes: boolean
}

/** The result of an item in a pass: a line of the report, stored as JSON: the names of its members must not change. */
export interface Line {
  readonly action: ImportAction
  /** The id of the resource; null if there is none. */
  readonly id: string | null
  readonly source?: { readonly system: string; readonly id: string } | null
  readonly warnings?: readonly ImportWarning[]
  /** Other resources written for the item, by type, e.g. `{ card: 2, review: 40 }`, added to the report's totals. */
  readonly counts?: Readonly<Record<string, number>>
  /** JSON that a later pass needs to finish the item. It is not in the report. */
  readonly left?: unknown
  /**
   * Whether the item needs another step, since it is too large for one: the pass then gets it again, and the line
   * that it returns next replaces this one. Only the last line that a pass returns may have it.
   */
  readonly again?: boolean
}

/** A line of this run that was stored before, for another item or in an earlier pass. */
export interface StoredLine extends Line {
  readonly seq: number
}

/**
 * One step of a run: a transaction of at most about 20 ms. A pass keeps nothing in memory between steps, since a run
 * may outlive the process: it reads here what it needs to know.
 */
export interface Step<Params = unknown> {
  /** `db` is the transaction; in a dry run, one of a copy of the workspace. */
  readonly session: Session
  readonly params: Params
  /** Returns the merged line of an item; null if no pass has made one yet. */
  line(seq: number): StoredLine | null
  /** Returns the line of the last item with this key, of any type unless `type` is given. */
  lineOfKey(key: string, type?: string): StoredLine | null
  /** Whether this run has a line for the resource, from a step before this one. */
  hasMet(id: string): boolean
  /** Returns the items with this key, in the file's order. */
  itemsOfKey<Value>(key: string, type?: string): readonly StoredItem<Value>[]
  /** Returns the binary data of an item, none of which is read yet; or null. */
  bytes(seq: number): ByteSource | null
}

/**
 * Imports a group of items in their order. Returns a line for each, or null for an item without one. It may return
 * fewer, but at least one: the next step starts with the first item that it did not reach.
 */
export type Pass<Params, Value> = (
  step: Step<Params>,
  items: readonly StoredItem<Value>[],
) => Promise<readonly (Line | null)[]>

export interface ImportKind<Params = unknown, Value = unknown> {
  /** The `kind` in `/api/imports`: `notes`, `tasks`, `flashcards`, `workspace`. */
  readonly name: string
  /** The script of the Worker that reads the file; it only calls serveReader. */
  readonly reader: URL
  /**
   * The passes, in order: each handles all items before the next one begins. src/imports chooses the size of the
   * groups so that each step is short. The lines that several passes make for one item are merged; see mergeLines.
   */
  readonly passes: readonly Pass<Params, Value>[]
  /** Finishes the import after the last pass, a step at a time. Returns whether there is more. Throws no ApiError. */
  readonly finish?: (step: Step<Params>) => Promise<boolean>
}

/** The result of one step of work without a file. */
interface WorkStepResult<State> {
  /** JSON: where the next step starts, and the results so far. */
  readonly state: State
  readonly done: number
  /** The total amount of work, in the unit of `done`; null if unknown. */
  readonly total: number | null
  readonly more: boolean
  /** Whether the next step does other work. It starts small, since the time of this one says nothing about it. */
  readonly startsSmall?: boolean
}

/** A kind of long work without a file. Like an import it is a run with a row, and continues after a crash. */
export interface WorkKind<Params = unknown, State = unknown, Result = unknown> {
  /** The `kind` in `/api/imports`. */
  readonly name: string
  /**
   * Does one step, of about `size` resources; src/imports chooses the size so that the step is short. `session.db` is a
   * transaction. `state` is that of the previous step; null in the first one.
   */
  step(session: Session, params: Params, state: State | null, size: number): Promise<WorkStepResult<State>>
  /** Returns the body of the response to the request that began the work. */
  result(state: State): Result
  /** Returns the status and headers of that response. Default: 200 without headers. */
  responseHead?(state: State): Pick<Outcome, 'status' | 'headers'>
  /**
   * Cleans up about `size` rows after the work failed or was cancelled, in a transaction. Returns whether there is
   * more to clean up. After a crash in the middle of this the work itself continues instead.
   */
  abandon?(session: Session, params: Params, size: number): Promise<boolean>
}

export type RunKind = ImportKind | WorkKind

export function isWorkKind(kind: RunKind): kind is WorkKind {
  return 'step' in kind
}

export function countPasses(kind: RunKind): number {
  return isWorkKind(kind) ? 1 : kind.passes.length
}
