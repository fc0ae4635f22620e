/** Turns a query into a condition that an index can answer: features look up keys, and texts are read where needed. */
import { Bindings, type Session } from '../db/database'
import { readKeys } from './feed-store'
import { fold, hasWords } from './fold'
import { compileNeedle, isOneRun, toNeedle } from './needle'
import { readPhrase } from './plan'
import type { Leaf, Query, TextLeaf } from './query'
import type { DocRow } from './read.sqlite'
import { listFields, type SearchSources, TYPES, type Type } from './source'
import { type Condition, matchAny, matchRow } from './where.sqlite'

/** Texts that are read for one piece of text, the newest. */
const MAX_TEXTS = 500
/** Texts that are read in one query. */
const TEXTS_PER_READ = 16
/** UTF-16 units of texts after which no more are read, for all pieces of a query together. */
const MAX_UNITS = 1024 * 1024

const NOTHING: Condition = { kind: 'docs', docs: [] }
const EVERYTHING: Condition = { kind: 'not', part: NOTHING }

/** Lists the documents that fulfil a condition, newest first. */
export type Select = (condition: Condition, limit: number) => Promise<readonly DocRow[]>

/** Reads the conditions of one search. */
export class Conditions {
  /** Whether it stopped at a limit, so that further documents may fulfil a condition. */
  limited = false
  readonly #session: Session
  readonly #sources: SearchSources
  readonly #types: readonly Type[]
  readonly #select: Select
  #unitsLeft = MAX_UNITS

  constructor(session: Session, sources: SearchSources, types: readonly Type[], select: Select) {
    this.#session = session
    this.#sources = sources
    this.#types = types
    this.#select = select
  }

  async read(query: Query): Promise<Condition> {
    switch (query.kind) {
      case 'and':
      case 'or': {
        // A repeated part changes nothing.
        const different = new Map(query.parts.map((part) => [JSON.stringify(part), part])).values()
        const parts: Condition[] = []
        for (const part of different) parts.push(await this.read(part))
        return { kind: query.kind, parts }
      }
      case 'not':
        return { kind: 'not', part: await this.read(query.part) }
      case 'text':
        return await this.#readTextLeaf(query)
      default:
        return await this.#readLeaf(query)
    }
  }

  async #readLeaf(leaf: Exclude<Leaf, TextLeaf>): Promise<Condition> {
    if (leaf.kind === 'has' && (leaf.what === 'code' || leaf.what === 'heading'))
      return { kind: 'match', expression: matchAny([`?${leaf.what}`], null) }
    const parts: Condition[] = []
    for (const type of this.#types)
      parts.push(await this.selectKeys(type, (bind) => this.#sources[type].selectKeys(leaf, bind)))
    return { kind: 'or', parts }
  }

  /** Reads the keys of a SELECT of one type; null selects none. */
  async selectKeys(type: Type, select: (bind: Bindings) => string | null): Promise<Condition> {
    const { db, workspace } = this.#session
    const bind = new Bindings(workspace.id)
    const sql = select(bind)
    if (sql === null) return NOTHING
    const keys = await readKeys(db, sql, bind)
    return { kind: 'keys', type: TYPES.indexOf(type), keys }
  }

  async #readTextLeaf(leaf: TextLeaf): Promise<Condition> {
    const field = fieldOf(leaf)
    const needle = toNeedle(leaf)
    if (needle.how === 'substring') return await this.#readPiece(needle.text, leaf)
    const words = readPhrase(leaf.text)
    if (words.length === 0) return NOTHING
    const row: Condition = { kind: 'match', expression: matchRow(words, field, needle.prefix) }
    const [name] = needle.names
    if (name === undefined) return row
    // The index knows a single word with its signs. Of several, the texts are read.
    const certain: Condition = words.length > 1 ? NOTHING : { kind: 'match', expression: matchAny([`=${name}`], field) }
    const signs = needle.names.join(' ').replace(/[\p{L}\p{N}\p{M}]+/gu, ' ')
    const candidates: Condition = {
      kind: 'and',
      parts: [row, matchSigns(signs, field), { kind: 'not', part: certain }],
    }
    const pattern = compileNeedle(leaf)
    return {
      kind: 'or',
      parts: [
        certain,
        await this.#keepMatching(candidates, (text) => pattern !== null && text.search(pattern) >= 0, leaf),
      ],
    }
  }

  /** Matches text as written, anywhere in a word. */
  async #readPiece(text: string, leaf: TextLeaf): Promise<Condition> {
    const { condition, isExact } = matchPiece(text, fieldOf(leaf))
    return isExact ? condition : await this.#keepMatching(condition, (folded) => folded.includes(text), leaf)
  }

  /** Keeps the documents of which a folded text matches. Of very many documents, the newest are read. */
  async #keepMatching(condition: Condition, holds: (folded: string) => boolean, leaf: TextLeaf): Promise<Condition> {
    const rows = await this.#select(condition, MAX_TEXTS + 1)
    if (rows.length > MAX_TEXTS) this.limited = true
    const docs: number[] = []
    const candidates = rows.slice(0, MAX_TEXTS)
    for (let at = 0; at < candidates.length; at += TEXTS_PER_READ) {
      if (this.#unitsLeft <= 0) {
        this.limited = true
        break
      }
      const some = candidates.slice(at, at + TEXTS_PER_READ)
      for (const type of this.#types) {
        const own = new Map(some.filter((row) => TYPES[row.type] === type).map(({ key, doc }) => [key, doc]))
        if (own.size > 0) docs.push(...(await this.#filterMatching(type, own, holds, leaf.field)))
      }
    }
    return { kind: 'docs', docs }
  }

  /** @param docs the documents by their keys */
  async #filterMatching(
    type: Type,
    docs: ReadonlyMap<number, number>,
    holds: (folded: string) => boolean,
    field: TextLeaf['field'],
  ): Promise<number[]> {
    const texts = await this.#sources[type].readTexts(this.#session, [...docs.keys()])
    return [...texts].flatMap(([key, one]) => {
      const fields = listFields(one, field)
      for (const text of fields) this.#unitsLeft -= text.length
      return fields.some((text) => holds(fold(text))) ? [docs.get(key) as number] : []
    })
  }
}

const fieldOf = ({ field }: TextLeaf) => (field === null ? null : field === 'title' ? 0 : 2)

/** Returns what documents that hold a piece of folded text fulfil, and whether no others do. */
function matchPiece(text: string, field: number | null): { condition: Condition; isExact: boolean } {
  if (text === '') return { condition: EVERYTHING, isExact: true }
  const words = readPhrase(text)
  if (words.length === 0) return { condition: matchSigns(text, field), isExact: isOneRun(text) }
  const [first = ''] = words
  if (words.length === 1 && isOneRun(text)) return { condition: { kind: 'piece', piece: first, field }, isExact: true }
  // Of a script without spaces the index has every two characters in a row.
  if (isOneRun(text) && words.every((word) => !hasWords(word)))
    return { condition: { kind: 'match', expression: matchRow(words, field) }, isExact: true }
  const last = words.at(-1) ?? ''
  const parts: Condition[] = [{ kind: 'piece', piece: first, field }]
  if (words.length > 2) parts.push({ kind: 'match', expression: matchRow(words.slice(1, -1), field) })
  if (words.length > 1) parts.push({ kind: 'match', expression: matchRow([last], field, true) })
  return { condition: { kind: 'and', parts }, isExact: false }
}

/** Matches every two signs of a text in a row. */
function matchSigns(text: string, field: number | null): Condition {
  const terms = new Set<string>()
  for (const run of text.split(/\s+/)) {
    const signs = Array.from(run)
    if (signs.length === 1) terms.add(`!${signs[0]}`)
    for (const [i, sign] of signs.slice(1).entries()) terms.add(`!${signs[i]}${sign}`)
  }
  return {
    kind: 'and',
    parts: [
      EVERYTHING,
      ...[...terms].map((term): Condition => ({ kind: 'match', expression: matchAny([term], field) })),
    ],
  }
}
