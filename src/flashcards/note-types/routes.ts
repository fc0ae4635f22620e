import { Elysia, t } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { Id, NoContent, nameSchemas } from '../../http/schema'
import { CardTemplate, ListNoteTypes, NoteType, NoteTypePage, NoteTypeSettings } from './schema'
import { getNoteType, listNoteTypes } from './service'

nameSchemas({ CardTemplate, NoteTypeSettings, NoteType, NoteTypePage })

export function noteTypesRoutes({ api }: { readonly api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/flashcards/note-types', tags: ['Facts and cards'] })
    .use(api)
    .get('', ({ session, query }) => listNoteTypes(session, query), {
      query: ListNoteTypes,
      response: { 200: NoteTypePage },
      detail: {
        operationId: 'listNoteTypes',
        summary: 'List note types',
        description:
          'Lists the note types of imported notes, by id: their fields, templates and CSS, as Anki has them.',
      },
    })
    .get('/:id', async ({ session, params, reply }) => reply.read(await getNoteType(session, params.id)), {
      params: t.Object({ id: Id }),
      response: { 200: NoteType, 304: NoContent },
      detail: {
        operationId: 'getNoteType',
        summary: 'Get a note type',
        description: 'Note types come with imports and never change, but for settings that were not known before.',
      },
    })
}
