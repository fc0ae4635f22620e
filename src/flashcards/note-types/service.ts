import type { Session } from '../../db/database'
import { type Tagged, writeEtag } from '../../http/conditional'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { createLoad } from '../../http/resource'
import { DEFAULT_LIMIT, writeInstant } from '../../http/values'
import type { NoteTypeContent } from '../note-type'
import { listNoteTypesAfter, type NoteTypeRow, noteTypeOfRow, noteTypeTable } from '../note-type-store'
import type { ListNoteTypes, NoteType } from './schema'

/** Note types that are read at a time: each may have 1 MiB. */
const ROWS_READ = 5
/** A page of note types ends early at this size, with at least one item. */
const PAGE_BYTES = 4 * 1024 * 1024

const loadNoteType = createLoad('note type', noteTypeTable.get)

/** Throws not_found. */
export async function getNoteType(session: Session, id: string): Promise<Tagged<NoteType>> {
  return showNoteType(await loadNoteType(session, id))
}

/** Returns one page of note types, by id. Throws invalid_cursor. */
export async function listNoteTypes(session: Session, query: ListNoteTypes): Promise<Page<NoteType>> {
  const limit = Number(query.limit ?? DEFAULT_LIMIT)
  const [first = null] = query.cursor === undefined ? [] : readCursor(query.cursor, 'note_types', ['string'])
  const rows: NoteTypeRow[] = []
  let bytes = 0
  for (let after = String(first ?? ''); rows.length <= limit && bytes <= PAGE_BYTES; after = rows.at(-1)?.id ?? '') {
    const next = await listNoteTypesAfter(session.db, session.workspace.id, after, ROWS_READ)
    rows.push(...next)
    bytes += next.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
    if (next.length < ROWS_READ) break
  }
  const shown = bytes > PAGE_BYTES ? Math.max(1, Math.min(limit, rows.length - ROWS_READ)) : limit
  return toPage(
    rows,
    shown,
    'note_types',
    ({ id }) => [id],
    (row) => showNoteType(row).resource,
  )
}

function showSettings(settings: NoteTypeContent['settings']): NoteType['settings'] {
  return settings && { ...settings, fields: [...settings.fields], templates: [...settings.templates] }
}

export function showNoteType(row: NoteTypeRow): Tagged<NoteType> {
  const { id, revision, created_at, updated_at } = row
  const { fields, templates, settings, ...members } = noteTypeOfRow(row)
  const stamps = { id, revision, created_at: writeInstant(created_at), updated_at: writeInstant(updated_at) }
  return {
    resource: {
      ...stamps,
      ...members,
      fields: [...fields],
      templates: [...templates],
      settings: showSettings(settings),
    },
    etag: writeEtag(revision),
  }
}
