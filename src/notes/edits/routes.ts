import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { changed, send, sendResource } from '../../http/responses'
import { Id, NoContent, Problem } from '../../http/schema'
import { Note } from '../schema'
import { EditNote, NoteOutline } from './schema'
import type { NoteEdits } from './service'

interface Deps {
  readonly edits: NoteEdits
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

const OneNote = t.Object({ id: Id })

export function noteEditsRoutes({ edits, once, session }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] })
    .post(
      '/:id/edits',
      async ({ request, params, body, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) => {
            const note = await edits.apply(within, params.id, body, ifMatch(request))
            // What a dry run shows is not stored, so no ETag may name it.
            return body.dry_run ? { status: 200, headers: {}, body: note.resource } : changed(note)
          }),
        ),
      {
        params: OneNote,
        body: EditNote,
        response: { 200: Note, 409: Problem, 412: Problem },
        detail: {
          operationId: 'editNote',
          summary: 'Edit parts of a note',
          description:
            'Up to 100 edits, in order, all or none, as one revision. A target that fits no place or several is refused with candidates, and nothing is changed.',
        },
      },
    )
    .get(
      '/:id/outline',
      async ({ request, params, set }) => sendResource(request, set, await edits.outline(session(request), params.id)),
      {
        params: OneNote,
        response: { 200: NoteOutline, 304: NoContent, 409: Problem },
        detail: {
          operationId: 'getNoteOutline',
          summary: 'Outline a note',
          description: 'Its headings in order; those inside quotes and list items are not listed.',
        },
      },
    )
}
