/** Finds what is similar to a note, a task or a fact: by meaning if it has vectors, else by its most frequent words. */
import type { Session } from '../db/database'
import { readText } from './analyze'
import type { createFind, FindDeps } from './find'
import { isCommonWord } from './languages'
import { type Texts, TYPES, type Type } from './source'
import { EVERYTHING } from './where.sqlite'

/** Words of a text that are searched for. */
const QUERY_WORDS = 24
/** UTF-16 units of a body in which words are counted. */
const BODY_UNITS = 32 * 1024
/** The weight of a word of the title or a tag, where one of the body weighs 1. */
const TITLE_WEIGHT = 5

/** The result of a search for similar resources. */
export interface Related {
  /** Best first. */
  readonly keys: readonly number[]
  readonly by: 'meaning' | 'words'
}

interface Deps extends Pick<FindDeps, 'sources' | 'meaning'>, Pick<ReturnType<typeof createFind>, 'open' | 'find'> {}

/** Creates the search for similar resources. */
export function createRelated({ sources, meaning = null, open, find }: Deps) {
  /** Finds others of its type that are not in the trash, at most `limit`. */
  return async (session: Session, type: Type, key: number, limit: number): Promise<Related> => {
    const others = async () => (await open(session)).ask('select', EVERYTHING, [TYPES.indexOf(type)])
    const near = meaning && (await meaning.findNearText(session, type, key, others, limit))
    if (near) return { keys: near.map((one) => one.key), by: 'meaning' }
    const texts = (await sources[type].readTexts(session, [key])).get(key)
    const words = texts ? pickWords(texts) : []
    if (words.length === 0) return { keys: [], by: 'words' }
    const parts = words.map((text) => ({ kind: 'text', field: null, text, match: 'whole' }) as const)
    const { found } = await find(session, { query: { kind: 'and', parts }, types: [type], limit: limit + 1 })
    const keys = found.map((one) => one.key).filter((one) => one !== key)
    return { keys: keys.slice(0, limit), by: 'words' }
  }
}

/** Picks the most frequent words of a text, without common ones. The ranking weighs how rare they are. */
function pickWords({ title, tags, body }: Texts): string[] {
  const counts = new Map<string, number>()
  const count = (text: string, weight: number) =>
    readText(text, ({ word }) => {
      if (word.length > 1 && !isCommonWord(word)) counts.set(word, (counts.get(word) ?? 0) + weight)
    })
  count([title, ...tags].join('\n'), TITLE_WEIGHT)
  count(body.slice(0, BODY_UNITS), 1)
  const frequent = [...counts].sort((a, b) => b[1] - a[1])
  return frequent.slice(0, QUERY_WORDS).map(([word]) => word)
}
