import type { Bindings } from '../db/database'
import type { NoteFilter } from './filters'

/** The filters in SQL: conditions on `notes`, each beginning with AND. `$1` of the statement is the workspace. */
export function buildFilterConditions(filter: NoteFilter, bind: Bindings): string {
  const parts = [`AND deleted_at IS ${filter.trashed ? 'NOT NULL' : 'NULL'}`]
  const compare = (expression: string, value: string | number | null) => {
    if (value !== null) parts.push(`AND ${expression} ${bind.add(value)}`)
  }
  compare("coalesce(folder, '') =", filter.folderOnly ? filter.folder : null)
  if (filter.folder !== null && !filter.folderOnly) parts.push(`AND ${buildFolderCondition(filter.folder, bind)}`)
  for (const tag of filter.tags) parts.push(`AND ${buildTaggedCondition(tag, filter.trashed, bind)}`)
  // Not bound: for 1 there is an index of those notes alone.
  if (filter.pinned !== null) parts.push(`AND pinned = ${filter.pinned ? 1 : 0}`)
  if (filter.archived !== null) parts.push(`AND archived_at IS ${filter.archived ? 'NOT NULL' : 'NULL'}`)
  compare('created_at >=', filter.createdFrom)
  compare('created_at <', filter.createdTo)
  compare('updated_at >=', filter.updatedFrom)
  compare('updated_at <', filter.updatedTo)
  compare('source_system =', filter.sourceSystem)
  return parts.join(' ')
}

/** The folder and those below it. */
export function buildFolderCondition(folder: string, bind: Bindings): string {
  return buildPathCondition("coalesce(folder, '')", folder, bind)
}

/** The tag (folded) or one nested below it, set by the client or in the body. The trash has a table of its own. */
export function buildTaggedCondition(tag: string, trashed: boolean, bind: Bindings): string {
  return `notes.key IN (SELECT key FROM ${trashed ? 'note_trashed_tags' : 'note_tags'} WHERE ${buildTagCondition(tag, bind)})`
}

/** The tag or one nested below it, in a table of tags. */
export function buildTagCondition(tag: string, bind: Bindings): string {
  return `workspace = $1 AND ${buildPathCondition('tag_key', tag, bind)}`
}

/**
 * A path itself, or what is below it. Below `a` is what begins with `a/`, and `0` is the character after `/`. The first
 * two comparisons follow from the third: they are a range, which an index can be read by.
 */
function buildPathCondition(column: string, path: string, bind: Bindings): string {
  const [own, below, behind] = [path, `${path}/`, `${path}0`].map((bound) => bind.add(bound))
  return `(${column} >= ${own} AND ${column} < ${behind} AND (${column} = ${own} OR ${column} > ${below}))`
}
