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
  ['tz', 'timezone'],
  ['q', 'query', 'search'],
  ['limit', 'per_page', 'page_size'],
  ['cursor', 'page_token'],
]

/**
 * The known name that is nearest to one that is not: by fewest edits, without regard to case, `_` and `-`; else by
 * meaning. The first of several as near; null where none is near.
 * @param name of any length: what is much longer than all that is known costs one pass
 */
export function nearest(name: string, known: readonly string[]): string | null {
  const sought = folded(name)
  let best: { readonly candidate: string; readonly edits: number } | null = null
  for (const candidate of known) {
    const edits = distance(sought, folded(candidate))
    if (edits !== null && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { candidate, edits }
  }
  if (best) return best.candidate
  const words = SAME_THING.find((group) => group.some((word) => folded(word) === sought)) ?? []
  return words.find((word) => known.includes(word)) ?? null
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/**
 * How many letters must be put in, taken out, replaced or swapped with the next to make one word of the other (optimal
 * string alignment); null where that is more than a slip.
 */
function distance(a: string, b: string): number | null {
  const most = Math.min(MOST_EDITS, Math.floor(Math.max(a.length, b.length) / LETTERS_PER_EDIT))
  if (Math.abs(a.length - b.length) > most) return null
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : replaced
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped))
    }
  }
  const edits = at(a.length, b.length)
  return edits <= most ? edits : null
}
