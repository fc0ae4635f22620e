import type { MergeAction } from '../../archive/archived-type'
import type { RecordChange, ResourceType } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { type Precondition, requireRevision, type Tagged } from '../../http/conditional'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { DEFAULT_LIMIT, requireLength, writeInstant } from '../../http/values'
import { titleKey } from '../../lib/text'
import type { GroupDraft, GroupListing, GroupRow, GroupStore } from './store'

interface Deps<Row extends GroupRow, Resource> extends Pick<Context, 'now'> {
  readonly record: RecordChange
  readonly store: GroupStore<Row>
  readonly type: ResourceType
  /** What a sentence calls one of them, e.g. `project`. */
  readonly noun: string
  readonly show: (row: Row) => Tagged<Resource>
}

interface Query {
  readonly cursor?: string | undefined
  readonly limit?: string | undefined
  readonly trashed?: 'true' | 'false' | undefined
}

/**
 * What projects, sections, labels and saved filters share: a name that is unique without case among the living,
 * revisions, the trash, and the change feed. `session.db` must be a transaction where something is written.
 */
export function createGroupRecords<Row extends GroupRow, Resource extends { readonly revision: number }>({
  now,
  record,
  store,
  type,
  noun,
  show,
}: Deps<Row, Resource>) {
  /** Throws not_found. */
  async function require({ db, workspace }: Session, id: string): Promise<Row> {
    const row = await store.get(db, workspace.id, id)
    if (!row) throw new ApiError('not_found', `There is no ${noun} with this id.`)
    return row
  }

  async function requireFreeName({ db, workspace }: Session, row: GroupDraft<Row>): Promise<void> {
    const holder = await store.idOfName(db, workspace.id, row)
    if (holder !== null && holder !== row.id) throw taken(`A ${noun} with this name exists already.`, holder)
  }

  function recordChange(session: Session, row: GroupRow, resources: number, bytes: number): Promise<void> {
    const op = row.deleted_at === null ? 'upsert' : 'delete'
    return record(session, { type, id: row.id, op, revision: row.revision, at: row.updated_at, resources, bytes })
  }

  /** Stores a new row. Throws conflict if its id or its name is taken. */
  async function insert(session: Session, draft: GroupDraft<Row>): Promise<Row> {
    if (draft.deleted_at === null) await requireFreeName(session, draft)
    const row = await store.insert(session.db, session.workspace.id, draft)
    if (!row) throw taken(`A ${noun} with this id exists already.`, draft.id)
    await recordChange(session, row, 1, row.size_bytes)
    return row
  }

  /** Stores the row with these members, at the next revision if one differs. Throws conflict if its name is taken. */
  async function save(session: Session, old: Row, members: Partial<Row>): Promise<Row> {
    if (Object.entries(members).every(([name, value]) => Reflect.get(old, name) === value)) return old
    const next = { ...old, ...members, revision: old.revision + 1, updated_at: now() }
    const appears = old.deleted_at !== null || next.name_key !== old.name_key
    if (next.deleted_at === null && appears) await requireFreeName(session, next)
    await store.update(session.db, session.workspace.id, next)
    await recordChange(session, next, 0, next.size_bytes - old.size_bytes)
    return next
  }

  /**
   * Stores the row as another workspace has it, unless it is here in the same revision or a later one. Throws conflict if
   * its name is taken.
   */
  async function merge(session: Session, draft: GroupDraft<Row>): Promise<MergeAction> {
    const { db, workspace } = session
    const old = await store.get(db, workspace.id, draft.id)
    if (old && old.revision >= draft.revision) return 'unchanged'
    if (!old) {
      await insert(session, draft)
      return 'created'
    }
    if (draft.deleted_at === null) await requireFreeName(session, draft)
    const next: Row = { ...old, ...draft }
    await store.update(db, workspace.id, next)
    await recordChange(session, next, 0, next.size_bytes - old.size_bytes)
    return 'updated'
  }

  /** The row as a request may change it. Throws not_found, precondition_failed. */
  async function required(session: Session, id: string, precondition: Precondition): Promise<Row> {
    const row = await require(session, id)
    requireRevision(precondition, show(row).resource)
    return row
  }

  /** Runs `work` on the row in a transaction. Throws not_found, precondition_failed. */
  function withRow<Result>(
    session: Session,
    id: string,
    precondition: Precondition,
    work: (within: Session, row: Row) => Promise<Result>,
  ): Promise<Result> {
    return session.db.transaction(async (db) => {
      const within = { ...session, db }
      return work(within, await required(within, id, precondition))
    })
  }

  return {
    show,
    /** The row; null if there is none. */
    find: ({ db, workspace }: Session, id: string): Promise<Row | null> => store.get(db, workspace.id, id),
    require,
    required,
    insert,
    save,
    merge,
    withRow,

    /** Moves the row to the trash; nothing that hangs on it. */
    trash: (session: Session, row: Row): Promise<Row> =>
      row.deleted_at === null ? save(session, row, { deleted_at: now() } as Partial<Row>) : Promise.resolve(row),

    /** Brings the row back; nothing that went along. Throws conflict if its name is taken by now. */
    restore: (session: Session, row: Row): Promise<Row> => save(session, row, { deleted_at: null } as Partial<Row>),

    /** Erases the row for good; nothing that hangs on it. */
    async erase(session: Session, row: Row): Promise<void> {
      await store.erase(session.db, session.workspace.id, row.id)
      const gone = { ...row, revision: row.revision + 1, updated_at: now(), deleted_at: now() }
      await recordChange(session, gone, -1, -row.size_bytes)
    },

    /** Also from the trash; `deleted_at` tells. Throws not_found. */
    get: async (session: Session, id: string): Promise<Tagged<Resource>> => show(await require(session, id)),

    /** One page of a list; the trash is listed alone. `where` is what the filters of the query come to in SQL. */
    async page(session: Session, query: Query, where?: GroupListing['where']): Promise<Page<Resource>> {
      const { cursor, limit: asked, ...filters } = query
      const limit = Number(asked ?? DEFAULT_LIMIT)
      const binding = JSON.stringify([type, Object.entries(filters).toSorted()])
      const after = cursor === undefined ? null : readCursor(cursor, binding, store.sortKinds)
      const listing = { trashed: filters.trashed === 'true', where, after, limit: limit + 1 }
      const rows = await store.list(session.db, session.workspace.id, listing)
      return toPage(rows, limit, binding, store.sortKeys, (row) => show(row).resource)
    },
  }
}

/** Tasks, or sections, that one request may change. */
export const MAX_AFFECTED_TASKS = 10_000

/** Throws too_many_affected. */
export function refuseTooMany(count: number): void {
  if (count > MAX_AFFECTED_TASKS)
    throw new ApiError('too_many_affected', `More than ${MAX_AFFECTED_TASKS} tasks would change. Nothing was changed.`)
}

/** Throws conflict while the row is in the trash. */
export function requireLivingGroup({ deleted_at }: Pick<GroupRow, 'deleted_at'>, noun: string): void {
  if (deleted_at !== null) throw new ApiError('conflict', `The ${noun} is in the trash. Restore it first.`)
}

function taken(detail: string, id: string): ApiError {
  return new ApiError('conflict', detail, { existing_id: id })
}

/** Of a name of a project, section, label or saved filter, in code points. */
export const GROUP_NAME_LENGTH = 100

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

/** The name in NFC, and as names are compared. Throws invalid_request. */
export function checkGroupName(sent: string, pointer = '/name'): { name: string; name_key: string } {
  const name = sent.normalize('NFC')
  requireLength(name, GROUP_NAME_LENGTH, pointer)
  if (name === '' || name !== name.trim() || CONTROL.test(name))
    throw invalid(pointer, 'invalid_name', 'a name must be one line, not blank, without white space at its ends')
  return { name, name_key: titleKey(name) }
}

/** Names of labels by how they are compared: each once, as it is spelled first. Throws invalid_request at `/labels/<n>`. */
export function distinctNames(names: readonly string[]): Map<string, ReturnType<typeof checkGroupName>> {
  const distinct = new Map<string, ReturnType<typeof checkGroupName>>()
  for (const [i, sent] of names.entries()) {
    const name = checkGroupName(sent, `/labels/${i}`)
    if (!distinct.has(name.name_key)) distinct.set(name.name_key, name)
  }
  return distinct
}

/** The members that an answer begins with; see `groupMembers` of schema.ts. */
export function toGroupMembers({ id, revision, created_at, updated_at, deleted_at, name }: GroupRow) {
  return {
    id,
    revision,
    created_at: writeInstant(created_at),
    updated_at: writeInstant(updated_at),
    deleted_at: deleted_at === null ? null : writeInstant(deleted_at),
    name,
  }
}

/** What a new row begins with. */
export function newGroupMembers(id: string, at: number) {
  return { id, revision: 1, created_at: at, updated_at: at, deleted_at: null }
}

/** What texts count towards the quota, in bytes. */
export function textBytes(...texts: readonly (string | null)[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
}
