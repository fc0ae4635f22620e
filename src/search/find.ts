/** Finds what matches a query in the caller's own workspace: one list, best first. */
import type { Context, Session } from '../db/database'
import type { Fused, Position, Relaxed } from './cursor'
import { Feedback, isLongQuestion } from './feedback'
import { listByDocs, listDocsOfKeys } from './find-store'
import { FUSED_RESULTS, fuseRanks, type Meaning, type NearDocument } from './fusion'
import type { StoredSegment } from './index-store'
import type { Indexing } from './indexing'
import { resolveWords } from './known-words'
import { countAllDocs, intersect, listMaskedDocs, type Masks, selectCurrent } from './masks'
import { findCandidateKeys, Matching } from './matching'
import { listExactLeaves } from './needle'
import { planQuery } from './plan'
import { isBare, listConjuncts, type Query, withoutQuotes } from './query'
import { Ranking } from './ranking'
import type { Found, Results, SearchOptions } from './results'
import { SegmentCache } from './segment-cache'
import type { SearchSources, Type } from './source'
import type { Rank } from './statistics'
import { IndexView } from './view'
import type { Vocabulary } from './vocabulary'

/** The share of the weight of all words that a result of the level `some` must have. */
const SOME_WEIGHT_SHARE = 0.6

export interface FindDeps extends Pick<Context, 'ticks'> {
  readonly indexing: Indexing
  readonly sources: SearchSources
  readonly meaning?: Meaning | null
}

/** Bytes of documents that are cached between searches: a million and a half documents. */
const SEGMENT_CACHE_BYTES = 32 * 1024 * 1024
/** Bytes of terms that are cached between searches. */
const VOCABULARY_CACHE_BYTES = 64 * 1024 * 1024

/** Creates the searches over the index. */
export function createFind({ indexing, sources, ticks, meaning = null }: FindDeps) {
  const viewDeps = {
    indexing,
    ticks,
    segments: new SegmentCache<StoredSegment>(SEGMENT_CACHE_BYTES),
    vocabularies: new SegmentCache<Vocabulary>(VOCABULARY_CACHE_BYTES),
  }
  const open = (session: Session) => IndexView.open(session, viewDeps)

  /**
   * Scores the words, and decides which documents are allowed.
   * @param unquoted whether to search phrases as words: done if nothing is found otherwise, and there are words as well
   */
  async function prepare(session: Session, options: SearchOptions, unquoted = options.after?.unquoted ?? false) {
    const { types, strict = false, after = null, selectAllowed = null } = options
    const query = unquoted ? withoutQuotes(options.query) : options.query
    const view = options.view ?? (await open(session))
    const plan = planQuery(query, view.languages)
    const newest = after?.newest ?? Math.max(0, ...view.parts.map(({ docs }) => docs.at(-1) ?? 0))
    const matching = new Matching(session, view, sources, types)
    const allowed = selectCurrent(view, types, newest)
    if (selectAllowed) intersect(allowed, await matching.matchKeys(types, selectAllowed))
    if (plan.condition) intersect(allowed, await matching.match(plan.condition))
    const resolved = await resolveWords(view, plan.words, options)
    const ranking = new Ranking(view, resolved.words, plan.extras, after?.statistics ?? null)
    await ranking.score()
    if (
      !unquoted &&
      !after &&
      !strict &&
      plan.words.length > 0 &&
      listExactLeaves(query).some(({ quoted }) => quoted)
    ) {
      if (countAllDocs(ranking.selectByCount(1, allowed)) === 0)
        return await prepare(session, { ...options, view }, true)
    }
    const level = (limit: number) =>
      chooseLevel({
        ranking,
        allowed,
        words: resolved.words.length,
        missing: resolved.ignored.length,
        limit,
        strict,
        relaxed: after?.relaxed ?? null,
      })
    return {
      query,
      allowed,
      view,
      known: resolved,
      ranking,
      newest,
      unquoted,
      level,
      limited: () => view.incomplete || matching.limited,
    }
  }

  return {
    /** Opens the present state of the index, for several searches of one request. */
    open,
    /** Returns one page of results, best first. */
    async find(session: Session, options: SearchOptions): Promise<Results> {
      const { limit, after = null } = options
      const { query, allowed, view, known, ranking, newest, unquoted, level, limited } = await prepare(session, options)
      const { masks, relaxed } = level(limit)
      // Results with all words of a question, and a word that is still being typed, need no feedback.
      const learns = relaxed !== 'none' && !options.prefix && isLongQuestion(known.words)
      const feedback = learns ? new Feedback(session, view, sources, after?.added ?? null) : null
      const best = (count: number, behind: Rank | null) => ranking.listBest(masks, count, behind, feedback)
      const question = options.meaning && !options.strict && !options.prefix ? listConjuncts(query).filter(isBare) : []
      const text = question.map((part) => part.text).join(' ')
      const near =
        meaning && text !== ''
          ? (count: number) =>
              meaning.findNearQuestion(
                session,
                text,
                () => Float64Array.from(listMaskedDocs(allowed, view.parts)),
                count,
              )
          : null
      const { found, behind, fused, more } = await loadPage(session, { listBest: best, limit, after, findNear: near })
      const { corrected, ignored, words, fates } = known
      const { statistics } = ranking
      const counted = found.map((one) => ({ ...one, words: ranking.countWords(one.doc) }))
      const next = { newest, relaxed, fates, unquoted, statistics, added: feedback?.added ?? [] }
      return {
        found: counted,
        relaxed,
        ignored,
        corrected,
        meaning: fused !== null,
        words,
        limited: limited(),
        next: more ? { behind, fused, ...next } : null,
      }
    },

    /**
     * Returns all results, in no order: those with all of the words if there are any, else those with most, or some.
     */
    async findAll(
      session: Session,
      options: SearchOptions,
    ): Promise<
      Omit<Results, 'found' | 'next' | 'meaning'> & {
        docs: number[]
        /** Counts the words that some of them have, by key; for searches of one type. */
        countWords: (keys: readonly number[]) => Promise<ReadonlyMap<number, number>>
      }
    > {
      const { view, known, level, limited, ranking } = await prepare(session, options)
      const { masks, relaxed } = level(1)
      const countWords = async (keys: readonly number[]) => {
        const rows = await listDocsOfKeys(session.db, session.workspace.id, options.types[0] ?? 'note', keys)
        return new Map(rows.map(({ key, doc }) => [key, ranking.countWords(doc)]))
      }
      return { docs: listMaskedDocs(masks, view.parts), relaxed, ...known, countWords, limited: limited() }
    },

    /**
     * Returns what is nearest to a question by meaning alone, best first, with the cosine as score; null if that is off,
     * or its vector does not come in time.
     */
    async findNear(session: Session, question: string, options: NearOptions): Promise<Found[] | null> {
      if (!meaning) return null
      const { types, limit, view, selectAllowed } = options
      const allowed = selectCurrent(view, types)
      if (selectAllowed)
        intersect(allowed, await new Matching(session, view, sources, types).matchKeys(types, selectAllowed))
      const docs = () => Float64Array.from(listMaskedDocs(allowed, view.parts))
      const near = await meaning.findNearQuestion(session, question, docs, limit)
      if (!near) return null
      const rows = await listByDocs(
        session.db,
        session.workspace.id,
        near.map(({ doc }) => doc),
      )
      const byDoc = new Map(rows.map((row) => [row.doc, row]))
      return near.flatMap(({ doc, score }) => {
        const row = byDoc.get(doc)
        return row ? [{ type: row.type, key: row.key, doc, score, words: 0 }] : []
      })
    },

    /** See `findCandidateKeys`. Also returns null if many texts are not indexed yet: it does not wait for them. */
    async findCandidates(session: Session, type: Type, piece: string, limit: number): Promise<number[] | null> {
      const view = await IndexView.open(session, viewDeps, 0)
      return view.incomplete ? null : await findCandidateKeys(session, view, sources, { type, piece, limit })
    },

    /** Counts the documents that have each text; bare words match by their stems. */
    async count(session: Session, view: IndexView, texts: readonly Query[], types: readonly Type[]): Promise<number[]> {
      const matching = new Matching(session, view, sources, types)
      const counts: number[] = []
      const plans = texts.map((text) => planQuery(text, view.languages))
      // One query for all postings; the loop below would read them one by one.
      await view.postings([...new Set(plans.flatMap(({ words }) => words.flatMap(({ terms }) => [...terms.keys()])))])
      for (const { words, condition } of plans) {
        const masks = selectCurrent(view, types)
        if (condition) intersect(masks, await matching.match(condition))
        for (const { terms } of words) intersect(masks, await matching.matchAny([...terms.keys()]))
        counts.push(countAllDocs(masks))
      }
      return counts
    },
  }
}

type NearOptions = Pick<SearchOptions, 'types' | 'limit' | 'selectAllowed'> & { readonly view: IndexView }

interface LevelOptions {
  readonly ranking: Ranking
  readonly allowed: Masks
  readonly words: number
  readonly missing: number
  readonly limit: number
  readonly strict: boolean
  readonly relaxed: Relaxed | null
}

/** Chooses how many of the words a result must have: the strictest level that fills a page. */
function chooseLevel({ ranking, allowed, words, missing, limit, strict, relaxed }: LevelOptions): {
  masks: Masks
  relaxed: Relaxed
} {
  const total = words + missing
  const levels = [
    ['none', () => ranking.selectByCount(missing > 0 ? words + 1 : words, allowed)],
    ['some', () => ranking.selectByWeight(SOME_WEIGHT_SHARE, allowed)],
    ['any', () => ranking.selectByCount(Math.min(1, total), allowed)],
  ] as const
  for (const [level, selectMasks] of levels) {
    if (relaxed !== null && level !== relaxed) continue
    const masks = selectMasks()
    const enough =
      strict || level === 'any' || relaxed !== null || countAllDocs(masks) >= limit || (level === 'none' && total <= 1)
    if (enough) return { masks, relaxed: level }
  }
  throw new Error('A level of a query was left out.')
}

/** One page of the list. The list begins with the fused results of words and meaning, if there are any. */
interface Page {
  readonly found: Found[]
  /** The last document that was read from the list by words. */
  readonly behind: Rank | null
  readonly fused: Fused | null
  /** Whether there is another page. */
  readonly more: boolean
}

interface PageOptions {
  /** Returns the `count` best by words after a rank. */
  readonly listBest: (count: number, behind: Rank | null) => Promise<Rank[]>
  readonly limit: number
  readonly after: Position | null
  /** Returns the nearest by meaning, for a first page with results by words; null if words alone rank. */
  readonly findNear: ((count: number) => Promise<readonly NearDocument[] | null>) | null
}

/** Loads a page of current documents: a text that changed since it was indexed is found by its new state. */
async function loadPage(session: Session, options: PageOptions): Promise<Page> {
  const { limit, after } = options
  const start = after ?? (await loadFused(options))
  const apart = new Set(start.fused?.apart)
  const rest = [...(start.fused?.rest ?? [])]
  const found: Found[] = []
  let behind: Rank | null = start.behind
  for (;;) {
    const isRest = rest.length > 0
    const best = isRest
      ? rest.slice(0, limit + 1).map((doc) => ({ doc, score: 0 }))
      : await options.listBest(limit + 1, behind)
    const docs = best.map(({ doc }) => doc)
    const rows = new Map((await listByDocs(session.db, session.workspace.id, docs)).map((row) => [row.doc, row]))
    for (const { doc, score } of best) {
      const row = isRest || !apart.has(doc) ? rows.get(doc) : undefined
      if (row && found.length === limit)
        return { found, behind, fused: start.fused && { rest, apart: start.fused.apart }, more: true }
      if (isRest) rest.shift()
      else behind = { doc, score }
      if (row) found.push({ type: row.type, key: row.key, doc, score, words: 0 })
    }
    if (!isRest && best.length <= limit) return { found, behind, fused: start.fused, more: false }
  }
}

/** Fuses the best by words with the nearest by meaning; nothing if no document matches by words. */
async function loadFused({ listBest: best, findNear: near }: PageOptions): Promise<Pick<Page, 'behind' | 'fused'>> {
  const words = near ? await best(FUSED_RESULTS, null) : []
  const nearest = near && words.length > 0 ? await near(FUSED_RESULTS) : null
  if (!nearest) return { behind: null, fused: null }
  const wordDocs = new Set(words.map(({ doc }) => doc))
  const rest = fuseRanks(
    [...wordDocs],
    nearest.map(({ doc }) => doc),
  )
  return { behind: words.at(-1) ?? null, fused: { rest, apart: rest.filter((doc) => !wordDocs.has(doc)) } }
}
