/** Questions to begin with, made of what is stored. They change nothing. */
import type { Copy } from '../data/copy'
import { say } from '../words/say'

/** Characters of a title that fits into a question. */
const MAX_TITLE = 60
const MAX_NOTES = 2

/** The questions; none while nothing is stored. */
export function suggestions({ shown }: Pick<Copy, 'shown'>): string[] {
  const notes = [...shown.note.value.values()]
    .filter(({ title, daily_date, archived_at }) => daily_date === null && archived_at === null && isPlain(title))
    .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
  const [tag] = notes.flatMap(({ tags }) => tags).filter(isPlain)
  return [
    ...notes.slice(0, MAX_NOTES).map(({ title }) => say`Summarize the note "${title}"`),
    ...(tag === undefined ? [] : [say`Notes tagged ${tag}`]),
    ...(shown.task.value.size > 0 ? [say`What is due this week?`] : []),
    ...(notes.length > 0 ? [say`What changed this week?`] : []),
  ]
}

/** Whether a name can be put between quotes: a quote within it would end it. */
const isPlain = (name: string) => name.length <= MAX_TITLE && name !== 'Untitled' && !/["“”„«»\n\p{Cf}]/u.test(name)
