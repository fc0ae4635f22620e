/** Turns a query into a plan: words that match by stems and only rank, and conditions that must hold exactly. */
import { readText, type Token } from './analyze'
import { hasWords } from './fold'
import { cutAsking, isCommonWord, LATIN, type Latin, stemOf } from './languages'
import { listExactLeaves } from './needle'
import { isBare, listConjuncts, type Query, type TextLeaf } from './query'

/** A bare word of a query. */
export interface Word {
  /** Folded. */
  readonly text: string
  /**
   * The index terms that match the word, with the weight of an occurrence: 1 for stems, more in all for the exact form.
   */
  readonly terms: ReadonlyMap<string, number>
  /** Whether words that begin with it match as well; `mayBegin`: only if it occurs nowhere as a whole word. */
  readonly isBeginning?: boolean
  readonly mayBegin?: boolean
  /** Its weight relative to other words: 1, more if the question repeats it, little for common words. */
  readonly weight?: number
}

/** The plan of a query. */
export interface Plan {
  readonly words: readonly Word[]
  /**
   * Optional terms that raise the rank: names such as `C++`, so that they rank above the letter alone; and words of the
   * condition, so that exact matches are ranked too.
   */
  readonly extras: readonly Word[]
  /** The condition that a result must fulfil; null if the query has only words. */
  readonly condition: Query | null
}

/** The weight of a name, where a word weighs 1. */
const NAME_WEIGHT = 2
/** The weight of the exact form, in addition to that of its stem. */
const EXACT_WEIGHT = 0.25
/** The weight of a word such as `the` or `how`, where others weigh 1. */
const COMMON_WORD_WEIGHT = 0.05
/** Repeats of a word that count, at most. */
const MAX_REPEATS = 3
/** Bare words that are looked up, from the first on. */
const MAX_QUERY_WORDS = 256
/** Words of the condition, and names such as `C++`, that are looked up. */
const [MAX_EXACT_WORDS, MAX_NAMES] = [64, 16]

/** What a query says, word by word, each with the part that it is from. */
interface Reading {
  readonly tokens: { readonly token: Token; readonly leaf: TextLeaf }[]
  readonly names: Set<string>
  readonly signs: Set<string>
}

/**
 * Plans a query.
 * @param languages those that the workspace's words were stemmed in
 * @param prefix whether the last word is a beginning
 */
export function planQuery(query: Query, languages: ReadonlySet<string>, prefix = false): Plan {
  const parts = listConjuncts(query)
  const bare = parts.filter(isBare)
  const rest = parts.filter((part) => !isBare(part))
  const asked = readLeaves(bare, cutAsking)
  const { tokens, names, signs } = asked.tokens.length > 0 ? asked : readLeaves(bare, (text) => text)
  const stemmers = LATIN.filter((language) => language === 'en' || languages.has(language))
  const words = readWords(tokens, stemmers)
  const last = words.pop()
  if (last) words.push(prefix ? { ...last, isBeginning: true } : last)
  const exact = listExactLeaves(query).flatMap(({ text, match }) => (match === 'whole' ? readPhrase(text) : []))
  return {
    // Signs are searched only if there are no words; otherwise they are punctuation.
    words: words.length > 0 ? words : [...signs].map((term) => ({ ...toExtra(term, 1), text: term.slice(1) })),
    extras: [
      ...[...new Set(exact)].slice(0, MAX_EXACT_WORDS).map((term) => toExtra(term, 1)),
      ...[...names].slice(0, MAX_NAMES).map((term) => toExtra(term, NAME_WEIGHT)),
    ],
    condition: rest.length > 1 ? { kind: 'and', parts: rest } : (rest[0] ?? null),
  }
}

const toExtra = (term: string, weight: number): Word => ({ text: term, terms: new Map([[term, 1]]), weight })

function readLeaves(leaves: readonly TextLeaf[], cut: (text: string) => string): Reading {
  const reading: Reading = { tokens: [], names: new Set(), signs: new Set() }
  for (const leaf of leaves)
    readText(
      cut(leaf.text),
      (token) => reading.tokens.push({ token, leaf }),
      (extra) => (extra.startsWith('=') ? reading.names : reading.signs).add(extra),
    )
  return reading
}

function readWords(tokens: Reading['tokens'], stemmers: readonly Latin[]): Word[] {
  const words = new Map<string, Word & { readonly terms: Map<string, number>; readonly times: number }>()
  for (const [i, { token, leaf }] of tokens.entries()) {
    const [before, after] = [tokens[i - 1]?.token.word, tokens[i + 1]?.token.word]
    const { word: text } = token
    // The last character of a run is indexed by itself only for searches of a single character.
    if (isLoneTail(text, before)) continue
    const { terms = new Map<string, number>(), times = 0 } = words.get(text) ?? {}
    if (times === 0 && words.size === MAX_QUERY_WORDS) break
    addTerms(terms, token, before, after, stemmers)
    const repeats = Math.min(times + 1, MAX_REPEATS)
    const weight = (isCommonWord(text) ? COMMON_WORD_WEIGHT : 1) * (leaf.weight ?? 1) * repeats
    words.set(text, {
      text,
      terms,
      times: repeats,
      weight,
      isBeginning: isSingle(text),
      mayBegin: leaf.mayBegin ?? false,
    })
  }
  return [...words.values()]
}

function addTerms(
  terms: Map<string, number>,
  { word, written }: Token,
  before: string | undefined,
  after: string | undefined,
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
  if (before && hasWords(before)) for (const sign of ['', '+']) terms.set(sign + before + word, 1)
  if (after && hasWords(after)) for (const sign of ['', '+']) terms.set(sign + word + after, 1)
}

/** Whether a word is one character of a script without spaces: the index has it together with the next one. */
const isSingle = (word: string) => Array.from(word).length === 1 && !hasWords(word)

/** Whether a word is the last character of a run without spaces, which the word before it holds. */
function isLoneTail(word: string, before: string | undefined): boolean {
  return before !== undefined && isSingle(word) && Array.from(before).length === 2 && before.endsWith(word)
}

/** Reads the consecutive words of a phrase. */
export function readPhrase(text: string): string[] {
  const words: string[] = []
  readText(text, ({ word }) => words.push(word))
  // If another word follows, the last character of a run without spaces has its own place in the row.
  return words.filter((word, i) => i < words.length - 1 || !isLoneTail(word, words[i - 1]))
}
