import type { Session } from '../db/database'
import type { Outcome } from '../http/idempotency'

/**
 * What a feature supplies so that its files can be imported: a reader, which runs in a Worker and makes items of a file, and
 * passes over these items, which write them in steps. src/imports does everything between.
 */

/** What became of an item. */
export type ImportAction = 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed'

/** A warning about an item, or about the file. The code is stable, the detail a sentence for people. */
export interface ImportWarning {
  readonly code: string
  readonly detail: string
}

/** What a reader says of the file as a whole: at most once, before any item. */
export interface FileFacts {
  readonly format: string
  readonly warnings?: readonly ImportWarning[]
  /** Components that the import passes over, and how many there are of each. */
  readonly ignored?: readonly { readonly component: string; readonly count: number }[]
}

/** One item of a file, in the file's order. */
export interface ReadItem<Value = unknown> {
  /** Where it is in the file: a path, `line 12`, `data/note.jsonl:3`; empty for the file itself. */
  readonly where: string
  /** What it becomes, such as `note`; the report counts by it. */
  readonly type: string
  /** What other items of the same file call it: a UID, an id, a path. Not every item has one. */
  readonly key?: string
  /** JSON; absent where there is a fault. */
  readonly value?: Value
  /** What belongs to it and is no JSON, such as a picture. */
  readonly bytes?: Uint8Array
  /** Why it cannot be read: it becomes a failed line of the report. */
  readonly fault?: ImportWarning
}

/** A file that has arrived, as its reader sees it: on disk, read in pieces. */
export interface SourceFile {
  /** For libraries that open files themselves. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Fewer bytes than `length` only at the end of the file. */
  read(offset: number, length: number): Uint8Array<ArrayBuffer>
  /** All of it. @throws FileFault too_large above `limit` bytes */
  whole(limit?: number): Uint8Array<ArrayBuffer>
}

/**
 * Reads a file. It is pure, and runs in a Worker; see serveReader. Memory must stay bounded whatever the file is.
 * @throws FileFault when the file as a whole is refused
 */
export type ReadImportFile<Params, Value = unknown> = (
  file: SourceFile,
  params: Params,
) => Iterable<FileFacts | ReadItem<Value>> | AsyncIterable<FileFacts | ReadItem<Value>>

/** An item as the side file keeps it. */
export interface StoredItem<Value = unknown> {
  /** Its place among all items, from 0. */
  readonly seq: number
  readonly where: string
  readonly type: string
  readonly key: string | null
  readonly value: Value
  /** Whether `step.bytes(seq)` has something. */
  readonly hasBytes: boolean
}

/** What became of an item in a pass. */
export interface Line {
  readonly action: ImportAction
  /** Of the resource; null where there is none. */
  readonly id: string | null
  readonly source?: { readonly system: string; readonly id: string } | null
  readonly warnings?: readonly ImportWarning[]
  /** What else was written for the item, by type, such as `{ card: 2, review: 40 }`: added to the totals of the report. */
  readonly counts?: Readonly<Record<string, number>>
  /** What a later pass has to know of the item; JSON, in no report. */
  readonly left?: unknown
  /**
   * There is more to do for the item than fits into a step: the pass gets it again in the next one, and the line that it
   * answers then takes the place of this one. It must be the last of those answered.
   */
  readonly again?: boolean
}

/** A line of this run, of an earlier item or an earlier pass. */
export interface StoredLine extends Line {
  readonly seq: number
}

/**
 * One step of a run: a transaction of at most some 20 ms. What a run has to remember between its steps it reads
 * here, since a run survives the process.
 */
export interface Step<Params = unknown> {
  /** `db` is the transaction; in a dry run, one of a copy of the workspace. */
  readonly session: Session
  /** The parameters of the request. */
  readonly params: Params
  /** The line of an item so far; null if no pass has made one yet. */
  line(seq: number): StoredLine | null
  /** The last line of an item with this key, whatever its type unless it is named. */
  lineOfKey(key: string, type?: string): StoredLine | null
  /** Whether this run has a line of the resource: made it, or met it. Items of the present group count once their lines are kept. */
  hasMet(id: string): boolean
  /** The items with this key, in the file's order. */
  itemsOfKey<Value>(key: string, type?: string): readonly StoredItem<Value>[]
  /** The bytes of an item. */
  bytes(seq: number): Uint8Array | null
}

/**
 * Goes over some items in their order. One answer for each; null where the pass has no line for an item. It may stop
 * behind the first: it gets those that it gives no answer for in the next step.
 */
export type Pass<Params, Value> = (
  step: Step<Params>,
  items: readonly StoredItem<Value>[],
) => Promise<readonly (Line | null)[]>

export interface ImportKind<Params = unknown, Value = unknown> {
  /** Names the kind in `/api/imports`: `notes`, `tasks`, `flashcards`, `workspace`. */
  readonly name: string
  /** The script of the Worker that reads: three lines that call serveReader. */
  readonly reader: URL
  /**
   * Each goes over all items before the next begins, in groups that the kit makes as large as fits into a step. A line
   * of a later pass is put together with the item's earlier one: the warnings follow each other, and `unchanged` gives
   * way to what changes.
   */
  readonly passes: readonly Pass<Params, Value>[]
  /** After the last pass, a step at a time: true while there is more to do. It must refuse nothing. */
  readonly finish?: (step: Step<Params>) => Promise<boolean>
}

/** The result of a step of work that has no file. */
export interface WorkStepResult<State> {
  /** JSON: where the next step starts, and the result of the work so far. */
  readonly state: State
  readonly done: number
  /** How much there is in all; null if unknown. */
  readonly total: number | null
  /** Whether there is more to do. */
  readonly more: boolean
  /** The next step does something else, so the time of this one says nothing about it: it starts small. */
  readonly startsSmall?: boolean
}

/** Work of many steps that has no file, on the rows of runs: as an import does, it continues after a crash. */
export interface WorkKind<Params = unknown, State = unknown, Result = unknown> {
  /** Names the kind in `/api/imports`. */
  readonly name: string
  /**
   * Does about `size` more, which the kit makes as large as fits into a step. `session.db` is a transaction. What it remembers
   * is in `state`: null at first.
   */
  step(session: Session, params: Params, state: State | null, size: number): Promise<WorkStepResult<State>>
  /** What its request is answered with at the end. */
  result(state: State): Result
  /** The status and the headers of that answer; without it, 200 and none. */
  responseHead?(state: State): Pick<Outcome, 'status' | 'headers'>
  /**
   * Does about `size` of what is left to do where the work failed or was cancelled, and must not stay half done; in a
   * transaction. True while there is more. After a crash in the middle of it the work itself continues.
   */
  abandon?(session: Session, params: Params, size: number): Promise<boolean>
}

export type RunKind = ImportKind | WorkKind

export function isWorkKind(kind: RunKind): kind is WorkKind {
  return 'step' in kind
}

/** How many times a run of the kind goes over its items. */
export function countPasses(kind: RunKind): number {
  return isWorkKind(kind) ? 1 : kind.passes.length
}
