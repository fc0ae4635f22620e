/** The words of a query as a workspace knows them. */
import type { Asked } from './find'
import { rarest, type Word } from './plan'
import { correct } from './typos'
import type { View } from './view'
import { startingWith } from './vocabulary'

/** Words that the last one may be the beginning of. */
const MOST_COMPLETIONS = 64

/** Words as they occur: typos mended, and those left out that occur nowhere; later pages look for those of the first. */
export async function knownWords(
  view: View,
  asked: readonly Word[],
  { strict, prefix, beginnings, after }: Pick<Asked, 'strict' | 'prefix' | 'beginnings' | 'after'>,
) {
  const present: Word[] = []
  const missing: Word[] = []
  const postings = await view.postings([...new Set(asked.flatMap(({ terms }) => [...terms.keys()]))])
  const missed = after && new Set([...after.ignored, ...after.corrected.map(({ from }) => from)])
  for (const word of asked) {
    const occurs = missed
      ? !missed.has(word.text)
      : [...word.terms.keys()].some((term) => view.occurs(postings.get(term)))
    const isBeginning = word.isBeginning || (prefix && word === asked.at(-1))
    const longer = isBeginning || (!occurs && beginnings?.has(word.text)) ? await completed(view, word) : word
    if (isBeginning || occurs || longer.terms.size > word.terms.size) present.push(longer)
    else missing.push(word)
  }
  const from = missing.map(({ text }) => text)
  const fixes = after
    ? new Map(after.corrected.map((one) => [one.from, one.to]))
    : strict
      ? new Map<string, string>()
      : await correct(view, from)
  const mended = missing.flatMap(({ text }) => {
    const to = fixes.get(text)
    return to === undefined ? [] : [{ text: to, terms: new Map([[to, 1]]) }]
  })
  return {
    words: rarest([...present, ...mended], postings),
    ignored: from.filter((text) => !fixes.has(text)),
    corrected: [...fixes].map(([one, to]) => ({ from: one, to })),
  }
}

/** A word that may go on; of very many words that begin so, the commonest. */
async function completed(view: View, word: Word): Promise<Word> {
  const frequencies = new Map<string, number>()
  const isLonger = (term: string) => term.startsWith(word.text)
  await view.scan(startingWith(word.text), 'terms', isLonger, (_, { term, posting }) => {
    frequencies.set(term, (frequencies.get(term) ?? 0) + posting.documents)
    return false
  })
  const commonest = [...frequencies].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_COMPLETIONS)
  return { text: word.text, terms: new Map([...commonest.map(([term]) => [term, 1] as const), ...word.terms]) }
}
