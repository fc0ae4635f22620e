import { Elysia, type Static, t } from 'elysia'
import type { Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { refuses } from '../../http/api-error'
import { asInteger, nameSchemas } from '../../http/schema'
import type { SearchEngine } from '../../search/engine'
import { SearchPage, SearchQuery } from '../../search/schema'
import type { OwnSearch, SearchEverything } from '../../search/service'
import { readFilter } from '../filters'
import { PROPERTY_SORT_KEY_KINDS, readPropertySort } from '../list-store'
import { toSummary } from '../note'
import { createSortSchema, NoteParams, NoteSummary, noteFilters, relatedExample } from '../schema'
import { noteReader } from '../service'
import { getNoteHeads } from '../store'
import { listOrdered, selectFiltered, toOrderKeys } from './store'

const { trashed: _, archived, ...filters } = noteFilters

const { types: __, q, ...words } = SearchQuery.properties

const SearchNotes = t.Object(
  {
    q: t.String({
      ...q,
      description: `${q.description} Properties: status:done (the whole value, also in quotes), status:do*, rating>=4, has:rating.`,
    }),
    ...words,
    sort: t.Optional(
      createSortSchema(
        ['-updated'],
        'Lists all matches in this order; `-updated` is newest first. Default: best matches first.',
      ),
    ),
    archived: t.Optional(archived),
    ...filters,
  },
  { additionalProperties: false },
)

const ListRelatedQuery = t.Object(
  {
    limit: t.Optional(
      t.String({
        pattern: '^([1-9]|[1-4][0-9]|50)$',
        ...asInteger({ minimum: 1, maximum: 50, default: 10 }),
        description: 'The maximum number of notes: 1 to 50. Default: 10.',
        error: 'must be a whole number from 1 to 50',
      }),
    ),
  },
  { additionalProperties: false },
)

const RelatedNotes = t.Object(
  {
    items: t.Array(NoteSummary),
    by: t.Union([t.Literal('meaning'), t.Literal('words')], {
      description:
        'How the notes were found: by `meaning`, or by the `words` that are typical of this note if the server has no model for embeddings or has not processed this note yet.',
    }),
  },
  { examples: [relatedExample] },
)

type ListRelatedQuery = Static<typeof ListRelatedQuery>
type RelatedNotes = Static<typeof RelatedNotes>
type SearchNotes = Static<typeof SearchNotes>

export type NoteSearch = ReturnType<typeof createNoteSearch>

/** Makes the search of notes alone, with the filters and the sorts of their list. */
export function createNoteSearch(search: SearchEverything) {
  return (session: Session, request: SearchNotes): Promise<SearchPage> => {
    const { sort = null, q, time_zone, strict, prefix, limit, cursor, ...filters } = request
    const filter = readFilter(filters, 'any')
    const query = { q, time_zone, strict, prefix, limit, cursor, types: 'note' }
    return search(session, query, {
      binding: [sort, filter],
      selectAllowed: selectFiltered(filter),
      order: sort === null ? null : orderBy(sort),
      orderWithoutWords: orderBy('-updated'),
    })
  }
}

function orderBy(sort: string): OwnSearch['orderWithoutWords'] {
  const property = readPropertySort(sort)
  return {
    kinds: property ? PROPERTY_SORT_KEY_KINDS : ['number', 'string'],
    async list(session, docs, after, limit) {
      const rows = await listOrdered(session, docs, { after, limit, ...property })
      return rows.map((row) => ({ key: row.key, sorted: toOrderKeys(row) }))
    },
  }
}

/** The number of related notes listed if the query has no limit. */
const DEFAULT_RELATED_NOTES = 10

type ListRelatedNotes = ReturnType<typeof createRelatedNotes>

/**
 * Makes the list of notes that are similar to a note, most similar first; empty for a note in the trash. It throws
 * not_found.
 */
export function createRelatedNotes({ findRelated }: Pick<SearchEngine, 'findRelated'>) {
  return async (session: Session, id: string, { limit }: ListRelatedQuery): Promise<RelatedNotes> => {
    const note = await noteReader.load(session, id)
    const { keys, by } = await findRelated(session, 'note', note.key, Number(limit ?? DEFAULT_RELATED_NOTES))
    const rows = new Map((await getNoteHeads(session, keys)).map((row) => [row.key, row]))
    const living = keys.flatMap((key) => rows.get(key) ?? []).filter((row) => row.deleted_at === null)
    return { items: living.map(toSummary), by }
  }
}

interface Deps {
  readonly search: NoteSearch
  readonly related: ListRelatedNotes
  readonly api: RequestPlugin
}

nameSchemas({ RelatedNotes })

export function noteSearchRoutes({ search, related, api }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Search notes'] })
    .use(api)
    .get('/search', ({ session, query }) => search(session, query), {
      query: SearchNotes,
      response: { 200: SearchPage },
      detail: {
        operationId: 'searchNotes',
        ...refuses('invalid_cursor', 'invalid_query'),
        summary: 'Search notes',
        description: 'The search over everything, for notes alone: with the filters and sorts of their list.',
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
