import { type Static, Type as t } from '@sinclair/typebox'
import { type ArchivedType, type MergeAction, readPages } from '../../archive/archived-type'
import type { Reserve } from '../../db/change-feed'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { ArchivedRevision, Id, nullable } from '../../http/schema'
import { createValidator } from '../../http/validation'
import { readCivilDate, readInstant, readOptional, readStamps, writeInstant } from '../../http/values'
import {
  checkBody,
  checkFolder,
  checkTitle,
  computeRow,
  NO_LINKS,
  normalizeTags,
  toNote,
  toSourceColumns,
  writeProperties,
} from '../note'
import { checkLabel, MAX_REVISION_LABELS } from '../revisions/service'
import { addVersionBody, countLabels, packText, unpackText } from '../revisions/store'
import { NoteSource } from '../schema'
import { findDailyNote, getNote, type NoteDraft, type NoteRow, putImportDigests } from '../store'
import type { NoteWriter } from '../writer'
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
  setVersionLabel,
  type VersionBefore,
} from './store'

/** Notes and their versions as lines of the archive of a workspace, without what is derived from them. */

/** Notes, or versions, that are read at a time, if they are small. */
const ROWS_PER_READ = 100

const closed = { additionalProperties: false }
const TAGS = t.Array(t.String(), { maxItems: 64 })
const PROPERTIES = t.Record(t.String(), t.Unknown())
const DIGEST = t.String({ maxLength: 100 })

const NoteLine = t.Object(
  {
    id: Id,
    revision: ArchivedRevision,
    created_at: t.String(),
    updated_at: t.String(),
    deleted_at: nullable(t.String()),
    title: t.String(),
    folder: nullable(t.String()),
    tags: TAGS,
    pinned: t.Boolean(),
    archived_at: nullable(t.String()),
    source: nullable(NoteSource),
    daily_date: nullable(t.String()),
    /** Digests of its last import from a file: so the next one finds what was changed here, and what there. */
    imported: nullable(t.Object({ file_hash: DIGEST, note_hash: DIGEST }, closed)),
    properties: PROPERTIES,
    body: t.String(),
  },
  closed,
)
type NoteLine = Static<typeof NoteLine>

const Content = t.Object(
  { title: t.String(), folder: nullable(t.String()), tags: TAGS, properties: PROPERTIES, body: t.String() },
  closed,
)

const VersionLine = t.Object(
  {
    note_id: Id,
    /** The revisions of the note that had this content, the first and the last. */
    revision: ArchivedRevision,
    last_revision: ArchivedRevision,
    updated_at: t.String(),
    label: nullable(t.String()),
    /** Grows with each change of the label. */
    label_revision: ArchivedRevision,
    /** The revision that made the body. */
    body_revision: ArchivedRevision,
    /** Null: the note as it is. */
    content: nullable(Content),
  },
  closed,
)
type VersionLine = Static<typeof VersionLine>
type Version = VersionLine & { readonly at: number }

const readNoteLine = createValidator(NoteLine, 'the note')
const readVersionLine = createValidator(VersionLine, 'the version')

/** Notes with all that is stored of them but their links, which follow from their bodies. */
export function createArchivedNotes(writer: NoteWriter): ArchivedType {
  return {
    type: 'note',

    async *items(db, workspace) {
      const list = (after: string) => listNotesAfter(db, workspace, after, ROWS_PER_READ)
      for await (const rows of readPages('', list, ({ id }) => id)) yield* rows.map(toNoteLine)
    },

    async merge(session, item) {
      const note = readNoteLine(item)
      const { db, workspace } = session
      const old = await getNote(db, workspace.id, note.id)
      if (old && old.revision >= note.revision) return 'unchanged'
      const row = await withFreeDay(session, toNoteRow(note, old))
      const { key } = old
        ? await writer.replace(session, old, { ...row, key: old.key })
        : await writer.insert(session, row)
      if (note.imported) await putImportDigests(db, workspace.id, key, note.imported)
      return old ? 'updated' : 'created'
    },
  }
}

function toNoteLine(row: StoredNote): NoteLine {
  const { inline_tags, excerpt, word_count, checklist, links, ...stored } = toNote(row).resource
  const { file_hash, note_hash } = row
  return { ...stored, imported: file_hash === null || note_hash === null ? null : { file_hash, note_hash } }
}

/** Throws invalid_request. The text is taken as it is: it was stored before. */
function toNoteRow({ source, imported: _, ...note }: NoteLine, old: NoteRow | null): NoteDraft {
  const { computed_revision, links_out, links_unresolved, links_in } = old ?? { computed_revision: 0, ...NO_LINKS }
  return computeRow({
    ...note,
    ...readStamps(note),
    ...toSourceColumns(source),
    folder: checkFolder(note.folder),
    tags: normalizeTags(note.tags),
    archived_at: readOptional(note.archived_at, '/archived_at'),
    daily_date: note.daily_date === null ? null : readCivilDate(note.daily_date, '/daily_date'),
    ...{ computed_revision, links_out, links_unresolved, links_in },
  })
}

/** A day that has another living note keeps that one, as when a note is restored from the trash. */
async function withFreeDay<Row extends NoteDraft>({ db, workspace }: Session, row: Row): Promise<Row> {
  if (row.daily_date === null || row.deleted_at !== null) return row
  const holder = await findDailyNote(db, workspace.id, row.daily_date)
  return holder === null || holder === row.id ? row : { ...row, daily_date: null }
}

/**
 * The history of notes. A version that is here stays, whatever its content: of two histories that went apart, the notes
 * of the one that is here are kept, and of the other what fits in between.
 */
export function createArchivedVersions(reserve: Reserve): ArchivedType {
  return {
    type: 'note_revision',

    async *items(db, workspace) {
      const list = (after: { id: string; place: number }) => listVersionsAfter(db, workspace, after, ROWS_PER_READ)
      const next = (row: StoredVersion) => ({ id: row.note_id, place: getVersionPosition(row) })
      for await (const rows of readPages({ id: '', place: 0 }, list, next)) yield* rows.map(toVersionLine)
    },

    async merge(session, item) {
      const version = checkVersion(readVersionLine(item))
      const { db, workspace } = session
      const here = await getVersionBefore(db, workspace.id, version.note_id, version.last_revision)
      if (!here) throw invalid('/note_id', 'unknown_note', 'note_id must be the id of a note')
      if (version.content === null) return mergeNewest(session, version, here, reserve)
      if (here.revision === version.revision) return mergeLabel(session, version, here, reserve)
      const lastHere = here.revision === null ? 0 : (here.last_revision ?? Number.POSITIVE_INFINITY)
      if (lastHere >= version.revision)
        throw new ApiError('conflict', 'The note has another version of the same revisions.')
      return insertVersion(session, { ...version, content: version.content }, here.key, reserve)
    },
  }
}

async function mergeLabel(
  session: Session,
  version: Version,
  here: VersionBefore,
  reserve: Reserve,
): Promise<MergeAction> {
  const { label, label_revision, revision } = version
  if (label_revision <= (here.label_revision ?? 1)) return 'unchanged'
  if (label !== null && here.label === null) await refuseTooManyLabels(session, here.key)
  await setVersionLabel(session.db, session.workspace.id, { key: here.key, revision, label, label_revision })
  await reserve(session, Buffer.byteLength(label ?? '') - Buffer.byteLength(here.label ?? ''))
  return 'updated'
}

/**
 * A note that has just been made has its content since the revision that it came with, and its body too. Here is since
 * when it really has.
 */
async function mergeNewest(
  session: Session,
  version: Version,
  here: VersionBefore,
  reserve: Reserve,
): Promise<MergeAction> {
  const { db, workspace } = session
  const since = await findBeginning(session, version, here)
  if (since === null)
    return here.revision === version.revision ? mergeLabel(session, version, here, reserve) : 'unchanged'
  await setNewestVersion(db, workspace.id, here.key, { ...since, updated_at: version.at })
  await mergeLabel(session, version, here, reserve)
  return 'updated'
}

async function insertVersion(
  session: Session,
  version: Version & { readonly content: Static<typeof Content> },
  key: number,
  reserve: Reserve,
): Promise<MergeAction> {
  const { db, workspace } = session
  const { revision, last_revision, label, label_revision, content } = version
  if (label !== null) await refuseTooManyLabels(session, key)
  const { title, folder } = content
  const tags = JSON.stringify(normalizeTags(content.tags))
  const properties = packText(writeProperties(content.properties))
  const [body_revision, bodyBytes] = await putBodyOnce(session, key, version.body_revision, content.body)
  const rest = { label, label_revision, title, folder, tags, properties, body_revision }
  await addVersion(db, workspace.id, { key, revision, last_revision, updated_at: version.at, ...rest })
  const texts = [label ?? '', title, folder ?? '', tags].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  await reserve(session, texts + properties.length + bodyBytes)
  return 'created'
}

/** The revisions that made the content and the body of a note that has just been made; null where nothing is to be set right. */
async function findBeginning(
  { db, workspace }: Session,
  { revision, last_revision, body_revision }: Version,
  here: VersionBefore,
) {
  const { key, note_revision } = here
  const isJustMade = here.revision === note_revision && last_revision === note_revision
  const earlier = isJustMade ? await getEarlierVersion(db, workspace.id, key, note_revision) : null
  if (!isJustMade || (earlier && earlier.last_revision >= revision)) return null
  const isOwn = here.body_revision === note_revision && !(await getVersionBody(db, workspace.id, key, body_revision))
  const since = { revision, body_revision: isOwn ? body_revision : (here.body_revision ?? note_revision) }
  return since.revision === here.revision && since.body_revision === here.body_revision ? null : since
}

/** Stores a body unless it is stored already: versions share one. Returns its revision, and how many bytes were added. */
async function putBodyOnce(
  { db, workspace }: Session,
  key: number,
  revision: number,
  body: string,
): Promise<[number, number]> {
  const kept = await getVersionBody(db, workspace.id, key, revision)
  if (kept && (kept.packed ? unpackText(kept.packed) : kept.text) === body) return [revision, 0]
  if (kept) throw new ApiError('conflict', 'The note has another body of the same revision.')
  const packed = packText(body)
  await addVersionBody(db, key, revision, packed)
  return [revision, packed.length]
}

async function refuseTooManyLabels({ db, workspace }: Session, key: number): Promise<void> {
  if ((await countLabels(db, workspace.id, key)) >= MAX_REVISION_LABELS)
    throw new ApiError('conflict', `A note may have ${MAX_REVISION_LABELS} labelled revisions.`)
}

/** Throws invalid_request. */
function checkVersion(version: VersionLine): Version {
  const { label, content, revision, last_revision, body_revision } = version
  if (last_revision < revision || body_revision > revision)
    throw invalid('/revision', 'invalid_value', 'revision must lie between body_revision and last_revision')
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
  const body = present_body ?? (packed_body ? unpackText(packed_body) : '')
  const content = isPresent
    ? null
    : { title, folder, tags: JSON.parse(tags), properties: JSON.parse(unpackText(properties)), body }
  return { ...row, updated_at: writeInstant(row.updated_at), content }
}
