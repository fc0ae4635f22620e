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
