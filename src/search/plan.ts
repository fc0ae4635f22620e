/** What a query asks for, of an index: words that are looked for forgivingly, and conditions that are exact. */

import type { Token } from './analyze'
import { readText } from './analyze'
import { hasWords } from './fold'
import { isCommonWord, LATIN, type Latin, stemOf } from './languages'
import { listExactLeaves } from './needle'
import { isBare, listConjuncts, type Query } from './query'
import type { Postings } from './view'

/** A bare word of a query. */
export interface Word {
  /** Folded. */
  readonly text: string
  /** What it is found by, with what one find counts: as written and by its stem, once; in its exact form, a little more. */
  readonly terms: ReadonlyMap<string, number>
  /** Words that begin with it count as well: a single character of a script without spaces. */
  readonly isBeginning?: boolean
  /** What it counts beside another: 1, more where a question repeats it, little where it says nothing of what a text is about. */
  readonly weight?: number
}

export interface Plan {
  readonly words: readonly Word[]
  /**
   * Terms that no result has to have, with what each counts beside a word: names such as `C++`, which the letters
   * alone rank behind; and words of the condition, so that exact matches have an order too.
   */
  readonly extras: ReadonlyMap<string, number>
  /** What a result must fulfil; null if there is nothing but words. */
  readonly condition: Query | null
}

/** What a name counts, in words. */
const NAME_WEIGHT = 2
/** What an exact form counts beside its stem. */
const EXACT_WEIGHT = 0.25
/** What a word such as `the` or `how` counts beside others, and how often a word that is repeated counts at most. */
const COMMON_WORD_WEIGHT = 0.05
const MAX_REPEATS = 3
/** Bare words that count; of more, the rarest. */
const MAX_SCORED_WORDS = 64
/** Bare words that are looked up at all, the first of them; and names such as `C++`. */
const MAX_QUERY_WORDS = 256
const MAX_NAMES = 16

/** @param languages by which the workspace's words were stemmed */
export function planQuery(query: Query, languages: ReadonlySet<string>): Plan {
  const parts = listConjuncts(query)
  const bare = parts.filter(isBare)
  const rest = parts.filter((part) => !isBare(part))
  const tokens: Token[] = []
  const names = new Set<string>()
  const signs = new Set<string>()
  for (const { text } of bare) {
    readText(
      text,
      (token) => tokens.push(token),
      (extra) => (extra.startsWith('=') ? names : signs).add(extra),
    )
  }
  const stemmers = LATIN.filter((language) => language === 'en' || languages.has(language))
  const words = readWords(tokens, stemmers)
  const exact = listExactLeaves(query).flatMap(({ text, match }) => (match === 'whole' ? readPhrase(text) : []))
  return {
    // Signs alone are looked for; beside words they are punctuation.
    words: words.length > 0 ? words : [...signs].map((term) => ({ text: term.slice(1), terms: new Map([[term, 1]]) })),
    extras: new Map([
      ...exact.slice(0, MAX_SCORED_WORDS).map((term) => [term, 1] as const),
      ...[...names].slice(0, MAX_NAMES).map((term) => [term, NAME_WEIGHT] as const),
    ]),
    condition: rest.length === 0 ? null : rest.length === 1 ? (rest[0] ?? null) : { kind: 'and', parts: rest },
  }
}

function readWords(tokens: readonly Token[], stemmers: readonly Latin[]): Word[] {
  const words = new Map<string, Map<string, number>>()
  for (const [i, token] of tokens.entries()) {
    const [before, after] = [tokens[i - 1], tokens[i + 1]]
    // The last character of a run is there for those who look for it alone.
    if (isLoneTail(token.word, before)) continue
    if (!words.has(token.word) && words.size === MAX_QUERY_WORDS) break
    const terms = words.get(token.word) ?? new Map<string, number>()
    words.set(token.word, terms)
    addTerms(terms, token, before, after, stemmers)
  }
  const times = (text: string) =>
    Math.min(
      MAX_REPEATS,
      tokens.reduce((sum, { word }) => sum + (word === text ? 1 : 0), 0),
    )
  return [...words].map(([text, terms]) => {
    return {
      text,
      terms,
      isBeginning: isSingle(text),
      weight: (isCommonWord(text) ? COMMON_WORD_WEIGHT : 1) * times(text),
    }
  })
}

function addTerms(
  terms: Map<string, number>,
  { word, written }: Token,
  before: Token | undefined,
  after: Token | undefined,
  stemmers: readonly Latin[],
): void {
  if (!hasWords(word)) {
    terms.set(word, 1)
    return
  }
  for (const language of stemmers) {
    const stem = stemOf(written, language)
    for (const term of [`~${stem}`, stem, `+${stem}`]) terms.set(term, 1)
  }
  const exact = terms.get(word) === 1 ? 1 : EXACT_WEIGHT
  terms.set(word, exact)
  terms.set(`+${word}`, exact)
  // `e mail` is `email`, and so is `e-mail`.
  for (const joined of [joinWords(before?.word, word), joinWords(word, after?.word)])
    if (joined !== null) for (const term of [joined, `+${joined}`]) terms.set(term, 1)
}

/** Of very many words the rarest, in their order: they say most. @param postings of all their terms */
export function pickRarest(words: readonly Word[], postings: ReadonlyMap<string, Postings>): readonly Word[] {
  if (words.length <= MAX_SCORED_WORDS) return words
  const frequency = ({ terms }: Word) =>
    Math.max(
      ...[...terms.keys()].map((term) =>
        (postings.get(term) ?? []).reduce((sum, posting) => sum + (posting?.documents ?? 0), 0),
      ),
    )
  const sorted = words.map((word) => ({ word, documents: frequency(word) })).sort((a, b) => a.documents - b.documents)
  const kept = new Set(sorted.slice(0, MAX_SCORED_WORDS).map(({ word }) => word))
  return words.filter((word) => kept.has(word))
}

/** Two words as one; null where either is missing or in a script without spaces. */
function joinWords(first: string | undefined, second: string | undefined): string | null {
  return first !== undefined && second !== undefined && hasWords(first) && hasWords(second) ? first + second : null
}

/** Whether a word is one character of a script without spaces: the index has it with the one behind it. */
function isSingle(word: string): boolean {
  return Array.from(word).length === 1 && !hasWords(word)
}

/** Whether a token is the last character of a run without spaces, which the token before it holds. */
function isLoneTail(word: string, before: Token | undefined): boolean {
  return before !== undefined && isSingle(word) && Array.from(before.word).length === 2 && before.word.endsWith(word)
}

/** The words of a text as a phrase has them in a row. */
export function readPhrase(text: string): string[] {
  const tokens: Token[] = []
  readText(text, (token) => tokens.push(token))
  // Before another word the run of a script without spaces ends there, and its last character has a place of its own.
  const last = tokens.length - 1
  return tokens.filter(({ word }, i) => i < last || !isLoneTail(word, tokens[i - 1])).map(({ word }) => word)
}
