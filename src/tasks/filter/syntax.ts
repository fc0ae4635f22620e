/** The syntax tree of filters, and their errors. */
import { FIRST_DAY, LAST_DAY } from '../../lib/civil/day'

/** Terms that are a single word, in addition to `p0` to `p4`. */
export const STATE_WORDS = [
  'today',
  'tomorrow',
  'overdue',
  'undated',
  'recurring',
  'blocked',
  'blocking',
  'subtask',
  'open',
  'in_progress',
  'done',
  'cancelled',
  'inbox',
] as const
export const HAS_MEMBERS = ['notes', 'due', 'start', 'reminder', 'duration', 'label', 'note'] as const
export const DATE_FIELDS = ['due', 'start', 'created', 'updated', 'completed'] as const
export const NUMBER_FIELDS = ['priority', 'duration'] as const
export const OPERATORS = ['<', '<=', '=', '!=', '>=', '>'] as const

type StateWord = (typeof STATE_WORDS)[number]
export type DateField = (typeof DATE_FIELDS)[number]
export type NumberField = (typeof NUMBER_FIELDS)[number]
type Operator = (typeof OPERATORS)[number]

/** A range of the text, in code points; columns count from 1. */
export interface FilterTextRange {
  readonly column: number
  readonly length: number
}

export interface NameTerm extends FilterTextRange {
  readonly kind: 'project' | 'section' | 'label'
  readonly name: string
}

export type PlainTerm =
  | { readonly kind: 'state'; readonly state: StateWord }
  | { readonly kind: 'has'; readonly what: (typeof HAS_MEMBERS)[number] }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'date'
      readonly field: DateField
      readonly operator: Operator
      /** Days since 1970; all days outside those of tasks compare alike. */
      readonly day: number
    }
  | { readonly kind: 'number'; readonly field: NumberField; readonly operator: Operator; readonly value: number }

export type Formula<Term> =
  | { readonly kind: 'and'; readonly parts: readonly Formula<Term>[] }
  | { readonly kind: 'or'; readonly parts: readonly Formula<Term>[] }
  | { readonly kind: 'not'; readonly part: Formula<Term> }
  | Term

export type Filter = Formula<PlainTerm | NameTerm>

export class FilterError extends Error {
  override readonly name = 'FilterError'
  /** In code points, from 1; for the end of the text, one past the last. */
  readonly column: number
  /** In code points; 0 at the end. */
  readonly length: number

  constructor(
    { column, length }: FilterTextRange,
    readonly code: string,
    readonly detail: string,
    readonly expected: readonly string[] = [],
  ) {
    super(detail)
    this.column = column
    this.length = length
  }
}

export type FilterToken = FilterTextRange &
  (
    | { readonly kind: '(' | ')' | '&' | '|' | '!' | 'end' }
    | { readonly kind: 'operator'; readonly operator: Operator }
    | { readonly kind: 'word' | 'quoted'; readonly text: string }
    | { readonly kind: 'name'; readonly sort: 'project' | 'section' | 'label'; readonly name: string }
  )

const MAX_FILTER_CHARS = 1000

const SORTS = { '#': 'project', '/': 'section', '@': 'label' } as const
const SPACE = /\s/
const WORD_END = /[\s()&|!<>="]/
const SIGN = /^(?:[<>!]=|[()&|!<>=])/

/** Splits a filter into tokens; the last is the end. Throws FilterError. */
export function tokenizeFilter(filter: string): FilterToken[] {
  const text = Array.from(filter)
  const strange = text.findIndex((character) => character === '\0' || !character.isWellFormed())
  if (strange >= 0)
    throw new FilterError({ column: strange + 1, length: 1 }, 'invalid_character', 'no task contains this character')
  if (text.length > MAX_FILTER_CHARS)
    throw new FilterError(
      { column: MAX_FILTER_CHARS + 1, length: text.length - MAX_FILTER_CHARS },
      'too_long',
      `a filter has at most ${MAX_FILTER_CHARS} characters`,
    )
  const tokens: FilterToken[] = []
  for (let at = 0; at < text.length; ) {
    if (SPACE.test(text[at] ?? '')) at++
    else {
      const token = readToken(text, at)
      tokens.push(token)
      at += token.length
    }
  }
  return [...tokens, { kind: 'end', column: text.length + 1, length: 0 }]
}

function readToken(text: readonly string[], at: number): FilterToken {
  const first = text[at] ?? ''
  if (first === '#' || first === '/' || first === '@') return readName(text, at, SORTS[first])
  if (first === '"') {
    const { text: value, length } = readQuoted(text, at)
    return { kind: 'quoted', text: value, column: at + 1, length }
  }
  const [sign] = SIGN.exec(first + (text[at + 1] ?? '')) ?? []
  if (sign !== undefined) return { ...toSignToken(sign), column: at + 1, length: sign.length }
  const word = readWord(text, at)
  return { kind: 'word', text: word.join(''), column: at + 1, length: word.length }
}

function toSignToken(sign: string) {
  if (sign === '(' || sign === ')' || sign === '&' || sign === '|' || sign === '!') return { kind: sign } as const
  return { kind: 'operator', operator: sign as Operator } as const
}

function readName(text: readonly string[], at: number, sort: 'project' | 'section' | 'label'): FilterToken {
  const quoted = text[at + 1] === '"'
  const word = readWord(text, at + 1)
  const name = quoted ? readQuoted(text, at + 1) : { text: word.join(''), length: word.length }
  const place = { column: at + 1, length: name.length + 1 }
  if (name.text.trim() === '')
    throw new FilterError(place, 'missing_name', `${text[at]} needs the name of a ${sort}`, [
      `${text[at]}name`,
      `${text[at]}"two words"`,
    ])
  return { kind: 'name', sort, name: name.text, ...place }
}

function readWord(text: readonly string[], at: number): readonly string[] {
  let end = at
  while (end < text.length && !WORD_END.test(text[end] ?? '')) end++
  return text.slice(at, end)
}

/** Reads a text in quotes. A backslash escapes a quote or another backslash. */
function readQuoted(text: readonly string[], at: number): { text: string; length: number } {
  let value = ''
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '"') return { text: value, length: i + 1 - at }
    if (text[i] === '\\' && (text[i + 1] === '"' || text[i + 1] === '\\')) i++
    value += text[i]
  }
  throw new FilterError({ column: at + 1, length: text.length - at }, 'unclosed_quote', 'this quote is not closed', [
    '"',
  ])
}

/** Returns the day, clamped to two days outside those of tasks: another zone can shift a date by one day. */
export function clampComparedDay(day: number): number {
  return Math.min(Math.max(day, FIRST_DAY - 2), LAST_DAY + 2)
}
