import { stem } from './stem'

/** A run of letters, digits and marks: what a search takes for a word. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu

/**
 * Scripts that write words without spaces: the index sees a whole clause as one word, so parts of it have to be looked
 * for. Hangul has spaces, but its words carry their particles along.
 */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const ASCII = /^[\0-\x7f]*$/

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Lower case, without diacritics: `Zürich` and `zurich` are one word. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const bare = text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')
  return bare.normalize('NFC').toLowerCase()
}

/** A word as it is written. */
export interface Word {
  readonly text: string
  /** It has to be found inside runs of letters: it comes from a run in a script that puts no spaces between words. */
  readonly inside: boolean
}

/** The words of a text in order; clauses of scripts without spaces are divided by a dictionary. */
export function wordsOf(text: string): Word[] {
  const runs: readonly string[] = text.match(WORD) ?? []
  return runs.flatMap((run) => {
    const inside = UNSPACED.test(run)
    return (inside ? divide(run) : [run]).map((text) => ({ text, inside }))
  })
}

/** What of a text can match: the stems of its words, and the folded text for words that are found inside runs. */
export interface Matchable {
  /** How often each stem is there. */
  readonly stems: ReadonlyMap<string, number>
  readonly folded: string
}

/** Makes a text matchable. */
export type Read = (text: string) => Matchable

/**
 * Makes texts matchable, remembering the stems it has seen: texts of one answer share most of their words. Given keys,
 * only stems that may be one of them, or begin with one, are in what comes back: most words need no stem then.
 */
export function reader(keys?: readonly string[]): Read {
  const seen = new Map<string, string>()
  const heads = keys && new Set(keys.map(headOf))
  const stemOf = (word: string): string => {
    const known = seen.get(word) ?? stem(word)
    seen.set(word, known)
    return known
  }
  return (text) => {
    const folded = fold(text)
    const stems = new Map<string, number>()
    for (const word of folded.match(WORD) ?? []) {
      // A stem of a single letter can come from a longer word.
      if (heads && !heads.has(headOf(word)) && !heads.has(word.charAt(0))) continue
      const own = stemOf(word)
      stems.set(own, (stems.get(own) ?? 0) + 1)
    }
    return { stems, folded }
  }
}

/** What a word and its stem have in common: the first two letters, but that a `y` may become an `i`. */
function headOf(word: string): string {
  const second = word.charAt(1)
  return word.charAt(0) + (second === 'y' ? 'i' : second)
}

function divide(run: string): string[] {
  return Array.from(segmenter.segment(run), ({ segment }) => segment)
}
