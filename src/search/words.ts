/** Words with the terms that they are found by. Texts repeat themselves, so what a word becomes is remembered. */
import { type Latin, stemOf } from './languages'

/** Terms are cut here, so that no hostile text makes large ones; queries are cut alike. UTF-16 units. */
const LONGEST_TERM = 255
/** A word of a text, before it becomes terms. */
export class Token {
  /** What it was made of. */
  readonly key: string
  /** Folded. */
  readonly word: string
  /** Lower case, as written: what a stem is made of. */
  readonly written: string
  /** Further words at the same place: parts of `getUserName` and `v1`, `email` at the beginning of `e-mail`. */
  readonly also: readonly string[]
  /** Of a script without spaces: such a run becomes words of its own. */
  readonly unspaced: boolean
  /** Numbers that its terms have for the one who numbered them last; see `numbersOf` of segment.ts. */
  numberer = 0
  numbers: readonly number[] = []
  #language: Latin | null = null
  #terms: readonly string[] = []

  constructor(key: string, word: string, written: string, also: readonly string[] = NONE, unspaced = false) {
    this.key = key
    this.word = word
    this.written = written
    this.also = also
    this.unspaced = unspaced
  }

  /** What it is found by in a text of the language, each once. */
  terms(language: Latin): readonly string[] {
    if (this.#language === language) return this.#terms
    const terms = [this.word]
    const add = (term: string) => terms.includes(term) || terms.push(term)
    const stem = stemOf(this.written, language)
    if (stem !== this.word) add(`~${stem}`)
    for (const word of this.also) {
      add(`+${word}`)
      const partStem = stemOf(word, language)
      if (partStem !== word) add(`~${partStem}`)
    }
    this.#language = language
    this.#terms = terms
    return terms
  }
}

const NONE: readonly string[] = []

/** Tokens that were met lately, by the stretches of text that they were made of. */
export class TokenCache {
  /** Two places for each pair of hashes: the one of the two that was met last stands first. */
  readonly #tokens: (Token | undefined)[]
  readonly #mask: number

  /** @param size how many at most, a power of two; 300 bytes each */
  constructor(size: number) {
    this.#tokens = new Array(size).fill(undefined)
    this.#mask = size - 2
  }

  /**
   * The token of a stretch of a text. It is looked for without a copy of the stretch: most are met over and over.
   * @param make is told the stretch; what is alike must become alike
   */
  token(text: string, start: number, end: number, make: (key: string) => Token): Token {
    let hash = 0
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0
    const first = (hash ^ (hash >>> 15)) & this.#mask
    const newest = this.#tokens[first]
    if (newest && isAt(newest.key, text, start, end)) return newest
    const other = this.#tokens[first + 1]
    const token = other && isAt(other.key, text, start, end) ? other : make(copyOf(text, start, end))
    if (token.key.length > LONGEST_TERM) return token
    this.#tokens[first + 1] = newest
    this.#tokens[first] = token
    return token
  }
}

function isAt(key: string, text: string, start: number, end: number): boolean {
  const { length } = key
  if (length !== end - start) return false
  for (let i = 0; i < length; i++) if (key.charCodeAt(i) !== text.charCodeAt(start + i)) return false
  return true
}

/** As a piece of its text it would keep all of that in memory. */
function copyOf(text: string, start: number, end: number): string {
  let own = ''
  for (let i = start; i < end; i++) own += text[i]
  return own
}

export function cut(word: string): string {
  return word.length <= LONGEST_TERM ? word : Array.from(word).slice(0, LONGEST_TERM).join('')
}
