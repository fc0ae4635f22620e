import type { Queries, Session, WorkspaceId } from '../db/database'
import type { ApiError } from '../http/api-error'

/** What became of one resource of an archive. */
export type MergeAction = 'created' | 'updated' | 'unchanged'

/** A resource that was merged, but for what must wait until all resources of all types are in. */
export interface PartialMerge {
  readonly action: MergeAction
  /** What `relate` has to know of it, besides the resource as it was exported; JSON. */
  readonly pending: unknown
}

/** The database of a workspace, for reading alone, at one moment. */
export type ReadQueries = Pick<Queries, 'all' | 'get'>

/**
 * All that a listing gives, a page at a time; an empty page is the end.
 * @param first the position of the first page
 * @param list the rows after a position
 * @param placeOf the position after a row
 */
export async function* readPages<Row, Place>(
  first: Place,
  list: (after: Place) => Promise<readonly Row[]>,
  placeOf: (last: Row) => Place,
): AsyncGenerator<readonly Row[]> {
  for (let rows = await list(first); rows.length > 0; rows = await list(placeOf(rows.at(-1) as Row))) yield rows
}

/** A file of the archive. `name` is its path. */
export interface ArchiveFile {
  readonly name: string
  /** What is large comes in parts. */
  readonly content: Uint8Array | AsyncIterable<Uint8Array>
}

/**
 * One type of resource as it leaves a workspace and comes into another (or comes back): every feature hands over a list
 * of these, and the archive of the whole workspace is made of them, and read, in the order of the list.
 */
export interface ArchivedType {
  /** Names the file in the archive, `data/<type>.jsonl`, and the member of the report. */
  readonly type: string

  /**
   * Every resource of the workspace, those in the trash as well, in an order that the content alone decides, so that two
   * workspaces with the same content give the same; what others refer to comes first, as far as that can be. `db` is a
   * snapshot that lasts while this is read, so it is read in pieces. What is derived is left out.
   */
  items(db: ReadQueries, workspace: WorkspaceId): AsyncGenerator<object>

  /**
   * Bytes that belong to the resources and are no JSON, such as media: each the file `<type>/<name of the resource>` of the
   * archive. No other file may be called so.
   */
  files?(db: ReadQueries, workspace: WorkspaceId): AsyncGenerator<ArchiveFile>

  /**
   * Merges one resource as `items` gave it, through the writer of its feature: absent here, it is made, with its id,
   * revision, instants and trash; here with a lower revision, it becomes as given; else nothing is written, no change
   * recorded. It must check all of `item`, which anyone may have sent (JSON within the limits of a request), and leave
   * a reference that cannot be resolved yet to `relate`. `session.db` is a transaction for this resource alone.
   * @param bytes the file of the archive that belongs to it; null if there is none, or it is broken
   * @throws ApiError, and then nothing of the resource is imported, and the others are; storage_full ends the import
   */
  merge(session: Session, item: unknown, bytes: Uint8Array | null): Promise<MergeAction | PartialMerge>

  /**
   * Does what `merge` left. Others may have changed the resource meanwhile: then it is left to them. What cannot be joined
   * is answered, or thrown where nothing of it can; it is reported for this resource. What takes more than some 10 ms does a
   * part, and answers what is left of it.
   */
  relate?(session: Session, item: unknown, left: unknown): Promise<readonly ApiError[] | { readonly pending: unknown }>

  /**
   * After everything: what is best brought up to date once for all, some of it at a time. True while there may be more.
   * `session.db` is a transaction. It must refuse nothing.
   */
  finish?(session: Session): Promise<boolean>
}

/** Files for people that a feature adds to the archive of a workspace. Importing the archive passes them over. */
export type FilesForPeople = (db: ReadQueries, workspace: WorkspaceId) => AsyncGenerator<ArchiveFile>
