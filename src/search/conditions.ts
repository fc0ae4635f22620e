/** Turns a query into a condition of SQL: features look up keys, the index finds words, and texts are read where needed. */
import { Bindings, type Session } from '../db/database'
import { readKeys } from './feed-store'
import type { View } from './files'
import { fold, hasWords } from './fold'
import { compileNeedle, isOneRun, toNeedle } from './needle'
import { readPhrase } from './plan'
import type { Leaf, Query, TextLeaf } from './query'
import { listFields, type SearchSources, type Type } from './source'
import {
  amongDocs,
  type Condition,
  EVERYTHING,
  joinConditions,
  matchAny,
  matching,
  matchRow,
  NOTHING,
  negate,
  withKeys,
} from './where.sqlite'

/** Texts that are read for one piece of text, the newest. */
const MAX_TEXTS = 500
/** Texts that are read in one query. */
const TEXTS_PER_READ = 16
/** UTF-16 units of texts after which no more are read, for all pieces of a query together. */
const MAX_UNITS = 1024 * 1024

/** Reads the conditions of one search. */
export class Conditions {
  /** Whether it stopped at a limit, so that further documents may fulfil a condition. */
  limited = false
  #unitsLeft = MAX_UNITS

  constructor(
    private readonly session: Session,
    private readonly sources: SearchSources,
    private readonly types: readonly Type[],
    private readonly view: View,
  ) {}

  /** @param selectAllowed builds a SELECT of the keys of the one type that may be found at all */
  async read(query: Query | null, selectAllowed: ((bind: Bindings) => string) | null): Promise<Condition> {
    const condition = query ? await this.#read(query) : EVERYTHING
    if (!selectAllowed) return condition
    return joinConditions('and', [await this.#selectKeys(this.types[0] ?? 'note', selectAllowed), condition])
  }

  async #read(query: Query): Promise<Condition> {
    if (query.kind === 'not') return negate(await this.#read(query.part))
    if (query.kind === 'text') return await this.#readText(query)
    const parts: Condition[] = []
    if ('parts' in query) {
      // A repeated part changes nothing.
      const different = new Map(query.parts.map((part) => [JSON.stringify(part), part])).values()
      for (const part of different) parts.push(await this.#read(part))
      return joinConditions(query.kind, parts)
    }
    if (query.kind === 'has' && (query.what === 'code' || query.what === 'heading'))
      return matching(matchAny([`?${query.what}`], null))
    for (const type of this.types) parts.push(await this.#readLeaf(type, query))
    return joinConditions('or', parts)
  }

  #readLeaf(type: Type, leaf: Exclude<Leaf, TextLeaf>): Promise<Condition> {
    return this.#selectKeys(type, (bind) => this.sources[type].selectKeys(leaf, bind))
  }

  /** Reads the keys of a SELECT of one type; null selects none. */
  async #selectKeys(type: Type, select: (bind: Bindings) => string | null): Promise<Condition> {
    const { db, workspace } = this.session
    const bind = new Bindings(workspace.id)
    const sql = select(bind)
    return sql === null ? NOTHING : withKeys(type, await readKeys(db, sql, bind))
  }

  async #readText(leaf: TextLeaf): Promise<Condition> {
    const field = leaf.field === null ? null : leaf.field === 'title' ? 0 : 2
    const needle = toNeedle(leaf)
    if (needle.how === 'piece') {
      const { condition, isExact } = await this.#matchPiece(needle.text, field)
      return isExact ? condition : await this.#keepMatching(condition, leaf)
    }
    const words = readPhrase(leaf.text)
    if (words.length === 0) return NOTHING
    const row = matching(matchRow(words, field, needle.isOpen))
    const [name] = needle.names
    if (name === undefined) return row
    // The index knows a single word with its signs. Of several, the texts are read.
    const certain = words.length > 1 ? NOTHING : matching(matchAny([`=${name}`], field))
    const signs = matchSigns(needle.names.join(' ').replace(/[\p{L}\p{N}\p{M}]+/gu, ' '), field)
    const others = await this.#keepMatching(joinConditions('and', [row, signs, negate(certain)]), leaf)
    return joinConditions('or', [certain, others])
  }

  /** Returns what documents that hold a piece of folded text fulfil, and whether no others do. */
  async #matchPiece(text: string, field: number | null): Promise<{ condition: Condition; isExact: boolean }> {
    if (text === '') return { condition: EVERYTHING, isExact: true }
    const words = readPhrase(text)
    const isExact = isOneRun(text)
    if (words.length === 0) return { condition: matchSigns(text, field), isExact }
    // Of a script without spaces the index has every two characters in a row.
    if (words.length > 1 && isExact && words.every((word) => !hasWords(word)))
      return { condition: matching(matchRow(words, field)), isExact }
    const found = await this.view.ask('findPiece', words[0] ?? '', field)
    if (found.limited) this.limited = true
    if (words.length === 1) return { condition: found.condition, isExact }
    const rows = [matchRow(words.slice(-1), field, true)]
    if (words.length > 2) rows.push(matchRow(words.slice(1, -1), field))
    return { condition: joinConditions('and', [found.condition, ...rows.map(matching)]), isExact: false }
  }

  /** Keeps the documents of which a text holds a leaf. Of very many documents, the newest are read. */
  async #keepMatching(condition: Condition, leaf: TextLeaf): Promise<Condition> {
    const pattern = compileNeedle(leaf)
    const candidates = await this.view.ask('select', condition, this.types, MAX_TEXTS + 1)
    const docs: number[] = []
    for (let at = 0; at < candidates.length; at += TEXTS_PER_READ) {
      if (this.#unitsLeft <= 0 || at >= MAX_TEXTS) {
        this.limited = true
        break
      }
      const some = candidates.slice(at, Math.min(at + TEXTS_PER_READ, MAX_TEXTS))
      for (const [type, rows] of Map.groupBy(some, (row) => row.type)) {
        const keys = rows.map(({ key }) => key)
        const texts = await this.sources[type].readTexts(this.session, keys)
        for (const { key, doc } of rows) {
          const one = texts.get(key)
          const fields = one ? listFields(one, leaf.field) : []
          for (const text of fields) this.#unitsLeft -= text.length
          if (pattern && fields.some((text) => fold(text).search(pattern) >= 0)) docs.push(doc)
        }
      }
    }
    return amongDocs(docs)
  }
}

/** Matches every two signs of a text in a row. */
function matchSigns(text: string, field: number | null): Condition {
  const terms = new Set<string>()
  for (const run of text.split(/\s+/)) {
    const signs = Array.from(run)
    if (signs.length === 1) terms.add(`!${signs[0]}`)
    for (const [i, sign] of signs.slice(1).entries()) terms.add(`!${signs[i]}${sign}`)
  }
  return joinConditions('and', [EVERYTHING, ...[...terms].map((term) => matching(matchAny([term], field)))])
}
