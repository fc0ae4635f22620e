/** Words with the terms that they are found by. Texts repeat themselves, so what a word becomes is remembered. */
import { type Latin, stemOf } from './languages'

/** Terms are cut here, so that no hostile text makes large ones; queries are cut alike. UTF-16 units. */
const LONGEST_TERM = 255
/** Words that are remembered; as many again that were met before these. Some 10 MB at most. */
const REMEMBERED = 20_000

/** A word of a text, before it becomes terms. */
export class Token {
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

  constructor(word: string, written: string, also: readonly string[] = NONE, unspaced = false) {
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

let remembered = new Map<string, Token>()
/** Those before: what is met again is kept. */
let earlier = new Map<string, Token>()

/** @param key what is unlike for all that becomes something else */
export function remember(key: string, make: (key: string) => Token): Token {
  const known = remembered.get(key)
  if (known) return known
  const met = earlier.get(key)
  if (!met && key.length > LONGEST_TERM) return make(key)
  // A copy: as a piece of its text it would keep all of that in memory.
  let own = ''
  for (let i = 0; i < key.length; i++) own += key[i]
  if (remembered.size >= REMEMBERED) [earlier, remembered] = [remembered, new Map()]
  const token = met ?? make(own)
  remembered.set(own, token)
  return token
}

export function cut(word: string): string {
  return word.length <= LONGEST_TERM ? word : Array.from(word).slice(0, LONGEST_TERM).join('')
}
