/**
 * What a text is found by: its terms, with the places of each. A term is one of
 *
 *     battery     a word, folded; of a script without spaces every two characters in a row, and the last of a run
 *     +email      what forgiving words find as well: parts of `getUserName` and `v1`, `e-mail` as one word
 *     ~batteri    the stem of words that are not their own stem
 *     =c++        letters or digits with the signs at their ends, where these are a part of the name
 *     !->         a sign, or two in a row: what is neither word nor space
 *     ?code       something that the feature tells of it
 *
 * so that the first character tells terms of different kinds apart. Analysis sees one text alone.
 */
import { fold, hasWords } from './fold'
import { type Latin, languageOf, stemOf } from './languages'

/** The parts of what is found; a number is a field's place in these lists. */
export const FIELDS = ['title', 'tags', 'body'] as const
export type Field = 0 | 1 | 2

/** Where a term stands in a text, each list ascending: places count words from 0 in each field. */
export type Places = readonly [title: number[], tags: number[], body: number[]]

export interface Analysis {
  readonly terms: ReadonlyMap<string, Places>
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

/** A run of letters, digits and their marks; or of other characters that are no space. */
const RUN = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\u00ad]*|[^\p{L}\p{N}\s]+/gu
const IS_WORD = /^[\p{L}\p{N}]/u
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/** Where a word may be taken apart: `getUser`, `HTTPServer`, `v1`, `2nd`. */
const SEAMS = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u
const HAS_SEAM = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}/u
const HYPHEN = /^[-\u2010\u2011]$/
const UNSPACED_RUN =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{M}]+|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]+/gu
/** Signs that are a part of a name: `C++`, `C#`, `50%`; `.NET`, `#1`, `@home`, `$5`. */
const TAIL = /^(?:\+{1,2}|#|%)(?![+#%])/
const HEAD = /(?:^|[^.#@$€£])([.#@$€£])$/
/** Terms are cut here, so that no hostile text makes large ones; queries are cut alike. UTF-16 units. */
const LONGEST_TERM = 255
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
const ASCII = /^[\x00-\x7f]*$/

/** The words of a text in their order, and the names and signs between. */
export function readText(text: string, onToken: (token: Token) => void, onExtra?: (term: string) => void): void {
  const composed = ASCII.test(text) ? text : text.normalize('NFKC')
  let [signs, signsStart, signsEnd, wordEnd, joinedTo] = ['', -1, -1, -1, -1]
  let previous: Token | null = null
  RUN.lastIndex = 0
  for (let match = RUN.exec(composed); match; match = RUN.exec(composed)) {
    const run = match[0]
    const end = match.index + run.length
    if (!IS_WORD.test(run)) {
      if (onExtra) readSigns(run, onExtra)
      joinedTo = wordEnd === match.index && HYPHEN.test(run) ? end : -1
      ;[signs, signsStart, signsEnd] = [run, match.index, end]
      continue
    }
    const token = tokenOf(run)
    // What stands between two words is no part of the name of the second: `node.js` is not `.js`.
    const before = signsEnd === match.index && (signs.length > 1 || signsStart !== wordEnd) ? signs : ''
    if (onExtra) readName(token.word, before, composed.slice(end, end + 3), onExtra)
    wordEnd = end
    if (token.unspaced) {
      readUnspaced(token.word, onToken)
      previous = null
      continue
    }
    const joined: string | null = joinedTo === match.index && previous ? cut(previous.word + token.word) : null
    onToken(joined === null ? token : { ...token, also: [...token.also, joined] })
    previous = token
  }
}

/** Runs that are remembered with what they become, since texts repeat themselves; a few megabytes at most. */
const REMEMBERED = 20_000
const remembered = new Map<string, Token & { readonly unspaced: boolean }>()

function tokenOf(run: string): Token & { readonly unspaced: boolean } {
  const known = remembered.get(run)
  if (known) return known
  const folded = fold(run)
  const unspaced = !hasWords(folded)
  const also = partsOf(run).map((part) => cut(fold(part)))
  const token = { word: unspaced ? folded : cut(folded), written: run.toLowerCase(), also: also.filter((part) => part !== ''), unspaced }
  if (remembered.size >= REMEMBERED) remembered.clear()
  if (run.length <= LONGEST_TERM) remembered.set(run, token)
  return token
}

/** What a word is made of, `get`, `User` and `Name`, in their order and without gaps; nothing if it is in one piece. */
export function partsOf(run: string): string[] {
  return HAS_SEAM.test(run) ? run.split(SEAMS) : []
}

/** Every two characters in a row, and the last one: what begins with a character is found by it alone. */
function readUnspaced(folded: string, onToken: (token: Token) => void): void {
  for (const run of folded.match(UNSPACED_RUN) ?? []) {
    if (hasWords(run)) {
      for (const word of run.match(WORD) ?? []) onToken({ word: cut(word), written: word, also: [] })
      continue
    }
    const characters = Array.from(run)
    characters.forEach((character, i) => {
      const word = character + (characters[i + 1] ?? '')
      onToken({ word, written: word, also: [] })
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
  if (before === '' && (after === '' || IS_WORD.test(after))) return
  const head = HEAD.exec(before)?.[1] ?? ''
  const tail = TAIL.exec(after)?.[0] ?? ''
  if (head !== '' || tail !== '') onExtra(cut(`=${head}${folded}${tail}`))
}

function cut(word: string): string {
  return word.length <= LONGEST_TERM ? word : Array.from(word).slice(0, LONGEST_TERM).join('')
}

/** The terms of what has a title, tags and a body. @param marks what else is known of it: `code`, `heading` */
export function analyze(
  texts: readonly [title: string, tags: string, body: string],
  marks: readonly string[] = [],
): Analysis {
  const terms = new Map<string, Places>()
  const lengths: [number, number, number] = [0, 0, 0]
  const tokens: { token: Token; field: Field; place: number }[] = []
  const add = (term: string, field: Field, place: number) => {
    let places = terms.get(term)
    if (!places) {
      places = [[], [], []]
      terms.set(term, places)
    }
    const list = places[field]
    if (list[list.length - 1] !== place) list.push(place)
  }
  for (const field of [0, 1, 2] as const) {
    readText(
      texts[field],
      (token) => {
        tokens.push({ token, field, place: lengths[field] })
        lengths[field]++
      },
      // Whether it stands there is all that is asked of a sign or a name.
      (extra) => add(extra, field, 0),
    )
  }
  for (const mark of marks) add(`?${mark}`, 2, 0)
  const language = languageOf(tokens.map(({ token }) => token.written))
  for (const { token, field, place } of tokens) {
    add(token.word, field, place)
    const stem = stemOf(token.written, language)
    if (stem !== token.word) add(`~${stem}`, field, place)
    for (const word of token.also) {
      add(`+${word}`, field, place)
      const partStem = stemOf(word, language)
      if (partStem !== word) add(`~${partStem}`, field, place)
    }
  }
  return { terms, lengths, language }
}
