import type { Bindings, Context, Session } from '../db/database'
import { busy, invalid } from '../http/api-error'
import { type Key, readCursor, writeCursor } from '../http/cursor'
import { DEFAULT_LIMIT, readChoices, readZoneOrDefault, writeInstant } from '../http/values'
import type { Found } from './ask'
import { readPosition, writePosition } from './cursor'
import type { SearchEngine } from './engine'
import type { Results } from './find'
import { hasText, listPropertyNames, type Query, readQuery } from './query'
import type { SearchPage, SearchQuery, SearchResult } from './schema'
import { Snippets } from './snippet'
import { type FoundItem, type SearchSources, TYPES, type Type } from './source'
import { readStars } from './tokens'

const PATHS: Readonly<Record<Type, string>> = {
  note: '/api/notes',
  task: '/api/tasks',
  fact: '/api/flashcards/facts',
}

const DATE_FIELD = /(?:created|updated):/

/** Results whose texts are read at a time: a note may have a megabyte. */
const RESULTS_PER_READ = 16
/** For an answer, fewer at a time, until so many UTF-16 units are read. */
const [TEXTS_PER_READ, MAX_READ_UNITS] = [10, 1 << 20]

/** The filters and the order that only one type has. */
export interface OwnSearch {
  /** Identifies the filters and the order in cursors. */
  readonly binding: unknown
  /** See `SearchOptions`. */
  readonly selectAllowed: ((bind: Bindings) => string) | null
  /** The order of a list of all matches; null: best first. */
  readonly order: Order | null
  /** The order if there is nothing to rank by: a query without words. */
  readonly orderWithoutWords: Order
}

interface Order {
  /** The types of the sort keys. */
  readonly kinds: readonly ('string' | 'number')[]
  /** Lists the first of some keys after the sort keys of one, in order. */
  list(
    session: Session,
    keys: readonly number[],
    after: readonly Key[] | null,
    limit: number,
  ): Promise<readonly { readonly key: number; readonly sorted: readonly Key[] }[]>
}

interface Deps extends Pick<SearchEngine, 'find' | 'findAll'>, Pick<Context, 'now'> {
  readonly sources: SearchSources
}

/** A request, whose members may be undefined, not only absent. */
type SearchInput = { readonly [Member in keyof SearchQuery]: SearchQuery[Member] | undefined } & { readonly q: string }

export type SearchEverything = ReturnType<typeof createSearchEverything>

/**
 * Searches resources of every type outside the trash, or of one with filters of its own. Throws invalid_query,
 * invalid_request (types, time zone), invalid_cursor.
 */
export function createSearchEverything({ now, find, findAll, sources }: Deps) {
  async function listProperties(session: Session, names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const known = await Promise.all(TYPES.map((type) => sources[type].listProperties?.(session, names)))
    return new Set(known.flatMap((names) => [...(names ?? [])]))
  }

  return async (session: Session, input: SearchInput, own: OwnSearch | null = null): Promise<SearchPage> => {
    const { q, cursor, strict, prefix } = input
    // Dates alone are read in a zone.
    const hasZone = input.time_zone !== undefined || DATE_FIELD.test(q)
    const timeZone = hasZone ? await readZoneOrDefault(session, input.time_zone) : 'UTC'
    const properties = await listProperties(session, listPropertyNames(q))
    const query = readQuery(q, timeZone, now(), (name) => properties.has(name))
    const types = input.types === undefined ? TYPES : readChoices(input.types, TYPES, '/types')
    const binding = JSON.stringify(['search', q, timeZone, types, strict, prefix, own?.binding ?? null])
    const options = {
      query,
      types,
      limit: Number(input.limit ?? DEFAULT_LIMIT),
      strict: strict === 'true',
      prefix: prefix === 'last',
      selectAllowed: own?.selectAllowed ?? null,
    }
    const order = own && (own.order ?? (hasText(query) ? null : own.orderWithoutWords))
    const page = order ? await listSorted(order) : await listBest()
    return {
      items: await readResults(session, sources, query, page),
      relaxed: page.relaxed,
      ignored: [...page.ignored],
      corrected: [...page.corrected],
      meaning: page.meaning,
      ranking_limited: page.limited,
      next_cursor: page.next,
    }

    async function listBest() {
      const after = cursor === undefined ? null : readPosition(cursor, binding)
      const { next, ...results } = await find(session, { ...options, meaning: true, after })
      return { ...results, next: next && writePosition(binding, next) }
    }

    async function listSorted({ kinds, list }: Order) {
      const { limit } = options
      const after = cursor === undefined ? null : readCursor(cursor, binding, kinds)
      const { keys, countWords, ...results } = await findAll(session, options)
      const rows = await list(session, keys, after, limit + 1)
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      const counts = await countWords(shown.map(({ key }) => key))
      return {
        ...results,
        meaning: false,
        found: shown.map(({ key }) => ({ type: types[0] ?? 'note', key, words: counts.get(key) ?? 0 })),
        next: last && rows.length > limit ? writeCursor(binding, last.sorted) : null,
      }
    }
  }
}

type Keyed = Pick<Found, 'type' | 'key'>

/** Reads what still exists, by type and key. */
async function readItems(session: Session, sources: SearchSources, found: readonly Keyed[]) {
  const items = new Map<Type, Awaited<ReturnType<SearchSources[Type]['readItems']>>>()
  for (const [type, some] of Map.groupBy(found, (one) => one.type)) {
    const keys = some.map(({ key }) => key)
    items.set(type, await sources[type].readItems(session, keys))
  }
  return items
}

/** Returns what still exists, in the order of `found`, with the snippets that match the query. */
async function readResults(
  session: Session,
  sources: SearchSources,
  query: Query,
  { found, seen }: Pick<Results, 'seen'> & { found: readonly Pick<Found, 'type' | 'key' | 'words'>[] },
): Promise<SearchResult[]> {
  const snippets = new Snippets(query, seen)
  const results: SearchResult[] = []
  for (let at = 0; at < found.length; at += RESULTS_PER_READ) {
    const some = found.slice(at, at + RESULTS_PER_READ)
    const items = await readItems(session, sources, some)
    for (const { type, key, words } of some) {
      const item = items.get(type)?.get(key)
      if (!item) continue
      const { id, title, revision, updated_at, texts, shown } = item
      const { tags, body } = texts
      results.push({
        ...{ type, id, title, url: `${PATHS[type]}/${id}`, revision, updated_at: writeInstant(updated_at) },
        ...{ tags: [...tags], words },
        snippets: snippets.extract({ title: texts.title, tags: tags.join('\n'), body }),
        ...shown,
      } as SearchResult)
    }
  }
  return results
}

/** A text that was found, with all that it says. */
export interface FoundText extends FoundItem {
  readonly type: Type
  /** Its score relative to that of the best one: 1 for that, less for the others. */
  readonly rank: number
}

export type FindTexts = ReturnType<typeof createFindTexts>

/** Makes the search that answers of chat are read from: the whole texts of the best results, best first. */
export function createFindTexts({ find, sources }: Pick<Deps, 'find' | 'sources'>) {
  return async (
    session: Session,
    words: readonly { readonly text: string; readonly weight: number }[],
    { types, limit }: { readonly types: readonly Type[]; readonly limit: number },
  ) => {
    const leaf = { kind: 'text', field: null, match: 'whole', mayBegin: true } as const
    const query: Query = { kind: 'and', parts: words.map((word) => ({ ...leaf, ...word })) }
    const { found, ...understood } = await find(session, { query, types, limit, meaning: true })
    const best = found[0]?.score || 1
    const texts: FoundText[] = []
    let units = 0
    for (let at = 0; at < found.length && units < MAX_READ_UNITS; at += TEXTS_PER_READ) {
      const some = found.slice(at, at + TEXTS_PER_READ)
      const items = await readItems(session, sources, some)
      for (const { type, key, score } of some) {
        const item = items.get(type)?.get(key)
        if (item) texts.push({ type, rank: Math.max(0, score / best), ...item })
        units += item?.texts.body.length ?? 0
      }
    }
    return { texts, ...understood }
  }
}

/** Reads plain words as a query that needs all of them. A star at the end of a word makes it a beginning. */
export function readWords(text: string): Query {
  const words = text.split(/\s+/).filter((word) => word !== '')
  return { kind: 'and', parts: words.map((word) => ({ kind: 'text', field: null, ...readStars(word) })) }
}

/** Resources of a list that a text may match: their keys go into the statement of the list. */
export const MAX_LISTED_MATCHES = 10_000

/**
 * Finds the keys of all resources of a type that hold all words of a query, for the text filters of lists. Throws
 * invalid_request at `pointer` if there are more than MAX_LISTED_MATCHES, unavailable while they are not all indexed.
 */
export function createFindKeys({ findAll }: Pick<SearchEngine, 'findAll'>) {
  return async (session: Session, type: Type, query: Query, pointer: string): Promise<readonly number[]> => {
    const { keys, limited } = await findAll(session, { query, types: [type], limit: 0, strict: true })
    if (limited) throw busy('Some texts are not indexed yet. Try again in a moment.')
    if (keys.length > MAX_LISTED_MATCHES) {
      const most = MAX_LISTED_MATCHES.toLocaleString('en')
      throw invalid(pointer, 'too_many', `more than ${most} resources hold these words; add a word`)
    }
    return keys
  }
}
