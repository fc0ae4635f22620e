import type { Session } from '../../db/database'
import { type Key, readCursor, writeCursor } from '../../http/cursor'
import { DEFAULT_LIMIT } from '../../http/values'
import type { Query } from '../../search/query'
import { readQuery } from '../../search/read'
import { type NoteFilter, readFilter } from '../filters'
import { toSummary } from '../note'
import { bestFrom } from './best'
import { type Found, findNewest } from './find.sqlite'
import { planOf } from './plan'
import type { SearchNotes, SearchPage } from './schema'
import { withSnippets } from './shown'

export interface SearchDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export type Search = ReturnType<typeof createSearch>

/** Finds living notes. Throws invalid_query, invalid_request for filters and time zone, invalid_cursor. */
export function createSearch({ now }: SearchDeps) {
  return async (session: Session, asked: SearchNotes): Promise<SearchPage> => {
    const { q, tz = 'UTC', sort = null, limit = DEFAULT_LIMIT, cursor, ...filters } = asked
    const query = readQuery(q, tz, now())
    const filter = readFilter(filters, 'any')
    const binding = JSON.stringify(['search', q, tz, sort, filter])
    const request = { session, query, filter, limit: Number(limit), binding, cursor }
    const { found, next, limited } = await (sort === null ? best(request) : newest(request))
    return {
      items: await shown(session, query, found),
      ranking_limited: limited,
      next_cursor: next && writeCursor(binding, next),
    }
  }
}

interface Request {
  readonly session: Session
  readonly query: Query
  readonly filter: NoteFilter
  readonly limit: number
  readonly binding: string
  readonly cursor: string | undefined
}

interface Page {
  readonly found: readonly Found[]
  /** What the next page's cursor holds. */
  readonly next: readonly Key[] | null
  readonly limited: boolean
}

/** By rank. The cursor holds how many were shown. */
async function best({ session, query, filter, limit, binding, cursor }: Request): Promise<Page> {
  const [shown] = cursor === undefined ? [0] : readCursor(cursor, binding, ['number'])
  const start = Math.max(0, Number(shown))
  const { found, ranked, limited } = await bestFrom(session, query, filter, { from: start, limit })
  return { found, next: start + limit < ranked ? [start + limit] : null, limited }
}

async function newest({ session, query, filter, limit, binding, cursor }: Request): Promise<Page> {
  const after = cursor === undefined ? null : readCursor(cursor, binding, ['number', 'string'])
  const page = { after, limit: limit + 1 }
  const rows = await findNewest(session.db, session.workspace.id, planOf(query), filter, page)
  const found = rows.slice(0, limit)
  const last = found.at(-1)
  return { found, next: last && rows.length > limit ? [last.updated_at, last.id] : null, limited: false }
}

async function shown(session: Session, query: Query, found: readonly Found[]): Promise<SearchPage['items']> {
  const items = await withSnippets(session, query, found)
  return items.map(({ row, snippets }) => ({ note: toSummary(row), snippets }))
}
