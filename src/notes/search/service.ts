import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { readCursor, writeCursor } from '../../http/cursor'
import { readZoneOrDefault } from '../../http/default-zone'
import { DEFAULT_LIMIT } from '../../http/values'
import { readPosition, writePosition } from '../../search/cursor'
import type { SearchEngine } from '../../search/engine'
import type { Word } from '../../search/plan'
import { hasText, listPropertyNames, type Query, readQuery } from '../../search/query'
import type { Snippet } from '../../search/schema'
import { Snippets } from '../../search/snippet'
import { readFilter } from '../filters'
import { toSummary } from '../note'
import { PROPERTY_SORT_KEY_KINDS, readPropertySort } from '../property-sort-store'
import { findKnownProperties } from '../property-store'
import { noteReader } from '../service'
import type { SummaryRow } from '../store'
import type { ListRelatedQuery, NoteSearchPage, RelatedNotes, SearchNotes } from './schema'
import { selectFiltered } from './source-store'
import { getBody, getSummaries, listOrdered, toOrderKeys } from './store'

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
      const { docs, ...results } = await findAll(session, input)
      const order = { after, limit: limit + 1 }
      const rows = await listOrdered(
        session.db,
        session.workspace.id,
        docs,
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

export type ListRelatedNotes = ReturnType<typeof createRelatedNotes>

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
