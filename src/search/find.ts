/** Finds: one list, best first, of what a query asks for in the caller's own workspace. */
import type { Bindings } from '../db/bindings'
import type { Session } from '../db/database'
import { type Added, Feedback, isLongQuestion } from './feedback'
import { listByDocs } from './index-store'
import type { Indexing } from './indexing'
import type { Masks } from './masks'
import { Matching } from './matching'
import { exactLeaves } from './needle'
import { planOf, rarest, type Word } from './plan'
import { type Query, withoutQuotes } from './query'
import { type Rank, Ranking, type Statistics } from './ranking'
import { type Sources, TYPES, type Type } from './source'
import { correct } from './typos'
import { startingWith, View } from './view'

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
  /** Where the page before ended. */
  readonly after?: Position | null
  /** The keys that may be found at all, as a SELECT whose `$1` is the workspace; of one type. */
  readonly within?: ((bind: Bindings) => string) | null
}

/** Where a page ends, with all that the order hung on; a cursor holds it. */
export interface Position {
  readonly score: number
  readonly doc: number
  /** The newest document of the first page: what is written later is on none. */
  readonly newest: number
  readonly relaxed: Relaxed
  /** Whether phrases were looked for as words. */
  readonly unquoted: boolean
  readonly corrected: readonly Correction[]
  /** Words that occurred nowhere when the first page was made. */
  readonly ignored: readonly string[]
  readonly statistics: Statistics
  /** What the first page's best finds added to a long question. */
  readonly added: readonly Added[]
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
}

export function createFind({ indexing, sources, ticks }: FindDeps) {
  /**
   * Scores what is asked for, and tells which documents may be found.
   * @param unquoted whether phrases are words: since nothing is found otherwise, though there are words beside them
   */
  async function prepare(session: Session, asked: Asked, unquoted = asked.after?.unquoted ?? false) {
    const { types, strict = false, prefix = false, after = null, within = null } = asked
    const query = unquoted ? withoutQuotes(asked.query) : asked.query
    const view = await View.open(session, indexing, ticks)
    const plan = planOf(query, view.languages)
    const newest = after?.newest ?? Math.max(0, ...view.parts.map(({ docs }) => docs.at(-1) ?? 0))
    const matching = new Matching(session, view, sources, types)
    const allowed = masksOf(view, types, newest)
    if (within) intersect(allowed, await matching.keys(types, within))
    if (plan.condition) intersect(allowed, await matching.of(plan.condition))
    const known = await knownWords(view, plan.words, { strict, prefix, after })
    const ranking = new Ranking(view, known.words, plan.extras, after?.statistics ?? null)
    await ranking.score()
    if (!unquoted && !after && !strict && plan.words.length > 0 && exactLeaves(query).some(({ quoted }) => quoted)) {
      const any = ranking.having(1)
      intersect(any, allowed)
      if (count(any) === 0) return await prepare(session, asked, true)
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
    return { view, known, ranking, newest, unquoted, level, limited: () => view.incomplete || matching.limited }
  }

  return {
    /** The best, a page at a time. */
    async find(session: Session, asked: Asked): Promise<Results> {
      const { limit, after = null } = asked
      const { view, known, ranking, newest, unquoted, level, limited } = await prepare(session, asked)
      const { masks, relaxed } = level(limit)
      // What has all words of a question, or is to have a word that is being typed, is ranked by these alone.
      const learns = relaxed !== 'none' && !asked.prefix && isLongQuestion(known.words)
      const feedback = learns ? new Feedback(session, view, sources, after?.added ?? null) : null
      const best = (count: number, behind: Rank | null) => ranking.best(masks, count, behind, feedback)
      const { page, more } = await living(session, best, limit, after)
      const last = page.at(-1)
      const { corrected, ignored, words } = known
      const { statistics } = ranking
      const next = { newest, relaxed, corrected, ignored, unquoted, statistics, added: feedback?.added ?? [] }
      return {
        found: page,
        relaxed,
        ignored,
        corrected,
        words,
        limited: limited(),
        next: last && more ? { score: last.score, doc: last.doc, ...next } : null,
      }
    },

    /** All that is found, in no order: what has all of the words if there is any, else what has most, or some. */
    async findAll(session: Session, asked: Asked): Promise<Omit<Results, 'found' | 'next'> & { docs: number[] }> {
      const { view, known, level, limited } = await prepare(session, asked)
      const { masks, relaxed } = level(1)
      const docs = view.parts.flatMap(({ docs }, part) => Array.from(docs).filter((_, i) => masks[part]?.[i] === 1))
      return { docs, relaxed, ...known, limited: limited() }
    },

    /** In how many documents each text stands, bare words by their stems. */
    async count(session: Session, texts: readonly Query[], types: readonly Type[]): Promise<number[]> {
      const view = await View.open(session, indexing, ticks)
      const matching = new Matching(session, view, sources, types)
      const counts: number[] = []
      const plans = texts.map((text) => planOf(text, view.languages))
      // Read in one go, whatever is asked for one by one below.
      await view.postings([...new Set(plans.flatMap(({ words }) => words.flatMap(({ terms }) => [...terms.keys()])))])
      for (const { words, condition } of plans) {
        const masks = masksOf(view, types, Number.POSITIVE_INFINITY)
        if (condition) intersect(masks, await matching.of(condition))
        for (const { terms } of words) intersect(masks, await matching.anyOf([...terms.keys()]))
        counts.push(count(masks))
      }
      return counts
    },
  }
}

/** The best, so many behind a place. */
type Best = (count: number, behind: Rank | null) => Promise<Rank[]>

/** A page of the best that stand for something yet: what was changed since it was indexed is found by its new text. */
async function living(session: Session, list: Best, limit: number, after: Position | null) {
  const page: Found[] = []
  let behind: Rank | null = after
  for (;;) {
    const best = await list(limit + 1, behind)
    const rows = await listByDocs(
      session.db,
      session.workspace.id,
      best.map(({ doc }) => doc),
    )
    const own = new Map(rows.map((row) => [row.doc, row]))
    for (const { doc, score } of best) {
      behind = { score, doc }
      const row = own.get(doc)
      if (!row) continue
      if (page.length === limit) return { page, more: true }
      page.push({ type: row.type, key: row.key, doc, score })
    }
    if (best.length <= limit) return { page, more: false }
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
    intersect(masks, allowed)
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
  { strict, prefix, after }: { readonly strict: boolean; readonly prefix: boolean; readonly after: Position | null },
) {
  const present: Word[] = []
  const missing: Word[] = []
  const postings = await view.postings([...new Set(asked.flatMap(({ terms }) => [...terms.keys()]))])
  const missed = after && new Set([...after.ignored, ...after.corrected.map(({ from }) => from)])
  for (const word of asked) {
    if (word.isBeginning || (prefix && word === asked.at(-1))) present.push(await completed(view, word))
    else if (missed ? !missed.has(word.text) : [...word.terms.keys()].some((term) => view.occurs(postings.get(term))))
      present.push(word)
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

function masksOf(view: View, types: readonly Type[], newest: number): Masks {
  const wanted = TYPES.map((type) => types.includes(type))
  return view.parts.map(({ docs, types: own }, part) =>
    own.map((type, i) => (wanted[type] && (docs[i] as number) <= newest ? (view.living[part]?.[i] as number) : 0)),
  )
}

function intersect(masks: Masks, others: Masks): void {
  masks.forEach((mask, part) => {
    const other = others[part]
    if (other) for (let i = 0; i < mask.length; i++) mask[i] = (mask[i] as number) & (other[i] as number)
  })
}

function count(masks: Masks): number {
  return masks.reduce((sum, mask) => sum + mask.reduce((own, one) => own + one, 0), 0)
}
