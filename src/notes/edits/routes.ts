import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed } from '../../http/responses'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import { Note, NoteParams } from '../schema'
import { BodyEdit, DocumentTarget, EditNote, HeadingTarget, NoteOutline, TextTarget } from './schema'
import type { NoteEdits } from './service'

nameSchemas({ BodyEdit, DocumentTarget, EditNote, HeadingTarget, NoteOutline, TextTarget })

export function noteEditsRoutes({ edits, api }: { edits: NoteEdits; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes', tags: ['Edits and revisions'] })
    .use(api)
    .post(
      '/:id/edits',
      ({ request, params, body, once }) =>
        once(async (session) => {
          const note = await edits.apply(session, params.id, body, ifMatch(request))
          // The note of a dry run is not stored, so no ETag may name it.
          return body.dry_run ? { status: 200, headers: {}, body: note.resource } : changed(note)
        }),
      {
        idempotent: true,
        params: NoteParams,
        body: EditNote,
        response: { 200: Note, 409: Problem, 412: Problem },
        detail: {
          operationId: 'editNote',
          ...refuses('edit_target_ambiguous', 'edit_target_missing', 'too_many_links'),
          summary: 'Edit parts of a note',
          description:
            'Applies up to 100 edits in order, all or none, as one revision. If a target matches no part of the note or several, the response lists candidates, and nothing is changed.',
        },
      },
    )
    .get('/:id/outline', async ({ params, session, reply }) => reply.read(await edits.getOutline(session, params.id)), {
      params: NoteParams,
      response: { 200: NoteOutline, 304: NoContent, 409: Problem },
      detail: {
        operationId: 'getNoteOutline',
        ...refuses('conflict'),
        summary: 'Outline a note',
        description: 'Lists the headings in order, without those inside quotes and list items.',
      },
    })
}
