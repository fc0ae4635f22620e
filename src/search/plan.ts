/** What a query asks for, of an index: words that are looked for forgivingly, and conditions that are exact. */
import { readText, type Token } from './analyze'
import { fold } from './fold'
import { LATIN, type Latin, stemOf } from './languages'
import type { Query, TextLeaf } from './query'

/** A bare word of a query. */
export interface Word {
  /** Folded. */
  readonly text: string
  /** What it is found by, with what one find counts: as written and by its stem, once; in its exact form, a little more. */
  readonly terms: ReadonlyMap<string, number>
}

export interface Plan {
  readonly words: readonly Word[]
  /** Names such as `C++`: whoever has them stands before whoever has the letters alone. */
  readonly names: readonly string[]
  /** What a find must fulfil; null if there is nothing but words. */
  readonly condition: Query | null
}

/** What an exact form counts beside its stem. */
const EXACT = 0.25
/** Bare words that count; of more, the rarest. */
export const MOST_WORDS = 64

/** @param languages by which the workspace's words were stemmed */
export function planOf(query: Query, languages: ReadonlySet<string>): Plan {
  const parts = query.kind === 'and' ? query.parts : [query]
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
  const words = wordsOf(tokens, stemmers)
  return {
    // Signs alone are looked for; beside words they are punctuation.
    words: words.length > 0 ? words : [...signs].map((term) => ({ text: term.slice(1), terms: new Map([[term, 1]]) })),
    names: [...names],
    condition: rest.length === 0 ? null : rest.length === 1 ? (rest[0] ?? null) : { kind: 'and', parts: rest },
  }
}

function isBare(part: Query): part is TextLeaf {
  return part.kind === 'text' && part.field === null && part.match === 'whole' && !part.quoted
}

function wordsOf(tokens: readonly Token[], stemmers: readonly Latin[]): Word[] {
  const words = new Map<string, Map<string, number>>()
  tokens.forEach(({ word, written, also }, i) => {
    // The last character of a run is there for those who look for it alone.
    const [before, after] = [tokens[i - 1], tokens[i + 1]]
    if (isLoneTail(word, before)) return
    const terms = words.get(word) ?? new Map<string, number>()
    words.set(word, terms)
    for (const language of stemmers) {
      const stem = stemOf(written, language)
      for (const term of [`~${stem}`, stem, `+${stem}`]) terms.set(term, 1)
    }
    const exact = terms.has(word) ? 1 : EXACT
    terms.set(word, exact)
    terms.set(`+${word}`, exact)
    // `e mail` is `email`, however it is written here and there.
    for (const joined of [before && before.word + word, after && word + after.word, ...also.filter((one) => one.length > word.length)])
      if (joined !== undefined && joined !== word) for (const term of [joined, `+${joined}`]) terms.set(term, 1)
  })
  return [...words].map(([text, terms]) => ({ text, terms }))
}

/** Whether a token is the last character of a run without spaces, which the token before it holds. */
function isLoneTail(word: string, before: Token | undefined): boolean {
  return before !== undefined && Array.from(word).length === 1 && Array.from(before.word).length === 2 && before.word.endsWith(word) && !/^[\x00-\x7f]/.test(word)
}

/** The words of a text as they must stand one behind the other; for phrases. */
export function phraseOf(text: string): string[] {
  const tokens: Token[] = []
  readText(text, (token) => tokens.push(token))
  return tokens.filter(({ word }, i) => !isLoneTail(word, tokens[i - 1])).map(({ word }) => word)
}

/** Whether two texts are compared as one. */
export function alike(a: string, b: string): boolean {
  return fold(a) === fold(b)
}
