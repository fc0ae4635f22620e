import type { Session } from '../db/database'
import { readCursor, writeCursor } from '../http/cursor'
import { invalid } from '../http/problem'
import { DEFAULT_LIMIT, writeInstant } from '../http/values'
import type { Find, Finder } from '../search/finder'
import type { Query } from '../search/query'
import { readQuery } from '../search/read'
import { merge } from './merge'
import type { FindAll, FindPage } from './schema'

/** What there is, in the order in which equals stand. */
const TYPES = ['note', 'task', 'fact'] as const

type Type = (typeof TYPES)[number]

const PATHS: Readonly<Record<Type, string>> = {
  note: '/api/notes',
  task: '/api/tasks',
  fact: '/api/flashcards/facts',
}

/** A cursor holds how many of each type were shown. */
const KINDS = TYPES.map(() => 'number' as const)

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly finders: Readonly<Record<Type, Finder>>
}

type Typed = Find & { readonly type: Type }

export type FindEverywhere = ReturnType<typeof createFinding>

/** Finds what lives, of every type. Throws invalid_query, invalid_request for types and time zone, invalid_cursor. */
export function createFinding({ now, finders }: Deps) {
  /** What is shown of finds, by type and key; less what is gone by now. */
  async function shown(
    session: Session,
    query: Query,
    finds: readonly Typed[],
  ): Promise<Map<Typed, FindPage['items'][number]>> {
    const items = new Map<Typed, FindPage['items'][number]>()
    for (const type of TYPES) {
      const own = finds.filter((find) => find.type === type)
      if (own.length === 0) continue
      const details = await finders[type].show(session, query, own)
      for (const find of own) {
        const detail = details.get(find.key)
        const url = `${PATHS[type]}/${find.id}`
        if (detail) items.set(find, { type, ...detail, url, updated_at: writeInstant(detail.updated_at) })
      }
    }
    return items
  }

  return async (session: Session, asked: FindAll): Promise<FindPage> => {
    const { q, tz = 'UTC', cursor } = asked
    const limit = Number(asked.limit ?? DEFAULT_LIMIT)
    const query = readQuery(q, tz, now())
    const types = readTypes(asked.types)
    const binding = JSON.stringify(['find', q, tz, types])
    const seen = cursor === undefined ? TYPES.map(() => 0) : readCursor(cursor, binding, KINDS).map(counted)
    const lists: Typed[][] = []
    let limited = false
    for (const type of types) {
      const found = await finders[type].find(session, query, { from: seen[TYPES.indexOf(type)] ?? 0, limit: limit + 1 })
      lists.push(found.finds.map((find) => ({ ...find, type })))
      limited ||= found.limited
    }
    const merged = merge(lists)
    const finds = merged.slice(0, limit)
    const items = await shown(session, query, finds)
    const next = TYPES.map((type, i) => (seen[i] ?? 0) + finds.filter((find) => find.type === type).length)
    return {
      items: finds.flatMap((find) => items.get(find) ?? []),
      ranking_limited: limited,
      next_cursor: merged.length > limit ? writeCursor(binding, next) : null,
    }
  }
}

function counted(key: unknown): number {
  return Math.max(0, Math.trunc(Number(key)))
}

/** In the order of TYPES. */
function readTypes(text: string | undefined): readonly Type[] {
  if (text === undefined) return TYPES
  const names = text.split(',')
  const known = TYPES.filter((type) => names.includes(type))
  if (known.length !== names.length)
    throw invalid(
      '/types',
      'invalid_value',
      `types must be some of ${TYPES.join(', ')}, each once, with commas between`,
    )
  return known
}
