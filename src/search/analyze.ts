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
import { type Latin, languageOf, SAMPLE_WORDS, stemOf } from './languages'
import { eachRun } from './runs'
import { inOneGo, type Steps } from './steps'

/** Where a term stands in a text, each list ascending: places count words from 0 in each field. */
export type Places = readonly [title: number[], tags: number[], body: number[]]

/** Places of all fields as one ascending list: bits from the 28th on tell the field. */
export type PackedPlaces = readonly number[]
export const FIELD_BIT = 28

export interface Analysis {
  readonly terms: ReadonlyMap<string, PackedPlaces>
  /** How many words each field has. */
  readonly lengths: readonly [title: number, tags: number, body: number]
  /** What its words were stemmed by. */
  readonly language: Latin
}

/** A word of a text, before it becomes terms. */
export interface Token {
  /** Folded. */
  readonly word: string
  /** Lower case, as written: what a stem is made of. */
  readonly written: string
  /** Further words at the same place: parts of `getUserName` and `v1`, `email` at the beginning of `e-mail`. */
  readonly also: readonly string[]
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
/** Terms are cut here, so that no hostile text makes large ones; queries are cut alike. UTF-16 units. */
const LONGEST_TERM = 255
/** UTF-16 units, and distinct words, between two turns of the event loop: some 10 ms. */
const STEP_UNITS = 32 * 1024
const STEP_WORDS = 4096
const SPACE = /\s/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
const ASCII = /^[\x00-\x7f]*$/

/** The words of a text in their order, and the names and signs between. */
export function readText(text: string, onToken: (token: Token) => void, onExtra?: (term: string) => void): void {
  const composed = ASCII.test(text) ? text : text.normalize('NFKC')
  let [signs, signsStart, signsEnd, wordEnd, joinedTo] = ['', -1, -1, -1, -1]
  let previous: Token | null = null
  eachRun(composed, (start, end, isWord) => {
    const run = composed.slice(start, end)
    if (!isWord) {
      if (onExtra) readSigns(run, onExtra)
      joinedTo = wordEnd === start && HYPHEN.test(run) ? end : -1
      ;[signs, signsStart, signsEnd] = [run, start, end]
      return
    }
    const token = tokenOf(run)
    // What stands between two words is no part of the name of the second: `node.js` is not `.js`.
    const before = signsEnd === start && (signs.length > 1 || signsStart !== wordEnd) ? signs : ''
    if (onExtra && (before !== '' || BEGINS_TAIL.has(composed.charCodeAt(end))))
      readName(token.word, before, composed.slice(end, end + 3), onExtra)
    if (
      start === wordEnd + 1 &&
      previous?.word.length === 1 &&
      areOneWord(previous.word, composed.slice(wordEnd, start), run)
    )
      joinedTo = start
    wordEnd = end
    if (token.unspaced) {
      readUnspaced(token.word, onToken)
      previous = null
      return
    }
    onToken(joinedTo === start && previous ? joinedToken(previous, token, run) : token)
    previous = token
  })
}

/** Words that are remembered with what they become, since texts repeat themselves; a few megabytes at most. */
const REMEMBERED = 20_000
let remembered = new Map<string, Run>()
/** Those before: what is met again is kept. */
let earlier = new Map<string, Run>()

interface Run extends Token {
  /** Of a script without spaces. */
  readonly unspaced: boolean
  /** Its terms where they are known, by language. */
  stemmed?: Map<Latin, readonly string[]>
}

/** @param key what is unlike for all that becomes something else */
function remember(key: string, make: () => Run): Run {
  const known = remembered.get(key)
  if (known) return known
  const made = earlier.get(key) ?? make()
  if (remembered.size >= REMEMBERED) [earlier, remembered] = [remembered, new Map()]
  if (key.length <= LONGEST_TERM) remembered.set(key, made)
  return made
}

function tokenOf(run: string): Run {
  return remember(run, () => {
    const folded = fold(run)
    const unspaced = !hasWords(folded)
    const also = partsOf(run).map((part) => cut(fold(part)))
    const word = unspaced ? folded : cut(folded)
    return { word, written: run.toLowerCase(), also: also.filter((part) => part !== ''), unspaced }
  })
}

/** The second word of `e-mail`, which is `email` as well. */
function joinedToken(previous: Token, { word, written, also }: Token, run: string): Token {
  return remember(`${previous.word}-${run}`, () => {
    return { word, written, also: [...also, cut(previous.word + word)], unspaced: false }
  })
}

/** What a word is made of, `get`, `User` and `Name`, in their order and without gaps; nothing if it is in one piece. */
export function partsOf(run: string): string[] {
  return HAS_SEAM.test(run) ? run.split(SEAMS) : []
}

/** Whether two words are also one: by the hyphen between them, or written apart as only some are. */
export function areOneWord(first: string, between: string, second: string): boolean {
  return HYPHEN.test(between) || (between === ' ' && first.length === 1 && COMPOUND.test(`${first} ${second}`))
}

/** Every two characters in a row, and the last one: what begins with a character is found by it alone. */
function readUnspaced(folded: string, onToken: (token: Token) => void): void {
  const token = (word: string) => remember(`${word}-`, () => ({ word, written: word, also: [], unspaced: false }))
  for (const run of folded.match(UNSPACED_RUN) ?? []) {
    if (hasWords(run)) {
      for (const word of run.match(WORD) ?? []) onToken(token(cut(word)))
      continue
    }
    const characters = Array.from(run)
    characters.forEach((character, i) => {
      onToken(token(character + (characters[i + 1] ?? '')))
    })
  }
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

function cut(word: string): string {
  return word.length <= LONGEST_TERM ? word : Array.from(word).slice(0, LONGEST_TERM).join('')
}

type FieldTexts = readonly [title: string, tags: string, body: string]

/** The terms of what has a title, tags and a body. @param marks what else is known of it: `code`, `heading` */
export function analyze(texts: FieldTexts, marks: readonly string[] = []): Analysis {
  return inOneGo(analyzing(texts, marks))
}

/** The same in steps of some 10 ms. What is short takes one. */
export function* analyzing(texts: FieldTexts, marks: readonly string[] = []): Steps<Analysis> {
  // Most words stand in a text more than once, and what they become is the same each time.
  const tokens = new Map<Token, number[]>()
  const terms = new Map<string, number[]>()
  const mixed = new Set<string>()
  const add = (term: string, places: number[]) => {
    const known = terms.get(term)
    if (!known) terms.set(term, places)
    else if (known.length > 1 || places.length > 1 || known[0] !== places[0]) {
      // One list may stand for several terms until it becomes another.
      const own = mixed.has(term) ? known : [...known]
      for (const place of places) own.push(place)
      terms.set(term, own)
      mixed.add(term)
    }
  }
  const lengths: [number, number, number] = [0, 0, 0]
  const sample: string[] = []
  for (const field of [0, 1, 2] as const) {
    const bits = field << FIELD_BIT
    let place = 0
    const onToken = (token: Token) => {
      const places = tokens.get(token)
      if (places) places.push(bits + place)
      else tokens.set(token, [bits + place])
      if (sample.length < SAMPLE_WORDS) sample.push(token.written)
      place++
    }
    // Whether it stands there is all that is asked of a sign or a name.
    const onExtra = (extra: string) => add(extra, [bits])
    for (const part of stretchesOf(texts[field])) {
      if (place > 0) yield
      readText(part, onToken, onExtra)
    }
    lengths[field] = place
  }
  for (const mark of marks) add(`?${mark}`, [2 << FIELD_BIT])
  const language = languageOf(sample)
  let words = 0
  for (const [token, places] of tokens) {
    for (const term of termsOf(token, language)) add(term, places)
    if (++words % STEP_WORDS === 0) yield
  }
  for (const term of mixed) {
    terms.set(term, ascending(terms.get(term) ?? []))
    if (++words % STEP_WORDS === 0) yield
  }
  return { terms, lengths, language }
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

/** What a word is found by. */
function termsOf(token: Token & Pick<Run, 'stemmed'>, language: Latin): readonly string[] {
  const known = token.stemmed?.get(language)
  if (known) return known
  const terms = new Set([token.word])
  const stem = stemOf(token.written, language)
  if (stem !== token.word) terms.add(`~${stem}`)
  for (const word of token.also) {
    terms.add(`+${word}`)
    const partStem = stemOf(word, language)
    if (partStem !== word) terms.add(`~${partStem}`)
  }
  const list = [...terms]
  token.stemmed ??= new Map()
  token.stemmed.set(language, list)
  return list
}

/** Each number once. */
function ascending(numbers: readonly number[]): number[] {
  const sorted = Int32Array.from(numbers).sort()
  return Array.from(sorted).filter((number, i) => number !== sorted[i - 1])
}
