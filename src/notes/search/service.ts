import type { Queries, Session } from '../../db/database'
import { readZone } from '../../http/civil'
import { type Key, readCursor, writeCursor } from '../../http/cursor'
import { Refusal } from '../../http/problem'
import { DEFAULT_LIMIT } from '../../http/values'
import { type NoteFilter, readFilter } from '../filters'
import { toSummary } from '../note'
import {
  type Candidate,
  type Found,
  findNewest,
  findNotes,
  findTimes,
  findWrittenLast,
  getBody,
  getSummaries,
} from './find.sqlite'
import { tagText } from './follower'
import { type Plan, planOf } from './plan'
import { parseQuery, type Query, QueryError } from './query'
import { refuseRepeats } from './repeats'
import type { SearchNotes, SearchPage } from './schema'
import { Snippets } from './snippet'

/** How many matches are ranked. */
const RANKED = 2000

export interface SearchDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export type Search = ReturnType<typeof createSearch>

/** Finds living notes. Throws invalid_query, invalid_request for filters and time zone, invalid_cursor. */
export function createSearch({ now }: SearchDeps) {
  return async (session: Session, asked: SearchNotes): Promise<SearchPage> => {
    const { q, tz = 'UTC', sort = null, limit = DEFAULT_LIMIT, cursor, ...filters } = asked
    const query = read(q, tz, now())
    const filter = readFilter(filters, 'any')
    const binding = JSON.stringify(['search', q, tz, sort, filter])
    const request = { session, plan: planOf(query), filter, limit: Number(limit), binding, cursor }
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
  readonly plan: Plan
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

function read(q: string, tz: string, now: number): Query {
  const zone = readZone(tz, '/tz')
  try {
    const query = parseQuery(q, { now, zone })
    refuseRepeats(query)
    return query
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    throw new Refusal('invalid_query', error.message, { column: error.column })
  }
}

/** By rank. The cursor holds how many were shown: a score would tell of other workspaces. */
async function best({ session, plan, filter, limit, binding, cursor }: Request): Promise<Page> {
  const [shown] = cursor === undefined ? [0] : readCursor(cursor, binding, ['number'])
  const start = Math.max(0, Number(shown))
  const candidates = await findWrittenLast(session.db, session.workspace.id, plan, filter, RANKED + 1)
  const ranked = candidates.slice(0, RANKED)
  const end = start + limit
  const notes = await findNotes(session.db, session.workspace.id, await bestOf(session.db, ranked, end))
  return {
    found: notes.sort(byRank).slice(start, end),
    next: end < ranked.length ? [end] : null,
    limited: candidates.length > RANKED,
  }
}

/**
 * The best so many, and whichever equal the last of them: only to tell these apart takes their notes, long rows that lie
 * far apart.
 */
async function bestOf(db: Queries, candidates: readonly Candidate[], count: number): Promise<readonly Candidate[]> {
  const best = firstOf(candidates, count, (a, b) => a.score - b.score)
  if (best.length <= count) return best
  const times = await findTimes(db, best)
  const time = ({ doc }: Candidate) => times.get(doc) ?? 0
  return firstOf(best, count, (a, b) => a.score - b.score || time(b) - time(a))
}

function firstOf<T>(items: readonly T[], count: number, compare: (a: T, b: T) => number): readonly T[] {
  const last = items.toSorted(compare)[count - 1]
  return last === undefined ? items : items.filter((item) => compare(item, last) <= 0)
}

async function newest({ session, plan, filter, limit, binding, cursor }: Request): Promise<Page> {
  const after = cursor === undefined ? null : readCursor(cursor, binding, ['number', 'string'])
  const page = { after, limit: limit + 1 }
  const rows = await findNewest(session.db, session.workspace.id, plan, filter, page)
  const found = rows.slice(0, limit)
  const last = found.at(-1)
  return { found, next: last && rows.length > limit ? [last.updated_at, last.id] : null, limited: false }
}

/** The best rank first, then what changed last, then the newest id: no two notes are equal. */
function byRank(a: Found, b: Found): number {
  return a.score - b.score || b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1)
}

async function shown({ db, workspace }: Session, query: Query, found: readonly Found[]): Promise<SearchPage['items']> {
  const rows = await getSummaries(
    db,
    workspace.id,
    found.map(({ key }) => key),
  )
  const snippets = new Snippets(query)
  const items: SearchPage['items'] = []
  for (const { key } of found) {
    const row = rows.get(key)
    if (!row) continue
    const body = snippets.wanted ? await getBody(db, workspace.id, key) : ''
    items.push({ note: toSummary(row), snippets: snippets.of({ title: row.title, tags: tagText(row.tags), body }) })
  }
  return items
}
