/** Finds the name that was likely meant: one that is spelled alike, or a synonym from other products. */

/** The maximum edit distance of a misspelling. */
const MAX_EDITS = 2
/** Letters of the longer name for each edit, at least. */
const LETTERS_PER_EDIT = 3

/** Here and in other products. The first one that an endpoint knows wins. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['body', 'content', 'text', 'notes', 'description', 'markdown'],
  ['title', 'name', 'subject'],
  ['tags', 'labels', 'keywords'],
  ['folder', 'notebook'],
  ['due', 'deadline', 'due_date'],
  ['front', 'question'],
  ['back', 'answer'],
  ['time_zone', 'tz', 'timezone'],
  ['q', 'query', 'search'],
  ['limit', 'per_page', 'page_size'],
  ['cursor', 'page_token'],
]

/**
 * Returns the known name closest to an unknown one: by edit distance, ignoring case, `_` and `-`, else by synonyms. The
 * first of several equally close ones; null if none is close.
 * @param name may have any length: one much longer than all known names takes one pass
 */
export function findNearestName(name: string, known: readonly string[]): string | null {
  const foldedName = foldName(name)
  let best: { readonly candidate: string; readonly edits: number } | null = null
  for (const candidate of known) {
    const foldedCandidate = foldName(candidate)
    const maxEdits = Math.min(
      MAX_EDITS,
      Math.floor(Math.max(foldedName.length, foldedCandidate.length) / LETTERS_PER_EDIT),
    )
    const edits = boundedEditDistance(foldedName, foldedCandidate, maxEdits)
    if (edits <= maxEdits && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { candidate, edits }
  }
  if (best) return best.candidate
  const words = SYNONYMS.find((group) => group.some((word) => foldName(word) === foldedName)) ?? []
  return words.find((word) => known.includes(word)) ?? null
}

function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** Insertions, deletions, replacements, swaps of neighbours (optimal string alignment); `maxEdits` + 1 for more. */
export function boundedEditDistance(a: string, b: string, maxEdits: number): number {
  if (Math.abs(a.length - b.length) > maxEdits) return maxEdits + 1
  let start = 0
  while (start < a.length && start < b.length && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let [endA, endB] = [a.length, b.length]
  while (endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1))
    [endA, endB] = [endA - 1, endB - 1]
  const width = endB - start
  if (endA === start) return width
  let rowBeforePrevious: number[] = []
  let previousRow = Array.from({ length: width + 1 }, (_, i) => i)
  for (let i = 1; i <= endA - start; i++) {
    const row = [i]
    let least = i
    const letter = a.charCodeAt(start + i - 1)
    for (let j = 1; j <= width; j++) {
      const other = b.charCodeAt(start + j - 1)
      let cost = Math.min(
        (previousRow[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (previousRow[j - 1] as number) + (letter === other ? 0 : 1),
      )
      if (i > 1 && j > 1 && letter === b.charCodeAt(start + j - 2) && a.charCodeAt(start + i - 2) === other)
        cost = Math.min(cost, (rowBeforePrevious[j - 2] as number) + 1)
      row.push(cost)
      if (cost < least) least = cost
    }
    if (least > maxEdits) return maxEdits + 1
    rowBeforePrevious = previousRow
    previousRow = row
  }
  return Math.min(previousRow[width] ?? maxEdits + 1, maxEdits + 1)
}
