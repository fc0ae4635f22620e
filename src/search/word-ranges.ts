/** Finds the words of a search in a text, by the same terms as the index. */
import type { Token } from './analyze'
import { areOneWord, readText, splitWord } from './analyze'
import { ASCII, composeMapped, fold, foldMapped, hasWords, type MappedText } from './fold'
import { detectLanguage, type Latin, stemOf } from './languages'

export type TextRange = readonly [start: number, end: number]

const RUN = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\u00ad]*/gu
const LATIN_WORD = /^\p{Script=Latin}+$/u
/** Runs whose ranges are cached, since texts repeat their words. */
const MAX_CACHED_RUNS = 20_000
/** UTF-16 units of a run that is cached, at most. */
const MAX_CACHED_RUN_UNITS = 64
/** Words by which the language of a text is detected. */
const SAMPLE_WORDS = 400
/** UTF-16 units of a text that they are taken from, since a run may be long. */
const SAMPLE_UNITS = 8192

/** Finds words by their terms, in any number of texts. */
export class WordRanges {
  readonly #terms: ReadonlySet<string>
  readonly #beginnings: RegExp | null
  readonly #starts: RegExp | null
  /** The ranges of a run, by the run, or by language and run if the language makes a difference. */
  readonly #known = new Map<string, readonly TextRange[]>()
  #texts: readonly string[] = []
  /** The language of the texts; null until a stem is compared, which is rare. */
  #language: Latin | null = null

  /** @param terms the terms of the words; see analyze.ts */
  constructor(terms: ReadonlySet<string>) {
    this.#terms = terms
    this.#beginnings = compileBeginnings(terms)
    this.#starts = this.#beginnings && new RegExp(`^(?:${this.#beginnings.source})`, 'u')
  }

  /** Whether a text may have a match: a quick check, of which false is nearly certain. @param folded the folded text */
  mayFindIn(folded: string): boolean {
    return this.#beginnings?.test(folded) ?? false
  }

  /** Sets the texts that are searched next. @param texts in the order in which they were indexed */
  setTexts(texts: readonly string[]): void {
    this.#texts = texts
    this.#language = null
  }

  /**
   * Finds the ranges, in UTF-16 units and in the order of their ends, that have one of the terms: a word, a part of
   * one, two words joined by a hyphen, or characters of a script without spaces.
   * @param length UTF-16 units after the first match in which it searches further
   */
  find(text: string, length: number): TextRange[] {
    if (ASCII.test(text)) return this.#findInAscii(text, length)
    return this.#findAll(composeMapped(text), length)
  }

  /** Reads only the words around the beginnings, and those that a hyphen joins to them. */
  #findInAscii(text: string, length: number): TextRange[] {
    const found: TextRange[] = []
    if (!this.#beginnings) return found
    const beginnings = new RegExp(this.#beginnings, 'g')
    const lower = text.toLowerCase()
    for (let match = beginnings.exec(lower); match; match = beginnings.exec(lower)) {
      let [start, end] = [match.index, beginnings.lastIndex]
      while (isAsciiWord(lower.charCodeAt(start - 1))) start--
      while (isAsciiWord(lower.charCodeAt(end))) end++
      beginnings.lastIndex = end
      if (found[0] && start > found[0][0] + length) break
      const piece = text.slice(start, end)
      const ranges = this.#findAll({ text: piece, original: (from, to) => [start + from, start + to] }, length)
      for (const range of ranges) found.push(range)
    }
    return found
  }

  #findAll(composed: MappedText, length: number): TextRange[] {
    const found: TextRange[] = []
    let until = Number.POSITIVE_INFINITY
    let before: { run: string; start: number; end: number } | null = null
    for (const { 0: run, index } of composed.text.matchAll(RUN)) {
      if (index > until) break
      const end = index + run.length
      const ranges = this.#rangesOf(run).map(([from, to]): TextRange => [index + from, index + to])
      if (
        before &&
        index - before.end === 1 &&
        areOneWord(before.run, composed.text.slice(before.end, index), run) &&
        this.#hasJoined(before.run, run)
      )
        ranges.push([before.start, end])
      if (ranges.length > 0 && found.length === 0) until = index + length
      for (const [from, to] of ranges) found.push(composed.original(from, to))
      before = { run, start: index, end }
    }
    return found
  }

  #rangesOf(run: string): readonly TextRange[] {
    // Most words of a text do not begin like any of the searched ones.
    if (!this.mayFindIn(fold(run))) return NONE
    const known = this.#known.get(run) ?? this.#known.get(`${this.#language} ${run}`)
    if (known) return known
    const ranges = this.#computeRanges(run)
    if (this.#known.size >= MAX_CACHED_RUNS) this.#known.clear()
    // As long as no stem was compared, the result holds in every language.
    const key = this.#language === null ? run : `${this.#language} ${run}`
    if (run.length <= MAX_CACHED_RUN_UNITS) this.#known.set(key, ranges)
    return ranges
  }

  #computeRanges(run: string): TextRange[] {
    const tokens: Token[] = []
    readText(run, (token) => tokens.push(token))
    if (!hasWords(fold(run))) return this.#computeUnspaced(run, tokens)
    if (tokens.some(({ word, written }) => this.#has(word, written))) return [[0, run.length]]
    let end = 0
    return splitWord(run).flatMap((part): TextRange[] => {
      const start = end
      end += part.length
      const folded = fold(part)
      return this.#has(`+${folded}`, folded) ? [[start, end]] : []
    })
  }

  /** Finds the tokens of a run without spaces. They come in order, each starting after the start of the one before. */
  #computeUnspaced(run: string, tokens: readonly Token[]): TextRange[] {
    const folded = foldMapped(run)
    let from = 0
    return tokens.flatMap(({ word, written }): TextRange[] => {
      const at = folded.text.indexOf(word, from)
      if (at < 0) return []
      from = at + 1
      return this.#has(word, hasWords(word) ? written : null) ? [folded.original(at, at + word.length)] : []
    })
  }

  #hasJoined(first: string, second: string): boolean {
    const [one, other] = [fold(first), fold(second)]
    return hasWords(one) && hasWords(other) && this.#has(`+${one}${other}`, one + other)
  }

  /**
   * Whether the search has the term, or the stem of the word.
   * @param written the input of the stemmer; null for none
   */
  #has(term: string, written: string | null): boolean {
    if (this.#terms.has(term)) return true
    // Stemmers of Latin letters change the ends of words alone.
    if (written === null || (LATIN_WORD.test(written) && !this.#starts?.test(fold(written)))) return false
    this.#language ??= detectTextLanguage(this.#texts)
    return this.#terms.has(`~${stemOf(written, this.#language)}`)
  }
}

const NONE: readonly TextRange[] = []
const HYPHEN_CODE = 0x2d

/** Whether a code is an ASCII letter in lower case, a digit or a hyphen. */
const isAsciiWord = (code: number) =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === HYPHEN_CODE

function detectTextLanguage(texts: readonly string[]): Latin {
  const words: string[] = []
  for (const text of texts) {
    for (const [run] of text.slice(0, SAMPLE_UNITS).matchAll(RUN)) {
      if (words.length === SAMPLE_WORDS) break
      words.push(run.toLowerCase())
    }
  }
  return detectLanguage(words)
}

/** Code points of a word's beginning by which words are skipped, at most. */
const MAX_BEGINNING_CHARS = 8

/**
 * Compiles a pattern that occurs in every text with one of the terms: their beginnings, with or without hyphens or a
 * space between. Stemmers change the ends of words. The Arabic one also removes beginnings, so the pattern matches
 * inside words.
 */
function compileBeginnings(terms: ReadonlySet<string>): RegExp | null {
  const beginnings = new Set<string>()
  for (const term of terms) {
    if (term.startsWith('!')) continue
    const word = term.replace(/^[~+]/, '')
    const letters = Array.from(word)
    const length = term.startsWith('~') ? Math.max(2, letters.length - 2) : letters.length
    beginnings.add(letters.slice(0, Math.min(length, MAX_BEGINNING_CHARS)).join(''))
  }
  const shortest = [...beginnings].filter((one) => one !== '' && !startsWithAny(one, beginnings))
  if (shortest.length === 0) return null
  return new RegExp(shortest.map((one) => Array.from(one).join('[-\u2010\u2011 ]?')).join('|'), 'u')
}

function startsWithAny(text: string, others: ReadonlySet<string>): boolean {
  const letters = Array.from(text)
  return letters.some((_, i) => i > 0 && others.has(letters.slice(0, i).join('')))
}
