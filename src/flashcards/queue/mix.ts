import type { DeckSettings } from '../scheduling/settings'

/** New cards among reviews: before them, after them, or the j-th of N behind floor(j · R / (N + 1)) of R reviews. */
export function mixCards<Card>(reviews: readonly Card[], fresh: readonly Card[], how: DeckSettings['new_mix']): Card[] {
  if (how !== 'mix') return how === 'before' ? [...fresh, ...reviews] : [...reviews, ...fresh]
  const queue: Card[] = []
  let shown = 0
  for (const [i, card] of fresh.entries()) {
    const before = Math.floor(((i + 1) * reviews.length) / (fresh.length + 1))
    queue.push(...reviews.slice(shown, before), card)
    shown = before
  }
  return queue.concat(reviews.slice(shown))
}
