import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { readZoneOrDefault } from '../http/default-zone'
import { DEFAULT_LIMIT, readChoices, writeInstant } from '../http/values'
import { readPosition, writePosition } from './cursor'
import type { SearchEngine } from './engine'
import { listPropertyNames, readQuery } from './query'
import type { SearchPage, SearchQuery } from './schema'
import { Snippets } from './snippet'
import { type SearchSources, TYPES, type Type } from './source'

const PATHS: Readonly<Record<Type, string>> = {
  note: '/api/notes',
  task: '/api/tasks',
  fact: '/api/flashcards/facts',
}

interface Deps extends Pick<SearchEngine, 'find'>, Pick<Context, 'now'> {
  readonly sources: SearchSources
}

export type SearchEverything = ReturnType<typeof createSearchEverything>

/**
 * Searches resources of every type outside the trash. Throws invalid_query, invalid_request (types, time zone),
 * invalid_cursor.
 */
export function createSearchEverything({ now, find, sources }: Deps) {
  async function listProperties({ db, workspace }: Session, names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const known = await Promise.all(TYPES.map((type) => sources[type].listProperties?.(db, workspace.id, names)))
    return new Set(known.flatMap((names) => [...(names ?? [])]))
  }

  return async (session: Session, input: SearchQuery): Promise<SearchPage> => {
    const { q, cursor, strict, prefix } = input
    const timeZone = await readZoneOrDefault(session, input.time_zone)
    const properties = await listProperties(session, listPropertyNames(q))
    const query = readQuery(q, timeZone, now(), (name) => properties.has(name))
    const types = input.types === undefined ? TYPES : readChoices(input.types, TYPES, '/types')
    const binding = JSON.stringify(['everything', q, timeZone, types, strict, prefix])
    const { found, words, next, relaxed, ignored, corrected, meaning, limited } = await find(session, {
      query,
      types,
      limit: Number(input.limit ?? DEFAULT_LIMIT),
      strict: strict === 'true',
      prefix: prefix === 'last',
      meaning: true,
      after: cursor === undefined ? null : readPosition(cursor, binding),
    })
    const snippets = new Snippets(query, words)
    const shown = new Map<Type, Awaited<ReturnType<SearchSources[Type]['readItems']>>>()
    for (const type of types) {
      const keys = found.filter((one) => one.type === type).map(({ key }) => key)
      if (keys.length > 0) shown.set(type, await sources[type].readItems(session, keys))
    }
    return {
      items: found.flatMap(({ type, key, words: matched }) => {
        const one = shown.get(type)?.get(key)
        if (!one) return []
        const { id, title, revision, updated_at, texts } = one
        const { tags, body } = texts
        return {
          type,
          id,
          title,
          url: `${PATHS[type]}/${id}`,
          revision,
          updated_at: writeInstant(updated_at),
          words: matched,
          snippets: snippets.extract({ title: texts.title, tags: tags.join('\n'), body }),
        }
      }),
      relaxed,
      ignored: [...ignored],
      corrected: [...corrected],
      meaning,
      ranking_limited: limited,
      next_cursor: next && writePosition(binding, next),
    }
  }
}
