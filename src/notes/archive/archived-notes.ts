import { type Static, Type as t } from '@sinclair/typebox'
import { type ArchivedType, type MergeAction, readPages } from '../../archive/archived-type'
import type { Reserve } from '../../db/change-feed'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { textBytes } from '../../http/resource'
import { ArchivedRevision, closed, Id, nullable, SourceInput } from '../../http/schema'
import { createValidator } from '../../http/validation'
import { columnsOfSource, readCivilDate, readInstant, readSource, readStamps, writeInstant } from '../../http/values'
import {
  checkBody,
  checkFolder,
  checkTitle,
  computeRow,
  NEW_NOTE,
  type NotesContext,
  normalizeTags,
  readOptionalMembers,
  toNote,
  writeProperties,
} from '../note'
import { changeLabel, checkLabel, readBody, refuseTooManyLabels } from '../revisions/revisions'
import { addVersionBody, packText, unpackText } from '../revisions/store'
import { Note } from '../schema'
import { findDailyNote, getNote, type NoteDraft, type NoteRow, putImportDigests } from '../store'
import {
  addVersion,
  getEarlierVersion,
  getVersionBefore,
  getVersionBody,
  getVersionPosition,
  listNotesAfter,
  listVersionsAfter,
  type StoredNote,
  type StoredVersion,
  setNewestVersion,
  type VersionBefore,
} from './store'

/** Writes notes and their versions to the archive of a workspace and merges them from it, without derived members. */

/** The most notes, or versions, in one read; large ones are fewer, see READ_BYTES in the store. */
const ROWS_PER_READ = 100

const DIGEST = t.String({ maxLength: 100 })

const { inline_tags, excerpt, word_count, checklist, links, ...stored } = Note.properties

const NoteLine = t.Object(
  {
    ...stored,
    revision: ArchivedRevision,
    source: nullable(SourceInput),
    /** The digests of its last import from a file. The next import uses them to detect changes in the file and here. */
    imported: nullable(t.Object({ file_hash: DIGEST, note_hash: DIGEST }, closed)),
    /** Absent: the note has none. */
    front_matter: t.Optional(t.String()),
  },
  closed,
)
type NoteLine = Static<typeof NoteLine>

const { title, folder, tags, properties, body } = Note.properties
const Content = t.Object({ title, folder, tags, properties, body }, closed)

const VersionLine = t.Object(
  {
    note_id: Id,
    /** The first revision of the note that had this content. */
    revision: ArchivedRevision,
    /** The last revision of the note that had this content. */
    last_revision: ArchivedRevision,
    updated_at: t.String(),
    label: nullable(t.String()),
    /** Grows with each change of the label. */
    label_revision: ArchivedRevision,
    /** The revision that made the body. */
    body_revision: ArchivedRevision,
    /** Null: the content of the current note. */
    content: nullable(Content),
  },
  closed,
)
type VersionLine = Static<typeof VersionLine>
type Version = VersionLine & { readonly at: number }

const readNoteLine = createValidator(NoteLine, 'the note')
const readVersionLine = createValidator(VersionLine, 'the version')

/** Links are not archived, since they follow from the bodies. */
export function createArchivedNotes({ writer }: NotesContext): ArchivedType {
  return {
    type: 'note',

    async *items(reader) {
      const list = (after: string) => listNotesAfter(reader, after, ROWS_PER_READ)
      for await (const rows of readPages('', list, ({ id }) => id)) yield* rows.map(toNoteLine)
    },

    async merge(session, item) {
      const note = readNoteLine(item)
      const old = await getNote(session, note.id)
      if (old && old.revision >= note.revision) return 'unchanged'
      const row = await withFreeDay(session, toNoteRow(note, old))
      const { key } = old
        ? await writer.replace(session, old, { ...row, key: old.key })
        : await writer.insert(session, row)
      if (note.imported) await putImportDigests(session, key, note.imported)
      return old ? 'updated' : 'created'
    },
  }
}

function toNoteLine(row: StoredNote): NoteLine {
  const { inline_tags, excerpt, word_count, checklist, links, ...stored } = toNote(row).resource
  const { file_hash, note_hash, front_matter } = row
  return {
    ...stored,
    ...(front_matter === '' ? {} : { front_matter }),
    imported: file_hash === null || note_hash === null ? null : { file_hash, note_hash },
  }
}

/** Converts an archived note to a row. Its text does not change, since it was stored before. Throws invalid_request. */
function toNoteRow({ source, imported: _, ...note }: NoteLine, old: NoteRow | null): NoteDraft {
  const { computed_revision, links_out, links_unresolved, links_in } = old ?? NEW_NOTE
  return computeRow({
    ...note,
    ...readStamps(note),
    ...columnsOfSource(readSource(source)),
    ...readOptionalMembers(note, null),
    front_matter: note.front_matter ?? '',
    tags: normalizeTags(note.tags),
    daily_date: note.daily_date === null ? null : readCivilDate(note.daily_date, '/daily_date'),
    ...{ computed_revision, links_out, links_unresolved, links_in },
  })
}

/** Removes the date of a daily note if its day has another living note, as when a note is restored from the trash. */
async function withFreeDay<Row extends NoteDraft>(session: Session, row: Row): Promise<Row> {
  if (row.daily_date === null || row.deleted_at !== null) return row
  const holder = await findDailyNote(session, row.daily_date)
  return holder === null || holder === row.id ? row : { ...row, daily_date: null }
}

/**
 * Makes the archived type of versions. An existing version always stays. If two histories differ, the existing versions
 * are kept, and versions of the archive are added where their revisions do not overlap.
 */
export function createArchivedVersions({ reserve }: NotesContext): ArchivedType {
  return {
    type: 'note_revision',

    async *items(reader) {
      const list = (after: { id: string; position: number }) => listVersionsAfter(reader, after, ROWS_PER_READ)
      const next = (row: StoredVersion) => ({ id: row.note_id, position: getVersionPosition(row) })
      for await (const rows of readPages({ id: '', position: 0 }, list, next)) yield* rows.map(toVersionLine)
    },

    async merge(session, item) {
      const version = checkVersion(readVersionLine(item))
      const existing = await getVersionBefore(session, version.note_id, version.last_revision)
      if (!existing) throw invalid('/note_id', 'unknown_note', 'note_id must be the id of a note')
      if (version.content === null) return mergeNewest(session, version, existing, reserve)
      if (existing.revision === version.revision) return mergeLabel(session, version, existing, reserve)
      const lastRevision = existing.revision === null ? 0 : (existing.last_revision ?? Number.POSITIVE_INFINITY)
      if (lastRevision >= version.revision)
        throw new ApiError('conflict', 'The note has another version with some of the same revisions.')
      return insertVersion(session, { ...version, content: version.content }, existing.key, reserve)
    },
  }
}

async function mergeLabel(
  session: Session,
  version: Version,
  existing: VersionBefore,
  reserve: Reserve,
): Promise<MergeAction> {
  if (version.label_revision <= (existing.label_revision ?? 1)) return 'unchanged'
  await changeLabel(session, existing, version, reserve)
  return 'updated'
}

/**
 * Merges the newest version of a note, whose content is in the line of the note. A note that was just created
 * from the archive seems to have its content and body only since that revision; this sets the real ones.
 */
async function mergeNewest(
  session: Session,
  version: Version,
  existing: VersionBefore,
  reserve: Reserve,
): Promise<MergeAction> {
  const beginning = await findBeginning(session, version, existing)
  if (beginning === null)
    return existing.revision === version.revision ? mergeLabel(session, version, existing, reserve) : 'unchanged'
  await setNewestVersion(session, existing.key, { ...beginning, updated_at: version.at })
  await mergeLabel(session, version, existing, reserve)
  return 'updated'
}

async function insertVersion(
  session: Session,
  version: Version & { readonly content: Static<typeof Content> },
  key: number,
  reserve: Reserve,
): Promise<MergeAction> {
  const { revision, last_revision, label, label_revision, content } = version
  if (label !== null) await refuseTooManyLabels(session, key)
  const { title, folder } = content
  const tags = JSON.stringify(normalizeTags(content.tags))
  const properties = packText(writeProperties(content.properties))
  const [body_revision, bodyBytes] = await putBodyOnce(session, key, version.body_revision, content.body)
  const rest = { label, label_revision, title, folder, tags, properties, body_revision }
  await addVersion(session, { key, revision, last_revision, updated_at: version.at, ...rest })
  const texts = textBytes(label, title, folder, tags)
  await reserve(session, texts + properties.length + bodyBytes)
  return 'created'
}

/**
 * Finds the revisions since which a note that was just created has its content and its body; null if they are correct
 * already or the note was not just created.
 */
async function findBeginning(
  session: Session,
  { revision, last_revision, body_revision }: Version,
  existing: VersionBefore,
) {
  const { key, note_revision } = existing
  const isNew = existing.revision === note_revision && last_revision === note_revision
  const earlier = isNew ? await getEarlierVersion(session, key, note_revision) : null
  if (!isNew || (earlier && earlier.last_revision >= revision)) return null
  const ownsBody = existing.body_revision === note_revision && !(await getVersionBody(session, key, body_revision))
  const beginning = { revision, body_revision: ownsBody ? body_revision : (existing.body_revision ?? note_revision) }
  const isCorrect = beginning.revision === existing.revision && beginning.body_revision === existing.body_revision
  return isCorrect ? null : beginning
}

/**
 * Stores a body unless it is already stored, since versions share bodies. Returns its revision and the number of added
 * bytes.
 */
async function putBodyOnce(session: Session, key: number, revision: number, body: string): Promise<[number, number]> {
  const stored = await getVersionBody(session, key, revision)
  if (stored && (stored.packed ? unpackText(stored.packed) : stored.text) === body) return [revision, 0]
  if (stored) throw new ApiError('conflict', 'The note has another body with the same revision.')
  const packed = packText(body)
  await addVersionBody(session, key, revision, packed)
  return [revision, packed.length]
}

/** Throws invalid_request. */
function checkVersion(version: VersionLine): Version {
  const { label, content, revision, last_revision, body_revision } = version
  if (last_revision < revision || body_revision > revision)
    throw invalid('/revision', 'invalid_value', 'revision must be between body_revision and last_revision')
  if (label !== null) checkLabel(label)
  if (content) {
    checkTitle(content.title)
    checkFolder(content.folder, '/content/folder')
    checkBody(content.body)
  }
  return { ...version, at: readInstant(version.updated_at, '/updated_at') }
}

function toVersionLine({
  title,
  folder,
  tags,
  properties,
  packed_body,
  present_body,
  ...row
}: StoredVersion): VersionLine {
  const isPresent = title === null || tags === null || properties === null
  const body = readBody({ present_body, packed_body })
  const content = isPresent
    ? null
    : { title, folder, tags: JSON.parse(tags), properties: JSON.parse(unpackText(properties)), body }
  return { ...row, updated_at: writeInstant(row.updated_at), content }
}
