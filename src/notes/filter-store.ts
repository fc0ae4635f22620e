import type { Bindings } from '../db/database'
import { valuesIn } from '../db/dialect'
import type { NoteFilter } from './filters'

/**
 * Builds the SQL of a filter: conditions on `notes`, each beginning with AND. `$1` of the statement is the workspace.
 */
export function buildFilterConditions(filter: NoteFilter, bind: Bindings): string {
  const parts = [`AND deleted_at IS ${filter.trashed ? 'NOT NULL' : 'NULL'}`]
  const compare = (expression: string, value: string | number | null) => {
    if (value !== null) parts.push(`AND ${expression} ${bind.add(value)}`)
  }
  compare("coalesce(folder, '') =", filter.folderOnly ? filter.folder : null)
  if (filter.folder !== null && !filter.folderOnly) parts.push(`AND ${buildFolderCondition(filter.folder, bind)}`)
  for (const tag of filter.tags) parts.push(`AND ${buildTaggedCondition(tag, filter.trashed, bind)}`)
  // A literal, not a bound value: SQLite then uses the partial index of pinned notes.
  if (filter.pinned !== null) parts.push(`AND pinned = ${filter.pinned ? 1 : 0}`)
  if (filter.archived !== null) parts.push(`AND archived_at IS ${filter.archived ? 'NOT NULL' : 'NULL'}`)
  compare('created_at >=', filter.createdFrom)
  compare('created_at <', filter.createdTo)
  compare('updated_at >=', filter.updatedFrom)
  compare('updated_at <', filter.updatedTo)
  compare('source_system =', filter.sourceSystem)
  compare('title_key =', filter.titleKey)
  if (filter.ids !== null) parts.push(`AND notes.id IN ${valuesIn(bind.add(JSON.stringify(filter.ids)))}`)
  return parts.join(' ')
}

export function buildFolderCondition(folder: string, bind: Bindings): string {
  return buildPathCondition("coalesce(folder, '')", folder, bind)
}

/**
 * Builds the condition that a note has the folded tag or one nested below it. Notes in the trash have a separate table.
 */
export function buildTaggedCondition(tag: string, trashed: boolean, bind: Bindings): string {
  return `notes.key IN (SELECT key FROM ${trashed ? 'note_trashed_tags' : 'note_tags'} WHERE ${buildTagCondition(tag, bind)})`
}

export function buildTagCondition(tag: string, bind: Bindings): string {
  return `workspace = $1 AND ${buildPathCondition('tag_key', tag, bind)}`
}

/**
 * Builds the condition that a column is a path or below it. What is below `a` begins with `a/`, and `0` is the
 * character after `/`. The first two comparisons follow from the third, but form a range that SQLite can read from an
 * index.
 */
function buildPathCondition(column: string, path: string, bind: Bindings): string {
  const [self, below, end] = [path, `${path}/`, `${path}0`].map((bound) => bind.add(bound))
  return `(${column} >= ${self} AND ${column} < ${end} AND (${column} = ${self} OR ${column} > ${below}))`
}
