import type { Queries, WorkspaceId } from '../../db/database'
import { titleKey } from '../../lib/text'

/** Stores what a filter reads of a task beside its columns, or that there is nothing; see `textOf`. It goes with the task. */
export async function putFilterText(
  db: Queries,
  workspace: WorkspaceId,
  task: number,
  text: string | null,
): Promise<void> {
  if (text === null) await db.run('DELETE FROM task_texts WHERE workspace = $1 AND task = $2', [workspace, task])
  else
    await db.run(
      `INSERT INTO task_texts (workspace, task, text) VALUES ($1, $2, $3)
       ON CONFLICT (workspace, task) DO UPDATE SET text = excluded.text`,
      [workspace, task, text],
    )
}

/** Words that may be longer than the index of search keeps them, and letters that it joins with those before them. */
const UNLIKE_INDEX = /[\p{L}\p{N}\p{M}\u00ad]{64}|[\u1100-\u11ff\u3131-\u318e\ud7b0-\ud7ff\uff9e-\uffdc]/u

/**
 * Title and notes as a filter looks through them, folded; null where SQLite can tell as much from the columns: `title_key`,
 * and notes in which nothing but ASCII has another case. See `holds`. No text of a filter has a line break, so none
 * reaches from one into the other.
 */
export function toFilterText({ title, notes }: { readonly title: string; readonly notes: string }): string | null {
  const folded = titleKey(notes)
  const isPlain = folded === toPlainNotes(notes) && !UNLIKE_INDEX.test(title) && !UNLIKE_INDEX.test(notes)
  return isPlain ? null : `${titleKey(title)}\n${folded}`
}

/** What `PLAIN_NOTES` makes of notes, less white space at the ends, which nothing looks for; null if they have its mark. */
function toPlainNotes(notes: string): string | null {
  if (notes.includes('\x01')) return null
  return notes
    .replace(/[\t\n\r ]+/g, ' ')
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .trim()
}

/** Notes with their white space as single blanks: each blank is marked, and marks before another blank go with it. */
export const PLAIN_NOTES_SQL = `replace(replace(replace(replace(replace(replace(lower(tasks.notes),
  char(9), ' '), char(10), ' '), char(13), ' '), ' ', ' ' || char(1)), char(1) || ' ', ''), char(1), '')`
