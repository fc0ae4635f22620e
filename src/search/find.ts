/** Finds: one list, best first, of what a query asks for in the caller's own workspace. */
import type { Bindings, Session } from '../db/database'
import { Feedback, type FeedbackTerm, isLongQuestion } from './feedback'
import { SegmentCache } from './held'
import type { StoredSegment } from './index-store'
import type { Indexing } from './indexing'
import { resolveWords, type WordOutcomes } from './known-words'
import { countAll, docsOf, intersect, type Masks, masksOf } from './masks'
import { Matching } from './matching'
import { mayHold } from './may-hold'
import type { Meaning } from './meaning/meaning'
import { exactLeaves } from './needle'
import { type Fused, loadPage } from './pages'
import { planOf, type Word } from './plan'
import { isBare, listConjuncts, type Query, withoutQuotes } from './query'
import { type Rank, Ranking, type Statistics } from './ranking'
import type { Sources, Type } from './source'
import { IndexView } from './view'
import type { Vocabulary } from './vocabulary'

/** How far a query was taken: all of its words, most of them, or any. */
export type Relaxed = 'none' | 'some' | 'any'

/** The part of what all words weigh that `some` asks for. */
const MOST = 0.6
export interface SearchOptions {
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
  readonly view?: IndexView
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
  readonly fates: WordOutcomes
  readonly statistics: Statistics
  /** What the first page's best finds added to a long question. */
  readonly added: readonly FeedbackTerm[]
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

/** Bytes that are kept between searches of what is known of documents (those of a million and a half), and of terms. */
const HELD_BYTES = 32 * 1024 * 1024
const VOCABULARY_BYTES = 64 * 1024 * 1024

export function createFind({ indexing, sources, ticks, meaning = null }: FindDeps) {
  const opening = {
    indexing,
    ticks,
    held: new SegmentCache<StoredSegment>(HELD_BYTES),
    vocabularies: new SegmentCache<Vocabulary>(VOCABULARY_BYTES),
  }
  const open = (session: Session) => IndexView.open(session, opening)

  /**
   * Scores what is asked for, and tells which documents may be found.
   * @param unquoted whether phrases are words: since nothing is found otherwise, though there are words beside them
   */
  async function prepare(session: Session, asked: SearchOptions, unquoted = asked.after?.unquoted ?? false) {
    const { types, strict = false, after = null, within = null } = asked
    const query = unquoted ? withoutQuotes(asked.query) : asked.query
    const view = asked.view ?? (await open(session))
    const plan = planOf(query, view.languages)
    const newest = after?.newest ?? Math.max(0, ...view.parts.map(({ docs }) => docs.at(-1) ?? 0))
    const matching = new Matching(session, view, sources, types)
    const allowed = masksOf(view, types, newest)
    if (within) intersect(allowed, await matching.keys(types, within))
    if (plan.condition) intersect(allowed, await matching.of(plan.condition))
    const known = await resolveWords(view, plan.words, asked)
    const ranking = new Ranking(view, known.words, plan.extras, after?.statistics ?? null)
    await ranking.score()
    if (!unquoted && !after && !strict && plan.words.length > 0 && exactLeaves(query).some(({ quoted }) => quoted)) {
      if (countAll(ranking.having(1, allowed)) === 0) return await prepare(session, { ...asked, view }, true)
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
    async find(session: Session, asked: SearchOptions): Promise<Results> {
      const { limit, after = null } = asked
      const { query, allowed, view, known, ranking, newest, unquoted, level, limited } = await prepare(session, asked)
      const { masks, relaxed } = level(limit)
      // What has all words of a question, or is to have a word that is being typed, is ranked by these alone.
      const learns = relaxed !== 'none' && !asked.prefix && isLongQuestion(known.words)
      const feedback = learns ? new Feedback(session, view, sources, after?.added ?? null) : null
      const best = (count: number, behind: Rank | null) => ranking.best(masks, count, behind, feedback)
      const question = asked.meaning && !asked.strict && !asked.prefix ? listConjuncts(query).filter(isBare) : []
      const text = question.map((part) => part.text).join(' ')
      const near =
        meaning && text !== ''
          ? (count: number) => meaning.near(session, text, () => Float64Array.from(docsOf(allowed, view.parts)), count)
          : null
      const { found, behind, fused, more } = await loadPage(session, { best, limit, after, near })
      const { corrected, ignored, words, fates } = known
      const { statistics } = ranking
      const next = { newest, relaxed, fates, unquoted, statistics, added: feedback?.added ?? [] }
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
      asked: SearchOptions,
    ): Promise<Omit<Results, 'found' | 'next' | 'meaning'> & { docs: number[] }> {
      const { view, known, level, limited } = await prepare(session, asked)
      const { masks, relaxed } = level(1)
      return { docs: docsOf(masks, view.parts), relaxed, ...known, limited: limited() }
    },

    /** See `mayHold`; null as well if much is still to be indexed, for which it does not wait. */
    async mayHold(session: Session, type: Type, piece: string, limit: number): Promise<number[] | null> {
      const view = await IndexView.open(session, opening, 0)
      return view.incomplete ? null : await mayHold(session, view, sources, { type, piece, limit })
    },

    /** In how many documents each text stands, bare words by their stems. */
    async count(session: Session, view: IndexView, texts: readonly Query[], types: readonly Type[]): Promise<number[]> {
      const matching = new Matching(session, view, sources, types)
      const counts: number[] = []
      const plans = texts.map((text) => planOf(text, view.languages))
      // Read in one go, whatever is asked for one by one below.
      await view.postings([...new Set(plans.flatMap(({ words }) => words.flatMap(({ terms }) => [...terms.keys()])))])
      for (const { words, condition } of plans) {
        const masks = masksOf(view, types)
        if (condition) intersect(masks, await matching.of(condition))
        for (const { terms } of words) intersect(masks, await matching.anyOf([...terms.keys()]))
        counts.push(countAll(masks))
      }
      return counts
    },
  }
}

interface LevelOptions {
  readonly ranking: Ranking
  readonly allowed: Masks
  readonly words: number
  readonly missing: number
  readonly limit: number
  readonly strict: boolean
  readonly relaxed: Relaxed | null
}

/** How many of the words a find must have, so that there is a page of them. */
function levelOf({ ranking, allowed, words, missing, limit, strict, relaxed }: LevelOptions): {
  masks: Masks
  relaxed: Relaxed
} {
  const total = words + missing
  const levels = [
    ['none', () => ranking.having(missing > 0 ? words + 1 : words, allowed)],
    ['some', () => ranking.weighing(MOST, allowed)],
    ['any', () => ranking.having(Math.min(1, total), allowed)],
  ] as const
  for (const [level, having] of levels) {
    if (relaxed !== null && level !== relaxed) continue
    const masks = having()
    const enough =
      strict || level === 'any' || relaxed !== null || countAll(masks) >= limit || (level === 'none' && total <= 1)
    if (enough) return { masks, relaxed: level }
  }
  throw new Error('A level of a query was left out.')
}
