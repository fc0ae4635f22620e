import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { type ERRORS, refuses } from '../http/api-error'
import type { Page } from '../http/cursor'
import { changed, created, ifMatch, type Outcome, type Precondition, type Tagged } from '../http/responses'
import {
  Cursor,
  closed,
  Flag,
  Id,
  Instant,
  Limit,
  NoContent,
  nameSchemas,
  nullable,
  pageOf,
  STAMPS,
} from '../http/schema'
import { ImportReport, IN_STEPS } from '../imports/schema'
import { NO_CONTENT } from '../imports/stepped-change'

/** What the API shows and takes of a kind of resource, and what its documentation says. */
export interface Documented {
  /** What a sentence calls one, e.g. `filter`. */
  readonly noun: string
  /** In the names of operations and of what they take, e.g. `SavedFilter`; then the name of its own schema. */
  readonly names: readonly [name: string, schema: string]
  readonly path: string
  readonly tag: string
  /** What it shows beside its stamps, and what a list adds. */
  readonly shown: TProperties
  readonly listed?: TProperties
  /** What a request sets: only at first, and at any time. */
  readonly once?: TProperties
  readonly settable?: TProperties
  /** Parameters of the list, and of DELETE, beside those that all have. */
  readonly filters?: TProperties
  readonly removal?: TProperties
  /** Errors of a write, and of a deletion or restoring, beside those that all have. */
  readonly refused?: { readonly write?: readonly Code[]; readonly remove?: readonly Code[] }
  readonly examples: { readonly shown: object; readonly create?: object; readonly update?: object }
  /** What is special about an operation. Those that all have alike need none. */
  readonly notes: Readonly<Partial<Record<'create' | 'get' | 'update' | 'remove' | 'restore', string>>> & {
    readonly list: string
  }
}

type Code = keyof typeof ERRORS

const EXAMPLE = { revision: 1, created_at: '2026-03-01T08:15:00.000Z', updated_at: '2026-03-01T08:15:00.000Z' }

export type ResourceSchemas = ReturnType<typeof createSchemas>

/** @param trash whether one can be in the trash */
export function createSchemas(
  { names, shown, listed, once, settable = {}, examples, ...of }: Documented,
  trash: boolean,
) {
  const [name, schema] = names
  const stamps = trash ? { ...STAMPS, deleted_at: nullable(Instant) } : STAMPS
  const example = { id: '', ...EXAMPLE, ...(trash && { deleted_at: null }), ...examples.shown }
  const One: TObject = t.Object({ ...stamps, ...shown }, { examples: [example] })
  const PageOfThem = pageOf(listed ? t.Object({ ...One.properties, ...listed }, { examples: [example] }) : One)
  const Create = t.Object({ id: t.Optional(Id), ...once, ...settable }, { ...closed, examples: [examples.create] })
  const Update = t.Object(Type.Partial(Type.Object(settable)).properties, {
    ...closed,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
    examples: [examples.update],
  })
  nameSchemas({
    ...{ [schema]: One, [`${schema}Page`]: PageOfThem },
    ...(examples.create && { [`Create${name}`]: Create }),
    ...(examples.update && { [`Update${name}`]: Update }),
  })
  const paging = { limit: t.Optional(Limit), cursor: t.Optional(Cursor), ...(trash && { trashed: t.Optional(Flag) }) }
  return {
    One,
    PageOfThem,
    Create,
    Update,
    List: t.Object({ ...paging, ...of.filters }, closed),
    Remove: trash ? t.Object({ permanent: t.Optional(Flag), ...of.removal }, closed) : undefined,
  }
}

/** What a handler gets. Its query and body have passed the schemas of the declaration, whose types its service takes. */
interface Asked {
  readonly request: Request
  readonly session: Session
  readonly params: { readonly id: string }
  readonly query: never
  readonly body: never
  readonly reply: {
    read<Resource>(tagged: Tagged<Resource>): Resource
    send<Body>(outcome: Outcome<Body>): Body
  }
  readonly once: <Body>(work: (session: Session) => Promise<Outcome<Body>>) => Promise<Body>
}

type Handler = (asked: Asked) => unknown

/** An operation that does more than all have in common, and what its documentation says beside theirs. */
interface OwnOperation {
  readonly handler: Handler
  readonly params?: TSchema
  readonly query?: TSchema
  readonly response?: Readonly<Record<number, TSchema>>
  readonly detail?: object
}

type OperationName = 'list' | 'create' | 'get' | 'update' | 'remove' | 'restore'

export interface RouteDeps {
  readonly api: RequestPlugin
  /** The operations that it has get a route. */
  readonly service: {
    get(session: Session, id: string): Promise<Tagged<object>>
    list(session: Session, query: never): Promise<Page<object>>
    create?(session: Session, input: never): Promise<Tagged<{ readonly id: string }>>
    update?(session: Session, id: string, patch: never, precondition: Precondition): Promise<Tagged<object>>
    remove?(session: Session, id: string, what: 'trash' | 'erase', precondition: Precondition): Promise<void>
    restore?(session: Session, id: string, precondition: Precondition): Promise<Tagged<object>>
  }
  readonly own?: Readonly<Partial<Record<OperationName, OwnOperation>>>
}

/** An operation that also changes what depends on the resource: in the request, or in a run if that is much. */
export function inSteps(
  work: (asked: Asked) => Promise<Outcome>,
  own: Omit<OwnOperation, 'handler'> = {},
): OwnOperation {
  return {
    ...own,
    handler: async (asked) => asked.reply.send(await work(asked)),
    response: { 202: ImportReport, ...own.response },
  }
}

/** What a DELETE does. */
export function removalOf(query: { readonly permanent?: string }): 'trash' | 'erase' {
  return query.permanent === 'true' ? 'erase' : 'trash'
}

function handlersOf(path: string, service: RouteDeps['service']): Readonly<Partial<Record<OperationName, Handler>>> {
  const { create, update, remove, restore } = service
  return {
    list: ({ session, query }) => service.list(session, query),
    get: async ({ session, params, reply }) => reply.read(await service.get(session, params.id)),
    ...(create && {
      create: ({ body, once }) => once(async (session) => created(path, await create(session, body))),
    }),
    ...(update && {
      update: async ({ request, session, params, body, reply }) =>
        reply.send(changed(await update(session, params.id, body, ifMatch(request)))),
    }),
    ...(remove && {
      remove: async ({ request, session, params, query, reply }) => {
        await remove(session, params.id, removalOf(query), ifMatch(request))
        return reply.send(NO_CONTENT)
      },
    }),
    ...(restore && {
      restore: ({ request, params, once }) =>
        once(async (session) => changed(await restore(session, params.id, ifMatch(request)))),
    }),
  }
}

const OneOfThem = t.Object({ id: Id })

function say(operationId: string, summary: string, description = '', codes: readonly Code[] = []) {
  return { operationId, ...refuses(...codes), summary, description }
}

/** The schemas and the documentation of each operation. */
function hooksOf({ noun, notes, names: [name], refused = {} }: Documented, schemas: ResourceSchemas) {
  const { write = [], remove = [] } = refused
  const title = name.replace(/\B[A-Z]/g, ' $&').toLowerCase()
  const { Remove } = schemas
  const inTrash = `Also finds ${noun}s in the trash: those have \`deleted_at\`.`
  // One in the trash cannot be changed.
  const changing = Remove ? (['conflict', ...write] as const) : write
  return {
    list: {
      query: schemas.List,
      response: { 200: schemas.PageOfThem },
      detail: say(`list${name}s`, `List ${title}s`, notes.list, ['invalid_cursor']),
    },
    create: {
      idempotent: true,
      body: schemas.Create,
      response: { 201: schemas.One },
      detail: say(`create${name}`, `Create a ${title}`, notes.create, write),
    },
    get: {
      params: OneOfThem,
      response: { 200: schemas.One, 304: NoContent },
      detail: say(`get${name}`, `Get a ${title}`, notes.get ?? inTrash),
    },
    update: {
      params: OneOfThem,
      body: schemas.Update,
      response: { 200: schemas.One },
      detail: say(`update${name}`, `Change a ${title}`, notes.update, changing),
    },
    remove: {
      params: OneOfThem,
      ...(Remove && { query: Remove }),
      response: { 204: NoContent },
      detail: say(`delete${name}`, `Delete a ${title}`, notes.remove, remove),
    },
    restore: {
      idempotent: true,
      params: OneOfThem,
      response: { 200: schemas.One },
      detail: say(`restore${name}`, `Restore a ${title}`, notes.restore, remove),
    },
  }
}

const ROUTES = {
  list: ['GET', ''],
  create: ['POST', ''],
  get: ['GET', '/:id'],
  update: ['PATCH', '/:id'],
  remove: ['DELETE', '/:id'],
  restore: ['POST', '/:id/restore'],
} as const satisfies Record<OperationName, readonly [method: string, path: string]>

export function resourceRoutes(of: Documented, schemas: ResourceSchemas, { api, service, own = {} }: RouteDeps) {
  const app = new Elysia({ prefix: of.path, tags: [of.tag] }).use(api)
  const handlers = handlersOf(of.path, service)
  const hooks = hooksOf(of, schemas)
  for (const [name, [method, path]] of Object.entries(ROUTES) as [OperationName, (typeof ROUTES)[OperationName]][]) {
    const { handler = handlers[name], response, detail, ...more }: Partial<OwnOperation> = own[name] ?? {}
    const hook = hooks[name]
    const description = hook.detail.description + (response && 202 in response ? ` ${IN_STEPS}` : '')
    if (handler)
      app.route(
        method,
        path,
        handler as never,
        {
          ...hook,
          ...more,
          response: { ...hook.response, ...response },
          detail: { ...hook.detail, description, ...detail },
        } as never,
      )
  }
  return app
}
