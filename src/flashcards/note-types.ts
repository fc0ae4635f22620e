import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import type { RecordChange } from '../db/change-feed'
import type { Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { type Page, readCursor, toPage } from '../http/cursor'
import { changeOf, createLoad, revise, taken, writeStamps } from '../http/resource'
import { type Tagged, writeEtag } from '../http/responses'
import { nameSchemas, nullable } from '../http/schema'
import { DEFAULT_LIMIT } from '../http/values'
import { createSchemas, resourceRoutes } from '../resources/operations'
import type { ListQuery } from '../resources/resource'
import { hashNoteType, measureNoteType, type NoteTypeContent } from './facts/note-type'
import { listNoteTypesAfter, type NoteTypeRow, noteTypeOfRow, noteTypeTable } from './facts/note-type-store'

const CardTemplate = t.Object(
  {
    name: t.String(),
    question: t.String({ description: 'HTML with `{{Field}}`, as in Anki.' }),
    answer: t.String({ description: 'HTML with `{{Field}}`, as in Anki.' }),
  },
  { additionalProperties: false },
)

const Members = t.Record(t.String(), t.Unknown())
/** What else Anki has of a note type; see NotetypeSettings. */
const NoteTypeSettings = t.Object(
  { notetype: Members, fields: t.Array(Members), templates: t.Array(Members) },
  { additionalProperties: false, description: 'What else Anki has of it, such as fonts and LaTeX, as Anki names it.' },
)

export const noteTypeMembers = {
  anki_id: Type.Integer({ description: 'Its id in Anki.' }),
  name: t.String(),
  kind: t.Union([t.Literal('standard'), t.Literal('cloze'), t.Literal('image_occlusion')], {
    description: 'standard: a card for each template. The others: a card for each number of a cloze field.',
  }),
  fields: t.Array(t.String(), { description: 'The names of the fields, in order.' }),
  templates: t.Array(CardTemplate, { description: 'In the order of the ordinals of cards.' }),
  css: t.String(),
  settings: nullable(NoteTypeSettings),
}

const documented = {
  noun: 'note type',
  names: ['NoteType', 'NoteType'] as const,
  path: '/api/flashcards/note-types',
  tag: 'Facts and cards',
  shown: noteTypeMembers,
  examples: {
    shown: {
      id: '01980000-0000-7000-8000-000000000017',
      anki_id: 1_577_836_800_000,
      name: 'Vocabulary',
      kind: 'standard',
      fields: ['Word', 'Meaning', 'Sound'],
      templates: [
        {
          name: 'Recognition',
          question: 'What is {{Word}}?',
          answer: '{{FrontSide}}<hr id=answer>{{Meaning}} {{Sound}}',
        },
      ],
      css: '.card { font-family: arial; }',
      settings: {
        notetype: { sortf: 0, latexPre: '\\documentclass[12pt]{article}' },
        fields: [{ font: 'Arial', size: 20, rtl: false }],
        templates: [{ bqfmt: '{{Word}}' }],
      },
    },
  },
  notes: {
    list: 'Lists the note types of imported notes, by id: their fields, templates and CSS, as Anki has them.',
    get: 'Note types come with imports and never change, but for settings that were not known before.',
  },
}
const schemas = createSchemas(documented, false)

type NoteType = ReturnType<typeof writeStamps> & NoteTypeContent

/** `session.db` must be a transaction. */
export function createNoteTypeWriter({ record }: { readonly record: RecordChange }) {
  return {
    /** Stores a new note type. Throws conflict if its id is taken. */
    async insert(
      session: Session,
      stamps: Pick<NoteTypeRow, 'id' | 'revision' | 'created_at' | 'updated_at'>,
      noteType: NoteTypeContent,
    ): Promise<NoteTypeRow> {
      const { anki_id, name, kind, css, fields, templates } = noteType
      const row = await noteTypeTable.insert(session, {
        ...stamps,
        ...{ anki_id, name, kind, css },
        fields: JSON.stringify(fields),
        templates: JSON.stringify(templates),
        ...toSettingsColumns(noteType),
        hash: hashNoteType(noteType),
      })
      if (!row) throw taken('A note type with this id exists already.', stamps.id)
      await record(session, changeOf('note_type', row, 0, row.size_bytes))
      return row
    },

    async addSettings(
      session: Session,
      row: NoteTypeRow,
      settings: NonNullable<NoteTypeContent['settings']>,
      at: number,
    ): Promise<NoteTypeRow> {
      const next = revise(row, toSettingsColumns({ ...noteTypeOfRow(row), settings }), at)
      const saved = await noteTypeTable.update(session, next, row)
      await record(session, changeOf('note_type', saved, 0, saved.size_bytes - row.size_bytes))
      return saved
    },
  }
}

function toSettingsColumns(noteType: NoteTypeContent): Pick<NoteTypeRow, 'settings' | 'size_bytes'> {
  const { settings } = noteType
  return { settings: settings && JSON.stringify(settings), size_bytes: measureNoteType(noteType) }
}

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
async function listNoteTypes(session: Session, query: ListQuery): Promise<Page<NoteType>> {
  const limit = Number(query.limit ?? DEFAULT_LIMIT)
  const [first = null] = query.cursor === undefined ? [] : readCursor(query.cursor, 'note_types', ['string'])
  const rows: NoteTypeRow[] = []
  let bytes = 0
  for (let after = String(first ?? ''); rows.length <= limit && bytes <= PAGE_BYTES; after = rows.at(-1)?.id ?? '') {
    const next = await listNoteTypesAfter(session, after, ROWS_READ)
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

export function showNoteType(row: NoteTypeRow): Tagged<NoteType> {
  return { resource: { ...writeStamps(row), ...noteTypeOfRow(row) }, etag: writeEtag(row.revision) }
}

nameSchemas({ CardTemplate, NoteTypeSettings })

export function noteTypesRoutes({ api }: { readonly api: RequestPlugin }) {
  return resourceRoutes(documented, schemas, { api, service: { get: getNoteType, list: listNoteTypes } })
}
