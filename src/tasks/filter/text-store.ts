import type { Queries, WorkspaceId } from '../../db/database'
import { titleKey } from '../../lib/text'

/** The text of a task that filters search instead of its columns. */
export interface FilterText {
  /** Title and notes, folded, with a line break between. */
  readonly text: string
  /** 1 if the index of the search may lack a part of it. */
  readonly unindexed: 0 | 1
}

/** Stores the text of a task for filters, or deletes it if null; see `toFilterText`. Erasing the task deletes it. */
export async function putFilterText(
  db: Queries,
  workspace: WorkspaceId,
  task: number,
  filterText: FilterText | null,
): Promise<void> {
  if (filterText === null) await db.run('DELETE FROM task_texts WHERE workspace = $1 AND task = $2', [workspace, task])
  else
    await db.run(
      `INSERT INTO task_texts (workspace, task, text, unindexed) VALUES ($1, $2, $3, $4)
       ON CONFLICT (workspace, task) DO UPDATE SET text = excluded.text, unindexed = excluded.unindexed`,
      [workspace, task, filterText.text, filterText.unindexed],
    )
}

/** Words that may be longer than the index of the search stores, and letters that it joins with those before them. */
const UNLIKE_INDEX = /[\p{L}\p{N}\p{M}\u00ad]{64}|[\u1100-\u11ff\u3131-\u318e\ud7b0-\ud7ff\uff9e-\uffdc]/u

/**
 * Returns title and notes, folded, for filters to search; null if SQLite can fold the columns itself: `title_key`, and
 * notes in which only ASCII letters have case. See `buildTextCondition`. A text in a filter has no line break, so it
 * cannot match across title and notes.
 */
export function toFilterText({ title, notes }: { readonly title: string; readonly notes: string }): FilterText | null {
  const folded = titleKey(notes)
  const unindexed = UNLIKE_INDEX.test(title) || UNLIKE_INDEX.test(notes) ? 1 : 0
  return folded === toPlainNotes(notes) && unindexed === 0 ? null : { text: `${titleKey(title)}\n${folded}`, unindexed }
}

/**
 * Returns what `PLAIN_NOTES_SQL` makes of notes, trimmed, since no search needs the ends; null if they contain \x01.
 */
function toPlainNotes(notes: string): string | null {
  if (notes.includes('\x01')) return null
  return notes
    .replace(/[\t\n\r ]+/g, ' ')
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .trim()
}

/**
 * Notes with single spaces as white space: marks each space with \x01, then removes the mark with the space after it.
 */
export const PLAIN_NOTES_SQL = `replace(replace(replace(replace(replace(replace(lower(tasks.notes),
  '\t', ' '), '\n', ' '), '\r', ' '), ' ', ' \x01'), '\x01 ', ''), '\x01', '')`
