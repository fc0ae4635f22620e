/** The words of a query as a workspace knows them. */
import type { SearchOptions } from './find'
import { rarest, type Word } from './plan'
import { correctTypos } from './typos'
import type { IndexView } from './view'
import { startingWith } from './vocabulary'

/** Words that the last one may be the beginning of. */
const MOST_COMPLETIONS = 64
/** Bytes of the corrections that a cursor has room for, as JSON; what is behind them occurs nowhere. */
const CORRECTIONS_BYTES = 400

/** What became of the words of a query, for its later pages. By their places, which are shorter than the words. */
export interface WordOutcomes {
  /** For each word a sign: `-` if it occurred nowhere when the first page was made, `.` if it was too common, else `+`. */
  readonly signs: string
  /** What was looked for instead of some of these. */
  readonly fixes: readonly WordFix[]
}

const COUNTS = '+'
const MISSING = '-'
const TOO_COMMON = '.'

type WordFix = readonly [place: number, to: string]

/** Words as they occur: typos mended, and those left out that occur nowhere; later pages look for those of the first. */
export async function resolveWords(
  view: IndexView,
  asked: readonly Word[],
  { strict, prefix, beginnings, after }: Pick<SearchOptions, 'strict' | 'prefix' | 'beginnings' | 'after'>,
) {
  const present = new Map<number, Word>()
  const missing = new Map<number, string>()
  const postings = await view.postings([...new Set(asked.flatMap(({ terms }) => [...terms.keys()]))])
  for (const [place, word] of asked.entries()) {
    const sign = after?.fates.signs[place]
    if (sign === TOO_COMMON) continue
    const occurs = after ? sign !== MISSING : [...word.terms.keys()].some((term) => view.occurs(postings.get(term)))
    const isBeginning = word.isBeginning || (prefix && word === asked.at(-1))
    const longer = isBeginning || (!occurs && beginnings?.has(word.text)) ? await completed(view, word) : word
    if (isBeginning || occurs || longer.terms.size > word.terms.size) present.set(place, longer)
    else missing.set(place, word.text)
  }
  const fixes = after ? after.fates.fixes : strict ? [] : await fixesOf(view, missing)
  const fixed = new Map(fixes)
  const mended = fixes.map(([, to]) => ({ text: to, terms: new Map([[to, 1]]) }))
  const words = rarest([...present.values(), ...mended], postings)
  const counting = new Set(words)
  const signOf = (_: Word, place: number) => {
    const word = present.get(place)
    return word && counting.has(word) ? COUNTS : missing.has(place) ? MISSING : TOO_COMMON
  }
  return {
    words,
    ignored: [...missing].flatMap(([place, text]) => (fixed.has(place) ? [] : [text])),
    corrected: fixes.map(([place, to]) => ({ from: asked[place]?.text ?? '', to })),
    fates: { signs: asked.map(signOf).join(''), fixes },
  }
}

/** Typos mended, as many as later pages can be told of. */
async function fixesOf(view: IndexView, missing: ReadonlyMap<number, string>): Promise<WordFix[]> {
  const corrected = await correctTypos(view, [...missing.values()])
  let room = CORRECTIONS_BYTES
  return [...missing].flatMap(([place, text]): WordFix[] => {
    const to = corrected.get(text)
    if (to === undefined) return []
    const fix = [place, to] as const
    room -= Buffer.byteLength(JSON.stringify(fix)) + 1
    return room < 0 ? [] : [fix]
  })
}

/** A word that may go on; of very many words that begin so, the commonest. */
async function completed(view: IndexView, word: Word): Promise<Word> {
  const frequencies = new Map<string, number>()
  const isLonger = (term: string) => term.startsWith(word.text)
  await view.scan(startingWith(word.text), 'terms', isLonger, (_, { term, posting }) => {
    frequencies.set(term, (frequencies.get(term) ?? 0) + posting.documents)
    return false
  })
  const commonest = [...frequencies].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_COMPLETIONS)
  return { text: word.text, terms: new Map([...commonest.map(([term]) => [term, 1] as const), ...word.terms]) }
}
