import { type Context, Elysia, type Static } from 'elysia'
import type { Session } from '../db/database'
import { parseTarget } from '../http/answer'
import type { RequestPlugin } from '../http/api'
import { invalid, refuses } from '../http/api-error'
import { changed, created, ifMatch, preferredType, sendText, type Tagged } from '../http/responses'
import { alsoTakes, NoContent, nameSchemas } from '../http/schema'
import { ImportReport } from '../imports/schema'
import type { Imports } from '../imports/service'
import { answerRelinked, relinkedResponses } from './links-updated'
import type { MarkdownText } from './note'
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
  NotePathParams,
  NoteSummary,
  ReadNoteQuery,
  UpdateNote,
  updateLinksQuery,
} from './schema'
import type { Notes } from './service'

interface Deps {
  readonly notes: Notes
  readonly findByPath: (session: Session, path: string) => Promise<string>
  readonly representations: NoteRepresentations
  readonly imports: Pick<Imports, 'waitForOutcome'>
  /** Returns the Markdown that a request sent as its body; null if it sent JSON. */
  readonly texts: { get(request: Request): MarkdownText | undefined }
  readonly api: RequestPlugin
}

/** The media types that a note can be read in; the first is the default. */
const MEDIA_TYPES = ['application/json', 'text/markdown', 'text/html'] as const

const READ_RESPONSES = {
  200: {
    description: 'The note in the media type that Accept prefers.',
    content: {
      'application/json': { schema: Note },
      'text/markdown': { schema: { type: 'string', examples: ['# Plan\n\n- book the train\n'] } },
      'text/html': { schema: { type: 'string', examples: ['<h1 id="h-plan">Plan</h1>'] } },
    },
  },
  304: {},
}

interface ReadContext {
  readonly request: Request
  readonly query: Static<typeof ReadNoteQuery>
  readonly set: Context['set']
  readonly reply: { read<Resource>(tagged: Tagged<Resource>): Resource }
}

const TAKES_MARKDOWN = alsoTakes({ 'text/markdown': { examples: ['---\ntags: [travel]\n---\n# Plan\n'] } })

nameSchemas({ Note, NoteChecklist, NoteLinkCounts, NotePage, NoteSummary, CreateNote, UpdateNote })

const PATH_ADDRESS = '/api/notes/by-path/'

/**
 * Reads the path of a note from an address. The router decodes no path of several parts, and leaves one as it is that is
 * not UTF-8. Throws invalid_request.
 */
function readAddressedPath(request: Request): string {
  try {
    return decodeURIComponent(parseTarget(request.url).path.slice(PATH_ADDRESS.length))
  } catch {
    throw invalid('/path', 'invalid_encoding', 'path must be percent-encoded UTF-8')
  }
}

export function notesRoutes({ notes, findByPath, representations, imports, texts, api }: Deps) {
  /** Responds with the note in the media type that Accept prefers. */
  async function readAs({ request, query, set, reply }: ReadContext, session: Session, id: string) {
    const type = preferredType(request.headers.get('accept'), MEDIA_TYPES)
    const shown = { remote: query.remote === 'true', inline: query.inline === 'true' }
    if (type === 'text/html')
      return sendText(request, type, await representations[type](session, id, shown), htmlPolicy(shown)) as never
    if (type !== 'application/json') return sendText(request, type, await representations[type](session, id)) as never
    set.headers.Vary = 'Accept'
    return reply.read(await notes.get(session, id))
  }

  const readByPath = async ({ session, ...read }: ReadContext & { readonly session: Session }) =>
    readAs(read, session, await findByPath(session, readAddressedPath(read.request)))

  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] })
    .use(api)
    .get('', ({ session, query }) => notes.list(session, query), {
      query: ListNotesQuery,
      response: { 200: NotePage },
      detail: {
        operationId: 'listNotes',
        ...refuses('invalid_cursor'),
        summary: 'List notes',
        description: 'Newest first, without bodies. `trashed=true` lists only the notes in the trash.',
      },
    })
    .post(
      '',
      ({ request, body, once }) =>
        once(async (session) => created('/api/notes', await notes.create(session, body, texts.get(request) ?? null))),
      {
        idempotent: true,
        body: CreateNote,
        response: { 201: Note },
        detail: {
          operationId: 'createNote',
          ...refuses('too_many_links'),
          summary: 'Create a note',
          description:
            'Without a title, the note gets one from its body. Markdown is read as the import reads it: front matter states the members of the note, and what has no meaning there is a property.',
          ...TAKES_MARKDOWN,
        },
      },
    )
    .get('/:id', ({ session, params, ...read }) => readAs(read, session, params.id), {
      params: NoteParams,
      query: ReadNoteQuery,
      response: { 200: Note, 304: NoContent },
      detail: {
        operationId: 'getNote',
        summary: 'Get a note',
        description:
          'Returns JSON, or by Accept text/markdown (the body, byte for byte) or text/html (a sanitized fragment without active content, which shows attachments). Notes in the trash can be read, too: see `deleted_at`.',
        responses: READ_RESPONSES,
      } as object,
    })
    .get('/by-path/:path', readByPath, {
      params: NotePathParams,
      query: ReadNoteQuery,
      response: { 200: Note, 304: NoContent },
      detail: {
        operationId: 'getNoteByPath',
        summary: 'Get a note by its path',
        description:
          'Finds the note by its folder and its name, e.g. `/api/notes/by-path/Work/Plans/Trip`; slashes may be percent-encoded or not. The path is compared as links are, without regard to case; `.md` at its end may be left out. Of several notes at the path, the oldest is returned. A note in the trash has no path.',
        responses: { ...READ_RESPONSES, 404: {} },
      } as object,
    })
    .get(
      // The same for paths with slashes, which an OpenAPI document cannot express.
      '/by-path/*',
      readByPath,
      { query: ReadNoteQuery, response: { 200: Note, 304: NoContent }, detail: { hide: true } },
    )
    .patch(
      '/:id',
      async ({ request, params, query, body, session, reply }) => {
        const updateLinks = query.update_links !== 'false'
        const updateHeadings = query.update_links === 'true'
        const options = { updateLinks, updateHeadings, markdown: texts.get(request) ?? null }
        const { run, linksUpdated, ...now } = await notes.update(session, params.id, body, ifMatch(request), options)
        const read = () => notes.get(session, params.id)
        return reply.send(await answerRelinked({ imports, request, session }, { run, linksUpdated, now, read }))
      },
      {
        params: NoteParams,
        query: updateLinksQuery('note'),
        body: UpdateNote,
        response: { 200: Note, 202: ImportReport },
        detail: {
          operationId: 'updateNote',
          ...refuses('conflict', 'rewrite_impossible', 'too_many_links'),
          summary: 'Change a note',
          description:
            'Send If-Match with the ETag that you read, so that you do not overwrite a change of another client. A new title or folder rewrites the links to the note; the header `X-Links-Updated` counts the rewritten notes. With `update_links=true`, a new body in which one heading alone has another text rewrites the links to this heading, too. If more than 200 notes link to it, they are rewritten in the background: if that takes more than 20 seconds, `GET /api/imports/{id}` shows the progress. The work continues after a crash. The links point to the note the whole time. Markdown replaces the body, and its front matter is a merge patch of the other members, except for the id and the dates. The Markdown that GET returns changes nothing.',
          ...TAKES_MARKDOWN,
          responses: relinkedResponses(Note, 409, 412),
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
        response: { 204: NoContent },
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
        response: { 200: Note },
        detail: {
          operationId: 'restoreNote',
          summary: 'Restore a note',
          description: 'Restores the note from the trash.',
        },
      },
    )
}
