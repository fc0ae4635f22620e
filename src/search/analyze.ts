/**
 * What a text is found by: its terms, with the places of each. A term is one of
 *
 *     battery     a word, folded; of a script without spaces every two characters in a row, and the last of a run
 *     +email      what forgiving words find as well: parts of `getUserName` and `v1`, `e-mail` and `e mail` as one word
 *     ~batteri    the stem of words that are not their own stem
 *     =c++        letters or digits with the signs at their ends, where these are a part of the name
 *     !->         a sign, or two in a row: what is neither word nor space
 *     ?code       something that the feature tells of it
 *
 * so that the first character tells terms of different kinds apart. Analysis sees one text alone.
 */
import { fold, hasWords } from './fold'
import { type Latin, languageOf, SAMPLE_WORDS } from './languages'
import { eachRun } from './runs'
import type { Steps } from './steps'
import { cut, Token, TokenCache } from './words'

/** What stands in the title, in the tags and in the body. */
type OfFields<T> = readonly [title: T, tags: T, body: T]

/** Where a term stands in a text, each list ascending: places count words from 0 in each field. */
export type Places = OfFields<number[]>

export interface Analysis {
  /** Each in its order: the place of a word is its index. */
  readonly words: OfFields<readonly Token[]>
  /** Terms of which is kept in which fields they stand, not where: signs, names and marks. */
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
 * What is written as one word, with a hyphen, or apart. No rule tells `e mail` from `plan b and c`, which is no band, nor
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
  eachRun(composed, (start, end, isWord) => {
    if (!isWord) {
      const run = composed.slice(start, end)
      if (onExtra) readSigns(run, onExtra)
      joinedTo = wordEnd === start && HYPHEN.test(run) ? end : -1
      ;[signs, signsStart, signsEnd] = [run, start, end]
      return
    }
    const token = known.token(composed, start, end, makeToken)
    // What stands between two words is no part of the name of the second: `node.js` is not `.js`.
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
export function* analyzing(texts: OfFields<string>, marks: readonly string[] = []): Steps<Analysis> {
  const words: OfFields<Token[]> = [[], [], []]
  const extras: OfFields<Set<string>> = [new Set(), new Set(), new Set(marks.map((mark) => `?${mark}`))]
  for (const field of [0, 1, 2] as const) {
    const [own, ownExtras] = [words[field], extras[field]]
    for (const part of stretchesOf(texts[field])) {
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
  return { words, extras, language: languageOf(sample) }
}

/** A long text in parts that are cut before a space: no word, name or pair of signs goes across one. */
function* stretchesOf(text: string): Generator<string> {
  let start = 0
  while (text.length - start > STEP_UNITS) {
    SPACE.lastIndex = start + STEP_UNITS
    const end = SPACE.exec(text)?.index ?? text.length
    yield text.slice(start, end)
    start = end
  }
  yield text.slice(start)
}
