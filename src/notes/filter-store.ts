import type { Bindings } from './bindings'
import type { NoteFilter } from './filters'

/** The filters in SQL: conditions on `notes`, each beginning with AND. `$1` of the statement is the workspace. */
export function conditions(filter: NoteFilter, bind: Bindings): string {
  const parts = [`AND deleted_at IS ${filter.trashed ? 'NOT NULL' : 'NULL'}`]
  const compare = (expression: string, value: string | number | null) => {
    if (value !== null) parts.push(`AND ${expression} ${bind.add(value)}`)
  }
  compare("coalesce(folder, '') =", filter.folderOnly ? filter.folder : null)
  if (filter.folder !== null && !filter.folderOnly) parts.push(within(filter.folder, bind))
  for (const tag of filter.tags) parts.push(tagged(tag, filter.trashed, bind))
  compare('pinned =', filter.pinned === null ? null : Number(filter.pinned))
  if (filter.archived !== null) parts.push(`AND archived_at IS ${filter.archived ? 'NOT NULL' : 'NULL'}`)
  compare('created_at >=', filter.createdFrom)
  compare('created_at <', filter.createdTo)
  compare('updated_at >=', filter.updatedFrom)
  compare('updated_at <', filter.updatedTo)
  compare('source_system =', filter.sourceSystem)
  return parts.join(' ')
}

/** The folder and those below it. Below `a` is what begins with `a/`, and `0` is the character after `/`. */
function within(folder: string, bind: Bindings): string {
  const column = "coalesce(folder, '')"
  const own = bind.add(folder)
  return `AND (${column} = ${own} OR (${column} > ${bind.add(`${folder}/`)} AND ${column} < ${bind.add(`${folder}0`)}))`
}

/** The tag or one nested below it. The trash is not in `note_tags`; there the tags set by the client are looked at. */
function tagged(tag: string, trashed: boolean, bind: Bindings): string {
  const range = (column: string) =>
    `(${column} = ${bind.add(tag)} OR (${column} > ${bind.add(`${tag}/`)} AND ${column} < ${bind.add(`${tag}0`)}))`
  if (trashed) return `AND EXISTS (SELECT 1 FROM json_each(notes.tags) AS own WHERE ${range('lower(own.value)')})`
  return `AND notes.key IN (SELECT key FROM note_tags WHERE workspace = $1 AND ${range('tag_key')})`
}
