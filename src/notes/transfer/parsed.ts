import type { ImportWarning as Warning } from '../../imports/kind'
import type { OnConflict } from '../../imports/schema'
import { FileFault } from '../../lib/file-fault'

/** What the parsers make of a file, before any database is asked. Plain data: a run keeps it as JSON. */

export type { Warning }

export type Format = 'markdown' | 'obsidian' | 'enex' | 'keep'

/** What a request asks for. */
export interface NotesParams {
  /** What its Content-Type says that the file is. */
  readonly kind: 'zip' | 'enex' | 'markdown'
  readonly format: Format | 'auto'
  /** Everything goes under this one; null is the root. */
  readonly folder: string | null
  readonly on_conflict: OnConflict
}

/** Where a note came from; see the member `source` of a note. */
export interface Source {
  readonly system: string
  readonly id: string
}

/** A note as a file tells of it. Instants are milliseconds; null is what the file does not say, unless told otherwise. */
export interface Draft {
  /** Null: to be derived from the body. */
  readonly title: string | null
  readonly body: string
  /** Null is the root. */
  readonly folder: string | null
  readonly tags: readonly string[]
  readonly pinned: boolean | null
  /** `now`: archived, the file does not say when. `not`: it says that the note is not archived. */
  readonly archived: number | 'now' | 'not' | null
  readonly properties: Readonly<Record<string, unknown>>
  readonly created_at: number | null
  readonly updated_at: number | null
  readonly daily_date: string | null
}

/** A note that was read. */
export interface ParsedNote {
  /** Satchel's own id, from an export. */
  readonly id: string | null
  readonly source: Source | null
  readonly draft: Draft
  readonly warnings: readonly Warning[]
}

/** Something that could not be read (`failed`), or that is no note (`skipped`). */
export interface ParsedOther {
  readonly source: Source | null
  readonly outcome: 'failed' | 'skipped'
  readonly warnings: readonly Warning[]
}

export type ParsedValue = ParsedNote | ParsedOther

/** The same with its place in the file, for the report. */
export type ParsedItem<Value extends ParsedValue = ParsedValue> = Value & { readonly path: string }

export { UnreadableItem as ItemFault } from '../../lib/unreadable-item'

/** For a file that is not read at all. The detail is for the caller. */
export const refused = (detail: string) => new FileFault('archive_refused', detail)

export function failed(path: string, fault: Warning, source: Source | null = null): ParsedItem<ParsedOther> {
  return { path, source, outcome: 'failed', warnings: [{ code: fault.code, detail: fault.detail }] }
}

export function skipped(
  path: string,
  code: string,
  detail: string,
  source: Source | null = null,
): ParsedItem<ParsedOther> {
  return { path, source, outcome: 'skipped', warnings: [{ code, detail }] }
}

/** A draft that says nothing but its text. */
export const EMPTY_DRAFT: Draft = {
  title: null,
  body: '',
  folder: null,
  tags: [],
  pinned: null,
  archived: null,
  properties: {},
  created_at: null,
  updated_at: null,
  daily_date: null,
}
