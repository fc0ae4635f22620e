/** How far two lists are apart, and how one becomes the other. */

export interface ListEdit {
  /** `delete`: a place of `from` only; `insert`: of `to` only; `equal`: of `to`, as it stands in both. */
  readonly op: 'equal' | 'delete' | 'insert'
  readonly at: number
}

/**
 * Edits between two lists: insertions, deletions, replacements, and swaps of two neighbours (optimal string alignment,
 * the restricted Damerau–Levenshtein distance). O(n · m) time, O(m) memory.
 */
export function editDistance(from: readonly string[], to: readonly string[]): number {
  const [a, b] = withoutCommonEnds(from, to)
  let before = new Int32Array(b.length + 1)
  let row = Int32Array.from({ length: b.length + 1 }, (_, j) => j)
  let next = new Int32Array(b.length + 1)
  for (let i = 1; i <= a.length; i++) {
    next[0] = i
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const best = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = isSwap ? Math.min(best, (before[j - 2] ?? 0) + 1) : best
    }
    ;[before, row, next] = [row, next, before]
  }
  return row[b.length] ?? 0
}

/** The way from one list to the other that keeps the most (longest common subsequence). O(n · m) time and memory. */
export function listEdits(from: readonly string[], to: readonly string[]): ListEdit[] {
  const width = to.length + 1
  const kept = commonLengths(from, to)
  const list: ListEdit[] = []
  let [i, j] = [0, 0]
  while (i < from.length && j < to.length) {
    if (from[i] === to[j]) {
      list.push({ op: 'equal', at: j })
      i += 1
      j += 1
    } else if ((kept[(i + 1) * width + j] ?? 0) >= (kept[i * width + j + 1] ?? 0)) list.push({ op: 'delete', at: i++ })
    else list.push({ op: 'insert', at: j++ })
  }
  while (i < from.length) list.push({ op: 'delete', at: i++ })
  while (j < to.length) list.push({ op: 'insert', at: j++ })
  return list
}

/** At `i * (m + 1) + j`: how many elements the rests from i and from j have in common, in order. */
function commonLengths(from: readonly string[], to: readonly string[]): Uint16Array {
  const width = to.length + 1
  const kept = new Uint16Array((from.length + 1) * width)
  for (let i = from.length - 1; i >= 0; i--)
    for (let j = to.length - 1; j >= 0; j--) {
      const [here, below] = [i * width + j, (i + 1) * width + j]
      kept[here] = from[i] === to[j] ? (kept[below + 1] ?? 0) + 1 : Math.max(kept[below] ?? 0, kept[here + 1] ?? 0)
    }
  return kept
}

function withoutCommonEnds(from: readonly string[], to: readonly string[]): [readonly string[], readonly string[]] {
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && from[start] === to[start]) start += 1
  let end = 0
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1
  return [from.slice(start, from.length - end), to.slice(start, to.length - end)]
}
