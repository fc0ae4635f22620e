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
import { htmlPolicy, type NoteRepresentations } from './representations'
import {
  CreateNote,
  DeleteNoteQuery,
  ListNotesQuery,
  Note,
  NoteChecklist,
  NoteLinkCounts,
  NotePage,
  NoteParams,
  NoteSummary,
  ReadNoteQuery,
  UpdateNote,
  UpdateNoteQuery,
} from './schema'
import type { Notes } from './service'

interface Deps {
  readonly notes: Notes
  readonly representations: NoteRepresentations
  readonly imports: Pick<Imports, 'waitForOutcome'>
  readonly api: RequestPlugin
}

/** The media types that a note can be read in; the first is the default. */
const MEDIA_TYPES = ['application/json', 'text/markdown', 'text/html'] as const

const LinksUpdatedHeader = {
  description: 'The number of notes whose links were rewritten.',
  schema: { type: 'integer', minimum: 0 },
}

nameSchemas({ Note, NoteChecklist, NoteLinkCounts, NotePage, NoteSummary, CreateNote, UpdateNote })

export function notesRoutes({ notes, representations, imports, api }: Deps) {
  /** Returns the renamed note once its run has rewritten all links to it, or the report of a run that takes long. */
  async function renameOutcome(
    request: Request,
    session: Session,
    id: string,
    run: string,
  ): Promise<Outcome<Note | ImportReport>> {
    const outcome = await imports.waitForOutcome<LinksUpdated>(request, session, run)
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
        description: 'Newest first, without bodies. `trashed=true` lists only the notes in the trash.',
      },
    })
    .post('', ({ body, once }) => once(async (session) => created('/api/notes', await notes.create(session, body))), {
      idempotent: true,
      body: CreateNote,
      response: { 201: Note },
      detail: {
        operationId: 'createNote',
        summary: 'Create a note',
        description: 'Without a title, the note gets one from its body.',
      },
    })
    .get(
      '/:id',
      async ({ request, params, query, set, session, reply }) => {
        const type = preferredType(request.headers.get('accept'), MEDIA_TYPES)
        const shown = { remote: query.remote === 'true', inline: query.inline === 'true' }
        if (type === 'text/html')
          return sendText(
            request,
            type,
            await representations[type](session, params.id, shown),
            htmlPolicy(shown),
          ) as never
        if (type !== 'application/json')
          return sendText(request, type, await representations[type](session, params.id)) as never
        set.headers.Vary = 'Accept'
        return reply.read(await notes.get(session, params.id))
      },
      {
        params: NoteParams,
        query: ReadNoteQuery,
        response: { 200: Note, 304: NoContent },
        detail: {
          operationId: 'getNote',
          summary: 'Get a note',
          description:
            'Returns JSON, or by Accept text/markdown (the body, byte for byte) or text/html (a sanitized fragment without active content, which shows attachments). Notes in the trash can be read, too: see `deleted_at`.',
          responses: {
            200: {
              description: 'The note in the media type that Accept prefers.',
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
            'Send If-Match with the ETag that you read, so that you do not overwrite a change of another client. A new title or folder rewrites the links to the note; the header `X-Links-Updated` counts the rewritten notes. If more than 200 notes link to it, they are rewritten in the background: if that takes more than 20 seconds, `GET /api/imports/{id}` shows the progress. The work continues after a crash. The links point to the note the whole time.',
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
          description: 'Moves the note to the trash for 30 days. `permanent=true` erases it immediately.',
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
          description: 'Restores the note from the trash.',
        },
      },
    )
}
