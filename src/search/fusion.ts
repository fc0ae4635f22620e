/**
 * Fuses two lists by rank alone, since scores of words and of vectors have no common measure (reciprocal rank fusion:
 * Cormack, Clarke, Büttcher 2009). The constants were chosen on the dev part of `bun run eval search`.
 */
import type { Session } from '../db/database'
import type { DocRow } from './read.sqlite'
import type { Type } from './source'

/** A document with the cosine of its nearest passage. */
export interface NearDocument extends DocRow {
  readonly score: number
}

/** Semantic search. */
export interface Meaning {
  /**
   * Finds the documents nearest to a question, best first; null if the vector of the question does not come in time.
   * @param allowed lists the documents that may be found
   */
  findNearQuestion(
    session: Session,
    question: string,
    allowed: () => Promise<readonly DocRow[]>,
    count: number,
  ): Promise<NearDocument[] | null>
  /** Finds the documents nearest to a text, without that text; null while it has no vectors. */
  findNearText(
    session: Session,
    type: Type,
    key: number,
    allowed: () => Promise<readonly DocRow[]>,
    count: number,
  ): Promise<NearDocument[] | null>
  readonly jobs: readonly { name: string; every_ms: number; run(signal: AbortSignal): Promise<void> }[]
  /** Schedules the making of vectors. Call it after every write; before `start` it does nothing. */
  wake(): void
  start(): void
  stop(): Promise<void>
  /** Returns, for /metrics: changes that were not read yet, documents that got vectors, and failed calls of the model. */
  state(): { left: number; texts: number; failures: number }
}

/** Results of each list that are fused; after them the list by words continues unchanged. */
export const FUSED_RESULTS = 20
/** The constant k of reciprocal rank fusion: the larger, the less the first ranks differ from the next. */
const RANK_SMOOTHING = 10
/** The weight of a rank by meaning, where a rank by words weighs 1. */
const MEANING_WEIGHT = 0.2

/** Fuses two lists of documents, each best first and without repeats. Equal scores keep the order of `words`. */
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
