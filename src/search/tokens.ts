/** Splits a query into tokens: values with the operators before them, keywords, and brackets. */

/** The operator before a value: `tag:`, `rating>=`. */
export interface OperatorPrefix {
  readonly name: string
  readonly comparison: Comparison
}

/** The way in which a value matches: as whole words, as `word*`, or as `*word*`. */
export type Match = 'whole' | 'prefix' | 'substring'

export type Comparison = '=' | '<' | '<=' | '>' | '>='

/** A value or a bracket of a query. */
export interface QueryToken {
  readonly kind: 'value' | 'open' | 'close'
  /** UTF-16 offset in the query. */
  readonly at: number
  /** Whether a `-` comes right before it. */
  readonly negated: boolean
  readonly prefix: OperatorPrefix | null
  /** The value, without its quotes. */
  readonly text: string
  readonly quoted: boolean
}

const SPACES = /\s*/y
const WORD = /[^\s()"]+/y
const BRACKET = /[()]/y
/**
 * A minus that negates the word, phrase or bracket that it touches. Alone, or before another sign as in `->`, it is
 * text.
 */
const MINUS = /-(?=[\p{L}\p{N}\p{M}\p{Extended_Pictographic}"(*#@$._])/uy
const PREFIX = /([\p{L}_][\p{L}\p{N}_.-]*)(:(?:[<>]=?)?|[<>]=?)(?=[^\s()])/uy
/** After a letter a quote opens nothing: `5" pipe`. */
const PHRASE = /(?<![\p{L}\p{N}\p{M}])"[^"]*"/uy
const LONE_QUOTE = /"/y

/** Whether a name with a sign after it is an operator. */
export type IsOperator = (name: string, hasColon: boolean) => boolean

/**
 * Splits a query into tokens. Unmatched brackets and quotes are dropped, and so are those around nothing: each bracket
 * in the result has its other half and something between. Takes linear time.
 */
export function readTokens(query: string, isOperator: IsOperator): QueryToken[] {
  const tokens: QueryToken[] = []
  let at = 0
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [taken = ''] = pattern.exec(query) ?? []
    at += taken.length
    return taken
  }
  const takePrefix = (): OperatorPrefix | null => {
    PREFIX.lastIndex = at
    const [all = '', name = '', sign = ''] = PREFIX.exec(query) ?? []
    // `tag:""` has no value, so it is not an operator.
    if (all === '' || query.startsWith('""', at + all.length) || !isOperator(name, sign.startsWith(':'))) return null
    at += all.length
    return { name, comparison: sign === ':' ? '=' : (sign.replace(':', '') as Comparison) }
  }
  for (take(SPACES); at < query.length; take(SPACES)) {
    const start = { kind: 'value', at, negated: take(MINUS) !== '', prefix: null, text: '', quoted: false } as const
    const bracket = take(BRACKET)
    if (bracket !== '') {
      tokens.push({ ...start, kind: bracket === '(' ? 'open' : 'close' })
      continue
    }
    const prefix = takePrefix()
    const phrase = take(PHRASE)
    if (phrase === '') take(LONE_QUOTE)
    const text = phrase === '' ? take(WORD) : phrase.slice(1, -1)
    if (text.trim() !== '') tokens.push({ ...start, prefix, text, quoted: phrase !== '' })
  }
  return keepPairs(tokens)
}

/** Brackets nested deeper than this are punctuation: nobody means them, and each would cost time. */
const MAX_BRACKET_DEPTH = 64

/** Drops unmatched brackets, those around nothing, and those nested too deep. */
function keepPairs(tokens: readonly QueryToken[]): QueryToken[] {
  const kept = new Set<number>()
  const open: { index: number; values: number }[] = []
  let values = 0
  tokens.forEach(({ kind }, index) => {
    if (kind === 'value') values++
    if (kind === 'open') open.push({ index, values })
    if (kind !== 'close') return
    const first = open.pop()
    if (first && first.values < values) for (const one of [first.index, index]) kept.add(one)
  })
  let depth = 0
  return tokens.filter(({ kind }, index) => {
    if (kind === 'value') return true
    if (!kept.has(index)) return false
    return (kind === 'open' ? ++depth : depth--) <= MAX_BRACKET_DEPTH
  })
}

/** Whether a token is one of the words `OR`, `AND`, `NOT`. */
export function isKeyword({ kind, text, quoted, negated, prefix }: QueryToken, ...names: string[]): boolean {
  return kind === 'value' && !quoted && !negated && prefix === null && names.includes(text)
}

/** Whether a token can follow NOT. */
export function startsOperand(token: QueryToken | undefined): boolean {
  return token !== undefined && token.kind !== 'close' && !isKeyword(token, 'OR', 'AND', 'NOT')
}

/** Whether the tokens from `at` on can follow OR or AND. */
export function startsPart(tokens: readonly QueryToken[], at: number): boolean {
  const token = tokens[at]
  return startsOperand(token) || (token !== undefined && isKeyword(token, 'NOT') && startsOperand(tokens[at + 1]))
}

/** Whether no quote or bracket of a text was dropped. */
export function isWhole(tokens: readonly QueryToken[], text: string): boolean {
  const returned = tokens.reduce((sum, { kind, quoted }) => sum + (kind !== 'value' ? 1 : quoted ? 2 : 0), 0)
  return returned === (text.match(/[()"]/g) ?? []).length
}

/** Reads the stars of `word*` and `*word*`; other stars are text. */
export function readStars(word: string): { text: string; match: Match } {
  const [, before = '', text = word, after = ''] = /^(\*?)([^*]|[^*].*[^*])(\*?)$/s.exec(word) ?? []
  if (after === '') return { text: word, match: 'whole' }
  return before === '' ? { text, match: 'prefix' } : { text, match: 'substring' }
}
