import { titleKey } from '../../lib/text'
import {
  clampComparedDay,
  DATE_FIELDS,
  type Filter,
  FilterError,
  type FilterTextRange,
  type FilterToken,
  HAS_MEMBERS,
  NUMBER_FIELDS,
  OPERATORS,
  type PlainTerm,
  STATE_WORDS,
  tokenizeFilter,
} from './syntax'
import { type DateContext, readDateValue, readNumber, todayOf } from './values'

/**
 * The language of filters:
 *
 *     filter = and { "|" and }     and = not { "&" not }     not = "!" not | "(" filter ")" | term
 *     term   = state | p0..p4 | #name | /name | @name | has:what | "text" | field op value
 *     value  = a number, or a date: +7d, -2w, +1m, +1y, or words such as `next friday`
 *
 * `and`, `or` and `not` may replace the signs. Case is ignored, except in names and texts. Todoist's `no date`, `no labels`,
 * `no priority`, `7 days` and `due before: fri` are read as well.
 */

const MAX_TERMS = 64
/** The most nested brackets and negations. */
const MAX_DEPTH = 16

const PRIORITIES: readonly string[] = ['p0', 'p1', 'p2', 'p3', 'p4']
const TERMS = [
  ...STATE_WORDS,
  ...PRIORITIES,
  '#project',
  '/section',
  '@label',
  ...HAS_MEMBERS.map((what) => `has:${what}`),
  '"text"',
  ...DATE_FIELDS,
  ...NUMBER_FIELDS,
]
const SIGNS = { and: '&', or: '|', not: '!' } as const
/** Operators in words, and what a task has not. */
const WORDS_OF_OPERATORS = new Map<string, (typeof OPERATORS)[number]>([
  ['before:', '<'],
  ['after:', '>'],
  ['on:', '='],
])
const WITHOUT = new Map<string, Filter>([
  ['date', { kind: 'state', state: 'undated' }],
  ['priority', { kind: 'number', field: 'priority', operator: '=', value: 0 }],
  ...['label', 'labels'].map((word): [string, Filter] => [word, { kind: 'not', part: { kind: 'has', what: 'label' } }]),
])

/** Reads a filter. Throws FilterError, and nothing else. */
export function parseFilter(text: string, context: DateContext): Filter {
  return new Parser(tokenizeFilter(text), context).parse()
}

class Parser {
  readonly #tokens: readonly FilterToken[]
  readonly #context: DateContext
  #at = 0
  #terms = 0
  #depth = 0

  constructor(tokens: readonly FilterToken[], context: DateContext) {
    this.#tokens = tokens
    this.#context = context
  }

  parse(): Filter {
    const filter = this.#or()
    if (this.#token.kind === 'end') return filter
    if (this.#token.kind === ')') throw this.#fault('unexpected_bracket', 'this bracket closes nothing', ['&', '|'])
    throw this.#fault('missing_operator', 'two terms need & or | between them', ['&', '|'])
  }

  #or(): Filter {
    const parts = [this.#and()]
    while (this.#takes('|')) parts.push(this.#and())
    return joinParts('or', parts)
  }

  #and(): Filter {
    const parts = [this.#not()]
    while (this.#takes('&')) parts.push(this.#not())
    return joinParts('and', parts)
  }

  #not(): Filter {
    const start = this.#token
    if (this.#takes('!')) return this.#deeper(start, () => ({ kind: 'not', part: this.#not() }))
    if (this.#takes('(')) return this.#deeper(start, () => this.#bracket())
    if (++this.#terms > MAX_TERMS) throw this.#fault('too_many_terms', `a filter has at most ${MAX_TERMS} terms`)
    return this.#term()
  }

  #deeper(start: FilterTextRange, read: () => Filter): Filter {
    if (++this.#depth > MAX_DEPTH)
      throw new FilterError(start, 'too_deep', `brackets and negations nest at most ${MAX_DEPTH} deep`)
    const filter = read()
    this.#depth--
    return filter
  }

  #bracket(): Filter {
    const filter = this.#or()
    if (this.#takes(')')) return filter
    const expected = [')', '&', '|']
    if (this.#token.kind === 'end') throw this.#fault('unclosed_bracket', 'a bracket is not closed', expected)
    throw this.#fault('missing_operator', 'two terms need & or | between them', expected)
  }

  #term(): Filter {
    const token = this.#token
    if (token.kind === 'name') {
      this.#at++
      return { kind: token.sort, name: token.name, column: token.column, length: token.length }
    }
    if (token.kind === 'quoted') return this.#text(token, token.text)
    if (token.kind === 'word' && getSign(token) === null) return this.#word(token, token.text.toLowerCase())
    throw this.#fault('missing_term', 'a term is missing here', [...TERMS, '(', '!'])
  }

  #text(place: FilterTextRange, text: string): Filter {
    if (titleKey(text) === '') throw new FilterError(place, 'missing_text', 'this text is empty', ['"text"'])
    this.#at++
    return { kind: 'text', text }
  }

  #word(place: FilterTextRange, word: string): Filter {
    this.#at++
    const term = readPlainTerm(word)
    if (term) return term
    const phrase = this.#phrase(word)
    if (phrase) return phrase
    const dateField = DATE_FIELDS.find((field) => field === word)
    if (dateField) return { kind: 'date', field: dateField, operator: this.#operator(word), day: this.#date() }
    const field = NUMBER_FIELDS.find((candidate) => candidate === word)
    if (field) return { kind: 'number', field, operator: this.#operator(word), value: this.#number(field) }
    if (word.startsWith('has:')) {
      const expected = HAS_MEMBERS.map((what) => `has:${what}`)
      throw new FilterError(place, 'unknown_term', `has: takes ${HAS_MEMBERS.join(', ')}`, expected)
    }
    const detail = `${word} is not a term; to search for text, put it in quotes`
    throw new FilterError(place, 'unknown_term', detail, [...TERMS, '(', '!'])
  }

  /** Reads `no date`, or `7 days`: due on one of so many days, the first of which is today. */
  #phrase(word: string): Filter | null {
    const next = this.#token.kind === 'word' ? this.#token.text.toLowerCase() : ''
    const without = word === 'no' ? WITHOUT.get(next) : undefined
    if (!without && !(/^days?$/.test(next) && /^\d{1,4}$/.test(word))) return null
    this.#at++
    if (without) return without
    const today = todayOf(this.#context)
    const due = { kind: 'date', field: 'due' } as const
    return joinParts('and', [
      { ...due, operator: '>=', day: today },
      { ...due, operator: '<', day: clampComparedDay(today + Number(word)) },
    ])
  }

  #operator(field: string) {
    const token = this.#token
    const inWords = token.kind === 'word' ? WORDS_OF_OPERATORS.get(token.text.toLowerCase()) : undefined
    if (inWords) {
      this.#at++
      return inWords
    }
    if (token.kind !== 'operator')
      throw this.#fault('missing_comparison', `${field} needs a comparison such as <`, OPERATORS)
    this.#at++
    return token.operator
  }

  /** Reads a date: all words up to a sign or another term. */
  #date(): number {
    const [first, start] = [this.#token, this.#at]
    do this.#at++
    while (this.#token.kind === 'word' && getSign(this.#token) === null && !isOtherTerm(this.#token.text))
    return readDateValue(first, this.#tokens.slice(start, this.#at), this.#context)
  }

  #number(field: (typeof NUMBER_FIELDS)[number]) {
    const value = readNumber(this.#token, field)
    this.#at++
    return value
  }

  get #token(): FilterToken {
    // The last token is the end, and nothing reads past it.
    return this.#tokens[this.#at] ?? { kind: 'end', column: 1, length: 0 }
  }

  /** Skips the next token and returns true if it is this sign or its word. */
  #takes(sign: string): boolean {
    const takes = this.#token.kind === sign || getSign(this.#token) === sign
    if (takes) this.#at++
    return takes
  }

  #fault(code: string, detail: string, expected: readonly string[] = []): FilterError {
    return new FilterError(this.#token, code, detail, expected)
  }
}

/** Returns the sign that a word replaces, or null. */
function getSign(token: FilterToken): string | null {
  const word = token.kind === 'word' ? token.text.toLowerCase() : ''
  return word === 'and' || word === 'or' || word === 'not' ? SIGNS[word] : null
}

/** Whether a word within a date begins the next term: of the terms only `today` and `tomorrow` are words of dates. */
function isOtherTerm(text: string): boolean {
  const word = text.toLowerCase()
  if (word === 'today' || word === 'tomorrow') return false
  return readPlainTerm(word) !== null || [...DATE_FIELDS, ...NUMBER_FIELDS].some((field) => field === word)
}

function readPlainTerm(word: string): PlainTerm | null {
  const state = STATE_WORDS.find((candidate) => candidate === word)
  if (state) return { kind: 'state', state }
  const priority = PRIORITIES.indexOf(word)
  if (priority >= 0) return { kind: 'number', field: 'priority', operator: '=', value: priority }
  const what = HAS_MEMBERS.find((member) => `has:${member}` === word)
  return what ? { kind: 'has', what } : null
}

function joinParts(kind: 'and' | 'or', parts: readonly Filter[]): Filter {
  const [only] = parts
  return only && parts.length === 1 ? only : { kind, parts }
}
