/** Which row of a list has the focus, and which are selected. Rows are known by keys, in the order of the list. */

/** The key of the row `by` places after another, at most the first or the last; null: there are no rows. */
export function stepFrom(keys: readonly string[], from: string | null, by: number): string | null {
  const at = from === null ? -1 : keys.indexOf(from)
  if (at < 0) return (by < 0 ? keys.at(-1) : keys[0]) ?? null
  return keys[Math.min(Math.max(at + by, 0), keys.length - 1)] ?? null
}

/**
 * The row that has the focus after the list has changed: the same one, else the next one that is left, else the last one
 * before it.
 */
export function keepCurrent(
  before: readonly string[],
  after: readonly string[],
  current: string | null,
): string | null {
  const left = new Set(after)
  if (current === null || left.has(current)) return current
  const at = before.indexOf(current)
  if (at < 0) return null
  return before.slice(at).find((key) => left.has(key)) ?? before.slice(0, at).findLast((key) => left.has(key)) ?? null
}

/** The keys from one row to another, both included, in either order. */
export function rangeOf(keys: readonly string[], from: string, to: string): readonly string[] {
  const [a, b] = [keys.indexOf(from), keys.indexOf(to)]
  if (a < 0 || b < 0) return b < 0 ? [] : [to]
  return keys.slice(Math.min(a, b), Math.max(a, b) + 1)
}

export function toggle(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected)
  if (!next.delete(key)) next.add(key)
  return next
}
