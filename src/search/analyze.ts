/**
 * Turns a text into the terms that it is found by, with the places of each. A term is one of
 *
 *     battery     a folded word; in scripts without spaces, every two characters in a row, and the last of a run
 *     +email      a part of a word, or two words as one: `getUserName`, `v1`, `e-mail`, `e mail`; only bare words find these
 *     ~batteri    the stem of words that are not their own stem
 *     =c++        letters or digits with the signs at their ends, if these are part of the name
 *     !->         one sign, or two in a row: anything that is neither word nor space
 *     ?code       a mark that the feature adds
 *
 * The first character distinguishes the kinds of terms. Each text is analyzed by itself.
 */

import { Cache } from '../lib/steps'
import { ASCII, fold, hasWords, UNSPACED_SCRIPTS } from './fold'
import { detectLanguage, type Latin, SAMPLE_WORDS, stemOf } from './languages'

/** A word, or signs in a row. A mark belongs to the character before it. */
const RUN = /([\p{L}\p{N}][\p{L}\p{N}\p{M}\u00ad]*)|[^\s\p{L}\p{N}]+/gu

/** Calls `onRun` with the range of each run of letters or signs, in UTF-16 units, whether it is a word, and the run. */
export function forEachRun(
  text: string,
  onRun: (start: number, end: number, isWord: boolean, run: string) => void,
): void {
  for (const { 0: run, 1: word, index } of text.matchAll(RUN)) onRun(index, index + run.length, word !== undefined, run)
}

/**
 * UTF-16 units of a term; longer ones are cut, so that a hostile text cannot make large ones. Queries are cut alike.
 */
const MAX_TERM_UNITS = 255

/** A word of a text, before it is turned into terms. */
export class Token {
  #language: Latin | null = null
  #terms = ''

  /**
   * @param word folded
   * @param written in lower case, otherwise as written: the input of the stemmer
   * @param also further words at the same place: parts of `getUserName` and `v1`, `email` at the beginning of `e-mail`
   * @param unspaced whether it is a run of a script without spaces, which is split into further words
   */
  constructor(
    readonly word: string,
    readonly written: string,
    readonly also: readonly string[] = [],
    readonly unspaced = false,
  ) {}

  /** Returns the distinct terms that it is found by in a text of the language, with blanks between. */
  terms(language: Latin): string {
    if (this.#language === language) return this.#terms
    const stem = (word: string, input = word) => {
      const stemmed = stemOf(input, language)
      return stemmed === word ? [] : [`~${stemmed}`]
    }
    const others = this.also.flatMap((word) => [`+${word}`, ...stem(word)])
    this.#terms = [...new Set([this.word, ...stem(this.word, this.written), ...others])].join(' ')
    this.#language = language
    return this.#terms
  }
}

/** Each takes 300 bytes. */
const MAX_KNOWN = 64 * 1024
/** Recently used tokens, by the stretches of text that they were made of: most words of a text repeat. */
const known = new Cache<string, Token>(MAX_KNOWN)

/** Returns the token of a stretch of text. @param make makes the same of the same stretch */
function tokenOf(stretch: string, make: (key: string) => Token): Token {
  const token = known.get(stretch)
  if (token) return token
  if (stretch.length > MAX_TERM_UNITS) return make(stretch)
  // A slice would keep the whole text in memory.
  const key = Buffer.from(stretch, 'utf16le').toString('utf16le')
  return known.keep(key, make(key))
}

function cut(word: string): string {
  return word.length <= MAX_TERM_UNITS ? word : Array.from(word).slice(0, MAX_TERM_UNITS).join('')
}

/** One value for each of title, tags and body. */
type OfFields<T> = readonly [title: T, tags: T, body: T]

/** The result of analyzing a text. */
export interface Analysis {
  /** The words in order: the place of a word is its index. */
  readonly words: OfFields<readonly Token[]>
  /** Terms that are stored with their field alone, without places: signs, names and marks. */
  readonly extras: OfFields<ReadonlySet<string>>
  /** The language that its words are stemmed in. */
  readonly language: Latin
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/** The positions at which a word is split: `getUser`, `HTTPServer`, `v1`, `2nd`. */
const SEAMS = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u
const HAS_SEAM = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}/u
const HYPHEN = /^[-\u2010\u2011]$/
/**
 * Words that people write as one, with a hyphen, or apart. This is a list, since no rule would distinguish `e mail`
 * from `plan b and c`, which does not mean band, or from `acqua e vento`, which does not mean evento.
 */
const COMPOUND = /^(?:e (?:mail|book|commerce|learning|bike|reader)|t shirt|x ray|u turn|[su] bahn)/i
const UNSPACED_RUN = new RegExp(`[${UNSPACED_SCRIPTS}\\p{M}]+|[^${UNSPACED_SCRIPTS}]+`, 'gu')
/** Signs that are part of a name, after it (`C++`, `C#`, `50%`) or before it (`.NET`, `#1`, `@home`, `$5`). */
const TAIL = /^(?:\+{1,2}|#|%)(?![+#%])/
const HEAD = /(?:^|[^.#@$€£])([.#@$€£])$/
const BEGINS_TAIL = new Set([...'+#%'].map((sign) => sign.charCodeAt(0)))
/** A word that needs neither folding nor splitting. */
const PLAIN = /^[a-z]+$/

/** Calls `onToken` with the words of a text in order, and `onExtra` with the names and signs. */
export function readText(text: string, onToken: (token: Token) => void, onExtra?: (term: string) => void): void {
  const composed = ASCII.test(text) ? text : text.normalize('NFKC')
  let [signs, signsEnd, wordEnd] = ['', -1, -1]
  let previous: Token | null = null
  forEachRun(composed, (start, end, isWord, run) => {
    if (!isWord) {
      if (onExtra) readSigns(run, onExtra)
      ;[signs, signsEnd] = [run, end]
      return
    }
    const token = tokenOf(run, makeToken)
    if (onExtra) {
      // A sign between two words is not part of the second one's name: `node.js` is not `.js`.
      const isBetween = signsEnd === start && signs.length === 1 && wordEnd === start - 1
      const before = signsEnd === start && !isBetween ? signs : ''
      if (before !== '' || BEGINS_TAIL.has(composed.charCodeAt(end)))
        readName(token.word, before, composed.slice(end, end + 3), onExtra)
    }
    const isOne = previous && wordEnd === start - 1 && areOneWord(previous.word, composed.slice(wordEnd, start), run)
    if (token.unspaced) readUnspaced(token.word, onToken)
    else onToken(isOne && previous ? joinedToken(previous, token) : token)
    previous = token.unspaced ? null : token
    wordEnd = end
  })
}

function makeToken(run: string): Token {
  if (PLAIN.test(run)) return new Token(cut(run), run)
  const folded = fold(run)
  const unspaced = !hasWords(folded)
  const also = splitWord(run).map((part) => cut(fold(part)))
  return new Token(unspaced ? folded : cut(folded), run.toLowerCase(), also.filter(Boolean), unspaced)
}

/** Returns the second word of `e-mail`, which also matches `email`. */
function joinedToken({ word: first }: Token, { word, written, also }: Token): Token {
  const both = [...also, cut(first + word)]
  return tokenOf([written, ...both].join('-'), () => new Token(word, written, both))
}

/** Returns the parts of a word (`get`, `User`, `Name`) in order and without gaps; none if it is in one piece. */
export function splitWord(run: string): string[] {
  return HAS_SEAM.test(run) ? run.split(SEAMS) : []
}

/** Whether two words also count as one: they have a hyphen between them, or are one of the known compounds. */
export function areOneWord(first: string, between: string, second: string): boolean {
  return HYPHEN.test(between) || (between === ' ' && first.length === 1 && COMPOUND.test(`${first} ${second}`))
}

/** Emits every two characters in a row, and the last one, so that each character can be found as a prefix. */
function readUnspaced(folded: string, onToken: (token: Token) => void): void {
  for (const run of folded.match(UNSPACED_RUN) ?? []) {
    if (hasWords(run)) {
      for (const word of run.match(WORD) ?? []) onToken(pairOf(word))
      continue
    }
    for (let at = 0, next = 0; at < run.length; at = next) {
      next = nextCharacter(run, at)
      onToken(pairOf(run.slice(at, next < run.length ? nextCharacter(run, next) : next)))
    }
  }
}

/** Returns the token of a pair of characters. The blank distinguishes it from a run of the same two. */
const pairOf = (pair: string) => tokenOf(` ${pair}`, (key) => new Token(cut(key.slice(1)), cut(key.slice(1))))

/** Returns the offset of the character after the one at `at`. */
function nextCharacter(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
}

function readSigns(run: string, onExtra: (term: string) => void): void {
  let before = ''
  for (const sign of fold(run)) {
    onExtra(`!${sign}`)
    if (before !== '') onExtra(`!${before}${sign}`)
    before = sign
  }
}

function readName(folded: string, before: string, after: string, onExtra: (term: string) => void): void {
  const head = HEAD.exec(before)?.[1] ?? ''
  const tail = TAIL.exec(after)?.[0] ?? ''
  if (head !== '' || tail !== '') onExtra(cut(`=${head}${folded}${tail}`))
}

/**
 * Analyzes texts.
 * @param marks further facts to find it by: `code`, `heading`
 */
export function analyze(texts: OfFields<string>, marks: readonly string[] = []): Analysis {
  const words: OfFields<Token[]> = [[], [], []]
  const extras: OfFields<Set<string>> = [new Set(), new Set(), new Set(marks.map((mark) => `?${mark}`))]
  for (const field of [0, 1, 2] as const)
    readText(
      texts[field],
      (token) => words[field].push(token),
      (extra) => extras[field].add(extra),
    )
  const sample = words.flatMap((list) => list.slice(0, SAMPLE_WORDS))
  return { words, extras, language: detectLanguage(sample.map(({ written }) => written)) }
}
