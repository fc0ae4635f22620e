import { Elysia, type Static, t } from 'elysia'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { refuses } from '../../http/api-error'
import { readCursor, writeCursor } from '../../http/cursor'
import { readZoneOrDefault } from '../../http/default-zone'
import type { RequestPlugin } from '../../http/request'
import { asInteger, Cursor, Limit, nameSchemas } from '../../http/schema'
import { DEFAULT_LIMIT } from '../../http/values'
import { readPosition, writePosition } from '../../search/cursor'
import type { SearchEngine } from '../../search/engine'
import type { Word } from '../../search/plan'
import { hasText, listPropertyNames, type Query, readQuery } from '../../search/query'
import { Prefix, Snippet, Strict, understood } from '../../search/schema'
import { Snippets } from '../../search/snippet'
import { readFilter } from '../filters'
import { toSummary } from '../note'
import { PROPERTY_SORT_KEY_KINDS, readPropertySort } from '../property-sort-store'
import { findKnownProperties } from '../property-store'
import { createSortSchema, NoteParams, NoteSummary, noteFilters, relatedExample, searchExample } from '../schema'
import { noteReader } from '../service'
import type { SummaryRow } from '../store'
import { getBody, getSummaries, listOrdered, selectFiltered, toOrderKeys } from './store'

const { trashed: _, archived, ...filters } = noteFilters

const SearchNotes = t.Object(
  {
    q: t.String({
      description:
        'Words as people type them: notes with all words come first, then notes with most or some of them. Exact: "phrases", word*, *word*, -not, OR, brackets, fields such as tag: and is:, and properties: status:done (the whole value, also in quotes), status:do*, rating>=4, has:rating.',
      examples: ['zurcher -tag:done'],
    }),
    time_zone: t.Optional(
      t.String({
        description: 'The IANA time zone of dates in the query. Default: that of the workspace, else UTC.',
        examples: ['Europe/Zurich'],
      }),
    ),
    sort: t.Optional(
      createSortSchema(
        ['-updated'],
        'Lists all matches in this order; `-updated` is newest first. Default: best matches first.',
      ),
    ),
    strict: t.Optional(Strict),
    prefix: t.Optional(Prefix),
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
    archived: t.Optional(archived),
    ...filters,
  },
  { additionalProperties: false },
)

export const NoteSearchPage = t.Object(
  {
    items: t.Array(t.Object({ note: NoteSummary, snippets: t.Array(Snippet) })),
    ...understood,
    next_cursor: t.Union([t.String(), t.Null()], { description: 'Null on the last page.' }),
  },
  { examples: [searchExample] },
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
export type NoteSearchPage = Static<typeof NoteSearchPage>

interface NoteSearchDeps extends Pick<SearchEngine, 'find' | 'findAll'>, Pick<Context, 'now'> {}

export type NoteSearch = ReturnType<typeof createNoteSearch>

/**
 * Makes the search of living notes. It throws invalid_query, invalid_request for filters and time zone, invalid_cursor.
 */
export function createNoteSearch({ now, find, findAll }: NoteSearchDeps) {
  return async (session: Session, request: SearchNotes): Promise<NoteSearchPage> => {
    const { q, time_zone: zone, sort = null, strict, prefix, limit: size, cursor, ...filters } = request
    const time_zone = await readZoneOrDefault(session, zone)
    const limit = Number(size ?? DEFAULT_LIMIT)
    const filter = readFilter(filters, 'any')
    const binding = JSON.stringify(['search', q, time_zone, sort, strict, prefix, filter])
    const properties = await findKnownProperties(session.db, session.workspace.id, listPropertyNames(q))
    const input = {
      query: readQuery(q, time_zone, now(), (name) => properties.has(name)),
      types: ['note'] as const,
      limit,
      strict: strict === 'true',
      prefix: prefix === 'last',
      selectAllowed: selectFiltered(filter),
    }
    // Without words there is nothing to rank by, so the newest come first.
    const page = sort === null && hasText(input.query) ? await findBest() : await findSorted()
    const items = await addSnippets(session, input.query, page.words, page.found)
    return {
      items: items.map(({ row, snippets }) => ({ note: toSummary(row), snippets })),
      relaxed: page.relaxed,
      ignored: [...page.ignored],
      corrected: [...page.corrected],
      meaning: page.meaning,
      ranking_limited: page.limited,
      next_cursor: page.next,
    }

    async function findBest() {
      const after = cursor === undefined ? null : readPosition(cursor, binding)
      const { next, ...results } = await find(session, { ...input, meaning: true, after })
      return { ...results, next: next && writePosition(binding, next) }
    }

    async function findSorted() {
      const property = readPropertySort(sort ?? '')
      const kinds = property ? PROPERTY_SORT_KEY_KINDS : (['number', 'string'] as const)
      const after = cursor === undefined ? null : readCursor(cursor, binding, kinds)
      const { keys, ...results } = await findAll(session, input)
      const order = { after, limit: limit + 1 }
      const rows = await listOrdered(
        session.db,
        session.workspace.id,
        keys,
        property ? { ...order, ...property } : order,
      )
      const found = rows.slice(0, limit)
      const last = found.at(-1)
      return {
        ...results,
        meaning: false,
        found,
        next: last && rows.length > limit ? writeCursor(binding, toOrderKeys(last)) : null,
      }
    }
  }
}

/** Returns the notes that still exist, in the order of `found`, with the snippets that match the query. */
async function addSnippets(
  { db, workspace }: Session,
  query: Query,
  words: readonly Word[],
  found: readonly { readonly key: number }[],
) {
  const rows = await getSummaries(
    db,
    workspace.id,
    found.map(({ key }) => key),
  )
  const snippets = new Snippets(query, words)
  const items: { row: SummaryRow; snippets: Snippet[] }[] = []
  for (const { key } of found) {
    const row = rows.get(key)
    if (!row) continue
    const body = snippets.canSearchBodies ? await getBody(db, workspace.id, key) : ''
    const tags = (JSON.parse(row.tags) as string[]).join('\n')
    items.push({ row, snippets: snippets.extract({ title: row.title, tags, body }) })
  }
  return items
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
    const { db, workspace } = session
    const note = await noteReader.load(session, id)
    const { keys, by } = await findRelated(session, 'note', note.key, Number(limit ?? DEFAULT_RELATED_NOTES))
    const rows = await getSummaries(db, workspace.id, keys)
    const living = keys.flatMap((key) => rows.get(key) ?? []).filter((row) => row.deleted_at === null)
    return { items: living.map(toSummary), by }
  }
}

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
        ...refuses('invalid_cursor', 'invalid_query'),
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
