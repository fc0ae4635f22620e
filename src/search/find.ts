/** Finds: one list, best first, of what a query asks for in the caller's own workspace. */
import type { Bindings } from '../db/bindings'
import type { Session } from '../db/database'
import type { Indexing } from './indexing'
import { combine, count, docsOf, type Masks, masksOf } from './masks'
import { Matching } from './matching'
import { mayHold } from './may-hold'
import type { Meaning } from './meaning/meaning'
import { exactLeaves } from './needle'
import { type Fused, pageOf } from './pages'
import { MOST_WORDS, planOf, type Word } from './plan'
import { isBare, partsOf, type Query, withoutQuotes } from './query'
import { type Rank, Ranking, type Statistics } from './ranking'
import type { Sources, Type } from './source'
import { correct } from './typos'
import { type Postings, startingWith, View } from './view'

/** How far a query was taken: all of its words, most of them, or any. */
export type Relaxed = 'none' | 'some' | 'any'

/** The part of what all words weigh that `some` asks for. */
const MOST = 0.6
/** Words that the last one may be the beginning of. */
const MOST_COMPLETIONS = 64

export interface Asked {
  readonly query: Query
  readonly types: readonly Type[]
  readonly limit: number
  /** Asks for all words as they were typed. */
  readonly strict?: boolean
  /** The last word is a beginning. */
  readonly prefix?: boolean
  /** Words, folded, that are beginnings where they occur nowhere as they stand; for a first page. */
  readonly beginnings?: ReadonlySet<string>
  /** What `open` gave, where more than one thing is asked of the index. */
  readonly view?: View
  /** Ranks by meaning as well, where that is set up and nothing is asked for as it is typed. */
  readonly meaning?: boolean
  /** Where the page before ended. */
  readonly after?: Position | null
  /** The keys that may be found at all, as a SELECT whose `$1` is the workspace; of one type. */
  readonly within?: ((bind: Bindings) => string) | null
}

/** Where a page ends, with all that the order hung on; a cursor holds it. */
export interface Position {
  /** How far words' list was gone through; null while nothing of it was. */
  readonly behind: Rank | null
  /** What is left of words and meaning together; null where words alone rank. */
  readonly fused: Fused | null
  /** The newest document of the first page: what is written later is on none. */
  readonly newest: number
  readonly relaxed: Relaxed
  /** Whether phrases were looked for as words. */
  readonly unquoted: boolean
  readonly corrected: readonly Correction[]
  /** Words that occurred nowhere when the first page was made. */
  readonly ignored: readonly string[]
  readonly statistics: Statistics
}

export interface Correction {
  readonly from: string
  readonly to: string
}

export interface Found {
  readonly type: Type
  readonly key: number
  readonly doc: number
  readonly score: number
}

export interface Results {
  readonly found: readonly Found[]
  readonly relaxed: Relaxed
  /** Words that occur nowhere. */
  readonly ignored: readonly string[]
  readonly corrected: readonly Correction[]
  /** Whether meaning has a part in the order: some finds may have none of the words. */
  readonly meaning: boolean
  /** The words that were looked for, folded; for snippets. */
  readonly words: readonly Word[]
  /** Not everything could be looked at: the index is still being made, or too many texts had to be read. */
  readonly limited: boolean
  readonly next: Position | null
}

export interface FindDeps {
  readonly indexing: Indexing
  readonly sources: Sources
  /** Milliseconds that never go back. */
  readonly ticks: () => number
  readonly meaning?: Meaning | null
}

export function createFind({ indexing, sources, ticks, meaning = null }: FindDeps) {
  const open = (session: Session) => View.open(session, indexing, ticks)
  /**
   * Scores what is asked for, and tells which documents may be found.
   * @param unquoted whether phrases are words: since nothing is found otherwise, though there are words beside them
   */
  async function prepare(session: Session, asked: Asked, unquoted = asked.after?.unquoted ?? false) {
    const { types, strict = false, after = null, within = null } = asked
    const query = unquoted ? withoutQuotes(asked.query) : asked.query
    const view = asked.view ?? (await open(session))
    const plan = planOf(query, view.languages)
    const newest = after?.newest ?? Math.max(0, ...view.parts.map(({ docs }) => docs.at(-1) ?? 0))
    const matching = new Matching(session, view, sources, types)
    const allowed = masksOf(view, types, newest)
    if (within) combine(allowed, await matching.keys(types, within), 'and')
    if (plan.condition) combine(allowed, await matching.of(plan.condition), 'and')
    const known = await knownWords(view, plan.words, asked)
    const ranking = new Ranking(view, known.words, plan.extras, after?.statistics ?? null)
    await ranking.score()
    if (!unquoted && !after && !strict && plan.words.length > 0 && exactLeaves(query).some(({ quoted }) => quoted)) {
      const any = ranking.having(1)
      combine(any, allowed, 'and')
      if (count(any) === 0) return await prepare(session, { ...asked, view }, true)
    }
    const level = (limit: number) =>
      levelOf({
        ranking,
        allowed,
        words: known.words.length,
        missing: known.ignored.length,
        limit,
        strict,
        relaxed: after?.relaxed ?? null,
      })
    return {
      query,
      allowed,
      view,
      known,
      ranking,
      newest,
      unquoted,
      level,
      limited: () => view.incomplete || matching.limited,
    }
  }

  return {
    /** The index as it is now, to ask several things of in one request. */
    open,
    /** The best, a page at a time. */
    async find(session: Session, asked: Asked): Promise<Results> {
      const { limit, after = null } = asked
      const { query, allowed, view, known, ranking, newest, unquoted, level, limited } = await prepare(session, asked)
      const { masks, relaxed } = level(limit)
      const question = asked.meaning && !asked.strict && !asked.prefix ? partsOf(query).filter(isBare) : []
      const text = question.map((part) => part.text).join(' ')
      const near =
        meaning && text !== ''
          ? (count: number) => meaning.near(session, text, () => docsOf(view, allowed), count)
          : null
      const { found, behind, fused, more } = await pageOf(session, ranking, masks, { limit, after, near })
      const { corrected, ignored, words } = known
      const next = { newest, relaxed, corrected, ignored, unquoted, statistics: ranking.statistics }
      return {
        found,
        relaxed,
        ignored,
        corrected,
        meaning: fused !== null,
        words,
        limited: limited(),
        next: more ? { behind, fused, ...next } : null,
      }
    },

    /** All that is found, in no order: what has all of the words if there is any, else what has most, or some. */
    async findAll(
      session: Session,
      asked: Asked,
    ): Promise<Omit<Results, 'found' | 'next' | 'meaning'> & { docs: number[] }> {
      const { view, known, level, limited } = await prepare(session, asked)
      const { masks, relaxed } = level(1)
      return { docs: Array.from(docsOf(view, masks)), relaxed, ...known, limited: limited() }
    },

    /** See `mayHold`; null as well if much is still to be indexed, for which it does not wait. */
    async mayHold(session: Session, type: Type, piece: string, limit: number): Promise<number[] | null> {
      const view = await View.open(session, indexing, ticks, 0)
      return view.incomplete ? null : await mayHold(session, view, sources, { type, piece, limit })
    },

    /** In how many documents each text stands, bare words by their stems. */
    async count(session: Session, view: View, texts: readonly Query[], types: readonly Type[]): Promise<number[]> {
      const matching = new Matching(session, view, sources, types)
      const counts: number[] = []
      const plans = texts.map((text) => planOf(text, view.languages))
      // Read in one go, whatever is asked for one by one below.
      await view.postings([...new Set(plans.flatMap(({ words }) => words.flatMap(({ terms }) => [...terms.keys()])))])
      for (const { words, condition } of plans) {
        const masks = masksOf(view, types)
        if (condition) combine(masks, await matching.of(condition), 'and')
        for (const { terms } of words) combine(masks, await matching.anyOf([...terms.keys()]), 'and')
        counts.push(count(masks))
      }
      return counts
    },
  }
}

interface LevelAsked {
  readonly ranking: Ranking
  readonly allowed: Masks
  readonly words: number
  readonly missing: number
  readonly limit: number
  readonly strict: boolean
  readonly relaxed: Relaxed | null
}

/** How many of the words a find must have, so that there is a page of them. */
function levelOf({ ranking, allowed, words, missing, limit, strict, relaxed }: LevelAsked): {
  masks: Masks
  relaxed: Relaxed
} {
  const total = words + missing
  const levels = [
    ['none', () => ranking.having(missing > 0 ? words + 1 : words)],
    ['some', () => ranking.weighing(MOST)],
    ['any', () => ranking.having(Math.min(1, total))],
  ] as const
  for (const [level, having] of levels) {
    if (relaxed !== null && level !== relaxed) continue
    const masks = having()
    combine(masks, allowed, 'and')
    const enough =
      strict || level === 'any' || relaxed !== null || count(masks) >= limit || (level === 'none' && total <= 1)
    if (enough) return { masks, relaxed: level }
  }
  throw new Error('A level of a query was left out.')
}

/** Words as they occur: typos mended, and those left out that occur nowhere; later pages look for those of the first. */
async function knownWords(
  view: View,
  asked: readonly Word[],
  { strict, prefix, beginnings, after }: Pick<Asked, 'strict' | 'prefix' | 'beginnings' | 'after'>,
) {
  const present: Word[] = []
  const missing: Word[] = []
  const postings = await view.postings([...new Set(asked.flatMap(({ terms }) => [...terms.keys()]))])
  const missed = after && new Set([...after.ignored, ...after.corrected.map(({ from }) => from)])
  for (const word of asked) {
    const occurs = missed
      ? !missed.has(word.text)
      : [...word.terms.keys()].some((term) => view.occurs(postings.get(term)))
    const isBeginning = word.isBeginning || (prefix && word === asked.at(-1))
    const longer = isBeginning || (!occurs && beginnings?.has(word.text)) ? await completed(view, word) : word
    if (isBeginning || occurs || longer.terms.size > word.terms.size) present.push(longer)
    else missing.push(word)
  }
  const from = missing.map(({ text }) => text)
  const fixes = after
    ? new Map(after.corrected.map((one) => [one.from, one.to]))
    : strict
      ? new Map<string, string>()
      : await correct(view, from)
  const mended = missing.flatMap(({ text }) => {
    const to = fixes.get(text)
    return to === undefined ? [] : [{ text: to, terms: new Map([[to, 1]]) }]
  })
  return {
    words: rarest([...present, ...mended], postings),
    ignored: from.filter((text) => !fixes.has(text)),
    corrected: [...fixes].map(([one, to]) => ({ from: one, to })),
  }
}

/** Of very many words the rarest say most. */
function rarest(words: Word[], postings: ReadonlyMap<string, Postings>): Word[] {
  if (words.length <= MOST_WORDS) return words
  const frequency = ({ terms }: Word) =>
    Math.max(
      ...[...terms.keys()].map((term) =>
        (postings.get(term) ?? []).reduce((sum, posting) => sum + (posting?.documents ?? 0), 0),
      ),
    )
  const sorted = words.map((word) => ({ word, documents: frequency(word) })).sort((a, b) => a.documents - b.documents)
  return sorted.slice(0, MOST_WORDS).map(({ word }) => word)
}

/** A word that may go on; of very many words that begin so, the commonest. */
async function completed(view: View, word: Word): Promise<Word> {
  const frequencies = new Map<string, number>()
  const isLonger = (term: string) => term.startsWith(word.text)
  await view.scan(startingWith(word.text), 'terms', isLonger, (_, { term, posting }) => {
    frequencies.set(term, (frequencies.get(term) ?? 0) + posting.documents)
    return false
  })
  const commonest = [...frequencies].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_COMPLETIONS)
  return { text: word.text, terms: new Map([...commonest.map(([term]) => [term, 1] as const), ...word.terms]) }
}
