import { FilterError, type FilterTextRange, type Operator } from './syntax'

export type FilterToken = FilterTextRange &
  (
    | { readonly kind: '(' | ')' | '&' | '|' | '!' | 'end' }
    | { readonly kind: 'operator'; readonly operator: Operator }
    | { readonly kind: 'word' | 'quoted'; readonly text: string }
    | { readonly kind: 'name'; readonly sort: 'project' | 'section' | 'label'; readonly name: string }
  )

/** The most code points of a filter. */
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
