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
/**
 * A minus that negates the word, phrase or bracket that it touches. Alone, or before another sign as in `->`, it is
 * text.
 */
const MINUS = /-(?=[\p{L}\p{N}\p{M}\p{Extended_Pictographic}"(*#@$._])/uy
const PREFIX = /([\p{L}_][\p{L}\p{N}_.-]*)(:(?:[<>]=?)?|[<>]=?)(?=[^\s()])/uy
/** The end of a text after which a quote opens nothing: `5" pipe`. */
const LETTER = /[\p{L}\p{N}\p{M}]$/u

/** Whether a name with a sign after it is an operator. */
export type IsOperator = (name: string, hasColon: boolean) => boolean

/**
 * Splits a query into tokens. Unmatched brackets and quotes are dropped, and so are those around nothing: each bracket
 * in the result has its other half and something between. Takes linear time.
 */
export function readTokens(query: string, isOperator: IsOperator): QueryToken[] {
  return keepPairs(new Lexer(query, isOperator).tokens())
}

class Lexer {
  readonly #text: string
  readonly #isOperator: IsOperator
  readonly #lastQuote: number
  #at = 0

  constructor(text: string, isOperator: IsOperator) {
    this.#text = text
    this.#isOperator = isOperator
    this.#lastQuote = text.lastIndexOf('"')
  }

  tokens(): QueryToken[] {
    const tokens: QueryToken[] = []
    for (this.#take(SPACES); this.#at < this.#text.length; this.#take(SPACES)) {
      const token = this.#next()
      if (token) tokens.push(token)
    }
    return tokens
  }

  #next(): QueryToken | null {
    const at = this.#at
    const negated = this.#take(MINUS) !== ''
    const token = { kind: 'value', at, negated, prefix: null, text: '', quoted: false } as const
    const sign = this.#text[this.#at]
    if (sign === '(' || sign === ')') {
      this.#at++
      return { ...token, kind: sign === '(' ? 'open' : 'close' }
    }
    const prefix = this.#prefix()
    if (this.#text[this.#at] !== '"') return { ...token, prefix, text: this.#take(WORD) }
    const phrase = this.#phrase()
    if (phrase !== null) return phrase.trim() === '' ? null : { ...token, prefix, text: phrase, quoted: true }
    // An unmatched quote.
    this.#at++
    const word = this.#take(WORD)
    return word === '' ? null : { ...token, prefix, text: word }
  }

  #prefix(): OperatorPrefix | null {
    const at = this.#at
    PREFIX.lastIndex = at
    const [all, name, sign] = PREFIX.exec(this.#text) ?? []
    if (all === undefined || name === undefined || sign === undefined) return null
    if (!this.#isOperator(name, sign.startsWith(':'))) return null
    const [after] = this.#text.slice(at + all.length, at + all.length + 2)
    // `tag:""` has no value, so it is not an operator.
    if (after === '"' && this.#text[at + all.length + 1] === '"') return null
    this.#at += all.length
    return { name, comparison: sign === ':' ? '=' : (sign.replace(':', '') as Comparison) }
  }

  /** The text between this quote and the next; null if this one opens nothing. */
  #phrase(): string | null {
    if (this.#at >= this.#lastQuote) return null
    if (LETTER.test(this.#text.slice(Math.max(0, this.#at - 2), this.#at))) return null
    const end = this.#text.indexOf('"', this.#at + 1)
    const phrase = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    return phrase
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [taken = ''] = pattern.exec(this.#text) ?? []
    this.#at += taken.length
    return taken
  }
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

/** Counts the code points of a text. */
export function countChars(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}
