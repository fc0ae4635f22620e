import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import { ifMatch } from '../http/conditional'
import type { Outcome } from '../http/idempotency'
import type { RequestPlugin } from '../http/request'
import { changed, created, preferredType, sendText } from '../http/responses'
import { NoContent, nameSchemas, Problem } from '../http/schema'
import { ImportReport } from '../imports/schema'
import type { Imports } from '../imports/service'
import { type LinksUpdated, withLinksUpdated } from './rename-port'
import type { NoteRepresentations } from './representations'
import {
  CreateNote,
  DeleteNoteQuery,
  ListNotesQuery,
  Note,
  NoteChecklist,
  NoteLinkCounts,
  NotePage,
  NoteParams,
  NoteSource,
  NoteSummary,
  UpdateNote,
  UpdateNoteQuery,
} from './schema'
import type { Notes } from './service'

interface Deps {
  readonly notes: Notes
  readonly representations: NoteRepresentations
  readonly imports: Pick<Imports, 'outcome'>
  readonly api: RequestPlugin
}

/** The media types of a note; the first is the default. */
const MEDIA_TYPES = ['application/json', 'text/markdown', 'text/html'] as const

const LinksUpdatedHeader = { description: 'How many notes were rewritten.', schema: { type: 'integer', minimum: 0 } }

nameSchemas({ Note, NoteChecklist, NoteLinkCounts, NotePage, NoteSource, NoteSummary, CreateNote, UpdateNote })

export function notesRoutes({ notes, representations, imports, api }: Deps) {
  /** The renamed note once its run has rewritten all links to it; the report of the run where that takes long. */
  async function renameOutcome(
    request: Request,
    session: Session,
    id: string,
    run: string,
  ): Promise<Outcome<Note | ImportReport>> {
    const outcome = await imports.outcome<LinksUpdated>(request, session, run)
    if (!('links_updated' in outcome.body)) return { ...outcome, body: outcome.body }
    return withLinksUpdated(changed(await notes.get(session, id)), outcome.body.links_updated)
  }

  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] })
    .use(api)
    .get('', ({ session, query }) => notes.list(session, query), {
      query: ListNotesQuery,
      response: { 200: NotePage },
      detail: {
        operationId: 'listNotes',
        summary: 'List notes',
        description: 'Newest first, without bodies. The trash is listed alone.',
      },
    })
    .post('', ({ body, once }) => once(async (session) => created('/api/notes', await notes.create(session, body))), {
      idempotent: true,
      body: CreateNote,
      response: { 201: Note },
      detail: {
        operationId: 'createNote',
        summary: 'Create a note',
        description: 'Without a title, the note takes one from its body.',
      },
    })
    .get(
      '/:id',
      async ({ request, params, set, session, reply }) => {
        const type = preferredType(request.headers.get('accept'), MEDIA_TYPES)
        if (type !== 'application/json')
          return sendText(request, type, await representations[type](session, params.id)) as never
        set.headers.Vary = 'Accept'
        return reply.read(await notes.get(session, params.id))
      },
      {
        params: NoteParams,
        response: { 200: Note, 304: NoContent },
        detail: {
          operationId: 'getNote',
          summary: 'Get a note',
          description:
            'As JSON, or by Accept as text/markdown (the body, byte for byte) or text/html (a fragment in which nothing can act). Also from the trash: see `deleted_at`.',
          responses: {
            200: {
              description: 'The note in the form that Accept asks for.',
              content: {
                'application/json': { schema: Note },
                'text/markdown': { schema: { type: 'string', examples: ['# Plan\n\n- book the train\n'] } },
                'text/html': { schema: { type: 'string', examples: ['<h1 id="h-plan">Plan</h1>'] } },
              },
            },
            304: {},
          },
        } as object,
      },
    )
    .patch(
      '/:id',
      async ({ request, params, query, body, session, reply }) => {
        const updateLinks = query.update_links !== 'false'
        const { run, ...note } = await notes.update(session, params.id, body, ifMatch(request), { updateLinks })
        if (run !== null) return reply.send(await renameOutcome(request, session, params.id, run))
        return reply.send(withLinksUpdated(changed(note), note.linksUpdated))
      },
      {
        params: NoteParams,
        query: UpdateNoteQuery,
        body: UpdateNote,
        response: { 200: Note, 202: ImportReport, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateNote',
          summary: 'Change a note',
          description:
            'Send If-Match with the ETag that you read, so that no change of another client is lost. A new title or folder rewrites the links to the note; the header `X-Links-Updated` counts the notes rewritten. If more than 200 notes link to it, they are rewritten after the change, while other requests are served: after 20 seconds `GET /api/imports/{id}` shows the progress, and the work goes on after a crash. The links lead to the note all the while.',
          responses: {
            200: {
              headers: { 'X-Links-Updated': LinksUpdatedHeader },
              content: { 'application/json': { schema: Note } },
            },
            202: {},
            409: {},
            412: {},
          },
        } as object,
      },
    )
    .delete(
      '/:id',
      async ({ request, params, query, session, reply }) => {
        await notes[query.permanent === 'true' ? 'erase' : 'trash'](session, params.id, ifMatch(request))
        return reply.deleted()
      },
      {
        params: NoteParams,
        query: DeleteNoteQuery,
        response: { 204: NoContent, 412: Problem },
        detail: {
          operationId: 'deleteNote',
          summary: 'Delete a note',
          description: 'Moves it to the trash for 30 days; `permanent=true` erases it at once.',
        },
      },
    )
    .post(
      '/:id/restore',
      ({ request, params, once }) =>
        once(async (session) => changed(await notes.restore(session, params.id, ifMatch(request)))),
      {
        idempotent: true,
        params: NoteParams,
        response: { 200: Note, 412: Problem },
        detail: {
          operationId: 'restoreNote',
          summary: 'Restore a note',
          description: 'Brings it back from the trash.',
        },
      },
    )
}
