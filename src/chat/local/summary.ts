import { type SentenceRange, splitBlocks, splitSentences } from './sentences'
import { readMatchable, STOP_WORDS } from './words'

/** Sentences of a body that are read; the first ones say what a note is about. */
const MAX_SENTENCES_READ = 2000
/** Stems of a sentence, at least: shorter ones are labels. `splitSentences` cuts longer ones. */
const MIN_STEMS = 3
/** The share by which the first sentence of a body weighs more. */
const FIRST_BONUS = 0.3
/** The share by which the first sentence of a block weighs more. */
const BLOCK_FIRST_BONUS = 0.15

/**
 * Picks the most telling sentences, in order, by SumBasic: A. Nenkova and L. Vanderwende, "The Impact of Frequency on
 * Summarization", 2005. The weight of a sentence is the mean share of its stems in the body; once it is picked, the
 * shares of its stems are squared, so that the next one says something else. None if a body has no sentence.
 */
export function summarize(body: string, sentences: number): SentenceRange[] {
  const left = listCandidates(body)
  const shares = countShares(left.map(({ stems }) => stems))
  const taken: Candidate[] = []
  while (taken.length < sentences && left.length > 0) {
    const best = left.reduce((a, b) => (weightOf(b, shares) > weightOf(a, shares) ? b : a))
    left.splice(left.indexOf(best), 1)
    taken.push(best)
    for (const stem of best.stems) shares.set(stem, (shares.get(stem) ?? 0) ** 2)
  }
  return taken.sort((a, b) => a.start - b.start).map(({ start, end }) => ({ start, end }))
}

interface Candidate extends SentenceRange {
  readonly stems: readonly string[]
  /** The bonus for its position. */
  readonly bonus: number
}

function listCandidates(body: string): Candidate[] {
  const found: Candidate[] = []
  for (const block of splitBlocks(body)) {
    for (const [i, { start, end }] of splitSentences(body, block).entries()) {
      if (found.length === MAX_SENTENCES_READ) return found
      const stems = [...readMatchable(body.slice(start, end)).stems].filter((stem) => !STOP_WORDS.has(stem))
      const bonus = (found.length === 0 ? FIRST_BONUS : 0) + (i === 0 ? BLOCK_FIRST_BONUS : 0)
      if (stems.length > 0) found.push({ start, end, stems, bonus })
    }
  }
  const telling = found.filter(({ stems }) => stems.length >= MIN_STEMS)
  return telling.length > 0 ? telling : found
}

function countShares(sentences: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const stem of sentences.flat()) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const all = sentences.reduce((sum, stems) => sum + stems.length, 0)
  return new Map([...counts].map(([stem, count]) => [stem, count / all]))
}

function weightOf({ stems, bonus }: Candidate, shares: ReadonlyMap<string, number>): number {
  const sum = stems.reduce((all, stem) => all + (shares.get(stem) ?? 0), 0)
  return (sum / stems.length) * (1 + bonus)
}
