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
  /** What an index that is being written knows of its terms, until those of another language are read. */
  memo: object | null = null
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
    this.memo = null
    return terms
  }
}

const NONE: readonly string[] = []

/** Recently used tokens, by the stretches of text that they were made of: most words of a text repeat. */
const known = new Map<string, Token>()
/** Each takes 300 bytes. */
const MAX_KNOWN = 64 * 1024

/** Returns the token of a stretch of text. @param make makes the same of the same stretch */
function tokenOf(stretch: string, make: (key: string) => Token): Token {
  const token = known.get(stretch)
  if (token) return token
  if (stretch.length > MAX_TERM_UNITS) return make(stretch)
  if (known.size >= MAX_KNOWN) known.clear()
  // A slice would keep the whole text in memory.
  const key = Buffer.from(stretch, 'utf16le').toString('utf16le')
  const made = make(key)
  known.set(key, made)
  return made
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
/** A word that needs neither folding nor splitting. */
const PLAIN = /^[a-z]+$/

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
    const token = tokenOf(composed.slice(start, end), makeToken)
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
  return tokenOf(both, () => new Token(both, word, written, [...also, cut(previous.word + word)]))
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
const pairOf = (pair: string) => tokenOf(` ${pair}`, (key) => new Token(key, cut(key.slice(1)), cut(key.slice(1))))

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
