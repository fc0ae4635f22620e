import type { Session } from '../../db/database'
import type { Portable, Readable } from '../../db/portable'
import { readCivilDate } from '../../http/civil'
import { createShape } from '../../http/shape'
import { readInstant, readOptional, writeInstant, writeOptional } from '../../http/values'
import { idOfDay } from '../daily/store'
import { readFilter } from '../filters'
import { checkedFolder, checkedTags, written } from '../note'
import { getNote, type NoteRow } from '../store'
import { markdownFiles } from '../transfer/export'
import { putImported } from '../transfer/store'
import type { Writer } from '../writer'
import { PortableNote } from './schema'
import { listNotesAfter, type StoredNote } from './store'

/** Notes that are read at a time, if they are small. */
const READ = 100

const toShape = createShape(PortableNote, 'the note')

/** Notes leave and come back with all that is stored of them but their links, which follow from their bodies. */
export function portableNotes(writer: Writer): Portable {
  return {
    type: 'note',

    async *items(db, workspace) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const rows = await listNotesAfter(db, workspace, after, READ)
        for (const row of rows) yield told(row)
        after = rows.at(-1)?.id
      }
    },

    async merge(session, item) {
      const note = toShape(item)
      const { db, workspace } = session
      const old = await getNote(db, workspace.id, note.id)
      if (old && old.revision >= note.revision) return 'unchanged'
      const row = await withFreeDay(session, rowOf(note, old))
      const { key } = old
        ? await writer.save(session, old, { ...row, key: old.key })
        : await writer.insert(session, row)
      if (note.imported) await putImported(db, workspace.id, key, note.imported)
      return old ? 'updated' : 'created'
    },
  }
}

function told(row: StoredNote): PortableNote {
  const { source_system: system, source_id: id, file_hash, note_hash } = row
  return {
    id: row.id,
    revision: row.revision,
    created_at: writeInstant(row.created_at),
    updated_at: writeInstant(row.updated_at),
    deleted_at: writeOptional(row.deleted_at),
    title: row.title,
    folder: row.folder,
    tags: JSON.parse(row.tags),
    pinned: row.pinned === 1,
    archived_at: writeOptional(row.archived_at),
    source: system === null || id === null ? null : { system, id },
    daily_date: row.daily_date,
    imported: file_hash === null || note_hash === null ? null : { file_hash, note_hash },
    properties: JSON.parse(row.properties),
    body: row.body,
  }
}

/** Throws invalid_request. The text is taken as it is: it was stored before. */
function rowOf(note: PortableNote, old: NoteRow | null): Omit<NoteRow, 'key'> {
  const { daily_date, source } = note
  return written({
    id: note.id,
    revision: note.revision,
    computed_revision: old?.computed_revision ?? 0,
    created_at: readInstant(note.created_at, '/created_at'),
    updated_at: readInstant(note.updated_at, '/updated_at'),
    deleted_at: readOptional(note.deleted_at, '/deleted_at'),
    title: note.title,
    folder: checkedFolder(note.folder),
    tags: checkedTags(note.tags),
    pinned: note.pinned,
    archived_at: readOptional(note.archived_at, '/archived_at'),
    source_system: source?.system ?? null,
    source_id: source?.id ?? null,
    daily_date: daily_date === null ? null : readCivilDate(daily_date, '/daily_date'),
    properties: note.properties,
    body: note.body,
    links_out: old?.links_out ?? 0,
    links_unresolved: old?.links_unresolved ?? 0,
    links_in: old?.links_in ?? 0,
  })
}

/** A day that has another living note keeps that one, as when a note is restored from the trash. */
async function withFreeDay<Row extends Omit<NoteRow, 'key'>>({ db, workspace }: Session, row: Row): Promise<Row> {
  if (row.daily_date === null || row.deleted_at !== null) return row
  const holder = await idOfDay(db, workspace.id, row.daily_date)
  return holder === null || holder === row.id ? row : { ...row, daily_date: null }
}

/** The notes outside the trash as Markdown files in their folders. */
export const readableNotes: Readable = async function* (read, workspace) {
  for await (const { name, content } of markdownFiles(read, workspace, readFilter({}, 'any')))
    yield { name: `notes/${name}`, content }
}
