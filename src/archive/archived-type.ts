import type { ByteSource } from '../blobs/blob'
import type { Reader, Session } from '../db/database'
import type { ApiError } from '../http/api-error'

export type MergeAction = 'created' | 'updated' | 'unchanged'

/** The result of a merge that `relate` has to complete, once all resources of all types are imported. */
export interface PartialMerge {
  readonly action: MergeAction
  /** JSON that `relate` needs in addition to the exported resource. */
  readonly pending: unknown
  /** Whether the merge itself needs another step first, which gets `pending`: its bytes are more than one may write. */
  readonly again?: true
}

/**
 * Yields all rows of a listing, page by page, up to the first empty page.
 * @param first the cursor of the first page
 * @param list returns the rows after a cursor
 * @param cursorOf returns the cursor after a row
 */
export async function* readPages<Row, Cursor>(
  first: Cursor,
  list: (after: Cursor) => Promise<readonly Row[]>,
  cursorOf: (last: Row) => Cursor,
): AsyncGenerator<readonly Row[]> {
  for (let rows = await list(first); rows.length > 0; rows = await list(cursorOf(rows.at(-1) as Row))) yield rows
}

/** A file of the archive. `name` is its path. */
export interface ArchiveFile {
  readonly name: string
  /** A large file comes in parts. */
  readonly content: Uint8Array | AsyncIterable<Uint8Array>
  /** When it was last changed, in milliseconds since 1970. */
  readonly changed_at?: number
}

/** How a type of resource is exported and imported. The archive is written and read in the order of their list. */
export interface ArchivedType {
  /** The name in the file `data/<type>.jsonl` and in the report. */
  readonly type: string

  /**
   * Yields every resource of the workspace, including the trash, without derived data. The order depends on the content
   * alone, so that equal workspaces have equal archives; as far as possible a resource comes after those that it refers
   * to. `db` is a snapshot that lasts while this is read, so it is read in pieces.
   */
  items(reader: Reader): AsyncGenerator<object>

  /**
   * Yields the binary data of the resources, such as media: for each the file `<type>/<file>`, by the member `file` of
   * the resource or else its `name`. No other file may have such a name.
   */
  files?(reader: Reader): AsyncGenerator<ArchiveFile>

  /**
   * Merges one exported resource. Creates it if the workspace does not have it, with its id, revision, instants and
   * place in the trash; replaces it if its revision here is lower; otherwise writes nothing and records no change. Must
   * validate all of `item`, which is untrusted JSON within the limits of a request, and leave references that cannot be
   * resolved yet to `relate`. `session.db` is a transaction for this resource alone.
   * @param bytes its binary data; null if there is none, or the file is broken
   * @param earlier the `pending` of the previous step of this merge; null in the first one
   * @throws ApiError if the resource is refused: the others are still imported. storage_full ends the import
   */
  merge(
    session: Session,
    item: unknown,
    bytes: ByteSource | null,
    earlier?: unknown,
  ): Promise<MergeAction | PartialMerge>

  /**
   * Completes a merge, unless another request has changed the resource since. Returns the errors of references that
   * cannot be resolved, which are reported for this resource; throws if none of them can be. Work of more than about 10
   * ms is done in parts: it returns what is still pending.
   * @param pending that of the PartialMerge, or of the previous call
   */
  relate?(
    session: Session,
    item: unknown,
    pending: unknown,
  ): Promise<readonly ApiError[] | { readonly pending: unknown }>

  /** Updates derived data after an import, in parts, in a transaction. Returns whether there is more. */
  finish?(session: Session): Promise<boolean>
}

/** Yields files for people that a feature adds to the archive. An import ignores them. */
export type FilesForPeople = (reader: Reader) => AsyncGenerator<ArchiveFile>
