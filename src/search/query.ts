/**
 * The query language:
 *
 *     query = and { "OR" and }        and  = not { ["AND"] not }       not  = ["-" | "NOT"] atom
 *     atom  = "(" query ")" | [field ":"] value | property (":" | "<" | "<=" | ">" | ">=") value
 *     value = "phrase" | word | word* | *word*
 *
 * Text is never an error: anything that is not an operator, or an operator without an operand, is a word; quotes and
 * brackets without their other half are punctuation. Only an operator that is clearly meant and wrong is an error, with
 * its column.
 */
import { ApiError } from '../http/api-error'
import { readZone } from '../http/values'
import { type Calendar, type Period, readPeriod } from './dates'
import { fold } from './fold'
import {
  type Comparison,
  isKeyword,
  isWhole,
  type Match,
  type QueryToken,
  readStars,
  readTokens,
  startsOperand,
  startsPart,
} from './tokens'

/** Code points of a query. */
const MAX_QUERY_CHARS = 16_384
/** Parts of a query that are not bare words. */
const MAX_OPERATORS = 64
/** Code points of all these parts together. */
const MAX_OPERATOR_CHARS = 1000

const IS = ['pinned', 'archived', 'daily', 'orphan', 'untagged'] as const
const HAS = ['link', 'checklist', 'todo', 'code', 'heading'] as const
const FIELDS: readonly string[] = ['title', 'body', 'tag', 'folder', 'is', 'has', 'created', 'updated']

export type Query = Tree<Leaf>

export type Leaf =
  | TextLeaf
  | { readonly kind: 'tag' | 'folder'; readonly text: string; readonly match: Match }
  | { readonly kind: 'is'; readonly what: (typeof IS)[number] }
  | { readonly kind: 'has'; readonly what: (typeof HAS)[number] }
  | { readonly kind: 'created' | 'updated'; readonly period: Period }
  | PropertyLeaf

/** A condition on the text. */
export interface TextLeaf {
  readonly kind: 'text'
  /** The field to search; null for title, tags and body. */
  readonly field: 'title' | 'body' | null
  readonly text: string
  readonly match: Match
  /** Whether it was in quotes: then it matches as written, not by its stem. */
  readonly quoted?: boolean
  /** Its weight as a bare word, where any other word weighs 1. */
  readonly weight?: number
  /** Whether a bare word may be the beginning of others, if it occurs nowhere as a whole word. */
  readonly mayBegin?: boolean
}

/** A condition on a property of front matter: `status:done`, `rating>=4` or `has:rating`. */
export interface PropertyLeaf {
  readonly kind: 'property'
  /** Folded. */
  readonly name: string
  /** `exists` requires any value; then `value` is ''. */
  readonly comparison: Comparison | 'exists'
  /** As written, but for `=` without the stars, which become `match`. */
  readonly value: string
  readonly match: Match
}

/** Whether a query has any text that a result must have. */
export function hasText(query: Query): boolean {
  return 'parts' in query ? query.parts.some(hasText) : query.kind === 'text'
}

/** Whether a folded name is a property in the caller's workspace. */
type IsProperty = (name: string) => boolean

/**
 * Parses a query of at most MAX_QUERY_CHARS code points.
 * @throws ApiError invalid_query, with the column
 * @param isProperty tells `status:done` from text; without it there are no properties
 */
export function parseQuery(text: string, calendar: Calendar, isProperty: IsProperty = () => false): Query {
  // Stored text has neither NUL nor lone surrogates, and SQL text ends at a NUL.
  const cleaned = text.replaceAll('\0', '\ufffd').toWellFormed()
  const refuse = (message: string, column: number): never => {
    throw new ApiError('invalid_query', message, { column })
  }
  if (countChars(cleaned) > MAX_QUERY_CHARS)
    refuse(`A query has at most ${MAX_QUERY_CHARS.toLocaleString('en')} characters.`, MAX_QUERY_CHARS + 1)
  if (cleaned.trim() === '') refuse('A query needs a word, a phrase or an operator.', 1)
  const fail = (message: string, at: number) => refuse(message, countChars(cleaned.slice(0, at)) + 1)
  const tokens = readTokens(cleaned, (name, hasColon) => (FIELDS.includes(name) ? hasColon : isProperty(fold(name))))
  // In a query of signs alone, such as `:-(`, brackets are not operators.
  if (tokens.length === 0 || (!/[\p{L}\p{N}]/u.test(cleaned) && !isWhole(tokens, cleaned)))
    return { kind: 'text', field: null, text: cleaned.trim(), match: 'whole' }
  const places = new Map<Query, number>()
  const query = readTree<Leaf>(tokens, (token) => {
    const leaf = readLeaf(token, calendar, isProperty, (message) => fail(message, token.at))
    places.set(leaf, token.at)
    return leaf
  })
  checkLimits(query, (message, leaf) => fail(message, places.get(leaf) ?? 0))
  return query
}

/** A tree of parts that are joined by brackets and the operators. */
export type Tree<Part> =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Tree<Part>[] }
  | { readonly kind: 'not'; readonly part: Tree<Part> }
  | Part

/** Reads tokens as a tree. @param readPart reads a value */
export function readTree<Part extends { readonly kind: string }>(
  tokens: readonly QueryToken[],
  readPart: (token: QueryToken) => Part,
): Tree<Part> {
  let at = 0
  // Brackets nest at most as deep as tokens allow.
  const readGroup = (): Tree<Part> => {
    const alternatives: Tree<Part>[][] = [[]]
    let not = false
    for (; at < tokens.length; at++) {
      const token = tokens[at] as QueryToken
      if (token.kind === 'close') break
      if (isKeyword(token, 'NOT') && startsOperand(tokens[at + 1])) not = !not
      else if (isKeyword(token, 'OR', 'AND') && alternatives.at(-1)?.length && startsPart(tokens, at + 1)) {
        if (token.text === 'OR') alternatives.push([])
      } else {
        if (token.kind === 'open') at++
        const part = token.kind === 'open' ? readGroup() : readPart(token)
        alternatives.at(-1)?.push(token.negated === not ? part : negate(part))
        not = false
      }
    }
    return joinParts(
      'or',
      alternatives.map((parts) => joinParts('and', parts)),
    )
  }
  return readGroup()
}

/** Joins parts, without the brackets that change nothing. */
function joinParts<Part extends { readonly kind: string }>(
  kind: 'and' | 'or',
  parts: readonly Tree<Part>[],
): Tree<Part> {
  const [only] = parts
  if (only && parts.length === 1) return only
  return { kind, parts: parts.flatMap((part) => (part.kind === kind && 'parts' in part ? part.parts : [part])) }
}

function negate<Part extends { readonly kind: string }>(part: Tree<Part>): Tree<Part> {
  return part.kind === 'not' && 'part' in part ? part.part : { kind: 'not', part }
}

function readLeaf(
  { prefix, quoted, text: value }: QueryToken,
  calendar: Calendar,
  isProperty: IsProperty,
  fail: (message: string) => never,
): Leaf {
  const { name, comparison = '=' } = prefix ?? {}
  // Only dates and properties compare: `tag:>x` means the text `>x`.
  const whole = comparison === '=' ? value : comparison + value
  const { text, match } = quoted ? ({ text: whole, match: 'whole' } as const) : readStars(whole)
  switch (name) {
    case undefined:
      return { kind: 'text', field: null, text, match, quoted }
    case 'title':
    case 'body':
      return { kind: 'text', field: name, text, match, quoted }
    case 'tag':
    case 'folder':
      return { kind: name, text, match }
    case 'is':
      return { kind: name, what: IS.find((one) => one === whole) ?? fail(`is: takes ${IS.join(', ')}.`) }
    case 'has': {
      const what = HAS.find((one) => one === whole)
      if (what) return { kind: name, what }
      if (!isProperty(fold(whole))) fail(`has: takes ${HAS.join(', ')} or the name of a property.`)
      return { kind: 'property', name: fold(whole), comparison: 'exists', value: '', match: 'whole' }
    }
    case 'created':
    case 'updated': {
      const examples = '2026, 2026-03, 2026-03-01, 2026-01..2026-03, >=2026-03-01 or 7d'
      const period = readPeriod(whole, calendar) ?? fail(`${name}: takes real dates such as ${examples}.`)
      return { kind: name, period }
    }
    default: {
      const compared = comparison === '=' ? { value: text, match } : { value, match: 'whole' as const }
      return { kind: 'property', name: fold(name), comparison, ...compared }
    }
  }
}

const countChars = (text: string) => Array.from(text).length

function checkLimits(query: Query, fail: (message: string, leaf: Query) => never): void {
  let [count, length] = [0, 0]
  const operators = listConjuncts(query).filter((part) => !isBare(part))
  for (const leaf of operators.flatMap((part) => listLeaves(part))) {
    if (++count > MAX_OPERATORS) fail(`A query has at most ${MAX_OPERATORS} operators.`, leaf)
    length += countChars('text' in leaf ? leaf.text : 'value' in leaf ? leaf.value : '')
    if (length > MAX_OPERATOR_CHARS)
      fail(`What operators look for has at most ${MAX_OPERATOR_CHARS.toLocaleString('en')} characters.`, leaf)
  }
}

/**
 * Whether a part of a query is a bare word, which matches by its stem: outside of OR and NOT, without field, quotes or
 * stars.
 */
export function isBare(part: Query): part is TextLeaf {
  return part.kind === 'text' && part.field === null && part.match === 'whole' && !part.quoted
}

/** Lists the parts of a query that are joined by AND, inside nested brackets too. */
export function listConjuncts(query: Query): readonly Query[] {
  return query.kind === 'and' ? query.parts.flatMap(listConjuncts) : [query]
}

/** Returns the query with its phrases as bare words: for prose in which something is quoted. */
export function withoutQuotes(query: Query): Query {
  const parts = listConjuncts(query).map((part): Query => {
    return part.kind === 'text' && part.quoted && part.field === null ? { ...part, quoted: false } : part
  })
  return { kind: 'and', parts }
}

/** Lists the leaves of a query. @param negated whether those after NOT count */
export function listLeaves(query: Query, negated = true): Leaf[] {
  if (query.kind === 'not') return negated ? listLeaves(query.part) : []
  return 'parts' in query ? query.parts.flatMap((part) => listLeaves(part, negated)) : [query]
}

/**
 * Parses the query of a request. Throws invalid_query with the column, and invalid_request for the zone.
 * @param timeZone the IANA name of the zone that dates are read in
 * @param now milliseconds since 1970
 * @param isProperty see `parseQuery`
 */
export function readQuery(q: string, timeZone: string, now: number, isProperty?: IsProperty): Query {
  return parseQuery(q, { now, zone: readZone(timeZone, '/time_zone') }, isProperty)
}

/** Lists the folded names that may be properties in a query: those that `isProperty` will be called with. */
export function listPropertyNames(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  readTokens(text.slice(0, 2 * MAX_QUERY_CHARS), (name) => {
    if (!FIELDS.includes(name)) names.add(fold(name))
    return true
  }).forEach(({ prefix, text: value }) => {
    if (prefix?.name === 'has') names.add(fold(value))
  })
  return names
}
