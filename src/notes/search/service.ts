import type { Session } from '../../db/database'
import { readCursor, writeCursor } from '../../http/cursor'
import { DEFAULT_LIMIT } from '../../http/values'
import { readPosition, writePosition } from '../../search/cursor'
import type { SearchEngine } from '../../search/engine'
import { hasText, propertiesIn, readQuery } from '../../search/query'
import { readFilter } from '../filters'
import { toSummary } from '../note'
import { PROPERTY_KINDS, readPropertySort } from '../property-sort.sqlite'
import { knownProperties } from '../property-store.sqlite'
import type { SearchNotes, SearchPage } from './schema'
import { withSnippets } from './shown'
import { withinFilter } from './source.sqlite'
import { listOrdered, orderKeys } from './store'

export interface SearchDeps extends Pick<SearchEngine, 'find' | 'findAll'> {
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export type Search = ReturnType<typeof createSearch>

/** Finds living notes. Throws invalid_query, invalid_request for filters and time zone, invalid_cursor. */
export function createSearch({ now, find, findAll }: SearchDeps) {
  return async (session: Session, asked: SearchNotes): Promise<SearchPage> => {
    const { q, tz = 'UTC', sort = null, strict, prefix, limit: size, cursor, ...filters } = asked
    const limit = Number(size ?? DEFAULT_LIMIT)
    const filter = readFilter(filters, 'any')
    const binding = JSON.stringify(['search', q, tz, sort, strict, prefix, filter])
    const properties = await knownProperties(session.db, session.workspace.id, propertiesIn(q))
    const question = {
      query: readQuery(q, tz, now(), (name) => properties.has(name)),
      types: ['note'] as const,
      limit,
      strict: strict === 'true',
      prefix: prefix === 'last',
      within: withinFilter(filter),
    }
    // Nothing tells finds without words apart but when they were changed.
    const page = sort === null && hasText(question.query) ? await best() : await ordered()
    const items = await withSnippets(session, question.query, page.words, page.found)
    return {
      items: items.map(({ row, snippets }) => ({ note: toSummary(row), snippets })),
      relaxed: page.relaxed,
      ignored: [...page.ignored],
      corrected: [...page.corrected],
      meaning: page.meaning,
      ranking_limited: page.limited,
      next_cursor: page.next,
    }

    async function best() {
      const after = cursor === undefined ? null : readPosition(cursor, binding)
      const { next, ...results } = await find(session, { ...question, meaning: true, after })
      return { ...results, next: next && writePosition(binding, next) }
    }

    async function ordered() {
      const property = readPropertySort(sort ?? '')
      const kinds = property ? PROPERTY_KINDS : (['number', 'string'] as const)
      const after = cursor === undefined ? null : readCursor(cursor, binding, kinds)
      const { docs, ...results } = await findAll(session, question)
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
        next: last && rows.length > limit ? writeCursor(binding, orderKeys(last)) : null,
      }
    }
  }
}
