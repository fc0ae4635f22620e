/** Which documents fulfil an exact condition: a mask for each part of the index, 1 where one does. */
import { Bindings, type Session } from '../db/database'
import { findConditionDocs, listByDocs } from './find-store'
import { fold } from './fold'
import { countAllDocs, intersect, listMaskedDocs, type Masks, selectCurrent, setDocs, unite } from './masks'
import { compileNeedle, isOneRun, toNeedle } from './needle'
import { keepRuns, PlaceList } from './phrases'
import { readPhrase } from './plan'
import { type Posting, readCounts } from './postings'
import type { Leaf, Query, TextLeaf } from './query'
import type { Documents } from './segment'
import type { Sources, Type } from './source'
import { countWordsOutside } from './statistics'
import { TextScan } from './text-scan'
import type { IndexView } from './view'
import { isWordTerm, rangeOfAll, rangeOfPrefix, type TermRange } from './vocabulary'

/** Where all but so many documents of a large part have a piece, the texts of these are looked through if they have few
 * words: else nearly all terms are read for one note that lacks an `a`. */
const MAX_TEXTS_READ = 64
const MAX_WORDS_READ = 16 * 1024
const SMALL_PART_DOCS = 512

/** Terms by themselves, or those of a range. */
type TermSet = readonly string[] | { readonly range: TermRange; readonly wanted: (term: string) => boolean }

export class Matching {
  readonly #session: Session
  readonly #view: IndexView
  readonly #sources: Sources
  readonly #types: readonly Type[]
  readonly #maxDocs: number
  readonly #texts: TextScan
  #exceeded = false

  /** @param most documents of one word that are of interest: it may end when there are more, see `limited` */
  constructor(
    session: Session,
    view: IndexView,
    sources: Sources,
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

  /** Whether more may fulfil a condition than were looked at. */
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

  /** Documents whose keys a SELECT gives, of some types; null gives none. */
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

  /** A phrase whose signs belong to its words: where the index does not know, the texts are read. */
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
   * Documents with any of the terms.
   * @param isEnough returns whether those of a part that have none are few enough to stop there
   * @param maxDocs documents that are of interest
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

  /** @param take returns whether to skip the rest of the part */
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
   * Words in a row. Of the last, `start` takes what begins with it; of the first, `inside` what ends with it.
   * @param inRow false leaves their order to the caller, who reads the texts
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
    const masks = this.#emptyMasks().map((mask) => mask.fill(1))
    for (const set of sets) intersect(masks, await this.matchAny(set, field))
    return masks
  }

  /** Documents with a word that holds a piece. */
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

  async #matchInARow(sets: readonly TermSet[], field: TextLeaf['field']): Promise<Masks> {
    // A phrase may say the same hundreds of times: each word is read once.
    const keys = sets.map((set, i) => ('range' in set ? `*${i}` : set.join(' ')))
    const distinct = new Map(sets.map((set, i) => [keys[i], set]))
    const own = [...distinct.keys()]
    const order = keys.map((key) => own.indexOf(key))
    const candidates = this.#emptyMasks().map((mask) => mask.fill(1))
    for (const set of distinct.values()) intersect(candidates, await this.matchAny(set, field))
    if (candidates.every((mask) => !mask.includes(1))) return candidates
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

  /** Text as written, anywhere in a word. */
  async #matchPiece(text: string, field: TextLeaf['field']): Promise<Masks> {
    const masks = await this.matchCandidates(text, field)
    if (text !== '' && !isOneRun(text)) await this.#texts.keepMatching(masks, (folded) => folded.includes(text), field)
    return masks
  }

  /** Documents among which are all that hold a piece of folded text, as far as the index knows. */
  async matchCandidates(text: string, field: TextLeaf['field'] = null): Promise<Masks> {
    if (text === '') return this.#emptyMasks().map((mask) => mask.fill(1))
    const words = readPhrase(text)
    return words.length > 0
      ? await this.#matchPhrase(words, field, 'inside', isOneRun(text))
      : await this.#matchSigns(text, field)
  }

  /** Documents that have every two signs of a text in a row. */
  async #matchSigns(text: string, field: TextLeaf['field']): Promise<Masks> {
    const terms = new Set<string>()
    for (const run of text.split(/\s+/)) {
      const signs = Array.from(run)
      if (signs.length === 1) terms.add(`!${signs[0]}`)
      for (const [i, sign] of signs.slice(1).entries()) terms.add(`!${signs[i]}${sign}`)
    }
    const masks = this.#emptyMasks().map((mask) => mask.fill(1))
    for (const term of terms) intersect(masks, await this.matchAny([term], field))
    return masks
  }
}

/** A mark without a letter before it, or a letter that folding takes away: no term is made of it. */
const LOOSE_MARK = /(?:^|[^\p{L}\p{N}\p{M}])[\p{M}\u0640\u00ad]/u

interface CandidateOptions {
  readonly type: Type
  readonly piece: string
  readonly limit: number
}

/**
 * The keys of documents of a type among which are all that hold a piece of text, as written but for case and accents.
 * Null if these may be more than `limit`, or the index does not know. Of words that it keeps no more than 255 UTF-16 units
 * of, it knows no more, nor of letters of half width and single jamo, which it joins.
 */
export async function findCandidateKeys(
  session: Session,
  view: IndexView,
  sources: Sources,
  { type, piece, limit }: CandidateOptions,
): Promise<number[] | null> {
  const folded = fold(piece)
  if (LOOSE_MARK.test(piece) || LOOSE_MARK.test(folded)) return null
  const matching = new Matching(session, view, sources, [type], limit)
  const masks = selectCurrent(view, [type])
  intersect(masks, await matching.matchCandidates(folded))
  if (matching.limited || countAllDocs(masks) > limit) return null
  return (await listByDocs(session.db, session.workspace.id, listMaskedDocs(masks, view.parts))).map(({ key }) => key)
}
