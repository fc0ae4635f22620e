import { type Calendar, type Period, readPeriod } from './dates'

/**
 * The query language:
 *
 *     query = and { "OR" and }        and  = not { ["AND"] not }       not  = ["-" | "NOT"] atom
 *     atom  = "(" query ")" | [field ":"] value                        value = "phrase" | word | word* | *word*
 *
 * Lenient with text: what is no operator is a word. Strict with operators: a wrong one is an error with its place.
 */

/** Limits of a query: code points, leaves, and brackets within brackets. */
const MAX_LENGTH = 1000
const MAX_LEAVES = 32
const MAX_DEPTH = 8

export const IS = ['pinned', 'archived', 'daily', 'orphan', 'untagged'] as const
export const HAS = ['link', 'checklist', 'todo', 'code', 'heading'] as const

/** How a value is meant: whole words, `word*`, or `*word*`. */
export type Match = 'whole' | 'prefix' | 'substring'

export type Query =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Query[] }
  | { readonly kind: 'not'; readonly part: Query }
  | Leaf

export type Leaf =
  | TextLeaf
  | { readonly kind: 'tag' | 'folder'; readonly text: string; readonly match: Match }
  | { readonly kind: 'is'; readonly what: (typeof IS)[number] }
  | { readonly kind: 'has'; readonly what: (typeof HAS)[number] }
  | { readonly kind: 'created' | 'updated'; readonly period: Period }

export interface TextLeaf {
  readonly kind: 'text'
  /** Null looks into title, tags and body. */
  readonly field: 'title' | 'body' | null
  readonly text: string
  readonly match: Match
  /** In quotes: as it stands, not by its stem. */
  readonly quoted?: boolean
}

/** What is wrong with a query, and where. */
export class QueryError extends Error {
  override readonly name = 'QueryError'

  constructor(
    /** From 1, in code points. */
    readonly column: number,
    message: string,
  ) {
    super(message)
  }
}

/** Reads a query. Throws QueryError. */
export function parseQuery(text: string, calendar: Calendar): Query {
  const characters = Array.from(text)
  const strange = characters.findIndex((character) => character === '\0' || !character.isWellFormed())
  if (strange >= 0) throw new QueryError(strange + 1, 'This character cannot be searched for.')
  if (characters.length > MAX_LENGTH)
    throw new QueryError(MAX_LENGTH + 1, `A query has at most ${MAX_LENGTH} characters.`)
  return new Parser(characters, calendar).parse()
}

const SPACE = /\s/
const WORD_END = /[\s()"]/
const FIELD = /^(title|body|tag|folder|is|has|created|updated):/
const KEYWORD = /^(?:OR|AND|NOT)$/

class Parser {
  readonly #text: readonly string[]
  readonly #calendar: Calendar
  #at = 0
  #leaves = 0
  #depth = 0

  constructor(text: readonly string[], calendar: Calendar) {
    this.#text = text
    this.#calendar = calendar
  }

  parse(): Query {
    const query = this.#or()
    if (this.#at < this.#text.length) this.#fail('This bracket closes nothing.')
    return query
  }

  #or(): Query {
    const parts = [this.#and()]
    while (this.#keyword('OR')) parts.push(this.#and())
    return joined('or', parts)
  }

  #and(): Query {
    const parts = [this.#not()]
    while (this.#keyword('AND') || this.#goesOn()) parts.push(this.#not())
    return joined('and', parts)
  }

  #not(): Query {
    if (this.#keyword('NOT')) return { kind: 'not', part: this.#atom() }
    if (!this.#minus()) return this.#atom()
    this.#at++
    return { kind: 'not', part: this.#atom() }
  }

  #atom(): Query {
    this.#skipSpace()
    const start = this.#at
    const next = this.#text[start]
    if (next === '(') return this.#bracket(start)
    if (next === undefined || next === ')' || KEYWORD.test(this.#peekWord()))
      this.#fail('Here a word, a phrase or a bracket is missing. Operators are looked for in quotes.')
    if (++this.#leaves > MAX_LEAVES) this.#fail(`A query has at most ${MAX_LEAVES} parts.`)
    const [prefix, field] = FIELD.exec(this.#peekWord()) ?? ['', null]
    this.#at += prefix.length
    return this.#value(field, start)
  }

  #bracket(start: number): Query {
    if (++this.#depth > MAX_DEPTH) this.#fail(`Brackets nest at most ${MAX_DEPTH} deep.`)
    this.#at++
    const query = this.#or()
    if (this.#text[this.#at] !== ')') this.#fail('This bracket is not closed.', start)
    this.#at++
    this.#depth--
    return query
  }

  #value(field: string | null, start: number): Leaf {
    const at = this.#at
    const quoted = this.#text[at] === '"'
    const raw = quoted ? this.#phrase() : this.#peekWord()
    if (!quoted) this.#at += Array.from(raw).length
    if (raw.trim() === '') this.#fail(quoted ? 'This phrase is empty.' : `${field}: needs a value.`, at)
    const { text, match } = quoted ? ({ text: raw, match: 'whole' } as const) : starred(raw)
    switch (field) {
      case 'tag':
      case 'folder':
        return { kind: field, text, match }
      case 'is':
        return { kind: 'is', what: this.#oneOf(IS, raw, start, field) }
      case 'has':
        return { kind: 'has', what: this.#oneOf(HAS, raw, start, field) }
      case 'created':
      case 'updated':
        return { kind: field, period: this.#period(raw, start, field) }
      default:
        return { kind: 'text', field: field === 'title' || field === 'body' ? field : null, text, match, quoted }
    }
  }

  #oneOf<Name extends string>(names: readonly Name[], text: string, start: number, field: string): Name {
    return names.find((name) => name === text) ?? this.#fail(`${field}: takes ${names.join(', ')}.`, start)
  }

  #period(text: string, start: number, field: string): Period {
    return (
      readPeriod(text, this.#calendar) ??
      this.#fail(
        `${field}: takes real dates such as 2026, 2026-03, 2026-03-01, 2026-01..2026-03, >=2026-03-01 or 7d.`,
        start,
      )
    )
  }

  #phrase(): string {
    const end = this.#text.indexOf('"', this.#at + 1)
    if (end < 0) this.#fail('This quote is not closed.')
    const phrase = this.#text.slice(this.#at + 1, end).join('')
    this.#at = end + 1
    return phrase
  }

  /** Takes an operator, if one stands here as a word of its own. */
  #keyword(name: 'OR' | 'AND' | 'NOT'): boolean {
    this.#skipSpace()
    if (this.#peekWord() !== name) return false
    this.#at += name.length
    return true
  }

  /** `-` negates what it touches; alone, or before another, it is text. */
  #minus(): boolean {
    const next = this.#text[this.#at + 1]
    return this.#text[this.#at] === '-' && next !== undefined && next !== '-' && next !== ')' && !SPACE.test(next)
  }

  #goesOn(): boolean {
    const next = this.#text[this.#at]
    return next !== undefined && next !== ')' && this.#peekWord() !== 'OR'
  }

  #peekWord(): string {
    let end = this.#at
    while (end < this.#text.length && !WORD_END.test(this.#text[end] ?? '')) end++
    return this.#text.slice(this.#at, end).join('')
  }

  #skipSpace(): void {
    while (SPACE.test(this.#text[this.#at] ?? '')) this.#at++
  }

  #fail(message: string, at = this.#at): never {
    throw new QueryError(at + 1, message)
  }
}

function joined(kind: 'and' | 'or', parts: readonly Query[]): Query {
  const [only] = parts
  return only && parts.length === 1 ? only : { kind, parts }
}

/** `word*` and `*word*`; other stars are text. */
function starred(word: string): { text: string; match: Match } {
  const [, before = '', text = word, after = ''] = /^(\*?)(.+?)(\*?)$/s.exec(word) ?? []
  if (after === '' || text === '*') return { text: word, match: 'whole' }
  return before === '' ? { text, match: 'prefix' } : { text, match: 'substring' }
}
