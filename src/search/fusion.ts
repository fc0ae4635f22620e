/**
 * One list of two, by rank alone (reciprocal rank fusion; Cormack, Clarke, Büttcher 2009): scores of words and of vectors
 * have no common measure. What the constants are was chosen on the dev part of `bun run eval search`.
 */

/** Of each list so many of the best; behind them the words' list goes on as it is. */
export const FUSED = 20
/** How little the first ranks stand out, and what a rank by meaning counts beside one by words. */
const SMOOTH = 10
const MEANING = 0.2

/** @param words and `near` best first, without repeats. Of equals the one that words put first stands first. */
export function fuse(words: readonly number[], near: readonly number[]): number[] {
  const scores = new Map<number, number>()
  for (const [weight, list] of [
    [1, words],
    [MEANING, near],
  ] as const)
    for (const [rank, doc] of list.entries()) scores.set(doc, (scores.get(doc) ?? 0) + weight / (SMOOTH + rank + 1))
  return [...scores].sort((a, b) => b[1] - a[1]).map(([doc]) => doc)
}
