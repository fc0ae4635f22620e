/** A few routes in the forms that features use, and one of everything that the document gets wrong without us. */
import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { parseTarget, setSecurityHeaders } from '../../src/http/answer'
import { declareErrorFormat, PLAIN_PROBLEM } from '../../src/http/error-format'
import { NoContent, Problem } from '../../src/http/schema'
import { docsRoutes } from '../../src/openapi/docs'
import { openPages } from '../../src/system/pages'

declareErrorFormat(PLAIN_PROBLEM, ['/api/chat'])

const NOTE = { id: 'n1', title: 'Trip', colour: 'red', due_on: null, span: [1, 2], error: 'none', revision: 1 }

const Note = Type.Object(
  {
    id: Type.String(),
    title: Type.String({ minLength: 1, maxLength: 500, error: 'title must be 1 to 500 characters' }),
    colour: Type.Union([Type.Literal('red'), Type.Literal('blue'), Type.Null()]),
    due_on: Type.Union([Type.String({ format: 'date' }), Type.Null()], { description: 'The day it is due.' }),
    span: Type.Tuple([Type.Integer(), Type.Integer()]),
    error: Type.String(),
    revision: Type.Integer({ minimum: 1 }),
  },
  { $id: 'Note', additionalProperties: false, description: 'A note.', examples: [NOTE] },
)

export const notes = new Elysia({ prefix: '/api/notes', tags: ['Notes'] })
  .model({ Note })
  .get('', () => ({ items: [NOTE] as never[], next_cursor: null }), {
    query: t.Object({
      limit: t.Optional(t.Integer({ minimum: 1, maximum: 200, default: 50, error: 'limit must be 1 to 200' })),
      trashed: t.Optional(t.BooleanString()),
      sort: t.Optional(
        t.Union([t.Literal('title'), t.Literal('-title')], { description: 'Order.', examples: ['title'] }),
      ),
    }),
    response: { 200: Type.Object({ items: Type.Array(Type.Ref('Note')), next_cursor: t.Nullable(Type.String()) }) },
    detail: { operationId: 'listNotes', summary: 'List notes' },
  })
  .post('', ({ body, status }) => status(201, { ...NOTE, title: body.title } as never), {
    body: Type.Object(
      { title: Type.String(), pinned: Type.Boolean({ default: false }), nullable: Type.Optional(Type.String()) },
      { additionalProperties: false, examples: [{ title: 'Trip' }] },
    ),
    response: { 201: 'Note' },
    detail: { operationId: 'createNote', summary: 'Create a note' },
  })
  .get('/:id', () => NOTE as never, {
    response: { 200: 'Note' },
    detail: { operationId: 'getNote', summary: 'Get a note' },
  })
  .patch('/:id', () => NOTE as never, {
    params: Type.Object({ id: Type.String({ description: 'Its id.' }) }),
    body: Type.Object({
      title: Type.Optional(t.Nullable(Type.String({ maxLength: 500 }))),
      colour: Type.Optional(Type.Union([Type.Union([Type.Literal('red'), Type.Literal('blue')]), Type.Null()])),
      parent: Type.Optional(Type.Union([Type.Object({ id: Type.String() }), Type.Null(), t.Undefined()])),
    }),
    response: { 200: Note, 404: Type.Object({}, { description: 'No such note.' }) },
    detail: { operationId: 'updateNote', summary: 'Change a note' },
  })
  .delete('/:id', ({ status }) => status(204, undefined), {
    detail: { operationId: 'deleteNote', summary: 'Delete a note' },
  })
  .get('/:id/links', () => [], {
    response: { 200: Type.Array(Type.String()), 304: NoContent },
    detail: { operationId: 'listLinks', summary: 'Links' },
  })
  .get('/export/all-of.it', () => new Response('x'), {
    detail: {
      operationId: 'exportNotes',
      summary: 'Export',
      responses: { 200: { description: 'A file.', content: { 'application/zip': { schema: { type: 'string' } } } } },
    },
  })

const chat = new Elysia({ tags: ['Chat'] }).post('/api/chat', () => ({ message: 'hello' }), {
  body: Type.Object({ messages: Type.Array(Type.Object({ role: Type.String(), content: Type.String() })) }),
  response: { 200: Type.Object({ message: Type.String() }), 400: Problem },
  detail: { operationId: 'chat', summary: 'Chat' },
})

const system = new Elysia({ tags: ['Server'] })
  .get('/api', () => ({ name: 'satchel' }), {
    response: Type.Object({ name: Type.String() }),
    detail: { operationId: 'getServiceDocument', summary: 'Index' },
  })
  .get('/healthz', () => ({ status: 'ok' as const }), {
    response: { 200: Type.Object({ status: Type.Literal('ok') }) },
    detail: { operationId: 'getHealth', summary: 'Alive' },
  })

/** The app without a gate, listening on a free port of the loopback; `stop` ends it. */
export async function startSmallApp(folder: string) {
  const pages = await openPages(folder)
  const app = new Elysia({ handler: { standardHostname: false }, normalize: false })
    .wrap((next) => async (request: Request) => {
      const handle = next as unknown as (request: Request) => Response | Promise<Response>
      return setSecurityHeaders(await handle(request), parseTarget(request.url).path)
    })
    .onError(({ code }) => {
      const status = code === 'NOT_FOUND' ? 404 : 500
      return Response.json({ status }, { status })
    })
    .use(docsRoutes({ version: '1.2.3', freePerHour: 20, apiPerHour: 1000, linkFiles: pages.linkFiles }))
    .guard({ parse: 'json' }, (api) => api.use(system).use(notes))
    .use(chat) // outside the guard: the plugin then lists three media types
    .use(pages.routes)
    .listen({ hostname: '127.0.0.1', port: 0 })
  return { base: `http://127.0.0.1:${app.server?.port}`, stop: () => app.stop(true) }
}
