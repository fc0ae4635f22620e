import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { ListRelatedQuery, NoteSearchPage, OneNote, RelatedNotes, SearchNotes } from './schema'
import type { ListRelatedNotes, NoteSearch } from './service'

interface Deps {
  readonly search: NoteSearch
  readonly related: ListRelatedNotes
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function noteSearchRoutes({ search, related, session }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] })
    .get('/search', ({ request, query }) => search(session(request), query), {
      query: SearchNotes,
      response: { 200: NoteSearchPage },
      detail: {
        operationId: 'searchNotes',
        summary: 'Search notes',
        description: 'The best first. Accents and case make no difference.',
      },
    })
    .get('/:id/related', ({ request, params, query }) => related(session(request), params.id, query), {
      params: OneNote,
      query: ListRelatedQuery,
      response: { 200: RelatedNotes },
      detail: {
        operationId: 'listRelatedNotes',
        summary: 'List related notes',
        description: 'Notes about the same, the nearest first. Nothing in the trash is related to anything.',
      },
    })
}
