/** Finds what matches a query in the caller's own workspace: one list, best first. */
import type { Bindings, Session } from '../db/database'
import { readText } from './analyze'
import type { Asking, Found, Question } from './ask'
import { Conditions } from './conditions'
import type { Position } from './cursor'
import type { SearchFiles, View } from './files'
import type { ReadWords } from './known-words'
import { isCommonWord } from './languages'
import { listExactLeaves } from './needle'
import { planQuery } from './plan'
import { isBare, listConjuncts, type Query, withoutQuotes } from './query'
import type { DocRow } from './read.sqlite'
import type { SearchSources, Texts, Type } from './source'
import { EVERYTHING } from './where.sqlite'

/** The options of a search. */
export interface SearchOptions {
  readonly query: Query
  readonly types: readonly Type[]
  readonly limit: number
  /** Requires all words, as they were typed. */
  readonly strict?: boolean
  /** Whether the last word is a beginning. */
  readonly prefix?: boolean
  /** Ranks by meaning as well, if that is set up and neither `strict` nor `prefix` is set. */
  readonly meaning?: boolean
  /** The end of the previous page. */
  readonly after?: Position | null
  /** Builds a SELECT of the keys that may be found at all; its `$1` is the workspace. For searches of one type. */
  readonly selectAllowed?: ((bind: Bindings) => string) | null
}

/** How a query was understood. */
export interface Understood extends ReadWords {
  /** How many of the words the best results have. Those with fewer come after them. */
  readonly relaxed: Position['relaxed']
  /** Whether the results may be incomplete: indexing is not finished, or too many texts would have to be read. */
  readonly limited: boolean
}

/** One page of results. */
export interface Results extends Understood {
  readonly found: readonly Found[]
  /** Whether the order is by meaning as well: then some results may have none of the words. */
  readonly meaning: boolean
  readonly next: Position | null
}

/** All results, in no order: those with all of the words if there are any, else those with most, or some. */
export interface AllResults extends Understood {
  readonly keys: readonly number[]
  /** Counts the words that some of them have, by key; for searches of one type. */
  readonly countWords: (keys: readonly number[]) => Promise<ReadonlyMap<number, number>>
}

/** Finds the documents nearest to something among those that may be found, best first; null without vectors in time. */
type FindNear<Sought extends readonly unknown[]> = (
  session: Session,
  ...of: [...Sought, allowed: () => Promise<readonly DocRow[]>, count: number]
) => Promise<(DocRow & { readonly score: number })[] | null>

/** Semantic search, as meaning/ makes it if it is set up. */
export interface Meaning {
  readonly findNearQuestion: FindNear<[question: string]>
  /** Without that text itself. */
  readonly findNearText: FindNear<[type: Type, key: number]>
}

interface FindDeps {
  readonly files: SearchFiles
  readonly sources: SearchSources
  readonly meaning?: Meaning | null
}

/** Results of each list that are fused; after them the list by words continues unchanged. */
export const FUSED_RESULTS = 20
/** The constant k of reciprocal rank fusion: the larger, the less the first ranks differ from the next. */
const RANK_SMOOTHING = 10
/** The weight of a rank by meaning, where a rank by words weighs 1. */
const MEANING_WEIGHT = 0.2

/** Words of a text by which similar ones are found. */
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

/** Creates the searches over the indexes. */
export function createFind({ files, sources, meaning = null }: FindDeps) {
  const ask = <Name extends keyof Asking>(session: Session, name: Name, ...args: Parameters<Asking[Name]>) =>
    files.search(session, (view) => view.ask(name, ...args))

  /** Reads a query as a question to an index. */
  async function read(session: Session, view: View, query: Query, options: SearchOptions) {
    const { types, strict = false, prefix = false, selectAllowed = null } = options
    const conditions = new Conditions(session, sources, types, view)
    const { words, extras, condition: exact } = planQuery(query, view.languages, prefix)
    const condition = await conditions.read(exact, selectAllowed)
    const question: Question = { words, extras, condition, types, strict }
    return { question, limited: conditions.limited || view.incomplete }
  }

  /** Asks for a query; if nothing is found, with the words of its phrases as bare words. */
  function askOrUnquote<Answer extends { readonly found: readonly unknown[] }>(
    session: Session,
    options: SearchOptions,
    ask: (view: View, question: Question) => Promise<Answer>,
  ) {
    const { query, strict } = options
    return files.search(session, async (view) => {
      const asked = await read(session, view, query, options)
      const answer = await ask(view, asked.question)
      const mayUnquote =
        !strict && asked.question.words.length > 0 && listExactLeaves(query).some(({ quoted }) => quoted)
      if (answer.found.length > 0 || !mayUnquote) return { ...asked, query, answer, unquoted: false }
      const other = withoutQuotes(query)
      const again = await read(session, view, other, options)
      const limited = asked.limited || again.limited
      return { ...again, limited, query: other, answer: await ask(view, again.question), unquoted: true }
    })
  }

  async function findFirst(session: Session, options: SearchOptions): Promise<Results> {
    const { limit } = options
    const rank = (view: View, question: Question) => view.ask('search', question)
    const { question, limited, query, answer, unquoted } = await askOrUnquote(session, options, rank)
    const { found: hits, rest, newest, fates, ...understood } = answer
    const near = hits.length > 0 ? await findNearQuery(session, query, question, options) : null
    const best = near ? fuse(hits, near) : hits
    const found = best.slice(0, limit)
    const { relaxed } = understood
    const docs = best.map(({ doc }) => doc)
    const position = { best: docs, newest, relaxed, fates, unquoted, meaning: near !== null }
    const end = { ...position, at: found.length, rest }
    // A page may be longer than the list of the best.
    const more = found.length < limit && rest ? await ask(session, 'page', question, end, limit - found.length) : null
    if (more) found.push(...more.found)
    const next = { ...end, rest: more ? more.rest : rest }
    const isLast = next.rest === null && next.at === best.length
    return { ...understood, limited, found, meaning: near !== null, next: isLast ? null : next }
  }

  function findNext(session: Session, options: SearchOptions, after: Position): Promise<Results> {
    const { limit } = options
    const query = after.unquoted ? withoutQuotes(options.query) : options.query
    return files.search(session, async (view) => {
      const { question, limited } = await read(session, view, query, options)
      const { found, rest, ...words } = await view.ask('page', question, after, limit)
      const at = Math.min(after.at + limit, after.best.length)
      const { relaxed, meaning } = after
      const next = rest === null && at === after.best.length ? null : { ...after, at, rest }
      return { ...words, relaxed, meaning, limited, found, next }
    })
  }

  /** Finds what is near to the bare words of a query by meaning; null if words alone rank. */
  async function findNearQuery(
    session: Session,
    query: Query,
    question: Question,
    options: SearchOptions,
  ): Promise<Found[] | null> {
    if (!meaning || !options.meaning || options.strict || options.prefix) return null
    const bare = listConjuncts(query).filter(isBare)
    const text = bare.map((part) => part.text).join(' ')
    const allowed = () => ask(session, 'select', question.condition, question.types)
    const near = text !== '' && (await meaning.findNearQuestion(session, text, allowed, FUSED_RESULTS))
    return near ? near.map((one) => ({ ...one, words: 0 })) : null
  }

  const find = (session: Session, options: SearchOptions): Promise<Results> =>
    options.after ? findNext(session, options, options.after) : findFirst(session, options)

  return {
    /** Returns one page of results, best first. */
    find,

    /** Returns the keys of all results of one type. */
    async findAll(session: Session, options: SearchOptions): Promise<AllResults> {
      const list = (view: View, question: Question) => view.ask('all', question)
      const { question, limited, answer } = await askOrUnquote(session, options, list)
      const { found, ...understood } = answer
      return {
        ...understood,
        limited,
        keys: found.map(({ key }) => key),
        countWords: async (keys) => new Map(await ask(session, 'countWords', question, keys)),
      }
    },

    /**
     * Finds what is similar to a note, a task or a fact among others of its type, at most `limit`: by meaning if it has
     * vectors, else by its most frequent words.
     */
    async findRelated(session: Session, type: Type, key: number, limit: number): Promise<Related> {
      const others = () => ask(session, 'select', EVERYTHING, [type])
      const near = meaning && (await meaning.findNearText(session, type, key, others, limit))
      if (near) return { keys: near.map((one) => one.key), by: 'meaning' }
      const texts = (await sources[type].readTexts(session, [key])).get(key)
      const words = texts ? pickWords(texts) : []
      if (words.length === 0) return { keys: [], by: 'words' }
      const parts = words.map((text) => ({ kind: 'text', field: null, text, match: 'whole' }) as const)
      const { found } = await find(session, { query: { kind: 'and', parts }, types: [type], limit: limit + 1 })
      const keys = found.map((one) => one.key).filter((one) => one !== key)
      return { keys: keys.slice(0, limit), by: 'words' }
    },
  }
}

/**
 * Fuses the best by words with the nearest by meaning, each best first, by rank alone, since scores of words and of
 * vectors have no common measure (reciprocal rank fusion: Cormack, Clarke, Büttcher 2009). The constants were chosen on
 * the dev part of `bun run eval search`. Equal ones keep their order by words.
 */
function fuse<One extends { readonly doc: number }>(hits: readonly One[], near: readonly One[]): One[] {
  const scores = new Map<number, number>()
  const add = (found: readonly One[], weight: number) => {
    for (const [rank, { doc }] of found.entries())
      scores.set(doc, (scores.get(doc) ?? 0) + weight / (RANK_SMOOTHING + rank + 1))
  }
  add(hits.slice(0, FUSED_RESULTS), 1)
  add(near, MEANING_WEIGHT)
  const all = new Map([...near, ...hits].map((one) => [one.doc, one]))
  const first = [...scores].sort((a, b) => b[1] - a[1]).flatMap(([doc]) => all.get(doc) ?? [])
  return [...first, ...hits.filter(({ doc }) => !scores.has(doc))]
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
