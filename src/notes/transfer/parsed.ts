/** What the parsers make of a file, before any database is asked. Plain data: it crosses from the Worker. */

export type Format = 'markdown' | 'obsidian' | 'enex' | 'keep'

/** Something worth telling about an item that was read all the same. Codes are stable. */
export interface Warning {
  readonly code: string
  readonly detail: string
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

/** A note that was read. `path` is its place in the file, for the report. */
export interface ParsedNote {
  readonly path: string
  /** Satchel's own id, from an export. */
  readonly id: string | null
  readonly source: Source | null
  readonly draft: Draft
  readonly warnings: readonly Warning[]
}

/** Something that could not be read (`failed`), or that is no note (`skipped`). */
export interface ParsedOther {
  readonly path: string
  readonly source: Source | null
  readonly outcome: 'failed' | 'skipped'
  readonly warnings: readonly Warning[]
}

export type ParsedItem = ParsedNote | ParsedOther

/** A file that is not read at all: 400 archive_refused. The detail is for the caller. */
export { FileFault as ArchiveFault } from '../../http/in-worker'
export { ItemFault } from '../../http/item-fault'

export function failed(path: string, fault: Warning, source: Source | null = null): ParsedOther {
  return { path, source, outcome: 'failed', warnings: [{ code: fault.code, detail: fault.detail }] }
}

export function skipped(path: string, code: string, detail: string, source: Source | null = null): ParsedOther {
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
