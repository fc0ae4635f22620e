import { fold } from '../../search/fold'
import { detectLanguage, type Latin, stemOf } from '../../search/languages'

/** A word as a search sees it: a run of letters, digits and marks. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu

/**
 * Scripts without spaces between words: a whole clause looks like one word, so its parts are searched. Hangul has
 * spaces, but its words include their particles.
 */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** A word as it is written. */
export interface TextWord {
  readonly text: string
  /** Whether it may be found inside runs of letters, since its script has no spaces between words. */
  readonly inside: boolean
}

/** Splits a text into words, in order; clauses in scripts without spaces are split by a dictionary. */
export function splitWords(text: string): TextWord[] {
  const runs: readonly string[] = text.match(WORD) ?? []
  return runs.flatMap((run) => {
    const inside = UNSPACED.test(run)
    return (inside ? splitRun(run) : [run]).map((text) => ({ text, inside }))
  })
}

/** A text prepared for matching: the stems of its words, and the folded text for words that are found inside runs. */
export interface MatchableText {
  readonly stems: ReadonlySet<string>
  readonly folded: string
}

/** Returns the folded stem of a word. @param language that of words in Latin letters */
export function stem(word: string, language: Latin = 'en'): string {
  return stemOf(word.normalize('NFC').toLowerCase(), language)
}

/** Prepares a text for matching. @param language that of words in Latin letters */
export function readMatchable(text: string, language: Latin = 'en'): MatchableText {
  return { stems: new Set(text.match(WORD)?.map((word) => stem(word, language))), folded: fold(text) }
}

/** UTF-16 units from which the language of a text is detected. */
const LANGUAGE_UNITS = 2000

/** Tells the language of a text in Latin letters by its most common words; English if unsure. */
export function tellLanguage(text: string): Latin {
  return detectLanguage(text.slice(0, LANGUAGE_UNITS).toLowerCase().match(WORD) ?? [])
}

function splitRun(run: string): string[] {
  return Array.from(segmenter.segment(run), ({ segment }) => segment)
}
