/**
 * One list made of two, by rank alone (reciprocal rank fusion; Cormack, Clarke, Büttcher 2009): scores of words and of vectors
 * have no common measure. The constants were chosen on the dev part of `bun run eval search`.
 */
import type { Session } from '../db/database'
import type { Type } from './source'

/** A document, and the cosine of its nearest passage. */
export interface NearDocument {
  readonly doc: number
  readonly score: number
}

export interface Meaning {
  /** The documents nearest to a question, best first; null if that is not known in time. @param docs what may be found, ascending */
  findNearQuestion(
    session: Session,
    question: string,
    docs: () => Float64Array,
    count: number,
  ): Promise<NearDocument[] | null>
  /** Those nearest to a text; null while it has no vectors. The text itself is not among them. */
  findNearText(
    session: Session,
    type: Type,
    key: number,
    docs: () => Promise<Float64Array>,
    count: number,
  ): Promise<NearDocument[] | null>
  readonly jobs: readonly { name: string; every_ms: number; run(signal: AbortSignal): Promise<void> }[]
  /** Something was written: its vectors are made soon, once started. */
  wake(): void
  start(): void
  stop(): Promise<void>
  /** For /metrics: documents that wait for vectors, as far as known, those that got some, and calls that failed. */
  state(): { left: number; texts: number; failures: number }
}

/** Of each list so many of the best; behind them the words' list goes on as it is. */
export const FUSED_RESULTS = 20
/** How little the first ranks differ from the next, and what a rank by meaning counts beside one by words. */
const RANK_SMOOTHING = 10
const MEANING_WEIGHT = 0.2

/** @param words and `near` best first, without repeats. Of equals, the order of `words` counts. */
export function fuseRanks(words: readonly number[], near: readonly number[]): number[] {
  const scores = new Map<number, number>()
  for (const [weight, list] of [
    [1, words],
    [MEANING_WEIGHT, near],
  ] as const)
    for (const [rank, doc] of list.entries())
      scores.set(doc, (scores.get(doc) ?? 0) + weight / (RANK_SMOOTHING + rank + 1))
  return [...scores].sort((a, b) => b[1] - a[1]).map(([doc]) => doc)
}
