import type { Bindings, Value } from '../db/database'
import { byIndex, valuesIn } from '../db/dialect'
import type { Walk } from '../db/table'
import { invalid } from '../http/api-error'
import { readIds, readInstant } from '../http/values'
import { titleKey } from '../lib/text'
import type { NoteFilters } from './schema'

/** The filter of a list, a search or an export. Instants are milliseconds; `from` is inclusive, `to` is exclusive. */
export interface NoteFilter {
  readonly folder: string | null
  /** Only the folder itself, not those below it. */
  readonly folderOnly: boolean
  /** Folded tags: a note must have all of them, or one nested below each. */
  readonly tags: readonly string[]
  readonly pinned: boolean | null
  readonly archived: boolean | null
  readonly trashed: boolean
  readonly createdFrom: number | null
  readonly createdTo: number | null
  readonly updatedFrom: number | null
  readonly updatedTo: number | null
  readonly sourceSystem: string | null
  readonly titleKey: string | null
  readonly ids: readonly string[] | null
}

/**
 * Reads the filters of a query string. Throws invalid_request.
 * @param archived the default: `false` for a list, which leaves archived notes out unless `ids` names them,
 *   `any` for a search
 */
export function readFilter(query: NoteFilters, archived: 'true' | 'false' | 'any' = 'false'): NoteFilter {
  if (query.folder_only !== undefined && query.folder === undefined)
    throw invalid('/folder_only', 'invalid_value', 'folder_only needs folder')
  const folderOnly = query.folder_only === 'true'
  return {
    // Every note is in the root or below it.
    folder: query.folder === '' && !folderOnly ? null : (query.folder ?? null),
    folderOnly,
    tags: query.tag === undefined ? [] : [query.tag].flat().map(tagKey),
    pinned: readFlag(query.pinned),
    archived: readFlag(query.archived ?? (query.ids === undefined ? archived : 'any')),
    trashed: query.trashed === 'true',
    createdFrom: readOptionalInstant(query.created_from, '/created_from'),
    createdTo: readOptionalInstant(query.created_to, '/created_to'),
    updatedFrom: readOptionalInstant(query.updated_from, '/updated_from'),
    updatedTo: readOptionalInstant(query.updated_to, '/updated_to'),
    sourceSystem: query.source_system ?? null,
    titleKey: query.title === undefined ? null : titleKey(query.title),
    ids: query.ids === undefined ? null : readIds(query.ids),
  }
}

/** Whether every living note passes the filter, and no note in the trash. */
export function isUnfiltered({ trashed, folderOnly: _, tags, ...filter }: NoteFilter): boolean {
  return !trashed && tags.length === 0 && Object.values(filter).every((value) => value === null)
}

export function tagKey(tag: string): string {
  return titleKey(tag)
}

function readFlag(value: 'true' | 'false' | 'any' | undefined): boolean | null {
  return value === undefined || value === 'any' ? null : value === 'true'
}

function readOptionalInstant(value: string | undefined, pointer: string): number | null {
  return value === undefined ? null : readInstant(value, pointer)
}

/** A part of a filter that an index has. Its conditions are SQL; `$1` of the statement is the workspace. */
export interface IndexedPart {
  /** The sort whose index has the part as well; null if there is none. */
  readonly sort: string | null
  /** The notes, to be found by this part. */
  readonly from: string
  /** Entries of an index: one for each note outside the trash, or a few. */
  readonly entries: (bind: Bindings) => string
  /** The keys between which its notes are in the index of its sort. */
  readonly first?: readonly Value[] | null
  readonly end?: readonly Value[] | null
  /** A walk through the keys of its notes, in their order. */
  readonly walk?: Walk & { readonly first: readonly Value[] }
  /** The condition by which SQLite finds the notes. */
  readonly find: (bind: Bindings) => string
  /** The condition that only compares notes that SQLite has found in another way. */
  readonly compare: (bind: Bindings, key?: string) => string
}

const LIVING = 'notes WHERE workspace = $1 AND deleted_at IS NULL'
/** Sorts after every id. */
const LAST_CHARACTER = '\u{10ffff}'

export function getIndexedParts(filter: NoteFilter): IndexedPart[] {
  const { folder, folderOnly, tags, pinned, trashed, sourceSystem } = filter
  const parts = tags.map((tag) => partOfTag(tag, trashed))
  if (folder !== null) parts.push(partOfFolder(folder, folderOnly))
  if (pinned) parts.push(partOfPins())
  if (sourceSystem !== null) parts.push(partOfSource(sourceSystem))
  parts.push(...partOfDates('created', filter.createdFrom, filter.createdTo))
  parts.push(...partOfDates('updated', filter.updatedFrom, filter.updatedTo))
  return parts
}

function partOfSource(system: string): IndexedPart {
  const isFrom = (bind: Bindings, column: string) => `${column} = ${bind.add(system)}`
  return {
    sort: null,
    from: `notes ${byIndex('notes_by_source')} WHERE workspace = $1`,
    entries: (bind) => `notes WHERE workspace = $1 AND ${isFrom(bind, 'source_system')}`,
    find: (bind) => isFrom(bind, 'source_system'),
    compare: (bind) => isFrom(bind, '+source_system'),
  }
}

function partOfDates(sort: 'created' | 'updated', from: number | null, to: number | null): IndexedPart[] {
  if (from === null && to === null) return []
  const isWithin = (bind: Bindings, column: string) =>
    [
      ...(from === null ? [] : [`${column} >= ${bind.add(from)}`]),
      ...(to === null ? [] : [`${column} < ${bind.add(to)}`]),
    ].join(' AND ')
  return [
    {
      sort,
      from: `notes ${byIndex(`notes_by_${sort}`)} WHERE workspace = $1`,
      entries: (bind) => `${LIVING} AND ${isWithin(bind, `${sort}_at`)}`,
      first: from === null ? null : [from, ''],
      end: to === null ? null : [to, ''],
      find: (bind) => isWithin(bind, `${sort}_at`),
      compare: (bind) => isWithin(bind, `+${sort}_at`),
    },
  ]
}

function partOfFolder(folder: string, only: boolean): IndexedPart {
  const column = "coalesce(folder, '')"
  const isIn = (bind: Bindings, column: string) =>
    only ? buildEquality(column, folder, bind) : buildPathCondition(column, folder, bind)
  return {
    sort: 'folder',
    from: `notes ${byIndex('notes_by_folder')} WHERE workspace = $1`,
    entries: (bind) => `${LIVING} AND ${isIn(bind, column)}`,
    first: [folder, ''],
    end: only ? [folder, LAST_CHARACTER] : [`${folder}0`, ''],
    find: (bind) => isIn(bind, column),
    compare: (bind) => isIn(bind, `+${column}`),
  }
}

function partOfTag(tag: string, trashed: boolean): IndexedPart {
  const table = trashed ? 'note_trashed_tags' : 'note_tags'
  return {
    sort: null,
    // The plus keeps SQLite from walking all notes of the workspace instead.
    from: 'notes WHERE +notes.workspace = $1',
    entries: (bind) => `note_tags WHERE ${buildTagCondition(tag, bind)}`,
    walk: {
      from: (bind) => `note_tags WHERE workspace = $1 AND ${buildPathCondition('+tag_key', tag, bind)}`,
      columns: ['tag_key', 'key'],
      first: [tag, -1],
      end: [`${tag}0`, -1],
    },
    find: (bind) => `notes.key IN (SELECT key FROM ${table} WHERE ${buildTagCondition(tag, bind)})`,
    compare: (bind, key = 'notes.key') =>
      `EXISTS (SELECT 1 FROM ${table} AS own WHERE own.key = ${key} AND +own.${buildTagCondition(tag, bind)})`,
  }
}

function partOfPins(): IndexedPart {
  return {
    sort: 'updated',
    from: `notes ${byIndex('notes_pinned')} WHERE workspace = $1`,
    entries: () => `${LIVING} AND pinned = 1`,
    // A literal, not a bound value: SQLite then uses the partial index of pinned notes.
    find: () => 'pinned = 1',
    compare: () => '+pinned = 1',
  }
}

/**
 * Builds the SQL of a filter: conditions on `notes`, each beginning with AND. `$1` of the statement is the workspace.
 * @param others the indexed parts that are only compared
 */
export function buildFilterConditions(
  filter: NoteFilter,
  bind: Bindings,
  indexed = getIndexedParts(filter),
  others: readonly IndexedPart[] = [],
): string {
  const parts = [`AND deleted_at IS ${filter.trashed ? 'NOT NULL' : 'NULL'}`]
  for (const part of indexed) parts.push(`AND ${others.includes(part) ? part.compare(bind) : part.find(bind)}`)
  const compare = (expression: string, value: string | number | null) => {
    if (value !== null) parts.push(`AND ${expression} ${bind.add(value)}`)
  }
  if (filter.pinned === false) parts.push('AND pinned = 0')
  if (filter.archived !== null) parts.push(`AND archived_at IS ${filter.archived ? 'NOT NULL' : 'NULL'}`)
  compare('title_key =', filter.titleKey)
  if (filter.ids !== null) parts.push(`AND notes.id IN ${valuesIn(bind.add(JSON.stringify(filter.ids)))}`)
  return parts.join(' ')
}

/** As a range, which SQLite reads in the order of the index: it does not see that an expression is always the same. */
function buildEquality(column: string, value: string, bind: Bindings): string {
  const bound = bind.add(value)
  return `${column} >= ${bound} AND ${column} <= ${bound}`
}

export function buildFolderCondition(folder: string, bind: Bindings): string {
  return buildPathCondition("coalesce(folder, '')", folder, bind)
}

/** The condition that a row of the tags is of the folded tag, or one nested below it. */
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
