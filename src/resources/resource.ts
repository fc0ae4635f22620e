import type { Static, TObject, TProperties } from '@sinclair/typebox'
import type { RecordChange, ResourceType } from '../db/change-feed'
import type { Context, Session, Writer } from '../db/database'
import { createPages, hasTrash, type ListedTable, type Listing } from '../db/table'
import { type Page, readCursor, toPage } from '../http/cursor'
import {
  createResourceReader,
  createResourceWriter,
  newStamps,
  type ResourceRow,
  refuseTrashed,
  type StampedRow,
  textBytes,
  writeStamps,
  writeTrashStamps,
} from '../http/resource'
import { type Precondition, type Tagged, writeEtag } from '../http/responses'
import { DEFAULT_LIMIT } from '../http/values'
import { createSchemas, type Documented, type RouteDeps, resourceRoutes } from './operations'

/**
 * A small resource from one declaration: schemas, statements, pages, trash, routes with their documentation, and the line
 * in the archive (archived.ts). What is special about one is plain code beside it.
 */

interface ResourceTable<Row, Draft> extends ListedTable {
  get(session: Pick<Session, 'db' | 'workspace'>, id: string): Promise<Row | null>
  insert(session: Writer, draft: Draft & object): Promise<Row | null>
  update(session: Writer, row: Row & { readonly id: string }, old?: Row & object): Promise<Row>
  erase(session: Writer, id: string): Promise<void>
}

export type Unsized<Draft> = Omit<Draft, 'size_bytes'>
/** The columns beside the stamps. */
export type OwnColumns<Draft> = Omit<Draft, keyof StampedRow | 'deleted_at' | 'size_bytes'>

/** What the members of a request are read for: the row with this id, at an instant in milliseconds since 1970. */
export interface ReadFor<Row> {
  readonly id: string
  readonly at: number
  /** Stores another row with these members. */
  readonly save: (session: Session, old: Row, members: Partial<Row>) => Promise<Row>
}

interface Declaration<
  Row extends ResourceRow,
  Draft extends StampedRow,
  Shown extends TProperties,
  Once extends TProperties,
  Set extends TProperties,
> extends Documented {
  readonly type: ResourceType
  readonly table: ResourceTable<Row, Draft>
  /** The columns to sort lists by, which no two rows have alike. */
  readonly order: readonly (keyof Row & string)[]
  /** The columns with text, which counts towards the quota. */
  readonly texts: readonly (keyof Row & string)[]
  readonly shown: Shown
  readonly show: (row: Row) => Static<TObject<Shown>>
  readonly once: Once
  readonly settable: Set
  /** The columns after a request; what it leaves out stays. `old` is null for a new one. Throws what refuses it. */
  readonly read: (
    session: Session,
    input: Partial<Static<TObject<Once & Set>>>,
    old: Row | null,
    reading: ReadFor<Row>,
  ) => Promise<OwnColumns<Draft>> | OwnColumns<Draft>
  /** Throws conflict where another one has what must be unique beside the id. */
  readonly refuseTaken?: (session: Session, next: Draft | Row, old: Row | null) => Promise<void>
}

export interface ListQuery {
  readonly cursor?: string | undefined
  readonly limit?: string | undefined
  readonly trashed?: 'true' | 'false' | undefined
}

interface RecordDeps extends Pick<Context, 'now'> {
  readonly record: RecordChange
}

type Shows<Draft, Shown extends TProperties> = ReturnType<typeof writeStamps> &
  ('deleted_at' extends keyof Draft ? { readonly deleted_at: string | null } : unknown) &
  Static<TObject<Shown>>

export function declareResource<
  Row extends ResourceRow & { readonly computed_revision?: number },
  Draft extends StampedRow,
  Shown extends TProperties,
  Once extends TProperties,
  Set extends TProperties,
>(of: Declaration<Row, Draft, Shown, Once, Set>) {
  type Input = Static<TObject<Once & Set>>
  type Resource = Shows<Draft, Shown>
  const { noun, type, table, texts, refuseTaken } = of
  const pages = createPages<Row>(table, of.order)
  const schemas = createSchemas(of, hasTrash(table))
  const stampsOf = hasTrash(table) ? writeTrashStamps : writeStamps

  const show = (row: Row): Tagged<Resource> => ({
    resource: { ...stampsOf(row), ...of.show(row) } as Resource,
    etag: writeEtag(row.revision, row.computed_revision),
  })
  const reader = createResourceReader({ noun, show, get: table.get })

  const sized = <Some extends object>(row: Some): Some => ({
    ...row,
    size_bytes: textBytes(...texts.map((text) => Reflect.get(row as object, text))),
  })
  const store = {
    ...table,
    insert: (session: Session, draft: Draft) => table.insert(session, sized(draft)),
    update: (session: Session, row: Row, old: Row) => table.update(session, sized(row), old),
  }

  /** The one way to write rows; their sizes are computed. See createResourceReader, createResourceWriter. */
  function createRecords(deps: RecordDeps) {
    const writer = createResourceWriter<Row, Draft>({ ...deps, store, type, noun, ...(refuseTaken && { refuseTaken }) })
    const insert = (session: Session, draft: Unsized<Draft>) => writer.insert(session, draft as Draft)
    return { ...reader, ...writer, insert }
  }

  /**
   * Returns one page of a list, of the trash or outside it. `where` is the SQL for the filters of the query. `extend`
   * makes what the list adds to its rows. Throws invalid_cursor.
   */
  async function list<Query extends ListQuery>(
    session: Session,
    query: Query,
    where?: Listing['where'],
    extend?: (rows: readonly Row[]) => Promise<(row: Row) => object>,
  ): Promise<Page<Resource>> {
    const { cursor, limit: pageLimit, ...filters } = query
    const limit = Number(pageLimit ?? DEFAULT_LIMIT)
    const binding = JSON.stringify([type, Object.entries(filters).toSorted()])
    const after = cursor === undefined ? null : readCursor(cursor, binding, pages.sortKinds)
    const rows = await pages.list(session, { trashed: filters.trashed === 'true', where, after, limit: limit + 1 })
    const more = await extend?.(rows.slice(0, limit))
    return toPage(rows, limit, binding, pages.getSortKeys, (row) => ({ ...show(row).resource, ...more?.(row) }))
  }

  function createService({ ids, ...deps }: RecordDeps & Pick<Context, 'ids'>) {
    const records = createRecords(deps)
    const read = (session: Session, input: Partial<Input>, old: Row | null, id: string, at: number) =>
      of.read(session, input, old, { id, at, save: records.save })

    /** The row after a merge patch, not yet stored. Throws conflict in the trash, and what refuses the members. */
    async function patched(session: Session, old: Row, patch: Partial<Input>): Promise<Row> {
      refuseTrashed(old, noun)
      return { ...old, ...(await read(session, patch, old, old.id, deps.now())) }
    }

    /** Throws conflict while it is in the trash, or if what must be unique is taken, and what refuses the members. */
    const change = async (session: Session, old: Row, patch: Partial<Input>): Promise<Row> =>
      records.save(session, old, await patched(session, old, patch))

    return {
      records,
      patched,
      change,
      get: reader.get,
      list,

      /** Throws conflict if the id, or what must be unique, is taken, and what refuses the members. */
      create(
        session: Session,
        { id = ids(), ...input }: { id?: string | undefined } & Input,
      ): Promise<Tagged<Resource>> {
        const at = deps.now()
        return session.db.transaction(async (db) => {
          const inside = { ...session, db }
          const columns = await read(inside, input as Partial<Input>, null, id, at)
          return show(await records.insert(inside, { ...newStamps(id, at), ...columns } as unknown as Unsized<Draft>))
        })
      },

      update: async (session: Session, id: string, patch: Partial<Input>, precondition: Precondition = null) =>
        show(await records.withRow(session, id, precondition, (inside, old) => change(inside, old, patch))),

      /** One in the trash stays there, or is erased, as all without a trash. Nothing that depends on it follows. */
      async remove(session: Session, id: string, what: 'trash' | 'erase', precondition: Precondition = null) {
        await records.withRow<unknown>(session, id, precondition, records[hasTrash(table) ? what : 'erase'])
      },

      /** Throws conflict if what must be unique has been taken since. */
      restore: async (session: Session, id: string, precondition: Precondition = null) =>
        show(await records.withRow(session, id, precondition, records.restore)),
    }
  }

  return {
    ...of,
    ...{ pages, schemas, show, reader, createRecords, createService },
    routes: (deps: RouteDeps) => resourceRoutes(of, schemas, deps),
  }
}

/** What a declaration makes of a kind of row, for those who handle all kinds alike. */
export type DeclaredResource<Row extends ResourceRow, Draft extends StampedRow> = Pick<
  ReturnType<typeof declareResource<Row, Draft, TProperties, TProperties, TProperties>>,
  'type' | 'noun' | 'table' | 'shown' | 'pages' | 'show' | 'createRecords'
>
