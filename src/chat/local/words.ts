import { fold } from '../../search/fold'
import { stemOf } from '../../search/languages'

/** A run of letters, digits and marks: what a search takes for a word. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu

/**
 * Scripts that write words without spaces: the index sees a whole clause as one word, so parts of it have to be looked
 * for. Hangul has spaces, but its words carry their particles along.
 */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** A word as it is written. */
export interface TextWord {
  readonly text: string
  /** It has to be found inside runs of letters: it comes from a run in a script that puts no spaces between words. */
  readonly inside: boolean
}

/** The words of a text in order; clauses of scripts without spaces are divided by a dictionary. */
export function splitWords(text: string): TextWord[] {
  const runs: readonly string[] = text.match(WORD) ?? []
  return runs.flatMap((run) => {
    const inside = UNSPACED.test(run)
    return (inside ? splitRun(run) : [run]).map((text) => ({ text, inside }))
  })
}

/** What of a text can match: the stems of its words, and the folded text for words that are found inside runs. */
export interface MatchableText {
  readonly stems: ReadonlySet<string>
  readonly folded: string
}

/** The stem of a word as written, folded; a word in Latin letters counts as English. */
export function stem(word: string): string {
  return stemOf(word.normalize('NFC').toLowerCase(), 'en')
}

/** Makes a text matchable. */
export function readMatchable(text: string): MatchableText {
  return { stems: new Set(text.match(WORD)?.map(stem)), folded: fold(text) }
}

function splitRun(run: string): string[] {
  return Array.from(segmenter.segment(run), ({ segment }) => segment)
}
