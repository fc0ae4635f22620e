import type { Queries, Session, WorkspaceId } from './database'

/** What became of one resource of an archive. */
export type Merged = 'created' | 'updated' | 'unchanged'

/** The rest of the archive, while one resource of it is merged. */
export interface Merging {
  /** Puts off a part of merging until all resources of all types are in. What it throws is told of this resource. */
  later(work: (session: Session) => Promise<void>): void
  /** The bytes of another file of the archive, such as `media/cat.png`; null if there is none, or it is broken. */
  file(name: string): Promise<Uint8Array | null>
}

/** What is read of a workspace, at one moment. */
export type Reading = Pick<Queries, 'all' | 'get'>

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
export interface Portable {
  /** Names the file in the archive, `data/<type>.jsonl`, and the member of the report. */
  readonly type: string

  /**
   * Every resource of the workspace, those in the trash as well, in an order that the content alone decides, so that two
   * workspaces with the same content give the same; what others refer to comes first, as far as that can be. `db` is a
   * snapshot that lasts while this is read, so it is read in pieces. Of what is derived nothing is told.
   */
  items(db: Reading, workspace: WorkspaceId): AsyncGenerator<object>

  /**
   * Bytes that the resources refer to and that are no JSON, such as media: files of the archive, which `merge` asks for by
   * name. Not among `notes/`, `data/`, nor any path that a Readable gives.
   */
  files?(db: Reading, workspace: WorkspaceId): AsyncGenerator<ArchiveFile>

  /**
   * Merges one resource as `items` told it, through the writer of its feature: absent here, it is made, with its id,
   * revision, instants and trash; here with a lower revision, it becomes as told; else nothing is written, no change
   * recorded. It must check all of `item`, which anyone may have sent (JSON within the limits of a request), and leave
   * a reference that cannot be resolved yet to `merging.later`. `session.db` is a transaction for this resource alone,
   * within that of the import.
   * @throws Refusal, and then nothing of the resource is imported, and the others are; quota_exceeded refuses them all.
   */
  merge(session: Session, item: unknown, merging: Merging): Promise<Merged>

  /** After everything, also what was put off: what is best brought up to date once for all. It must refuse nothing. */
  finish?(session: Session): Promise<void>
}

/** Files for people that a feature adds to the archive of a workspace. Importing the archive passes them over. */
export type Readable = (db: Reading, workspace: WorkspaceId) => AsyncGenerator<ArchiveFile>
