import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed } from '../../http/responses'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import { withLinksUpdated } from '../rename-port'
import { Note, NoteParams } from '../schema'
import {
  DiffQuery,
  LabelRevision,
  ListRevisionsQuery,
  NoteRevision,
  NoteRevisionPage,
  NoteRevisionSummary,
  RevisionDiff,
  RevisionParams,
} from './schema'
import type { Revisions } from './service'

nameSchemas({ NoteRevision, NoteRevisionPage, NoteRevisionSummary, RevisionDiff })

export function revisionRoutes({ revisions, api }: { revisions: Revisions; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes/:id/revisions', tags: ['Edits and revisions'] })
    .use(api)
    .get('', ({ session, params, query }) => revisions.list(session, params.id, query), {
      params: NoteParams,
      query: ListRevisionsQuery,
      response: { 200: NoteRevisionPage },
      detail: {
        operationId: 'listNoteRevisions',
        ...refuses('invalid_cursor'),
        summary: 'List the revisions of a note',
        description: 'Newest first, without bodies. The first is the current note. Old revisions are thinned out.',
      },
    })
    .get(
      '/:n',
      async ({ params: { id, n }, session, reply }) => reply.read(await revisions.get(session, id, Number(n))),
      {
        params: RevisionParams,
        response: { 200: NoteRevision, 304: NoContent },
        detail: {
          operationId: 'getNoteRevision',
          summary: 'Get a revision of a note',
          description: 'Returns the whole note as it was at this revision.',
        },
      },
    )
    .patch(
      '/:n',
      async ({ request, params: { id, n }, body, session, reply }) =>
        reply.changed(await revisions.label(session, id, Number(n), body, ifMatch(request))),
      {
        params: RevisionParams,
        body: LabelRevision,
        response: { 200: NoteRevision, 409: Problem, 412: Problem },
        detail: {
          operationId: 'labelNoteRevision',
          ...refuses('conflict'),
          summary: 'Label a revision',
          description: 'A note may have 100 labelled revisions. They are never thinned out.',
        },
      },
    )
    .get('/:n/diff', ({ session, params: { id, n }, query }) => revisions.diff(session, id, Number(n), query), {
      params: RevisionParams,
      query: DiffQuery,
      response: { 200: RevisionDiff },
      detail: {
        operationId: 'compareNoteRevisions',
        summary: 'Compare two revisions',
        description: 'Returns a unified diff of the bodies, to the current note or to the revision `to`.',
      },
    })
    .post(
      '/:n/restore',
      ({ request, params: { id, n }, once }) =>
        once(async (session) => {
          const note = await revisions.restore(session, id, Number(n), ifMatch(request))
          return withLinksUpdated(changed(note), note.linksUpdated)
        }),
      {
        idempotent: true,
        params: RevisionParams,
        response: { 200: Note, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreNoteRevision',
          summary: 'Restore a revision',
          description:
            'Makes a new revision with the old title, body, folder, tags and properties. Send the ETag of the note as If-Match. Links to the note still point to it; the header `X-Links-Updated` counts the rewritten notes.',
        },
      },
    )
}
