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
  countChars,
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
/** Levels of OR within AND within OR. */
const MAX_DEPTH = 8

const IS = ['pinned', 'archived', 'daily', 'orphan', 'untagged'] as const
const HAS = ['link', 'checklist', 'todo', 'code', 'heading'] as const
const FIELDS: readonly string[] = ['title', 'body', 'tag', 'folder', 'is', 'has', 'created', 'updated']

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

/** A query that is wrong, with the place of the error. */
export class QueryError extends Error {
  override readonly name = 'QueryError'

  constructor(
    /** The position of the error, from 1, in code points. */
    readonly column: number,
    message: string,
  ) {
    super(message)
  }
}

/** Whether a folded name is a property in the caller's workspace. */
type IsProperty = (name: string) => boolean

/**
 * Parses a query of at most MAX_QUERY_CHARS code points. Throws QueryError.
 * @param isProperty tells `status:done` from text; without it there are no properties
 */
export function parseQuery(text: string, calendar: Calendar, isProperty: IsProperty = () => false): Query {
  // Stored text has neither NUL nor lone surrogates, and SQL text ends at a NUL.
  const cleaned = text.replaceAll('\0', '\ufffd').toWellFormed()
  if (countChars(cleaned) > MAX_QUERY_CHARS)
    throw new QueryError(MAX_QUERY_CHARS + 1, `A query has at most ${MAX_QUERY_CHARS.toLocaleString('en')} characters.`)
  if (cleaned.trim() === '') throw new QueryError(1, 'A query needs a word, a phrase or an operator.')
  return new Parser(cleaned, calendar, isProperty).parse()
}

/** The contents of a pair of brackets, as far as they are read. */
interface Group {
  /** Lists joined by OR; the parts of each are joined by AND. */
  readonly alternatives: Query[][]
  readonly opened: QueryToken | null
  readonly negated: boolean
}

class Parser {
  readonly #text: string
  readonly #calendar: Calendar
  readonly #isProperty: IsProperty
  readonly #places = new Map<Leaf, number>()
  /** The nesting depth of OR and AND. */
  readonly #depths = new WeakMap<Query, number>()

  constructor(text: string, calendar: Calendar, isProperty: IsProperty) {
    this.#text = text
    this.#calendar = calendar
    this.#isProperty = isProperty
  }

  parse(): Query {
    const tokens = readTokens(this.#text, (name, hasColon) =>
      FIELDS.includes(name) ? hasColon : this.#isProperty(fold(name)),
    )
    // In a query of signs alone, such as `:-(`, brackets are not operators.
    const isText = tokens.length === 0 || (!/[\p{L}\p{N}]/u.test(this.#text) && !isWhole(tokens, this.#text))
    const text = this.#text.trim()
    const query: Query = isText ? { kind: 'text', field: null, text, match: 'whole' } : this.#read(tokens)
    this.#checkLimits(query)
    return query
  }

  /** Parses without recursion, since brackets may be as deep as the text is long. */
  #read(tokens: readonly QueryToken[]): Query {
    let group: Group = { alternatives: [[]], opened: null, negated: false }
    const outer: Group[] = []
    let not = false
    const add = (query: Query, negated: boolean) => group.alternatives.at(-1)?.push(negated ? negate(query) : query)
    tokens.forEach((token, i) => {
      if (token.kind === 'open') {
        outer.push(group)
        group = { alternatives: [[]], opened: token, negated: token.negated !== not }
        not = false
      } else if (token.kind === 'close') {
        const { negated } = group
        const query = this.#joinGroup(group)
        group = outer.pop() ?? group
        add(query, negated)
      } else if (isKeyword(token, 'NOT') && startsOperand(tokens[i + 1])) {
        not = !not
      } else if (isKeyword(token, 'OR', 'AND') && group.alternatives.at(-1)?.length && startsPart(tokens, i + 1)) {
        if (token.text === 'OR') group.alternatives.push([])
      } else {
        add(this.#readLeaf(token), token.negated !== not)
        not = false
      }
    })
    return this.#joinGroup(group)
  }

  #joinGroup({ alternatives, opened }: Group): Query {
    const parts = alternatives.map((parts) => this.#joinParts('and', parts, opened))
    return this.#joinParts('or', parts, opened)
  }

  #joinParts(kind: 'and' | 'or', parts: readonly Query[], opened: QueryToken | null): Query {
    const [only] = parts
    if (only && parts.length === 1) return only
    // Redundant brackets are dropped.
    const query: Query = { kind, parts: parts.flatMap((part) => (part.kind === kind ? part.parts : [part])) }
    const depth = 1 + query.parts.reduce((most, part) => Math.max(most, this.#depthOf(part)), 0)
    if (depth > MAX_DEPTH + 1)
      this.#fail(`Brackets with AND and OR in turn nest at most ${MAX_DEPTH} deep.`, opened?.at ?? 0)
    this.#depths.set(query, depth)
    return query
  }

  #depthOf(query: Query): number {
    return this.#depths.get(query.kind === 'not' ? query.part : query) ?? 0
  }

  #readLeaf(token: QueryToken): Leaf {
    const leaf = this.#toLeaf(token)
    this.#places.set(leaf, token.at)
    return leaf
  }

  #toLeaf(token: QueryToken): Leaf {
    const { prefix, quoted, at } = token
    // Only dates and properties compare: `tag:>x` means the text `>x`.
    const value = prefix && prefix.comparison !== '=' ? prefix.comparison + token.text : token.text
    const { text, match } = quoted ? ({ text: value, match: 'whole' } as const) : readStars(value)
    const name = prefix?.name
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
        return { kind: 'is', what: IS.find((one) => one === value) ?? this.#fail(`is: takes ${IS.join(', ')}.`, at) }
      case 'has':
        return this.#toHasLeaf(value, at)
      case 'created':
      case 'updated':
        return { kind: name, period: this.#readPeriod(name, value, at) }
      default: {
        const { comparison = '=' } = prefix ?? {}
        return {
          ...createPropertyLeaf(name),
          comparison,
          ...(comparison === '=' ? { value: text, match } : { value: token.text }),
        }
      }
    }
  }

  #toHasLeaf(text: string, at: number): Leaf {
    const what = HAS.find((one) => one === text)
    if (what) return { kind: 'has', what }
    if (this.#isProperty(fold(text))) return createPropertyLeaf(text)
    return this.#fail(`has: takes ${HAS.join(', ')} or the name of a property.`, at)
  }

  #readPeriod(field: string, text: string, at: number): Period {
    return (
      readPeriod(text, this.#calendar) ??
      this.#fail(
        `${field}: takes real dates such as 2026, 2026-03, 2026-03-01, 2026-01..2026-03, >=2026-03-01 or 7d.`,
        at,
      )
    )
  }

  #checkLimits(query: Query): void {
    let [count, length] = [0, 0]
    for (const leaf of listOperators(query)) {
      const at = this.#places.get(leaf) ?? 0
      if (++count > MAX_OPERATORS) this.#fail(`A query has at most ${MAX_OPERATORS} operators.`, at)
      length += countChars('text' in leaf ? leaf.text : 'value' in leaf ? leaf.value : '')
      if (length > MAX_OPERATOR_CHARS)
        this.#fail(`What operators look for has at most ${MAX_OPERATOR_CHARS.toLocaleString('en')} characters.`, at)
    }
  }

  #fail(message: string, at: number): never {
    throw new QueryError(countChars(this.#text.slice(0, at)) + 1, message)
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

function listOperators(query: Query): Leaf[] {
  return listConjuncts(query)
    .filter((part) => !isBare(part))
    .flatMap(listLeaves)
}

function listLeaves(query: Query): Leaf[] {
  if (query.kind === 'not') return listLeaves(query.part)
  return 'parts' in query ? query.parts.flatMap(listLeaves) : [query]
}

function createPropertyLeaf(name: string): PropertyLeaf {
  return { kind: 'property', name: fold(name), comparison: 'exists', value: '', match: 'whole' }
}

function negate(query: Query): Query {
  return query.kind === 'not' ? query.part : { kind: 'not', part: query }
}

/**
 * Parses the query of a request. Throws invalid_query with the column, and invalid_request for the zone.
 * @param timeZone the IANA name of the zone that dates are read in
 * @param now milliseconds since 1970
 * @param isProperty see `parseQuery`
 */
export function readQuery(q: string, timeZone: string, now: number, isProperty?: IsProperty): Query {
  const zone = readZone(timeZone, '/time_zone')
  try {
    return parseQuery(q, { now, zone }, isProperty)
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    throw new ApiError('invalid_query', error.message, { column: error.column })
  }
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
