import type { Find } from '../search/finder'
import { byPlace } from '../search/rank'

/**
 * One list of several: the best of their first ones again and again, of equals that of the earlier list. So each list
 * keeps its order, and what follows behind a page is the same lists less what was shown of each.
 */
export function merge<Item extends Find>(lists: readonly (readonly Item[])[]): Item[] {
  const rest = lists.map((list) => list.toReversed())
  const merged: Item[] = []
  for (;;) {
    const best = bestOf(rest)?.pop()
    if (!best) return merged
    merged.push(best)
  }
}

/** The list whose last one is the best; null if all are empty. */
function bestOf<Item extends Find>(lists: readonly Item[][]): Item[] | null {
  return lists.reduce<Item[] | null>((best, list) => {
    const [one, other] = [list.at(-1), best?.at(-1)]
    return one && (!other || byPlace(one, other) < 0) ? list : best
  }, null)
}
