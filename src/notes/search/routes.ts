import { Elysia } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas } from '../../http/schema'
import { NoteParams } from '../schema'
import { ListRelatedQuery, NoteSearchPage, RelatedNotes, SearchNotes } from './schema'
import type { ListRelatedNotes, NoteSearch } from './service'

interface Deps {
  readonly search: NoteSearch
  readonly related: ListRelatedNotes
  readonly api: RequestPlugin
}

nameSchemas({ NoteSearchPage, RelatedNotes })

export function noteSearchRoutes({ search, related, api }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Search notes'] })
    .use(api)
    .get('/search', ({ session, query }) => search(session, query), {
      query: SearchNotes,
      response: { 200: NoteSearchPage },
      detail: {
        operationId: 'searchNotes',
        summary: 'Search notes',
        description: 'Best matches first. Ignores accents and case.',
      },
    })
    .get('/:id/related', ({ session, params, query }) => related(session, params.id, query), {
      params: NoteParams,
      query: ListRelatedQuery,
      response: { 200: RelatedNotes },
      detail: {
        operationId: 'listRelatedNotes',
        summary: 'List related notes',
        description: 'Notes about similar things, most similar first. Notes in the trash are not related to any note.',
      },
    })
}
