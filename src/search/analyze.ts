/**
 * What a text is found by: its terms, with the places of each. A term is one of
 *
 *     battery     a word, folded; of a script without spaces every two characters in a row, and the last of a run
 *     +email      what forgiving words find as well: parts of `getUserName` and `v1`, `e-mail` and `e mail` as one word
 *     ~batteri    the stem of words that are not their own stem
 *     =c++        letters or digits with the signs at their ends, where these are a part of the name
 *     !->         a sign, or two in a row: what is neither word nor space
 *     ?code       a mark that the feature gives it
 *
 * so that the first character distinguishes the kinds of terms. Analysis sees one text alone.
 */
import { fold, hasWords } from './fold'
import { detectLanguage, type Latin, SAMPLE_WORDS, stemOf } from './languages'
import type { Steps } from './steps'

/** Kinds of characters; MARK belongs to what is before it. */
const [LETTER, MARK, BLANK, SIGN] = [1, 2, 3, 4]

/** The kind of each code point, found when it is first met: 0 until then. A megabyte. */
const kinds = new Uint8Array(0x110000)

function kindOf(code: number): number {
  const character = String.fromCodePoint(code)
  if (/[\p{L}\p{N}]/u.test(character)) return LETTER
  if (/[\p{M}\u00ad]/u.test(character)) return MARK
  return /\s/.test(character) ? BLANK : SIGN
}

/** Passes on where each run is, in UTF-16 units, and whether it is a word. */
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
  numbering = 0
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

/** Tokens that were used lately, by the stretches of text that they were made of. */
export class TokenCache {
  /** Two places for each pair of hashes: the one that was used last is first. */
  readonly #tokens: (Token | undefined)[]
  readonly #mask: number

  /** @param size how many at most, a power of two; 300 bytes each */
  constructor(size: number) {
    this.#tokens = new Array(size).fill(undefined)
    this.#mask = size - 2
  }

  /**
   * The token of a stretch of a text. It is looked for without a copy of the stretch: most are met over and over.
   * @param make gets the stretch; the same stretch must become the same token
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

function cut(word: string): string {
  return word.length <= LONGEST_TERM ? word : Array.from(word).slice(0, LONGEST_TERM).join('')
}

/** One value each for title, tags and body. */
type OfFields<T> = readonly [title: T, tags: T, body: T]

/** The places of a term in a text, each list ascending: places count words from 0 in each field. */
export type Places = OfFields<number[]>

export interface Analysis {
  /** Each in its order: the place of a word is its index. */
  readonly words: OfFields<readonly Token[]>
  /** Terms of which only the field is kept, not the places: signs, names and marks. */
  readonly extras: OfFields<ReadonlySet<string>>
  /** What its words are stemmed by. */
  readonly language: Latin
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/** Where a word may be taken apart: `getUser`, `HTTPServer`, `v1`, `2nd`. */
const SEAMS = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u
const HAS_SEAM = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}/u
const HYPHEN = /^[-\u2010\u2011]$/
/**
 * What is written as one word, with a hyphen, or apart. No rule distinguishes `e mail` from `plan b and c`, which is no band, nor
 * from `acqua e vento`, which is no evento.
 */
const COMPOUND = /^(?:e (?:mail|book|commerce|learning|bike|reader)|t shirt|x ray|u turn|[su] bahn)/i
const UNSPACED_RUN =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{M}]+|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]+/gu
/** Signs that are a part of a name: `C++`, `C#`, `50%`; `.NET`, `#1`, `@home`, `$5`. */
const TAIL = /^(?:\+{1,2}|#|%)(?![+#%])/
const HEAD = /(?:^|[^.#@$€£])([.#@$€£])$/
const BEGINS_TAIL = new Set([...'+#%'].map((sign) => sign.charCodeAt(0)))
/** UTF-16 units between two turns of the event loop: a few milliseconds, and of hostile text some 10. */
const STEP_UNITS = 32 * 1024
/** What is folded already, and in one piece. */
const PLAIN = /^[a-z]+$/
const SPACE = /\s/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
const ASCII = /^[\x00-\x7f]*$/

/** Some 10 MB together. */
const known = new TokenCache(32 * 1024)
const knownPairs = new TokenCache(8 * 1024)

/** The words of a text in their order, and the names and signs between. */
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
    // What is between two words is no part of the name of the second: `node.js` is not `.js`.
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

/** The second word of `e-mail`, which is `email` as well. */
function joinedToken(previous: Token, { key, word, written, also }: Token): Token {
  const both = `${previous.word}-${key}`
  return known.token(both, 0, both.length, () => new Token(both, word, written, [...also, cut(previous.word + word)]))
}

/** What a word is made of, `get`, `User` and `Name`, in their order and without gaps; nothing if it is in one piece. */
export function splitWord(run: string): string[] {
  return HAS_SEAM.test(run) ? run.split(SEAMS) : []
}

/** Whether two words are also one: by the hyphen between them, or written apart as only some are. */
export function areOneWord(first: string, between: string, second: string): boolean {
  return HYPHEN.test(between) || (between === ' ' && first.length === 1 && COMPOUND.test(`${first} ${second}`))
}

/** Every two characters in a row, and the last one: what begins with a character is found by it alone. */
function readUnspaced(folded: string, onToken: (token: Token) => void): void {
  for (const run of folded.match(UNSPACED_RUN) ?? []) {
    if (hasWords(run)) {
      for (const word of run.match(WORD) ?? []) onToken(knownPairs.token(word, 0, word.length, makePair))
      continue
    }
    for (let at = 0, next = 0; at < run.length; at = next) {
      next = behind(run, at)
      onToken(knownPairs.token(run, at, next < run.length ? behind(run, next) : next, makePair))
    }
  }
}

const makePair = (key: string) => new Token(key, cut(key), cut(key))

/** Where the character behind the one at a place begins. */
function behind(text: string, at: number): number {
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
 * What something is found by, read in steps of some 10 ms. What is short takes one.
 * @param marks what else is known of it: `code`, `heading`
 */
export function* analyzeInSteps(texts: OfFields<string>, marks: readonly string[] = []): Steps<Analysis> {
  const words: OfFields<Token[]> = [[], [], []]
  const extras: OfFields<Set<string>> = [new Set(), new Set(), new Set(marks.map((mark) => `?${mark}`))]
  for (const field of [0, 1, 2] as const) {
    const [own, ownExtras] = [words[field], extras[field]]
    for (const part of splitText(texts[field])) {
      if (own.length > 0) yield
      readText(
        part,
        (token) => own.push(token),
        (extra) => ownExtras.add(extra),
      )
    }
  }
  const sample: string[] = []
  for (const own of words)
    for (let i = 0; i < own.length && sample.length < SAMPLE_WORDS; i++) sample.push((own[i] as Token).written)
  return { words, extras, language: detectLanguage(sample) }
}

/** A long text in parts that are cut before a space: no word, name or pair of signs goes across one. */
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
