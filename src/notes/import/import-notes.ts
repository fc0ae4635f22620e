import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import type { ImportKind, ImportWarning, Line, Step, StoredItem } from '../../imports/kind'
import { attempt, EarlierItems, failedLine, findEarlierFile } from '../../imports/lines'
import type { ImportOrder } from '../../imports/receive-import'
import type { OnConflict } from '../../imports/schema'
import type { AttachmentContext } from '../attachments/file-links'
import { createAttachmentImport, nameNoteFiles } from '../attachments/import'
import { nameOfNoteFile } from '../attachments/names'
import { checkFolder } from '../note'
import type { ImportNotesQuery } from '../schema'
import { withTagSpelling } from '../service'
import {
  findDailyNote,
  findNoteBySource,
  getFileHashes,
  getImportDigests,
  getNote,
  type NoteRow,
  putImportDigests,
} from '../store'
import {
  changeImportedRow,
  createImportedRow,
  hashDraft,
  hashNote,
  hasSameContent,
  withPlausibleDates,
} from './imported-rows'
import type { AttachedFile, NotesImportParams, ParsedNote, ParsedValue } from './parsed'

// Notes of a vault are known by their paths, and two vaults may have notes of one path, such as README.md.

const OTHER_FILE: ImportWarning = {
  code: 'other_file',
  detail:
    'Another archive was imported before, and most notes whose paths both have differ. So nothing of that one was changed: the notes of this archive are new.',
}

interface FoundArchive {
  readonly first: string
  /** What the archive adds to the source ids of its notes, so that those of another one are others. */
  readonly suffix: string
  readonly isKnown: boolean
  readonly isOther: boolean
}

/** Finds the archive of a group of notes; null if their paths are not their sources. */
async function findArchive(step: Step, items: readonly StoredItem<ParsedValue>[]): Promise<FoundArchive | null> {
  const note = items.map(({ value }) => value).find((value) => 'draft' in value && value.archive)
  if (!note || !('draft' in note) || !note.archive || !note.source) return null
  const { first, sample } = note.archive
  const known = step.lineOfKey(first)?.left as { readonly suffix: string } | undefined
  if (known) return { first, ...known, isKnown: true, isOther: false }
  const [whole] = sample.length > 0 ? [] : step.itemsOfKey<ParsedValue>(first)
  const notes = whole && 'draft' in whole.value ? (whole.value.archive?.sample ?? []) : sample
  const { db, workspace } = step.session
  const { system } = note.source
  const compare = async (number: number) => {
    const suffix = toSuffix(String(number))
    const ids = notes.map(({ id }) => id + suffix)
    const hashes = await getFileHashes({ db, workspace }, system, ids)
    const same = notes.filter(({ id, digest }) => hashes.get(id + suffix) === digest).length
    return { same, changed: hashes.size - same }
  }
  const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify(notes)).digest('base64url').slice(0, 16)
  const { name, isOther } = await findEarlierFile(compare, notes.length, digest)
  return { first, suffix: toSuffix(name), isKnown: false, isOther }
}

/** No path of a note ends like this. */
const toSuffix = (name: string): string => (name === '0' ? '' : `#${name}`)

/** Returns the note with the source id that it has among those of its archive. */
function withNumber(value: ParsedValue, suffix: string): ParsedValue {
  if (!('draft' in value) || !value.archive || !value.source) return value
  return { ...value, source: { ...value.source, id: value.source.id + suffix } }
}

/** Leaves with the first line which archive it is. */
function withArchive(line: Line, { suffix, isKnown, isOther }: FoundArchive): Line {
  if (isKnown) return line
  return { ...line, left: { suffix }, warnings: [...(isOther ? [OTHER_FILE] : []), ...(line.warnings ?? [])] }
}

const KIND = 'notes'

type FileType = { readonly kind: NotesImportParams['kind']; readonly formats: readonly string[] }

const FILE_TYPES: Readonly<Record<string, FileType>> = {
  'application/zip': { kind: 'zip', formats: ['markdown', 'obsidian', 'keep'] },
  'application/enex+xml': { kind: 'enex', formats: ['enex'] },
  'text/markdown': { kind: 'markdown', formats: ['markdown', 'obsidian'] },
}

/**
 * Makes the order of an import from its query.
 * @throws ApiError invalid_request; also from `params`, if a file of the type cannot have the format
 */
export function createNotesImportOrder({
  format = 'auto',
  on_conflict = 'skip',
  dry_run,
  folder,
}: ImportNotesQuery): ImportOrder {
  checkFolder(folder ?? null)
  return {
    kind: KIND,
    types: Object.keys(FILE_TYPES),
    dryRun: dry_run === 'true',
    params(type): NotesImportParams {
      const { kind = 'zip', formats = [] } = FILE_TYPES[type] ?? {}
      if (format !== 'auto' && !formats.includes(format)) {
        const detail = `format of this kind of file must be one of auto, ${formats.join(', ')}`
        throw invalid('/format', 'invalid_value', detail)
      }
      return { kind, format, folder: folder ?? null, on_conflict }
    },
  }
}

type Item = StoredItem<ParsedValue>

/** Imports files of notes. A repeated import finds earlier notes by their ids or sources. */
export function createNotesImport(
  context: Pick<AttachmentContext, 'now' | 'ids' | 'writer' | 'attachmentWriter' | 'blobs'>,
): ImportKind<NotesImportParams, ParsedValue | AttachedFile> {
  const { now, ids, writer } = context
  const importAttachment = createAttachmentImport(context)

  async function createNote(session: Session, note: ParsedNote, id: string | null): Promise<Line> {
    const date = note.draft.daily_date
    const isDateTaken = date !== null && (await findDailyNote(session, date)) !== null
    const draft = isDateTaken ? { ...note.draft, daily_date: null } : note.draft
    const row = await withTagSpelling(session, createImportedRow({ ...note, draft }, id ?? ids(), now()))
    const created = await writer.insert(session, row)
    await saveImportDigests(session, created, note)
    const warning = { code: 'daily_date_taken', detail: `There is already a daily note of ${date}.` }
    return { action: 'created', id: created.id, warnings: isDateTaken ? [warning] : [] }
  }

  /**
   * Merges a note of the file into the existing one, if it changed in the file since the last import. If the existing
   * note changed since then, too, `onConflict` decides.
   */
  async function mergeNote(session: Session, onConflict: OnConflict, old: NoteRow, note: ParsedNote): Promise<Line> {
    const unchanged: Line = { action: 'unchanged', id: old.id }
    if (old.deleted_at !== null)
      return { action: 'skipped', id: old.id, warnings: [{ code: 'in_trash', detail: 'The note is in the trash.' }] }
    const last = await getImportDigests(session, old.key)
    if (last?.file_hash === hashDraft(note.draft)) return unchanged
    const next = await withTagSpelling(session, changeImportedRow(old, note.draft, now()))
    if (hasSameContent(old, next)) {
      await saveImportDigests(session, old, note)
      return unchanged
    }
    const isConflict = last?.note_hash !== hashNote(old)
    if (isConflict && onConflict === 'skip') return { action: 'skipped', id: old.id, warnings: [CONFLICT_WARNING] }
    if (isConflict && onConflict === 'copy') return createCopy(session, old, note, last?.note_hash ?? '')
    await saveImportDigests(session, await writer.replace(session, old, next), note)
    return { action: 'updated', id: old.id, warnings: isConflict ? [CONFLICT_WARNING] : [] }
  }

  /** Keeps the existing note and creates a copy of the file's note. The digest makes it one copy for each content. */
  async function createCopy(session: Session, old: NoteRow, note: ParsedNote, noteHash: string): Promise<Line> {
    const created = await createNote(
      session,
      { ...note, source: null, draft: { ...note.draft, daily_date: null } },
      null,
    )
    await putImportDigests(session, old.key, { file_hash: hashDraft(note.draft), note_hash: noteHash })
    return { ...created, warnings: [CONFLICT_WARNING] }
  }

  async function importItem(
    session: Session,
    onConflict: OnConflict,
    earlier: EarlierItems,
    item: Item,
  ): Promise<Line> {
    const { key } = item
    if (!('draft' in item.value)) return toLine(item.value, { action: item.value.outcome, id: null })
    const value = withPlausibleDates(await withFileNames(session, item.value), now())
    const old = await findExisting(session, value)
    const date = value.draft.daily_date
    const dailyNote = date === null ? null : await findDailyNote(session, date)
    if (earlier.hasKey(key) || earlier.hasMet(old?.id ?? null) || earlier.hasMet(dailyNote))
      return toLine(value, { action: 'failed', id: null, warnings: [DUPLICATE_WARNING] })
    return toLine(
      value,
      await (old ? mergeNote(session, onConflict, old, value) : createNote(session, value, value.id)),
    )
  }

  /**
   * Imports items, and returns the line of each for the report.
   * @param isApart true: each item has a savepoint, and one that fails is rolled back and reported
   */
  async function importItems(step: Step<NotesImportParams>, items: readonly Item[], isApart: boolean): Promise<Line[]> {
    const { session, params } = step
    const earlier = new EarlierItems(step)
    const archive = await findArchive(step, items)
    const lines: Line[] = []
    for (const read of items) {
      const item = archive ? { ...read, value: withNumber(read.value, archive.suffix) } : read
      const write = (inside: Session) => importItem(inside, params.on_conflict, earlier, item)
      const result = await (isApart ? attempt(session, write) : write(session))
      const line = result instanceof ApiError ? toLine(item.value, failedLine(result)) : result
      earlier.add(item.key, line.id)
      lines.push(archive && item.key === archive.first ? withArchive(line, archive) : line)
    }
    return lines
  }

  async function importFiles(step: Step<NotesImportParams>, items: readonly StoredItem<AttachedFile>[]) {
    const lines: Line[] = []
    for (const item of items) {
      const line = await importAttachment(step, item, step.params.on_conflict)
      lines.push(line)
      if (line.again) break
    }
    return lines
  }

  return {
    name: KIND,
    reader: new URL('./read-worker.ts', import.meta.url),
    passes: [
      // For a savepoint SQLite copies every changed page. Since items rarely fail, all share one savepoint at first.
      async (step, items) => {
        const [first] = items
        if (first && isAttachedFile(first)) return importFiles(step, items.filter(isAttachedFile))
        const notes = items.filter(isNote)
        const lines = await attempt(step.session, (session) => importItems({ ...step, session }, notes, false))
        return lines instanceof ApiError ? importItems(step, notes, true) : lines
      },
    ],
  }
}

/** Attachments come after all notes; see readNotes. */
function isAttachedFile(item: StoredItem<ParsedValue | AttachedFile>): item is StoredItem<AttachedFile> {
  return 'attached' in item.value
}

function isNote(item: StoredItem<ParsedValue | AttachedFile>): item is Item {
  return !isAttachedFile(item)
}

const CONFLICT_WARNING = { code: 'conflict', detail: 'The note was changed both here and in the file.' }
const DUPLICATE_WARNING = { code: 'duplicate', detail: 'The file contains this note twice.' }

/** Has a note show its files by the names that they have in the workspace. */
async function withFileNames(session: Session, note: ParsedNote): Promise<ParsedNote> {
  const { files = [], draft } = note
  if (files.length === 0) return note
  const names = await nameNoteFiles(session, draft.folder, files)
  const renamed = new Map(files.map((file, i): [string, string] => [nameOfNoteFile(file), names[i] ?? file.name]))
  const body = draft.body.replace(/\[\[([^[\]|]+)\]\]/g, (link, name: string) =>
    renamed.has(name) ? `[[${renamed.get(name)}]]` : link,
  )
  return { ...note, draft: { ...draft, body } }
}

async function findExisting(session: Session, { id, source }: ParsedNote): Promise<NoteRow | null> {
  const byId = id === null ? null : await getNote(session, id)
  if (byId || source === null) return byId
  const idBySource = await findNoteBySource(session, source.system, source.id)
  return idBySource === null ? null : getNote(session, idBySource)
}

async function saveImportDigests(session: Session, note: NoteRow, { draft }: ParsedNote): Promise<void> {
  await putImportDigests(session, note.key, { file_hash: hashDraft(draft), note_hash: hashNote(note) })
}

function toLine({ source, warnings }: ParsedValue, line: Line): Line {
  return { ...line, source, warnings: [...warnings, ...(line.warnings ?? [])] }
}
