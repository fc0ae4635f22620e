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

/** Fuses the best by words with the nearest by meaning, each best first. Equal ones keep their order by words. */
export function fuse<One extends { readonly doc: number }>(hits: readonly One[], near: readonly One[]): One[] {
  const scores = new Map<number, number>()
  const add = (found: readonly One[], weight: number) => {
    for (const [rank, { doc }] of found.entries())
      scores.set(doc, (scores.get(doc) ?? 0) + weight / (RANK_SMOOTHING + rank + 1))
  }
  add(hits.slice(0, FUSED_RESULTS), 1)
  add(near, MEANING_WEIGHT)
  const all = new Map([...near, ...hits].map((one) => [one.doc, one]))
  const first = [...scores].sort((a, b) => b[1] - a[1]).flatMap(([doc]) => all.get(doc) ?? [])
  return [...first, ...hits.filter(({ doc }) => !scores.has(doc))]
}
