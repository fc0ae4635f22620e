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

import type { Steps } from '../lib/steps'
import { ASCII, fold, hasWords } from './fold'
import { detectLanguage, type Latin, SAMPLE_WORDS, stemOf } from './languages'

/** The kinds of characters. A MARK belongs to the character before it. */
const [LETTER, MARK, BLANK, SIGN] = [1, 2, 3, 4]

/** The kind of each code point, computed at its first use; 0 before. Takes a megabyte. */
const kinds = new Uint8Array(0x110000)

function kindOf(code: number): number {
  const character = String.fromCodePoint(code)
  if (/[\p{L}\p{N}]/u.test(character)) return LETTER
  if (/[\p{M}\u00ad]/u.test(character)) return MARK
  return /\s/.test(character) ? BLANK : SIGN
}

/** Calls `onRun` with the range of each run of letters or signs, in UTF-16 units, and whether it is a word. */
export function forEachRun(text: string, onRun: (start: number, end: number, isWord: boolean) => void): void {
  let [start, run] = [0, BLANK]
  for (let at = 0; at < text.length; ) {
    let code = text.charCodeAt(at)
    let next = at + 1
    if (code >= 0xd800 && code <= 0xdbff) {
      code = text.codePointAt(at) ?? code
      if (code > 0xffff) next++
    }
    let kind = kinds[code] as number
    if (kind === 0) {
      kind = kindOf(code)
      kinds[code] = kind
    }
    if (kind === MARK) kind = run === LETTER ? LETTER : SIGN
    if (kind !== run) {
      if (run !== BLANK) onRun(start, at, run === LETTER)
      ;[start, run] = [at, kind]
    }
    at = next
  }
  if (run !== BLANK) onRun(start, text.length, run === LETTER)
}

/**
 * UTF-16 units of a term; longer ones are cut, so that a hostile text cannot make large ones. Queries are cut alike.
 */
const MAX_TERM_UNITS = 255

/** A word of a text, before it is turned into terms. */
export class Token {
  /** The stretch of text that it was made of. */
  readonly key: string
  /** Folded. */
  readonly word: string
  /** Lower case, otherwise as written: the input of the stemmer. */
  readonly written: string
  /** Further words at the same place: parts of `getUserName` and `v1`, `email` at the beginning of `e-mail`. */
  readonly also: readonly string[]
  /** Whether it is a run of a script without spaces, which is split into further words. */
  readonly unspaced: boolean
  #language: Latin | null = null
  #terms: readonly string[] = []

  constructor(key: string, word: string, written: string, also: readonly string[] = NONE, unspaced = false) {
    this.key = key
    this.word = word
    this.written = written
    this.also = also
    this.unspaced = unspaced
  }

  /** Returns the distinct terms that it is found by in a text of the language. */
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

/** A cache of recently used tokens, by the stretches of text that they were made of. */
export class TokenCache {
  /** Two slots for each pair of hashes, the more recently used first. */
  readonly #tokens: (Token | undefined)[]
  readonly #mask: number

  /** @param size maximum number of tokens, a power of two; each takes 300 bytes */
  constructor(size: number) {
    this.#tokens = new Array(size).fill(undefined)
    this.#mask = size - 2
  }

  /**
   * Returns the token of a stretch of text. The lookup makes no copy of the stretch, since most stretches repeat.
   * @param make gets the stretch; the same stretch must become the same token
   */
  token(text: string, start: number, end: number, make: (key: string) => Token): Token {
    let hash = 0
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0
    const first = (hash ^ (hash >>> 15)) & this.#mask
    const newest = this.#tokens[first]
    if (newest && isAt(newest.key, text, start, end)) return newest
    const other = this.#tokens[first + 1]
    const token = other && isAt(other.key, text, start, end) ? other : make(copyStretch(text, start, end))
    if (token.key.length > MAX_TERM_UNITS) return token
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

/** Copies a stretch of text: a slice would keep the whole text in memory. */
function copyStretch(text: string, start: number, end: number): string {
  let copy = ''
  for (let i = start; i < end; i++) copy += text[i]
  return copy
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
const UNSPACED_RUN =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{M}]+|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]+/gu
/** Signs that are part of a name, after it (`C++`, `C#`, `50%`) or before it (`.NET`, `#1`, `@home`, `$5`). */
const TAIL = /^(?:\+{1,2}|#|%)(?![+#%])/
const HEAD = /(?:^|[^.#@$€£])([.#@$€£])$/
const BEGINS_TAIL = new Set([...'+#%'].map((sign) => sign.charCodeAt(0)))
/** UTF-16 units that are analyzed in one turn of the event loop: a few milliseconds, about 10 for hostile text. */
const STEP_UNITS = 32 * 1024
/** A word that needs neither folding nor splitting. */
const PLAIN = /^[a-z]+$/
const SPACE = /\s/g

/** Caches of single words and of pairs of characters: about 10 MB together. */
const known = new TokenCache(32 * 1024)
const knownPairs = new TokenCache(8 * 1024)

/** Calls `onToken` with the words of a text in order, and `onExtra` with the names and signs. */
export function readText(text: string, onToken: (token: Token) => void, onExtra?: (term: string) => void): void {
  const composed = ASCII.test(text) ? text : text.normalize('NFKC')
  let [signs, signsStart, signsEnd, wordEnd, joinedTo] = ['', -1, -1, -1, -1]
  let previous: Token | null = null
  forEachRun(composed, (start, end, isWord) => {
    if (!isWord) {
      const run = composed.slice(start, end)
      if (onExtra) readSigns(run, onExtra)
      joinedTo = wordEnd === start && HYPHEN.test(run) ? end : -1
      ;[signs, signsStart, signsEnd] = [run, start, end]
      return
    }
    const token = known.token(composed, start, end, makeToken)
    // A sign between two words is not part of the second one's name: `node.js` is not `.js`.
    const before = signsEnd === start && (signs.length > 1 || signsStart !== wordEnd) ? signs : ''
    if (onExtra && (before !== '' || BEGINS_TAIL.has(composed.charCodeAt(end))))
      readName(token.word, before, composed.slice(end, end + 3), onExtra)
    if (
      start === wordEnd + 1 &&
      previous?.word.length === 1 &&
      areOneWord(previous.word, composed.slice(wordEnd, start), composed.slice(start, end))
    )
      joinedTo = start
    wordEnd = end
    if (token.unspaced) {
      readUnspaced(token.word, onToken)
      previous = null
      return
    }
    onToken(joinedTo === start && previous ? joinedToken(previous, token) : token)
    previous = token
  })
}

function makeToken(run: string): Token {
  if (PLAIN.test(run)) return new Token(run, cut(run), run)
  const folded = fold(run)
  const unspaced = !hasWords(folded)
  const also = splitWord(run).map((part) => cut(fold(part)))
  const word = unspaced ? folded : cut(folded)
  return new Token(
    run,
    word,
    run.toLowerCase(),
    also.filter((part) => part !== ''),
    unspaced,
  )
}

/** Returns the second word of `e-mail`, which also matches `email`. */
function joinedToken(previous: Token, { key, word, written, also }: Token): Token {
  const both = `${previous.word}-${key}`
  return known.token(both, 0, both.length, () => new Token(both, word, written, [...also, cut(previous.word + word)]))
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
      for (const word of run.match(WORD) ?? []) onToken(knownPairs.token(word, 0, word.length, makePair))
      continue
    }
    for (let at = 0, next = 0; at < run.length; at = next) {
      next = nextCharacter(run, at)
      onToken(knownPairs.token(run, at, next < run.length ? nextCharacter(run, next) : next, makePair))
    }
  }
}

const makePair = (key: string) => new Token(key, cut(key), cut(key))

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
 * Analyzes texts in steps of about 10 ms; a short text takes one.
 * @param marks further facts to find it by: `code`, `heading`
 */
export function* analyzeInSteps(texts: OfFields<string>, marks: readonly string[] = []): Steps<Analysis> {
  const words: OfFields<Token[]> = [[], [], []]
  const extras: OfFields<Set<string>> = [new Set(), new Set(), new Set(marks.map((mark) => `?${mark}`))]
  for (const field of [0, 1, 2] as const) {
    const [fieldWords, fieldExtras] = [words[field], extras[field]]
    for (const part of splitText(texts[field])) {
      if (fieldWords.length > 0) yield
      readText(
        part,
        (token) => fieldWords.push(token),
        (extra) => fieldExtras.add(extra),
      )
    }
  }
  const sample: string[] = []
  for (const list of words)
    for (let i = 0; i < list.length && sample.length < SAMPLE_WORDS; i++) sample.push((list[i] as Token).written)
  return { words, extras, language: detectLanguage(sample) }
}

/** Splits a long text before spaces, so that no word, name or pair of signs is divided. */
function* splitText(text: string): Generator<string> {
  let start = 0
  while (text.length - start > STEP_UNITS) {
    SPACE.lastIndex = start + STEP_UNITS
    const end = SPACE.exec(text)?.index ?? text.length
    yield text.slice(start, end)
    start = end
  }
  yield text.slice(start)
}
