/** How close words stand in a text. */
import type { Places } from './analyze'

export const NOWHERE: Places = [[], [], []]

/** The least distance from a place of the one to a later place of the other, or twice that to an earlier; within a field. */
export function leastDistance(firsts: Places, seconds: Places): number {
  let least = Number.POSITIVE_INFINITY
  for (const field of [0, 1, 2] as const) {
    const [one, other] = [firsts[field], seconds[field]]
    let at = 0
    for (let i = 0; i < one.length && other.length > 0; i++) {
      const place = one[i] as number
      while (at < other.length && (other[at] as number) <= place) at++
      if (at < other.length) least = Math.min(least, (other[at] as number) - place)
      const before = at > 0 ? (other[at - 1] as number) : place
      if (before < place) least = Math.min(least, 2 * (place - before))
    }
  }
  return least
}

/** The places of several terms as of one. */
export function mergePlaces(lists: readonly Places[]): Places {
  const [first = NOWHERE, ...rest] = lists
  if (rest.length === 0) return first
  const all = (field: 0 | 1 | 2) => lists.flatMap((places) => places[field]).sort((a, b) => a - b)
  return [all(0), all(1), all(2)]
}
