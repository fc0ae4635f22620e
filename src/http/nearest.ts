/** Names that were likely meant: what is nearly the same, or what other products call the same thing. */
import { distance } from './edits'

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
