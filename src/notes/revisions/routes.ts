import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { changed, send, sendResource } from '../../http/responses'
import { NoContent, Problem } from '../../http/schema'
import { withLinksUpdated } from '../links-updated'
import { Note } from '../schema'
import {
  DiffQuery,
  LabelRevision,
  ListRevisionsQuery,
  NoteRevision,
  NoteRevisionPage,
  OneNote,
  RevisionDiff,
  RevisionParams,
} from './schema'
import type { Revisions } from './service'

interface Deps {
  readonly revisions: Revisions
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function revisionRoutes({ revisions, once, session }: Deps) {
  return new Elysia({ prefix: '/api/notes/:id/revisions', tags: ['Notes'] })
    .get('', ({ request, params, query }) => revisions.list(session(request), params.id, query), {
      params: OneNote,
      query: ListRevisionsQuery,
      response: { 200: NoteRevisionPage },
      detail: {
        operationId: 'listNoteRevisions',
        summary: 'List the revisions of a note',
        description: 'Newest first, without bodies; the first is the note as it is. Old ones are thinned out.',
      },
    })
    .get(
      '/:n',
      async ({ request, params: { id, n }, set }) =>
        sendResource(request, set, await revisions.get(session(request), id, Number(n))),
      {
        params: RevisionParams,
        response: { 200: NoteRevision, 304: NoContent },
        detail: {
          operationId: 'getNoteRevision',
          summary: 'Get a revision of a note',
          description: 'Whole, as the note was then.',
        },
      },
    )
    .patch(
      '/:n',
      async ({ request, params: { id, n }, body, set }) =>
        send(set, changed(await revisions.label(session(request), id, Number(n), body, ifMatch(request)))),
      {
        params: RevisionParams,
        body: LabelRevision,
        response: { 200: NoteRevision, 409: Problem, 412: Problem },
        detail: {
          operationId: 'labelNoteRevision',
          summary: 'Label a revision',
          description: 'A note may have 100 labelled ones. They are never thinned.',
        },
      },
    )
    .get(
      '/:n/diff',
      ({ request, params: { id, n }, query }) => revisions.diff(session(request), id, Number(n), query),
      {
        params: RevisionParams,
        query: DiffQuery,
        response: { 200: RevisionDiff },
        detail: {
          operationId: 'compareNoteRevisions',
          summary: 'Compare two revisions',
          description: 'A unified diff of the bodies, to the note as it is or to the revision `to`.',
        },
      },
    )
    .post(
      '/:n/restore',
      async ({ request, params: { id, n }, body, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) => {
            const note = await revisions.restore(within, id, Number(n), ifMatch(request))
            return withLinksUpdated(changed(note), note.linksUpdated)
          }),
        ),
      {
        params: RevisionParams,
        response: { 200: Note, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreNoteRevision',
          summary: 'Restore a revision',
          description:
            'Makes a new revision with the old title, body, folder, tags and properties. If-Match is the note’s. Links that led to the note lead to it still; the header `X-Links-Updated` counts the notes rewritten.',
        },
      },
    )
}
