/**
 * Finds the documents that fulfil an exact condition: a mask for each part of the index, 1 for each document that does.
 */
import { Bindings, type Session } from '../db/database'
import { findConditionDocs, listByDocs } from './find-store'
import { fold } from './fold'
import { areEmpty, countAllDocs, intersect, listMaskedDocs, type Masks, selectCurrent, setDocs, unite } from './masks'
import { compileNeedle, isOneRun, toNeedle } from './needle'
import { keepRuns, PlaceList } from './phrases'
import { readPhrase } from './plan'
import { type Posting, readCounts } from './postings'
import type { Leaf, Query, TextLeaf } from './query'
import type { Documents } from './segment'
import type { SearchSources, Type } from './source'
import { countWordsOutside } from './statistics'
import { TextScan } from './text-scan'
import type { IndexView } from './view'
import { isWordTerm, rangeOfAll, rangeOfPrefix, type TermRange } from './vocabulary'

/**
 * Documents. When all but this many of a large part are known to hold a piece, the texts of the rest are read instead
 * of further terms: else nearly all terms would be read for one note without an `a`.
 */
const MAX_TEXTS_READ = 64
/** Words of those texts, at most. */
const MAX_WORDS_READ = 16 * 1024
/** Documents of a part below which its terms are few enough to read all. */
const SMALL_PART_DOCS = 512

/** A list of terms, or the wanted ones of a range. */
type TermSet = readonly string[] | { readonly range: TermRange; readonly wanted: (term: string) => boolean }

/** Evaluates the conditions of one search. */
export class Matching {
  readonly #session: Session
  readonly #view: IndexView
  readonly #sources: SearchSources
  readonly #types: readonly Type[]
  readonly #maxDocs: number
  readonly #texts: TextScan
  #exceeded = false

  /** @param most documents of one word after which it may stop; see `limited` */
  constructor(
    session: Session,
    view: IndexView,
    sources: SearchSources,
    types: readonly Type[],
    most = Number.POSITIVE_INFINITY,
  ) {
    this.#maxDocs = most
    this.#texts = new TextScan(session, view, sources, types)
    this.#session = session
    this.#view = view
    this.#sources = sources
    this.#types = types
  }

  /** Whether it stopped at a limit, so that further documents may fulfil the condition. */
  get limited(): boolean {
    return this.#exceeded || this.#texts.limited
  }

  async match(query: Query): Promise<Masks> {
    switch (query.kind) {
      case 'and':
      case 'or': {
        // A repeated part changes nothing.
        const [first, ...rest] = new Map(query.parts.map((part) => [JSON.stringify(part), part])).values()
        if (!first) return this.#emptyMasks()
        const masks = await this.match(first)
        const add = query.kind === 'and' ? intersect : unite
        for (const part of rest) add(masks, await this.match(part))
        return masks
      }
      case 'not': {
        const masks = await this.match(query.part)
        for (const mask of masks) for (let i = 0; i < mask.length; i++) mask[i] = 1 - (mask[i] as number)
        return masks
      }
      case 'text':
        return await this.#matchText(query)
      default:
        return await this.#matchCondition(query)
    }
  }

  #emptyMasks(): Masks {
    return this.#view.parts.map(({ count }) => new Uint8Array(count))
  }

  async #matchCondition(leaf: Exclude<Leaf, TextLeaf>): Promise<Masks> {
    if (leaf.kind === 'has' && (leaf.what === 'code' || leaf.what === 'heading'))
      return await this.matchAny([`?${leaf.what}`])
    return await this.matchKeys(this.#types, (bind, type) => this.#sources[type].selectKeys(leaf, bind))
  }

  /** Finds the documents whose keys a SELECT returns, of some types. `select` returns null if a type has none. */
  async matchKeys(types: readonly Type[], select: (bind: Bindings, type: Type) => string | null): Promise<Masks> {
    const masks = this.#emptyMasks()
    const { db, workspace } = this.#session
    for (const type of types) {
      const bind = new Bindings(workspace.id, type)
      const keys = select(bind, type)
      if (keys !== null) setDocs(masks, this.#view.parts, await findConditionDocs(db, keys, bind))
    }
    return masks
  }

  async #matchText(leaf: TextLeaf): Promise<Masks> {
    const needle = toNeedle(leaf)
    if (needle.how === 'substring') return await this.#matchPiece(needle.text, leaf.field)
    const words = readPhrase(leaf.text)
    if (needle.names.length > 0) return await this.#matchNames(words, needle.names, leaf)
    if (needle.prefix) return await this.#matchPhrase(words, leaf.field, 'start')
    if (words.length === 1 && leaf.field === null && words[0] !== undefined) return await this.matchAny([words[0]])
    return await this.#matchPhrase(words, leaf.field, 'whole')
  }

  /** Matches a phrase with signs that belong to its words. If the index cannot decide, the texts are read. */
  async #matchNames(words: readonly string[], names: readonly string[], leaf: TextLeaf): Promise<Masks> {
    const masks = await this.#matchPhrase(words, leaf.field, 'whole')
    const signs = names.join(' ').replace(/[\p{L}\p{N}\p{M}]+/gu, ' ')
    intersect(masks, await this.#matchSigns(signs, leaf.field))
    const certain = words.length > 1 ? this.#emptyMasks() : await this.matchAny([`=${names[0]}`], leaf.field)
    certain.forEach((mask, part) => {
      mask.forEach((one, doc) => {
        if (one === 1) (masks[part] as Uint8Array)[doc] = 0
      })
    })
    const pattern = compileNeedle(leaf)
    await this.#texts.keepMatching(masks, (folded) => pattern !== null && folded.search(pattern) >= 0, leaf.field)
    unite(masks, certain)
    return masks
  }

  /**
   * Finds the documents with any of the terms.
   * @param isEnough whether to stop with a part, by the number of its documents without a term
   * @param maxDocs documents in all after which it stops
   */
  async matchAny(
    terms: TermSet,
    field: TextLeaf['field'] = null,
    isEnough: (part: number, missing: number, mask: Uint8Array) => boolean = (_, missing) => missing === 0,
    maxDocs = Number.POSITIVE_INFINITY,
  ): Promise<Masks> {
    const masks = this.#emptyMasks()
    const missing = this.#view.parts.map(({ count }) => count)
    let total = 0
    await this.#forEachPosting(terms, 'counts', (part, { counts }) => {
      if (total > maxDocs) return true
      const mask = masks[part] as Uint8Array
      const { length, docs, titles, bodies } = readCounts(counts)
      const times = field === 'title' ? titles : bodies
      let added = 0
      for (let i = 0; i < length; i++) {
        const doc = docs[i] as number
        if (mask[doc] === 1 || (field !== null && times[i] === 0)) continue
        mask[doc] = 1
        added++
      }
      const others = (missing[part] as number) - added
      missing[part] = others
      total += added
      return isEnough(part, others, mask) || total > maxDocs
    })
    this.#exceeded ||= total > maxDocs
    return masks
  }

  /** Calls `take` with each posting, part by part; `take` returns whether to skip the rest of the part. */
  async #forEachPosting(
    terms: TermSet,
    depth: 'counts' | 'places',
    take: (part: number, posting: Posting) => boolean,
  ): Promise<void> {
    if ('range' in terms)
      return await this.#view.scan(terms.range, depth, terms.wanted, (part, { posting }) => take(part, posting))
    for (const postings of (await this.#view.postings(terms, depth === 'places')).values()) {
      postings.forEach((posting, part) => {
        if (posting) take(part, posting)
      })
    }
  }

  /**
   * Matches words in a row. With `start`, the last word may be a beginning; with `inside`, the first word may also be
   * an end.
   * @param inRow false does not check the order: the caller reads the texts
   */
  async #matchPhrase(
    words: readonly string[],
    field: TextLeaf['field'],
    how: 'whole' | 'start' | 'inside',
    inRow = true,
  ): Promise<Masks> {
    if (words.length === 0) return this.#emptyMasks()
    const sets = words.map((word, i): TermSet => {
      const open = i === words.length - 1 && how !== 'whole'
      const closed = i === 0 && how === 'inside'
      if (!open && !closed) return [word]
      if (!closed) return { range: rangeOfPrefix(word), wanted: (term) => term.startsWith(word) }
      return {
        range: rangeOfAll(word),
        wanted: (term) => isWordTerm(term) && (open ? term.includes(word) : term.endsWith(word)),
      }
    })
    const [only] = sets
    if (only && sets.length === 1)
      return how === 'inside' ? await this.#matchInWords(only, words[0] ?? '', field) : await this.matchAny(only, field)
    if (inRow) return await this.#matchInARow(sets, field)
    return await this.#matchAll(sets, field)
  }

  /** Finds the documents with a word that holds a piece. */
  async #matchInWords(terms: TermSet, piece: string, field: TextLeaf['field']): Promise<Masks> {
    const last = this.#emptyMasks()
    const weighed = new Set<number>()
    const few = (part: number, left: number, mask: Uint8Array) => {
      const documents = this.#view.parts[part] as Documents
      if (left === 0) return true
      if (left > MAX_TEXTS_READ || documents.count < SMALL_PART_DOCS || weighed.has(part)) return false
      weighed.add(part)
      if (countWordsOutside(mask, documents) > MAX_WORDS_READ) return false
      mask.forEach((one, doc) => {
        if (one === 0) (last[part] as Uint8Array)[doc] = 1
      })
      return true
    }
    const masks = await this.matchAny(terms, field, few, this.#maxDocs)
    if (last.some((mask) => mask.includes(1))) {
      await this.#texts.keepMatching(last, (folded) => folded.includes(piece), field)
      unite(masks, last)
    }
    return masks
  }

  /** Finds the documents that have a term of each set. Words come before ranges, which take longer. */
  async #matchAll(sets: readonly TermSet[], field: TextLeaf['field']): Promise<Masks> {
    const words = sets.filter((set) => !('range' in set))
    const ranges = sets.filter((set) => 'range' in set)
    // The last word of a piece is a beginning, whose range is smaller than that of the first, an end.
    const [first, ...rest] = [...words, ...ranges.reverse()]
    if (!first) return this.#emptyMasks().map((mask) => mask.fill(1))
    const masks = await this.matchAny(first, field)
    for (const set of rest) {
      if (areEmpty(masks)) break
      intersect(masks, await this.matchAny(set, field))
    }
    return masks
  }

  async #matchInARow(sets: readonly TermSet[], field: TextLeaf['field']): Promise<Masks> {
    // A phrase may repeat a word hundreds of times: each is read once.
    const keys = sets.map((set, i) => ('range' in set ? `*${i}` : set.join(' ')))
    const distinct = new Map(sets.map((set, i) => [keys[i], set]))
    const distinctKeys = [...distinct.keys()]
    const order = keys.map((key) => distinctKeys.indexOf(key))
    const candidates = await this.#matchAll([...distinct.values()], field)
    if (areEmpty(candidates)) return candidates
    const only = field === null ? null : field === 'title' ? 0 : 2
    const found: PlaceList[][] = []
    for (const set of distinct.values()) {
      const lists = candidates.map(() => new PlaceList())
      await this.#forEachPosting(set, 'places', (part, posting) => {
        lists[part]?.add(posting, candidates[part] as Uint8Array, only)
        return false
      })
      found.push(lists)
    }
    candidates.forEach((mask, part) => {
      if (mask.includes(1))
        keepRuns(
          mask,
          found.flatMap((lists) => lists[part]?.groupByDocument(mask.length) ?? []),
          order,
        )
    })
    return candidates
  }

  /** Matches text as written, anywhere in a word. */
  async #matchPiece(text: string, field: TextLeaf['field']): Promise<Masks> {
    const masks = await this.matchCandidates(text, field)
    if (text !== '' && !isOneRun(text)) await this.#texts.keepMatching(masks, (folded) => folded.includes(text), field)
    return masks
  }

  /** Finds a superset of the documents that hold a piece of folded text, as far as the index knows. */
  async matchCandidates(text: string, field: TextLeaf['field'] = null): Promise<Masks> {
    if (text === '') return this.#emptyMasks().map((mask) => mask.fill(1))
    const words = readPhrase(text)
    return words.length > 0
      ? await this.#matchPhrase(words, field, 'inside', isOneRun(text))
      : await this.#matchSigns(text, field)
  }

  /** Finds the documents that have every two signs of a text in a row. */
  async #matchSigns(text: string, field: TextLeaf['field']): Promise<Masks> {
    const terms = new Set<string>()
    for (const run of text.split(/\s+/)) {
      const signs = Array.from(run)
      if (signs.length === 1) terms.add(`!${signs[0]}`)
      for (const [i, sign] of signs.slice(1).entries()) terms.add(`!${signs[i]}${sign}`)
    }
    return await this.#matchAll(
      [...terms].map((term) => [term]),
      field,
    )
  }
}

/** A mark without a letter before it, or a letter that folding removes: no term is made of these. */
const LOOSE_MARK = /(?:^|[^\p{L}\p{N}\p{M}])[\p{M}\u0640\u00ad]/u

interface CandidateOptions {
  readonly type: Type
  readonly piece: string
  readonly limit: number
}

/**
 * Lists the keys of documents of one type, a superset of those that hold a piece of text, without regard to case and
 * accents. Null if there may be more than `limit`, or the index cannot tell. It misses text beyond 255 UTF-16 units of
 * a word, which the index cuts off, and half-width letters and single jamo, which the index joins.
 */
export async function findCandidateKeys(
  session: Session,
  view: IndexView,
  sources: SearchSources,
  { type, piece, limit }: CandidateOptions,
): Promise<number[] | null> {
  const folded = fold(piece)
  if (LOOSE_MARK.test(piece) || LOOSE_MARK.test(folded)) return null
  const matching = new Matching(session, view, sources, [type], limit)
  const masks = await matching.matchCandidates(folded)
  if (matching.limited) return null
  if (areEmpty(masks)) return []
  intersect(masks, selectCurrent(view, [type]))
  if (countAllDocs(masks) > limit) return null
  return (await listByDocs(session.db, session.workspace.id, listMaskedDocs(masks, view.parts))).map(({ key }) => key)
}
