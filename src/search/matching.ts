/** Which documents fulfil an exact condition: a mask for each part of the index, 1 where one does. */
import { Bindings } from '../db/bindings'
import type { Session } from '../db/database'
import type { Places } from './analyze'
import { fold } from './fold'
import { findConditionDocs, listByDocs } from './index-store'
import { needleOf } from './needle'
import { phraseOf } from './plan'
import { eachCount, type Posting, readPlaces } from './postings'
import type { Leaf, Query, TextLeaf } from './query'
import type { Documents } from './segment'
import type { Sources, Type } from './source'
import type { Postings, View } from './view'

export type Masks = readonly Uint8Array[]

/** Texts that are looked through for one piece of text, where the index tells only where it may stand. */
const LOOKED_THROUGH = 500

export class Matching {
  /** Whether more texts may hold a piece than were looked through. */
  limited = false
  readonly #session: Session
  readonly #view: View
  readonly #sources: Sources
  readonly #types: readonly Type[]

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
        const [first, ...rest] = query.parts
        if (!first) return this.#empty()
        const masks = await this.of(first)
        for (const part of rest) combine(masks, await this.of(part), query.kind)
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
    if (leaf.kind === 'has' && (leaf.what === 'code' || leaf.what === 'heading')) return await this.anyOf([`?${leaf.what}`])
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

  /** Documents with any of the terms. */
  async anyOf(terms: readonly string[], field: TextLeaf['field'] = null): Promise<Masks> {
    const masks = this.#empty()
    for (const postings of (await this.#view.postings(terms)).values()) {
      postings.forEach((posting, part) => {
        const mask = masks[part]
        if (!posting || !mask) return
        eachCount(posting.counts, (doc, title, tags, body) => {
          if (field === null ? title + tags + body > 0 : field === 'title' ? title > 0 : body > 0) mask[doc] = 1
        })
      })
    }
    return masks
  }

  /** Words one behind the other. Of the last, `start` takes whatever begins so; of the first, `inside` what ends so. */
  async #phrase(words: readonly string[], field: TextLeaf['field'], how: 'whole' | 'start' | 'inside'): Promise<Masks> {
    const [only] = words
    if (only === undefined) return this.#empty()
    const sets: string[][] = []
    for (const [i, word] of words.entries()) {
      const open = i === words.length - 1 && how !== 'whole'
      const closed = i === 0 && how === 'inside'
      if (!open && !closed) sets.push([word])
      else if (open && !closed) sets.push([...(await this.#view.startingWith(word)).keys()])
      else sets.push([...(await this.#view.holding(word)).keys()].filter((one) => open || one.endsWith(word)))
    }
    if (sets.length === 1) return await this.anyOf(sets[0] ?? [], field)
    return await this.#inARow(sets, field)
  }

  async #inARow(sets: readonly (readonly string[])[], field: TextLeaf['field']): Promise<Masks> {
    const candidates = this.#empty()
    for (const [i, set] of sets.entries()) {
      const masks = await this.anyOf(set, field)
      if (i === 0) combine(candidates, masks, 'or')
      else combine(candidates, masks, 'and')
    }
    const found: (Map<number, Places[]> | null)[][] = []
    for (const set of sets) found.push(await this.#placesOf(set, candidates))
    const fields = field === null ? [0, 1, 2] : field === 'title' ? [0] : [2]
    candidates.forEach((mask, part) => {
      for (let doc = 0; doc < mask.length; doc++) {
        if (mask[doc] !== 1) continue
        const lists = found.map((parts) => parts[part]?.get(doc) ?? [])
        if (!fields.some((one) => hasRun(lists.map((places) => places.flatMap((each) => each[one as 0 | 1 | 2] ?? []))))) mask[doc] = 0
      }
    })
    return candidates
  }

  /** The places of any of the terms in the documents of the masks. */
  async #placesOf(terms: readonly string[], masks: Masks): Promise<(Map<number, Places[]> | null)[]> {
    const found = this.#view.parts.map(() => new Map<number, Places[]>())
    for (const postings of (await this.#view.postings(terms, true)).values()) {
      postings.forEach((posting, part) => {
        if (!posting) return
        for (const [doc, places] of readPlaces(posting, (one) => masks[part]?.[one] === 1)) {
          const list = found[part]?.get(doc)
          if (list) list.push(places)
          else found[part]?.set(doc, [places])
        }
      })
    }
    return found
  }

  /** Text as it stands, wherever it stands. */
  async #piece(text: string, field: TextLeaf['field']): Promise<Masks> {
    if (text === '') return this.#empty().map((mask) => mask.fill(1))
    const runs = text.match(/[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}\s]+|\s+/gu) ?? []
    const words = phraseOf(text)
    const masks = words.length > 0 ? await this.#phrase(words, field, 'inside') : await this.#signs(text, field)
    const isExact = runs.length === 1 && (words.length > 0 || Array.from(text).length <= 2) && !/^\s/.test(text)
    if (!isExact) await this.#lookThrough(masks, text, field)
    return masks
  }

  /** Documents that have every two signs of a text in a row. */
  async #signs(text: string, field: TextLeaf['field']): Promise<Masks> {
    const terms = new Set<string>()
    for (const run of text.split(/\s+/)) {
      const signs = Array.from(run)
      if (signs.length === 1) terms.add(`!${signs[0]}`)
      signs.slice(1).forEach((sign, i) => terms.add(`!${signs[i]}${sign}`))
    }
    const masks = this.#empty().map((mask) => mask.fill(1))
    for (const term of terms) combine(masks, await this.anyOf([term], field), 'and')
    return masks
  }

  /** Keeps the documents whose texts hold a piece; of very many, the newest are looked through. */
  async #lookThrough(masks: Masks, piece: string, field: TextLeaf['field']): Promise<void> {
    const { db, workspace } = this.#session
    const candidates = this.#view.parts.flatMap(({ docs }, part) =>
      Array.from(docs).flatMap((doc, number) => (masks[part]?.[number] === 1 ? [{ doc, part, number }] : [])),
    )
    for (const mask of masks) mask.fill(0)
    const newest = candidates.slice(-LOOKED_THROUGH)
    if (newest.length < candidates.length) this.limited = true
    const rows = await listByDocs(db, workspace.id, newest.map(({ doc }) => doc))
    const places = new Map(newest.map(({ doc, part, number }) => [doc, { part, number }]))
    for (const type of this.#types) {
      const own = new Map(rows.filter((row) => row.type === type).map(({ key, doc }) => [key, doc]))
      for (const [key, texts] of await this.#sources[type].texts(db, workspace.id, [...own.keys()])) {
        const place = places.get(own.get(key) ?? 0)
        const mask = masks[place?.part ?? -1]
        if (mask && place && fieldsOf(texts, field).some((one) => fold(one).includes(piece))) mask[place.number] = 1
      }
    }
  }
}

function fieldsOf(texts: { title: string; tags: readonly string[]; body: string }, field: TextLeaf['field']): string[] {
  if (field === 'title') return [texts.title]
  return field === 'body' ? [texts.body] : [texts.title, texts.tags.join('\n'), texts.body]
}

function combine(masks: Masks, others: Masks, how: 'and' | 'or'): void {
  masks.forEach((mask, part) => {
    const other = others[part]
    if (!other) return
    for (let i = 0; i < mask.length; i++) mask[i] = how === 'and' ? (mask[i] as number) & (other[i] as number) : (mask[i] as number) | (other[i] as number)
  })
}

/** Whether the lists, each ascending or not, have numbers that follow one another. */
function hasRun(lists: readonly (readonly number[])[]): boolean {
  const [first, ...rest] = lists
  const sets = rest.map((list) => new Set(list))
  return first?.some((place) => sets.every((set, i) => set.has(place + i + 1))) ?? false
}

/** @param docs in any order */
function setDocs(masks: Masks, parts: readonly Documents[], docs: readonly number[]): void {
  const ascending = Float64Array.from(docs).sort()
  parts.forEach((documents, part) => {
    const mask = masks[part]
    if (!mask) return
    let at = 0
    for (let i = 0; i < documents.count; i++) {
      const doc = documents.docs[i] as number
      while (at < ascending.length && (ascending[at] as number) < doc) at++
      if (ascending[at] === doc) mask[i] = 1
    }
  })
}
