/** Finds what matches a query in the caller's own workspace: one list, best first. */
import type { Session } from '../db/database'
import type { Best, Hit, Question } from './ask'
import { Conditions } from './conditions'
import type { Position } from './cursor'
import type { SearchFiles, View } from './files'
import { FUSED_RESULTS, fuseRanks, type Meaning } from './fusion'
import { listExactLeaves } from './needle'
import { planQuery } from './plan'
import { isBare, listConjuncts, type Query, withoutQuotes } from './query'
import type { DocRow } from './read.sqlite'
import type { AllResults, Found, Results, SearchOptions } from './results'
import { type SearchSources, TYPES, type Type } from './source'
import type { Condition } from './where.sqlite'

export interface FindDeps {
  readonly files: SearchFiles
  readonly sources: SearchSources
  readonly meaning?: Meaning | null
}

const NO_WORDS: ReadonlySet<string> = new Set()
const NO_WEIGHTS: ReadonlyMap<string, number> = new Map()
const toNumbers = (types: readonly Type[]) => types.map((type) => TYPES.indexOf(type))
const toFound = ({ type, ...hit }: Hit): Found => ({ ...hit, type: TYPES[type] ?? 'note' })

/** Creates the searches over the indexes. */
export function createFind({ files, sources, meaning = null }: FindDeps) {
  const open = (session: Session) => files.open(session)

  /** Reads a query as a question to an index. */
  async function read(session: Session, view: View, query: Query, options: Omit<SearchOptions, 'query' | 'limit'>) {
    const { types, strict = false, prefix = false, beginnings = NO_WORDS, weights = NO_WEIGHTS } = options
    const plan = planQuery(query, view.languages)
    const conditions = new Conditions(session, sources, types, async (condition, limit) => {
      return (await view.ask('select', condition, toNumbers(types), limit)).rows
    })
    const parts: Condition[] = []
    const { selectAllowed = null } = options
    const [type] = types
    if (selectAllowed && type) parts.push(await conditions.selectKeys(type, selectAllowed))
    if (plan.condition) parts.push(await conditions.read(plan.condition))
    const condition: Condition | null = parts.length > 0 ? { kind: 'and', parts } : null
    const { words, extras } = plan
    const question = { words, extras, condition, types: toNumbers(types), strict, prefix, beginnings, weights }
    return { question, limited: conditions.limited || view.incomplete }
  }

  /** Whether phrases are searched as words, if nothing has them: there are words as well. */
  const mayUnquote = (query: Query, { words, strict }: Question) =>
    !strict && words.length > 0 && listExactLeaves(query).some(({ quoted }) => quoted)

  async function findFirst(session: Session, options: SearchOptions): Promise<Results> {
    const { limit } = options
    const view = options.view ?? (await open(session))
    let [query, unquoted] = [options.query, false]
    let { question, limited } = await read(session, view, query, options)
    let best = await view.ask('search', question)
    if (best.best.length === 0 && mayUnquote(query, question)) {
      ;[query, unquoted] = [withoutQuotes(query), true]
      ;({ question, limited } = await read(session, view, query, options))
      best = await view.ask('search', question)
    }
    const hits = best.best.map(toFound)
    const near = hits.length > 0 ? await findNearQuery(session, view, query, question, options) : null
    const fused = near ? fuse(hits, near) : hits
    const { newest, relaxed, fates, rest } = best
    const position = { best: fused.map(({ doc }) => doc), newest, relaxed, fates, unquoted, meaning: near !== null }
    const found = fused.slice(0, limit)
    const end = { ...position, at: found.length, rest }
    // A page may be longer than the list of the best.
    const more = found.length < limit && rest ? await view.ask('page', question, end, limit - found.length) : null
    if (more) found.push(...more.hits.map(toFound))
    const left = more ? more.rest : rest
    const isLast = left === null && end.at === fused.length
    return {
      ...toUnderstood(best, limited),
      found,
      meaning: near !== null,
      next: isLast ? null : { ...end, rest: left },
    }
  }

  async function findNext(session: Session, options: SearchOptions, after: Position): Promise<Results> {
    const { limit, view = await open(session) } = options
    const query = after.unquoted ? withoutQuotes(options.query) : options.query
    const { question, limited } = await read(session, view, query, options)
    const page = await view.ask('page', question, after, limit)
    const at = Math.min(after.at + limit, after.best.length)
    return {
      ...toUnderstood({ ...page, relaxed: after.relaxed }, limited),
      found: page.hits.map(toFound),
      meaning: after.meaning,
      next: page.rest === null && at === after.best.length ? null : { ...after, at, rest: page.rest },
    }
  }

  /** Finds what is near to the bare words of a query by meaning; null if words alone rank. */
  async function findNearQuery(
    session: Session,
    view: View,
    query: Query,
    { condition, types }: Question,
    options: SearchOptions,
  ): Promise<Found[] | null> {
    if (!meaning || !options.meaning || options.strict || options.prefix) return null
    const text = listConjuncts(query)
      .filter(isBare)
      .map((part) => part.text)
      .join(' ')
    if (text === '') return null
    const allowed = async () => (await view.ask('select', condition, types)).rows
    return await findByMeaning(session, text, allowed, FUSED_RESULTS)
  }

  async function findByMeaning(session: Session, text: string, allowed: () => Promise<DocRow[]>, count: number) {
    if (!meaning) return null
    const near = await meaning.findNearQuestion(session, text, allowed, count)
    return near?.map((one) => toFound({ ...one, words: 0 })) ?? null
  }

  return {
    /** Opens the present state of the index, for several searches of one request. */
    open,

    /** Returns one page of results, best first. */
    find: (session: Session, options: SearchOptions): Promise<Results> =>
      options.after ? findNext(session, options, options.after) : findFirst(session, options),

    /** Returns the keys of all results of one type. */
    async findAll(session: Session, options: SearchOptions): Promise<AllResults> {
      const view = options.view ?? (await open(session))
      let { question, limited } = await read(session, view, options.query, options)
      let all = await view.ask('all', question)
      if (all.rows.length === 0 && mayUnquote(options.query, question)) {
        ;({ question, limited } = await read(session, view, withoutQuotes(options.query), options))
        all = await view.ask('all', question)
      }
      return {
        ...toUnderstood(all, limited),
        keys: all.rows.map(({ key }) => key),
        countWords: async (keys) => new Map(await view.ask('countWords', question, keys)),
      }
    },

    /**
     * Returns what is nearest to a question by meaning alone, best first, with the cosine as score; null if that is off,
     * or its vector does not come in time.
     */
    async findNear(
      session: Session,
      text: string,
      {
        types,
        limit,
        view,
        selectAllowed = null,
      }: Pick<SearchOptions, 'types' | 'limit' | 'selectAllowed'> & { view: View },
    ): Promise<Found[] | null> {
      const { question } = await read(session, view, { kind: 'and', parts: [] }, { types, selectAllowed })
      const allowed = async () => (await view.ask('select', question.condition, question.types)).rows
      return await findByMeaning(session, text, allowed, limit)
    },

    /** Counts the documents that have each text; bare words match by their stems. */
    async count(session: Session, view: View, texts: readonly Query[], types: readonly Type[]): Promise<number[]> {
      const questions: Question[] = []
      for (const text of texts) questions.push((await read(session, view, text, { types })).question)
      return await view.ask('count', questions)
    },
  }
}

function toUnderstood(
  {
    relaxed,
    ignored,
    corrected,
    words,
    limited,
  }: Pick<Best, 'relaxed' | 'ignored' | 'corrected' | 'words' | 'limited'>,
  isIncomplete: boolean,
) {
  return { relaxed, ignored, corrected, words, limited: limited || isIncomplete }
}

/** Fuses the best by words with the nearest by meaning; after them the list by words continues unchanged. */
function fuse(hits: readonly Found[], near: readonly Found[]): Found[] {
  const all = new Map([...near, ...hits].map((one) => [one.doc, one]))
  const order = fuseRanks(
    hits.slice(0, FUSED_RESULTS).map(({ doc }) => doc),
    near.map(({ doc }) => doc),
  )
  const first = new Set(order)
  return [...order.flatMap((doc) => all.get(doc) ?? []), ...hits.filter(({ doc }) => !first.has(doc))]
}
