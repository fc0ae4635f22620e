import type { Change, RecordChange, ResourceType } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import type { StoredRow } from '../db/table'
import { ApiError } from './api-error'
import { type Precondition, requireRevision, type Tagged } from './responses'
import { writeInstant, writeOptional } from './values'

/** What every kind of resource has in common: stamps, revisions, the trash, ids that are taken, the change feed. */

type Revised = Pick<StoredRow, 'id' | 'revision'>
export type StampedRow = Omit<StoredRow, 'key'>

export interface ResourceRow extends StampedRow {
  /** When it went to the trash; null outside of it. */
  readonly deleted_at: number | null
  readonly size_bytes: number
}

export function newStamps(id: string, at: number) {
  return { id, revision: 1, created_at: at, updated_at: at, deleted_at: null }
}

export function revise<Row extends StampedRow>(old: Row, members: Partial<Row>, at: number): Row {
  return { ...old, ...members, revision: old.revision + 1, updated_at: at }
}

export function hasMembers<Row extends object>(row: Row, members: Partial<Row>): boolean {
  return Object.entries(members).every(([name, value]) => Reflect.get(row, name) === value)
}

export function writeStamps({ id, revision, created_at, updated_at }: StampedRow) {
  return { id, revision, created_at: writeInstant(created_at), updated_at: writeInstant(updated_at) }
}

/** Those of a resource that may be in the trash. */
export function writeTrashStamps(row: StampedRow & Pick<ResourceRow, 'deleted_at'>) {
  return {
    id: row.id,
    revision: row.revision,
    created_at: writeInstant(row.created_at),
    updated_at: writeInstant(row.updated_at),
    deleted_at: writeOptional(row.deleted_at),
  }
}

export function textBytes(...texts: readonly (string | null)[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
}

/** The error for an id, a name or a source that another resource has. `holder`: its id. */
export function taken(detail: string, holder: string): ApiError {
  return new ApiError('conflict', detail, { existing_id: holder })
}

/** Throws conflict while the resource is in the trash. */
export function refuseTrashed({ deleted_at }: Pick<ResourceRow, 'deleted_at'>, noun: string): void {
  if (deleted_at !== null) throw new ApiError('conflict', `The ${noun} is in the trash. Restore it first.`)
}

interface Sourced {
  readonly id: string
  readonly source_system: string | null
  readonly source_id: string | null
}

/** `find` answers the id of the one with a source. @throws ApiError conflict, from the returned check */
export function createRefuseTakenSource(
  noun: string,
  find: (session: Session, system: string, id: string) => Promise<string | null>,
) {
  return async (session: Session, next: Sourced, old: Sourced | null): Promise<void> => {
    const { source_system: system, source_id: id } = next
    if (system === null || id === null || (system === old?.source_system && id === old.source_id)) return
    const holder = await find(session, system, id)
    if (holder !== null && holder !== next.id) throw taken(`A ${noun} with this source exists already.`, holder)
  }
}

type Named = Pick<ResourceRow, 'id' | 'deleted_at'> & { readonly name_key: string }

/**
 * `find` answers the id of the one outside the trash that has the name in the scope of a row.
 * @param scope the column within whose values names are unique; null: in the whole workspace
 * @throws ApiError conflict, from the returned check
 */
export function createRefuseTakenName<Row extends Named>(
  noun: string,
  find: (session: Session, row: Row) => Promise<string | null>,
  scope: (keyof Row & string) | null,
) {
  return async (session: Session, next: Row, old: Row | null): Promise<void> => {
    const isSame = (member: keyof Row) => next[member] === old?.[member]
    const kept = old !== null && old.deleted_at === null && isSame('name_key') && (scope === null || isSame(scope))
    if (next.deleted_at !== null || kept) return
    const holder = await find(session, next)
    if (holder !== null && holder !== next.id) throw taken(`A ${noun} with this name exists already.`, holder)
  }
}

/** @param resources how many more there are: 1 for a new one @param bytes how many bytes more there are */
export function changeOf(
  type: ResourceType,
  row: Revised & { readonly updated_at: number; readonly deleted_at?: number | null },
  resources: 0 | 1,
  bytes: number,
): Change {
  const op = row.deleted_at == null ? 'upsert' : 'delete'
  return { type, id: row.id, op, revision: row.revision, at: row.updated_at, resources, bytes }
}

/** @param bytes how many counted towards the quota @param resources how many: 0 for what belongs to another one */
export function changeOfErased(
  type: ResourceType,
  { id, revision }: Revised,
  at: number,
  bytes: number,
  resources: 0 | 1 = 1,
): Change {
  return { type, id, op: 'delete', revision: revision + 1, at, resources: resources === 0 ? 0 : -1, bytes: -bytes }
}

/** Makes what loads one resource of a kind, also from the trash, by its id. Throws not_found. */
export function createLoad<Row>(noun: string, get: ReaderDeps<Row, unknown>['get']) {
  return async (session: Session, id: string): Promise<Row> => {
    const row = await get(session, id)
    if (!row) throw new ApiError('not_found', `There is no ${noun} with this id.`)
    return row
  }
}

interface ReaderDeps<Row, Resource> {
  /** What a sentence calls one, e.g. `project`. */
  readonly noun: string
  readonly show: (row: Row) => Tagged<Resource>
  /** The row, also from the trash; null if there is none. */
  readonly get: (session: Session, id: string) => Promise<Row | null>
}

/** Reads single resources of one kind, outside the trash and in it. */
export function createResourceReader<Row, Resource extends { readonly revision: number }>({
  noun,
  show,
  get,
}: ReaderDeps<Row, Resource>) {
  const load = createLoad(noun, get)

  /** The row as a request may change it. Throws not_found, precondition_failed. */
  async function loadAt(session: Session, id: string, precondition: Precondition): Promise<Row> {
    const row = await load(session, id)
    requireRevision(precondition, show(row).resource)
    return row
  }

  return {
    find: (session: Session, id: string): Promise<Row | null> => get(session, id),
    load,
    loadAt,

    get: async (session: Session, id: string): Promise<Tagged<Resource>> => show(await load(session, id)),

    /** Runs `work` on the row in a transaction. Throws not_found, precondition_failed. */
    withRow<Result>(
      session: Session,
      id: string,
      precondition: Precondition,
      work: (inside: Session, row: Row) => Promise<Result>,
    ): Promise<Result> {
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        return work(inside, await loadAt(inside, id, precondition))
      })
    },
  }
}

/** The statements that the writer needs of the store of a kind; see createTable. */
interface ResourceStore<Row, Draft> extends Pick<ReaderDeps<Row, unknown>, 'get'> {
  /** Null if the id is taken. */
  insert(session: Session, draft: Draft): Promise<Row | null>
  update(session: Session, row: Row, old: Row): Promise<Row>
  erase(session: Session, id: string): Promise<void>
}

interface WriterDeps<Row, Draft> extends Pick<Context, 'now'> {
  readonly record: RecordChange
  readonly type: ResourceType
  readonly noun: string
  readonly store: ResourceStore<Row, Draft>
  /** Throws conflict where another resource has what must be unique beside the id. `old` is null for a new row. */
  readonly refuseTaken?: (session: Session, next: Draft | Row, old: Row | null) => Promise<void>
  /**
   * Keeps in step what follows from a row, before the change is recorded.
   * @returns the row as it is then, and how many more bytes count towards the quota besides its own
   */
  readonly follow?: (
    session: Session,
    old: Row | null,
    row: Row,
  ) => Promise<{ readonly row: Row; readonly bytes: number }>
}

/** `session.db` must be a transaction: row, what follows from it, feed and totals change together or not at all. */
export function createResourceWriter<Row extends ResourceRow, Draft extends StampedRow>({
  now,
  record,
  type,
  noun,
  store,
  refuseTaken,
  follow,
}: WriterDeps<Row, Draft>) {
  async function written(session: Session, old: Row | null, row: Row): Promise<Row> {
    const followed = (await follow?.(session, old, row)) ?? { row, bytes: 0 }
    const bytes = row.size_bytes - (old?.size_bytes ?? 0) + followed.bytes
    await record(session, changeOf(type, row, old ? 0 : 1, bytes))
    return followed.row
  }

  /** Stores a new row. Throws conflict if its id is taken, or what `refuseTaken` looks at. */
  async function insert(session: Session, draft: Draft): Promise<Row> {
    await refuseTaken?.(session, draft, null)
    const row = await store.insert(session, draft)
    if (!row) throw taken(`A ${noun} with this id exists already.`, draft.id)
    return written(session, null, row)
  }

  /** Stores the row as it is given: at that revision, which is higher. Throws conflict. */
  async function replace(session: Session, old: Row, next: Row): Promise<Row> {
    await refuseTaken?.(session, next, old)
    return written(session, old, await store.update(session, next, old))
  }

  /** Stores the row with these members, at the next revision if one differs. Throws conflict. */
  async function save(session: Session, old: Row, members: Partial<Row>): Promise<Row> {
    return hasMembers(old, members) ? old : replace(session, old, revise(old, members, now()))
  }

  return {
    insert,
    replace,
    save,

    /** Moves the row to the trash; one that is there stays as it is. Nothing that depends on it follows. */
    async trash(session: Session, row: Row): Promise<Row> {
      const at = now()
      return row.deleted_at === null ? replace(session, row, revise(row, { deleted_at: at } as Partial<Row>, at)) : row
    },

    /** Brings the row back. Nothing that went along follows. Throws conflict. */
    restore: (session: Session, row: Row): Promise<Row> => save(session, row, { deleted_at: null } as Partial<Row>),

    /** Erases the row for good. `bytes`: what counted towards the quota besides its own. */
    async erase(session: Session, row: Row, bytes = 0): Promise<void> {
      await store.erase(session, row.id)
      await record(session, changeOfErased(type, row, now(), row.size_bytes + bytes))
    },
  }
}
