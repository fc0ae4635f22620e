import type { Queries, Session, WorkspaceId } from './database'

/** What became of one resource of an archive. */
export type Merged = 'created' | 'updated' | 'unchanged'

/** Puts off a part of merging a resource until all resources of all types are in. What it throws is told of its line. */
export type Later = (work: (session: Session) => Promise<void>) => void

/**
 * One type of resource as it leaves a workspace and comes into another (or comes back): every feature hands over a list
 * of these, and the archive of the whole workspace is made of them, and read, in the order of the list.
 */
export interface Portable {
  /** Names the file in the archive, `data/<type>.jsonl`, and the member of the report. */
  readonly type: string

  /**
   * Every resource of the workspace, those in the trash as well, in an order that the content alone decides, so that two
   * workspaces with the same content give the same; what others refer to comes first, as far as that can be. `db` is a
   * snapshot that lasts while this is read, so it is read in pieces. Of what is derived nothing is told.
   */
  items(db: Pick<Queries, 'all' | 'get'>, workspace: WorkspaceId): AsyncGenerator<object>

  /**
   * Merges one resource as `items` told it, through the writer of its feature: absent here, it is made, with its id,
   * revision, instants and trash; here with a lower revision, it becomes as told; else nothing is written, no change
   * recorded. It must check all of `item`, which anyone may have sent (JSON within the limits of a request), and leave
   * a reference that cannot be resolved yet to `later`. `session.db` is a transaction for this resource alone, within
   * that of the import.
   * @throws Refusal, and then nothing of the resource is imported, and the others are; quota_exceeded refuses them all.
   */
  merge(session: Session, item: unknown, later: Later): Promise<Merged>

  /** After everything, also what was put off: what is best brought up to date once for all. It must refuse nothing. */
  finish?(session: Session): Promise<void>
}

/** A file for people, made from the same snapshot; importing the archive passes it over. */
export interface ReadableFile {
  /** Its path in the archive. */
  readonly name: string
  readonly content: Uint8Array
}

/** Files for people that a feature adds to the archive of a workspace. */
export type Readable = (db: Pick<Queries, 'all' | 'get'>, workspace: WorkspaceId) => AsyncGenerator<ReadableFile>
