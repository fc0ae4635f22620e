/** Names that were likely meant: what is nearly the same, or what other products call the same thing. */

/** Edits between two names that still count as a slip; and at most one in so many letters of the longer one. */
const MOST_EDITS = 2
const LETTERS_PER_EDIT = 3

/** Words for one thing, here and in other products. Which of them an endpoint knows is looked up; the first is it. */
const SAME_THING: readonly (readonly string[])[] = [
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
 * The known name that is nearest to one that is not: by fewest edits, without regard to case, `_` and `-`; else by
 * meaning. The first of several as near; null where none is near.
 * @param name of any length: what is much longer than all that is known costs one pass
 */
export function nearestWord(name: string, known: readonly string[]): string | null {
  const sought = folded(name)
  let best: { readonly candidate: string; readonly edits: number } | null = null
  for (const candidate of known) {
    const name = folded(candidate)
    const most = Math.min(MOST_EDITS, Math.floor(Math.max(sought.length, name.length) / LETTERS_PER_EDIT))
    const edits = distance(sought, name, most)
    if (edits <= most && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { candidate, edits }
  }
  if (best) return best.candidate
  const words = SAME_THING.find((group) => group.some((word) => folded(word) === sought)) ?? []
  return words.find((word) => known.includes(word)) ?? null
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/**
 * How many letters must be put in, taken out, replaced or swapped with the next to make one word of the other (optimal string
 * alignment); `most` + 1 where more are needed.
 */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let start = 0
  while (start < a.length && start < b.length && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let [endA, endB] = [a.length, b.length]
  while (endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1))
    [endA, endB] = [endA - 1, endB - 1]
  const width = endB - start
  if (endA === start) return width
  let twoAgo: number[] = []
  let ago = Array.from({ length: width + 1 }, (_, i) => i)
  for (let i = 1; i <= endA - start; i++) {
    const row = [i]
    let least = i
    const letter = a.charCodeAt(start + i - 1)
    for (let j = 1; j <= width; j++) {
      const other = b.charCodeAt(start + j - 1)
      let cost = Math.min(
        (ago[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (ago[j - 1] as number) + (letter === other ? 0 : 1),
      )
      if (i > 1 && j > 1 && letter === b.charCodeAt(start + j - 2) && a.charCodeAt(start + i - 2) === other)
        cost = Math.min(cost, (twoAgo[j - 2] as number) + 1)
      row.push(cost)
      if (cost < least) least = cost
    }
    if (least > most) return most + 1
    twoAgo = ago
    ago = row
  }
  return Math.min(ago[width] ?? most + 1, most + 1)
}
