/** Which documents fulfil an exact condition: a mask for each part of the index, 1 where one does. */
import { Bindings } from '../db/bindings'
import type { Session } from '../db/database'
import { findConditionDocs, listByDocs } from './find-store'
import { fold } from './fold'
import { keepRuns, PlaceList } from './in-a-row'
import { intersect, type Masks, setDocs, unite } from './masks'
import { needleOf } from './needle'
import { phraseOf } from './plan'
import { type Posting, readCounts } from './postings'
import type { Leaf, Query, TextLeaf } from './query'
import type { Documents } from './segment'
import { fieldsOf, type Sources, type Type } from './source'
import { wordsOutside } from './statistics'
import type { View } from './view'
import { everywhere, isWord, type Range, startingWith } from './vocabulary'

/** Texts that are looked through for one piece of text, where the index tells only where it may stand. */
const LOOKED_THROUGH = 500
/** So many of them are read in one go, and no more once these are as many UTF-16 units for all pieces of a query. */
const LOOKED_THROUGH_AT_ONCE = 16
const LOOKED_THROUGH_UNITS = 1024 * 1024

/** Where all but so many documents of a large part have a piece, the texts of these are looked through if they have few
 * words: else nearly all terms are read for one note that lacks an `a`. */
const LAST_LOOKED_THROUGH = 64
const LAST_WORDS = 16 * 1024
const SMALL_PART = 512

/** Terms by themselves, or those of a range. */
type TermSet = readonly string[] | { readonly range: Range; readonly wanted: (term: string) => boolean }

export class Matching {
  /** Whether more texts may hold a piece than were looked through. */
  limited = false
  readonly #session: Session
  readonly #view: View
  readonly #sources: Sources
  readonly #types: readonly Type[]
  #unitsLeft = LOOKED_THROUGH_UNITS

  constructor(session: Session, view: View, sources: Sources, types: readonly Type[]) {
    this.#session = session
    this.#view = view
    this.#sources = sources
    this.#types = types
  }

  async of(query: Query): Promise<Masks> {
    switch (query.kind) {
      case 'and':
      case 'or': {
        // What is said again asks for nothing more.
        const [first, ...rest] = new Map(query.parts.map((part) => [JSON.stringify(part), part])).values()
        if (!first) return this.#empty()
        const masks = await this.of(first)
        const add = query.kind === 'and' ? intersect : unite
        for (const part of rest) add(masks, await this.of(part))
        return masks
      }
      case 'not': {
        const masks = await this.of(query.part)
        for (const mask of masks) for (let i = 0; i < mask.length; i++) mask[i] = 1 - (mask[i] as number)
        return masks
      }
      case 'text':
        return await this.#text(query)
      default:
        return await this.#condition(query)
    }
  }

  #empty(): Masks {
    return this.#view.parts.map(({ count }) => new Uint8Array(count))
  }

  async #condition(leaf: Exclude<Leaf, TextLeaf>): Promise<Masks> {
    if (leaf.kind === 'has' && (leaf.what === 'code' || leaf.what === 'heading'))
      return await this.anyOf([`?${leaf.what}`])
    return await this.keys(this.#types, (bind, type) => this.#sources[type].keysOf(leaf, bind))
  }

  /** Documents whose keys a SELECT gives, of some types; null gives none. */
  async keys(types: readonly Type[], select: (bind: Bindings, type: Type) => string | null): Promise<Masks> {
    const masks = this.#empty()
    const { db, workspace } = this.#session
    for (const type of types) {
      const bind = new Bindings(workspace.id, type)
      const keys = select(bind, type)
      if (keys !== null) setDocs(masks, this.#view.parts, await findConditionDocs(db, keys, bind))
    }
    return masks
  }

  async #text(leaf: TextLeaf): Promise<Masks> {
    const needle = needleOf(leaf)
    if (needle.how === 'substring') return await this.#piece(needle.text, leaf.field)
    const words = phraseOf(leaf.text)
    if (needle.prefix) return await this.#phrase(words, leaf.field, 'start')
    if (words.length === 1 && leaf.field === null && words[0] !== undefined) return await this.anyOf([words[0]])
    return await this.#phrase(words, leaf.field, 'whole')
  }

  /**
   * Documents with any of the terms.
   * @param few answers whether those of a part that have none are few enough to stop there
   */
  async anyOf(
    terms: TermSet,
    field: TextLeaf['field'] = null,
    few: (part: number, left: number, mask: Uint8Array) => boolean = (_, left) => left === 0,
  ): Promise<Masks> {
    const masks = this.#empty()
    const left = this.#view.parts.map(({ count }) => count)
    await this.#each(terms, 'counts', (part, { counts }) => {
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
      const others = (left[part] as number) - added
      left[part] = others
      return few(part, others, mask)
    })
    return masks
  }

  /** @param take answers whether the rest of the part is of no interest */
  async #each(
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
   * Words one behind the other. Of the last, `start` takes whatever begins so; of the first, `inside` what ends so.
   * @param inRow false leaves their order to whoever looks through the texts
   */
  async #phrase(
    words: readonly string[],
    field: TextLeaf['field'],
    how: 'whole' | 'start' | 'inside',
    inRow = true,
  ): Promise<Masks> {
    if (words.length === 0) return this.#empty()
    const sets = words.map((word, i): TermSet => {
      const open = i === words.length - 1 && how !== 'whole'
      const closed = i === 0 && how === 'inside'
      if (!open && !closed) return [word]
      if (!closed) return { range: startingWith(word), wanted: (term) => term.startsWith(word) }
      return {
        range: everywhere(word),
        wanted: (term) => isWord(term) && (open ? term.includes(word) : term.endsWith(word)),
      }
    })
    const [only] = sets
    if (only && sets.length === 1)
      return how === 'inside' ? await this.#inWords(only, words[0] ?? '', field) : await this.anyOf(only, field)
    if (inRow) return await this.#inARow(sets, field)
    const masks = this.#empty().map((mask) => mask.fill(1))
    for (const set of sets) intersect(masks, await this.anyOf(set, field))
    return masks
  }

  /** Documents with a word that holds a piece. */
  async #inWords(terms: TermSet, piece: string, field: TextLeaf['field']): Promise<Masks> {
    const last = this.#empty()
    const weighed = new Set<number>()
    const masks = await this.anyOf(terms, field, (part, left, mask) => {
      const documents = this.#view.parts[part] as Documents
      if (left === 0) return true
      if (left > LAST_LOOKED_THROUGH || documents.count < SMALL_PART || weighed.has(part)) return false
      weighed.add(part)
      if (wordsOutside(mask, documents) > LAST_WORDS) return false
      mask.forEach((one, doc) => {
        if (one === 0) (last[part] as Uint8Array)[doc] = 1
      })
      return true
    })
    if (last.some((mask) => mask.includes(1))) {
      await this.#lookThrough(last, piece, field)
      unite(masks, last)
    }
    return masks
  }

  async #inARow(sets: readonly TermSet[], field: TextLeaf['field']): Promise<Masks> {
    // A phrase may say the same hundreds of times: each word is read once.
    const keys = sets.map((set, i) => ('range' in set ? `*${i}` : set.join(' ')))
    const distinct = new Map(sets.map((set, i) => [keys[i], set]))
    const own = [...distinct.keys()]
    const order = keys.map((key) => own.indexOf(key))
    const candidates = this.#empty().map((mask) => mask.fill(1))
    for (const set of distinct.values()) intersect(candidates, await this.anyOf(set, field))
    if (candidates.every((mask) => !mask.includes(1))) return candidates
    const only = field === null ? null : field === 'title' ? 0 : 2
    const found: PlaceList[][] = []
    for (const set of distinct.values()) {
      const lists = candidates.map(() => new PlaceList())
      await this.#each(set, 'places', (part, posting) => {
        lists[part]?.add(posting, candidates[part] as Uint8Array, only)
        return false
      })
      found.push(lists)
    }
    candidates.forEach((mask, part) => {
      if (mask.includes(1))
        keepRuns(
          mask,
          found.flatMap((lists) => lists[part]?.ordered(mask.length) ?? []),
          order,
        )
    })
    return candidates
  }

  /** Text as it stands, wherever it stands. */
  async #piece(text: string, field: TextLeaf['field']): Promise<Masks> {
    if (text === '') return this.#empty().map((mask) => mask.fill(1))
    const runs = text.match(/[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}\s]+|\s+/gu) ?? []
    const words = phraseOf(text)
    const isExact = runs.length === 1 && (words.length > 0 || Array.from(text).length <= 2) && !/^\s/.test(text)
    const masks =
      words.length > 0 ? await this.#phrase(words, field, 'inside', isExact) : await this.#signs(text, field)
    if (!isExact) await this.#lookThrough(masks, text, field)
    return masks
  }

  /** Documents that have every two signs of a text in a row. */
  async #signs(text: string, field: TextLeaf['field']): Promise<Masks> {
    const terms = new Set<string>()
    for (const run of text.split(/\s+/)) {
      const signs = Array.from(run)
      if (signs.length === 1) terms.add(`!${signs[0]}`)
      for (const [i, sign] of signs.slice(1).entries()) terms.add(`!${signs[i]}${sign}`)
    }
    const masks = this.#empty().map((mask) => mask.fill(1))
    for (const term of terms) intersect(masks, await this.anyOf([term], field))
    return masks
  }

  /** Keeps the documents whose texts hold a piece; of very many, the newest are looked through. */
  async #lookThrough(masks: Masks, piece: string, field: TextLeaf['field']): Promise<void> {
    const places = new Map<number, { readonly part: number; readonly number: number }>()
    for (let part = masks.length - 1; part >= 0; part--) {
      const [mask, docs, living] = [masks[part], this.#view.parts[part]?.docs, this.#view.living[part]]
      for (let number = (mask?.length ?? 0) - 1; mask && docs && number >= 0; number--) {
        if (mask[number] === 1 && living?.[number] === 1) {
          if (places.size < LOOKED_THROUGH) places.set(docs[number] as number, { part, number })
          else this.limited = true
        }
        mask[number] = 0
      }
    }
    const docs = [...places.keys()]
    for (let at = 0; at < docs.length; at += LOOKED_THROUGH_AT_ONCE) {
      if (this.#unitsLeft <= 0) {
        this.limited = true
        return
      }
      for (const doc of await this.#holding(docs.slice(at, at + LOOKED_THROUGH_AT_ONCE), piece, field)) {
        const place = places.get(doc)
        const mask = masks[place?.part ?? -1]
        if (mask && place) mask[place.number] = 1
      }
      await this.#view.breathe()
    }
  }

  /** Of documents, those whose texts hold a piece. */
  async #holding(docs: readonly number[], piece: string, field: TextLeaf['field']): Promise<number[]> {
    const { db, workspace } = this.#session
    const rows = await listByDocs(db, workspace.id, docs)
    const found: number[] = []
    for (const type of this.#types) {
      const own = new Map(rows.filter((row) => row.type === type).map(({ key, doc }) => [key, doc]))
      if (own.size === 0) continue
      for (const [key, texts] of await this.#sources[type].texts(db, workspace.id, [...own.keys()])) {
        const fields = fieldsOf(texts, field)
        for (const one of fields) this.#unitsLeft -= one.length
        const doc = own.get(key)
        if (doc !== undefined && fields.some((one) => fold(one).includes(piece))) found.push(doc)
      }
    }
    return found
  }
}
