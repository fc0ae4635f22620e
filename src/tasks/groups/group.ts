import type { Static, TObject, TProperties } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { RecordChange, ResourceType } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { refuses } from '../../http/api-error'
import { type Page, readCursor, toPage } from '../../http/cursor'
import type { Outcome } from '../../http/idempotency'
import {
  createResourceReader,
  createResourceWriter,
  newStamps,
  refuseTrashed,
  taken,
  textBytes,
  writeTrashStamps,
} from '../../http/resource'
import { changed, created, ifMatch, type Precondition, type Tagged, writeEtag } from '../../http/responses'
import { Id, NoContent, Problem } from '../../http/schema'
import { DEFAULT_LIMIT } from '../../http/values'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import { NO_CONTENT } from '../../imports/stepped-change'
import { MAX_AFFECTED_TASKS, refuseTooMany } from '../change-tasks'
import {
  checkGroupName,
  createPositionBetween,
  createPositions,
  findGap,
  isInGap,
  MAX_POSITION_CHARS,
  type SiblingMove,
} from '../names-and-positions'
import { createSchemas, type Documented } from './schema'
import {
  createGroupStore,
  type GroupColumns,
  type GroupDraft,
  type GroupListing,
  type GroupRow,
  type GroupStore,
  type GroupTable,
} from './store'

/** Projects, sections, labels and saved filters: what all of them have follows from what each declares. */
interface Declaration<
  Row extends GroupRow,
  Shown extends TProperties,
  Once extends TProperties,
  Set extends TProperties,
> extends Documented {
  readonly type: ResourceType
  readonly table: GroupTable<Row>
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
    at: number,
  ) => Promise<GroupColumns<Row>> | GroupColumns<Row>
}

interface RecordDeps<Row extends GroupRow, Resource> extends Pick<Context, 'now'> {
  readonly record: RecordChange
  readonly store: GroupStore<Row>
  readonly type: ResourceType
  /** The word for one of them in messages, e.g. `project`. */
  readonly noun: string
  readonly show: (row: Row) => Tagged<Resource>
}

export interface GroupQuery {
  readonly cursor?: string | undefined
  readonly limit?: string | undefined
  readonly trashed?: 'true' | 'false' | undefined
}

/** The name of a group is unique without case outside the trash. */
function createGroupRecords<Row extends GroupRow, Resource extends { readonly revision: number }>({
  store,
  type,
  noun,
  show,
  ...deps
}: RecordDeps<Row, Resource>) {
  async function refuseTaken(session: Session, row: GroupDraft<Row>, old: Row | null): Promise<void> {
    const appears =
      old === null || old.deleted_at !== null || row.name_key !== old.name_key || !store.hasSameScope(row, old)
    if (row.deleted_at !== null || !appears) return
    const holder = await store.findIdByName(session, row)
    if (holder !== null && holder !== row.id) throw taken(`A ${noun} with this name exists already.`, holder)
  }

  return {
    ...createResourceReader({ noun, show, get: store.get }),
    ...createResourceWriter<Row, GroupDraft<Row>>({ ...deps, store, type, noun, refuseTaken }),

    /** Returns one page of a list, of the trash or outside it. `where` is the SQL for the filters of the query. */
    async getPage(session: Session, query: GroupQuery, where?: GroupListing['where']): Promise<Page<Resource>> {
      const { cursor, limit: pageLimit, ...filters } = query
      const limit = Number(pageLimit ?? DEFAULT_LIMIT)
      const binding = JSON.stringify([type, Object.entries(filters).toSorted()])
      const after = cursor === undefined ? null : readCursor(cursor, binding, store.sortKinds)
      const listing = { trashed: filters.trashed === 'true', where, after, limit: limit + 1 }
      const rows = await store.list(session, listing)
      return toPage(rows, limit, binding, store.getSortKeys, (row) => show(row).resource)
    },
  }
}

interface OrderDeps<Row extends GroupRow> {
  readonly store: GroupStore<Row>
  readonly save: (session: Session, old: Row, members: Partial<Row>) => Promise<Row>
}

/**
 * Creates the function that returns the position of a row after a request, by default the last one for a new row. A move
 * writes one row, unless positions get too long. It throws invalid_request, too_many_affected.
 */
function createFindPosition<Row extends GroupRow>({ store, save }: OrderDeps<Row>) {
  type Draft = GroupDraft<Row>

  /** Gives all siblings short positions, as if the row were at `position`. Returns the new position of the row. */
  async function renumberSiblings(session: Session, row: Draft, position: string): Promise<string> {
    const siblings = await store.listSiblings(session, row, MAX_AFFECTED_TASKS + 1)
    refuseTooMany(siblings.length)
    const others = siblings.filter(({ id }) => id !== row.id)
    const rank = others.filter((other) => (other.position ?? '') < position).length
    const positions = createPositions(others.length + 1)
    for (const [i, other] of others.entries()) {
      const moved = positions[i < rank ? i : i + 1]
      await save(session, other, { position: moved } as Partial<Row>)
    }
    return positions[rank] ?? position
  }

  return async (session: Session, row: Draft, move: SiblingMove): Promise<string> => {
    if (row.position !== undefined && move.after === undefined && move.before === undefined) return row.position
    const gap = await findGap(store, session, row, move, async (id) => {
      const sibling = await store.get(session, id)
      return sibling?.deleted_at === null && store.hasSameScope(sibling, row) ? (sibling.position ?? null) : null
    })
    if (row.position !== undefined && isInGap(gap, row.position)) return row.position
    const found = createPositionBetween(...gap)
    return found.length > MAX_POSITION_CHARS ? renumberSiblings(session, row, found) : found
  }
}

type Unsized = Omit<GroupRow, 'key' | 'position'>

interface ServiceDeps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
}

export function declareGroup<
  Row extends GroupRow,
  Shown extends TProperties,
  Once extends TProperties,
  Set extends TProperties,
>(of: Declaration<Row, Shown, Once, Set>) {
  type Input = Static<TObject<Once & Set>>
  type Named = { readonly name: string } & SiblingMove
  type Resource = ReturnType<typeof writeTrashStamps> & { readonly name: string } & Static<TObject<Shown>>
  const { noun, type } = of
  const store = createGroupStore<Row>(of.table)
  const schemas = createSchemas(of)

  const show = (row: Row): Tagged<Resource> => ({
    resource: { ...writeTrashStamps(row), name: row.name, ...of.show(row) },
    etag: writeEtag(row.revision, row.computed_revision),
  })

  /** The row with the bytes that count towards the quota. Its place may follow. */
  function sized(row: Omit<Unsized, 'size_bytes'> & GroupColumns<Row>): GroupDraft<Row> {
    const size_bytes = textBytes(...of.texts.map((text) => Reflect.get(row as object, text)))
    return { ...row, size_bytes } as Unsized as GroupDraft<Row>
  }

  const createRecords = (deps: Pick<ServiceDeps, 'now' | 'record'>) =>
    createGroupRecords<Row, Resource>({ ...deps, store, type, noun, show })

  function createService({ ids, ...deps }: ServiceDeps) {
    const records = createRecords(deps)
    const findPosition = createFindPosition({ store, save: records.save })
    const placed = async (session: Session, row: GroupDraft<Row>, to: SiblingMove) =>
      'position' in of.shown ? { ...row, position: await findPosition(session, row, to) } : row

    /** Throws conflict while it is in the trash, or if the name is taken, and what refuses the members. */
    async function change(session: Session, old: Row, patch: Partial<Named & Input>): Promise<Row> {
      refuseTrashed(old, noun)
      const name = patch.name === undefined ? {} : checkGroupName(patch.name)
      const next = sized({ ...old, ...name, ...(await of.read(session, patch, old, deps.now())) })
      return records.save(session, old, (await placed(session, next, patch)) as Partial<Row>)
    }

    return {
      records,
      change,
      get: records.get,
      list: (session: Session, query: GroupQuery, where?: GroupListing['where']): Promise<Page<Resource>> =>
        records.getPage(session, query, where),

      /** Throws conflict if the id or the name is taken, and what refuses the members. */
      create(session: Session, { id = ids(), ...input }: { id?: string } & Named & Input): Promise<Tagged<Resource>> {
        const at = deps.now()
        const stamps = { ...newStamps(id, at), ...checkGroupName(input.name) }
        return session.db.transaction(async (db) => {
          const inside = { ...session, db }
          const draft = sized({
            ...stamps,
            ...(await of.read(inside, input as Partial<Static<TObject<Once & Set>>>, null, at)),
          })
          return show(await records.insert(inside, await placed(inside, draft, input)))
        })
      },

      update: async (session: Session, id: string, patch: Partial<Named & Input>, precondition: Precondition = null) =>
        show(await records.withRow(session, id, precondition, (inside, old) => change(inside, old, patch))),

      /** One in the trash stays there, or is erased. Nothing that depends on it follows. */
      async remove(session: Session, id: string, what: 'trash' | 'erase', precondition: Precondition = null) {
        await records.withRow<unknown>(session, id, precondition, records[what])
      },

      /** Throws conflict if its name has been taken since. */
      restore: async (session: Session, id: string, precondition: Precondition = null) =>
        show(await records.withRow(session, id, precondition, records.restore)),
    }
  }

  return {
    ...of,
    ...{ store, sized, show, createRecords, createService },
    routes: (deps: RouteDeps) => groupRoutes(of, schemas, deps),
  }
}

/** What a declaration makes of a kind of row, for those who handle all kinds alike. */
export type DeclaredGroup<Row extends GroupRow> = Pick<
  ReturnType<typeof declareGroup<Row, TProperties, TProperties, TProperties>>,
  'type' | 'noun' | 'table' | 'shown' | 'store' | 'show' | 'sized' | 'read' | 'createRecords'
>

type Resources = Readonly<Record<string, unknown>>
type Answer = Promise<Outcome<Resources | undefined>>

interface RouteDeps {
  readonly api: RequestPlugin
  readonly service: {
    get(session: Session, id: string): Promise<Tagged<Resources>>
    list(session: Session, query: GroupQuery): Promise<Page<Resources>>
    create(session: Session, input: never): Promise<Tagged<Resources & { readonly id: string }>>
    update(session: Session, id: string, patch: never, precondition: Precondition): Promise<Tagged<Resources>>
    remove(session: Session, id: string, what: 'trash' | 'erase', precondition: Precondition): Promise<void>
    restore(session: Session, id: string, precondition: Precondition): Promise<Tagged<Resources>>
  }
  /** The operations that change its tasks, too: in the request, or in a run if they are many. */
  readonly inSteps?: {
    readonly update?: (request: Request, session: Session, id: string, body: never) => Answer
    readonly remove?: (request: Request, session: Session, id: string, what: 'trash' | 'erase', query: never) => Answer
    readonly restore?: (request: Request, session: Session, id: string, body: unknown) => Answer
  }
}

/** What is special about those with an order. */
const LAST = 'It becomes the last one, unless `after` or `before` is given.'
const MOVED = '`after` or `before` moves it.'

const OneGroup = t.Object({ id: Id })

function groupRoutes(of: Documented, schemas: ReturnType<typeof createSchemas>, deps: RouteDeps) {
  const { noun, path, notes, names } = of
  const [name] = names
  const { write = [], remove = [] } = of.refused ?? {}
  const { service, api, inSteps = {} } = deps
  const title = name.replace(/\B[A-Z]/g, ' $&').toLowerCase()
  const moves = 'position' in of.shown ? (['too_many_affected'] as const) : []
  const accepted = (step: unknown) => (step ? { 202: ImportReport } : {})
  const steps = (step: unknown) => (step ? ` ${IN_STEPS}` : '')
  return new Elysia({ prefix: path, tags: [of.tag] })
    .use(api)
    .get('', ({ session, query }) => service.list(session, query), {
      query: schemas.List,
      response: { 200: schemas.PageOfThem },
      detail: {
        operationId: `list${name}s`,
        ...refuses('invalid_cursor'),
        summary: `List ${title}s`,
        description: `${notes.list} \`trashed=true\` lists only the trash.`,
      },
    })
    .post(
      '',
      ({ body, once }) => once(async (session) => created(path, await service.create(session, body as never))),
      {
        idempotent: true,
        body: schemas.Create,
        response: { 201: schemas.One, 409: Problem },
        detail: {
          operationId: `create${name}`,
          ...refuses(...write, ...moves),
          summary: `Create a ${title}`,
          description: notes.create ?? LAST,
        },
      },
    )
    .get('/:id', async ({ session, params, reply }) => reply.read(await service.get(session, params.id)), {
      params: OneGroup,
      response: { 200: schemas.One, 304: NoContent },
      detail: {
        operationId: `get${name}`,
        summary: `Get a ${title}`,
        description: `Also finds ${noun}s in the trash: those have \`deleted_at\`.`,
      },
    })
    .patch(
      '/:id',
      async ({ request, session, params: { id }, body, reply }) =>
        reply.send(
          inSteps.update
            ? await inSteps.update(request, session, id, body as never)
            : changed(await service.update(session, id, body as never, ifMatch(request))),
        ),
      {
        params: OneGroup,
        body: schemas.Update,
        response: { 200: schemas.One, ...accepted(inSteps.update), 409: Problem, 412: Problem },
        detail: {
          operationId: `update${name}`,
          ...refuses('conflict', ...write, ...moves),
          summary: `Change a ${title}`,
          description: (notes.update ?? MOVED) + steps(inSteps.update),
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params: { id }, query, reply }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        if (inSteps.remove) return reply.send(await inSteps.remove(request, session, id, what, query as never))
        await service.remove(session, id, what, ifMatch(request))
        return reply.send(NO_CONTENT)
      },
      {
        params: OneGroup,
        query: schemas.Remove,
        response: { ...accepted(inSteps.remove), 204: NoContent, 412: Problem },
        detail: {
          operationId: `delete${name}`,
          ...refuses(...remove),
          summary: `Delete a ${title}`,
          description: notes.remove + steps(inSteps.remove),
        },
      },
    )
    .post(
      '/:id/restore',
      async ({ request, session, params: { id }, body, reply, once }) =>
        inSteps.restore
          ? reply.send(await inSteps.restore(request, session, id, body))
          : once(async (inside) => changed(await service.restore(inside, id, ifMatch(request)))),
      {
        idempotent: true,
        params: OneGroup,
        response: { 200: schemas.One, ...accepted(inSteps.restore), 409: Problem, 412: Problem },
        detail: {
          operationId: `restore${name}`,
          ...refuses(...remove),
          summary: `Restore a ${title}`,
          description: notes.restore + steps(inSteps.restore),
        },
      },
    )
}
