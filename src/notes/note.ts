import type { BlobStaging } from '../blobs/staging'
import type { RecordChange, Reserve } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import { invalid } from '../http/api-error'
import { mergePatch } from '../http/request'
import { createRefuseTakenSource, createResourceWriter, revise, textBytes } from '../http/resource'
import { type Tagged, writeEtag } from '../http/responses'
import {
  columnsOfSource,
  patchSource,
  readInstant,
  readOptional,
  readSource,
  requireLength,
  sourceOfRow,
  writeInstant,
  writeOptional,
} from '../http/values'
import type { Imports } from '../imports/service'
import { editNames, stripByteOrderMark, titleKey } from '../lib/text'
import { checkFileName, withFollowedName } from './file-name'
import {
  MAX_FOLDER_CHARS,
  MAX_FOLDER_LEVELS,
  MAX_NOTE_BODY_BYTES,
  MAX_PROPERTIES_BYTES,
  MAX_PROPERTIES_LEVELS,
  MAX_TAG_CHARS,
  MAX_TITLE_CHARS,
} from './limits'
import type { HeadingRename } from './markdown/headings'
import { deriveMembers, yieldIfLarge } from './markdown/scan-markdown'
import type { CreateNote, Note, NoteSummary, UpdateNote } from './schema'
import {
  eraseNote,
  findNoteBySource,
  getNote,
  insertNote,
  type NoteDraft,
  type NoteRow,
  type SummaryRow,
  updateNote,
} from './store'

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const CONTROL_CHARACTER = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

export interface MarkdownText {
  readonly text: string
  /** The front matter with its `---` lines; empty without one. */
  readonly block: string
  /** The front matter to store: the block without what Satchel added. */
  readonly front_matter: string
}

/** The members that are null until a request sets them, each with what reads it for the column of its name. */
const OPTIONAL = {
  file_name: checkFileName,
  folder: (folder: string | null) => checkFolder(folder),
  archived_at: (text: string | null) => readOptional(text, '/archived_at'),
}
type OptionalName = keyof typeof OPTIONAL
const OPTIONAL_NAMES = Object.keys(OPTIONAL) as OptionalName[]

/** What is not sent stays as it was. Throws invalid_request. */
export function readOptionalMembers(sent: Pick<UpdateNote, OptionalName>, old: Pick<NoteRow, OptionalName> | null) {
  const read = OPTIONAL_NAMES.map((name) => {
    const value = sent[name]
    return [name, value === undefined ? (old?.[name] ?? null) : OPTIONAL[name](value)]
  })
  return Object.fromEntries(read) as Pick<NoteRow, OptionalName>
}

/** @param at now, in milliseconds since 1970 @throws ApiError invalid_request */
export function createNoteRow(input: CreateNote, id: string, at: number, front_matter = ''): NoteDraft {
  return computeRow({
    ...NEW_NOTE,
    id,
    ...readDates(input, at),
    title: input.title ?? null,
    ...readOptionalMembers(input, null),
    tags: normalizeTags(input.tags ?? []),
    pinned: input.pinned ?? false,
    properties: input.properties ?? {},
    ...columnsOfSource(readSource(input.source)),
    body: stripByteOrderMark(input.body ?? ''),
    front_matter,
  })
}

/** Reads the dates of a new note. @throws ApiError invalid_request for one in the future, or updated before created */
function readDates({ created_at, updated_at }: CreateNote, now: number): Pick<NoteRow, 'created_at' | 'updated_at'> {
  const read = (text: string | undefined, pointer: string): number | undefined => {
    const at = text === undefined ? undefined : readInstant(text, pointer)
    if (at !== undefined && at > now)
      throw invalid(pointer, 'in_future', `${pointer.slice(1)} must not be in the future`)
    return at
  }
  const updated = read(updated_at, '/updated_at')
  const created = read(created_at, '/created_at') ?? updated ?? now
  if (updated !== undefined && updated < created)
    throw invalid('/updated_at', 'out_of_range', 'updated_at must not be before created_at')
  return { created_at: created, updated_at: updated ?? now }
}

/**
 * Applies a merge patch to a note. Returns null if the patch changes nothing. Throws invalid_request.
 * @param front_matter the front matter that the patch was read from
 */
export function patchRow(old: NoteRow, patch: UpdateNote, at: number, front_matter = old.front_matter): NoteRow | null {
  const properties = JSON.parse(old.properties)
  const patched = computeRow({
    ...old,
    revision: old.revision + 1,
    updated_at: at,
    title: patch.title === undefined ? old.title : patch.title,
    ...readOptionalMembers(patch, old),
    tags: patch.tags === undefined ? JSON.parse(old.tags) : normalizeTags(patch.tags),
    pinned: patch.pinned ?? old.pinned === 1,
    properties: patch.properties === undefined ? properties : (mergePatch(properties, patch.properties) ?? {}),
    ...(patch.source === undefined ? {} : columnsOfSource(readSource(patchSource(sourceOfRow(old), patch.source)))),
    body: patch.body === undefined ? old.body : stripByteOrderMark(patch.body),
    front_matter,
  })
  const next = patch.file_name === undefined ? withFollowedName(patched, old) : patched
  return STORED_MEMBERS.every((member) => next[member] === old[member]) ? null : { ...next, key: old.key }
}

export function relocateRow(old: NoteRow, location: Pick<NoteRow, 'folder' | 'tags'>, at: number): NoteRow {
  const measure = (note: typeof location) => textBytes(note.folder, note.tags)
  const size_bytes = old.size_bytes + measure(location) - measure(old)
  return revise(old, { ...location, size_bytes }, at)
}

/** The members that a client can set. A patch that changes none of them makes no new revision. */
const STORED_MEMBERS = [
  ...OPTIONAL_NAMES,
  'title',
  'tags',
  'pinned',
  'properties',
  'source_system',
  'source_id',
  'source_url',
  'daily_date',
  'body',
  'front_matter',
] as const

/** What every new note begins with, before its links are resolved. */
export const NEW_NOTE = {
  ...{ revision: 1, computed_revision: 0, deleted_at: null, daily_date: null },
  ...{ links_out: 0, links_unresolved: 0, links_in: 0 },
  ...readOptionalMembers({}, null),
} as const

type ComputedMember =
  | 'title_key'
  | 'inline_tags'
  | 'excerpt'
  | 'word_count'
  | 'checklist_total'
  | 'checklist_done'
  | 'size_bytes'

/** A note without its computed members. A null title is derived from the body. */
export type UncomputedNote = Omit<NoteRow, 'key' | ComputedMember | 'title' | 'tags' | 'pinned' | 'properties'> & {
  readonly title: string | null
  readonly tags: readonly string[]
  readonly pinned: boolean
  readonly properties: unknown
}

/** Adds the computed members to a note. Throws invalid_request if its title, body or properties break a limit. */
export function computeRow(draft: UncomputedNote): NoteDraft {
  const bodyBytes = checkBody(draft.body)
  const { title, excerpt, word_count, inline_tags, checklist } = deriveMembers(draft.body, draft.title)
  checkTitle(title)
  const tags = JSON.stringify(draft.tags)
  const properties = writeProperties(draft.properties)
  const texts = textBytes(title, draft.file_name, draft.folder, tags, draft.source_url, draft.front_matter)
  return {
    ...draft,
    title,
    title_key: titleKey(title),
    tags,
    inline_tags: JSON.stringify(inline_tags),
    pinned: draft.pinned ? 1 : 0,
    properties,
    excerpt,
    word_count,
    checklist_total: checklist.total,
    checklist_done: checklist.done,
    size_bytes: bodyBytes + texts + Buffer.byteLength(properties),
  }
}

/** In bytes. Throws invalid_request if it is too large. */
export function checkBody(body: string): number {
  const bytes = Buffer.byteLength(body)
  if (bytes > MAX_NOTE_BODY_BYTES)
    throw invalid('/body', 'too_long', `body must be at most ${MAX_NOTE_BODY_BYTES} bytes`)
  return bytes
}

/** Writes properties as JSON. Throws invalid_request if they are too large or nest too deep. */
export function writeProperties(properties: unknown): string {
  const json = JSON.stringify(properties)
  if (Buffer.byteLength(json) > MAX_PROPERTIES_BYTES)
    throw invalid('/properties', 'too_long', `properties must be at most ${MAX_PROPERTIES_BYTES} bytes of JSON`)
  if (countLevels(properties) > MAX_PROPERTIES_LEVELS)
    throw invalid('/properties', 'too_deep', `properties must nest at most ${MAX_PROPERTIES_LEVELS} levels deep`)
  return json
}

/** Throws invalid_request unless the title is one line, not blank and not too long. */
export function checkTitle(title: string): void {
  requireLength(title, MAX_TITLE_CHARS, '/title')
  if (title.trim() === '')
    throw invalid('/title', 'too_short', 'title must not be blank; leave it out to derive it from the body')
  if (CONTROL_CHARACTER.test(title))
    throw invalid('/title', 'invalid_title', 'title must be one line without control characters')
}

/** Returns the folder if it is a valid path; null is the root. Throws invalid_request. */
export function checkFolder(folder: string | null, pointer = '/folder'): string | null {
  if (folder === null) return null
  requireLength(folder, MAX_FOLDER_CHARS, pointer)
  const levels = folder.split('/')
  const wrong = levels.some((level) => level === '' || level !== level.trim() || level === '.' || level === '..')
  if (wrong || folder.includes('\\') || CONTROL_CHARACTER.test(folder))
    throw invalid(
      pointer,
      'invalid_folder',
      'folder must be a path such as Work/Plans, its parts neither blank nor . or ..',
    )
  if (levels.length > MAX_FOLDER_LEVELS)
    throw invalid(pointer, 'too_deep', `folder must be at most ${MAX_FOLDER_LEVELS} levels deep`)
  return folder
}

/** Returns the distinct tags in NFC, each in its first spelling; case is ignored. Throws invalid_request. */
export function normalizeTags(tags: readonly string[], pointer = '/tags'): string[] {
  const normalized = tags.map((tag, i) => normalizeTag(tag, `${pointer}/${i}`))
  return editNames(normalized, [], [])
}

/** Returns a tag in NFC. Throws invalid_request if it is not a valid tag. */
export function normalizeTag(input: string, pointer: string): string {
  const tag = input.normalize('NFC')
  requireLength(tag, MAX_TAG_CHARS, pointer)
  if (tag === '' || tag !== tag.trim() || /[#,]/.test(tag) || CONTROL_CHARACTER.test(tag))
    throw invalid(pointer, 'invalid_tag', 'a tag must not be blank or contain #, a comma or a line break')
  return tag
}

function countLevels(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(countLevels))
}

/** Most notes have none, and each of a list is read. */
function readTags(json: string): string[] {
  return json === '[]' ? [] : JSON.parse(json)
}

export function toSummary(row: SummaryRow): NoteSummary {
  return {
    // Not by writeTrashStamps: a spread for each of many items of a list takes as long as all the rest.
    id: row.id,
    revision: row.revision,
    created_at: writeInstant(row.created_at),
    updated_at: writeInstant(row.updated_at),
    deleted_at: writeOptional(row.deleted_at),
    title: row.title,
    file_name: row.file_name,
    folder: row.folder,
    tags: readTags(row.tags),
    inline_tags: readTags(row.inline_tags),
    pinned: row.pinned === 1,
    archived_at: row.archived_at === null ? null : writeInstant(row.archived_at),
    source: sourceOfRow(row),
    daily_date: row.daily_date,
    excerpt: row.excerpt,
    word_count: row.word_count,
    checklist: { total: row.checklist_total, done: row.checklist_done },
    links: { out: row.links_out, unresolved: row.links_unresolved, in: row.links_in },
  }
}

export function toNote(row: Omit<NoteRow, 'front_matter'>): Tagged<Note> {
  return {
    resource: { ...toSummary(row), body: row.body, properties: JSON.parse(row.properties) },
    etag: writeEtag(row.revision, row.computed_revision),
  }
}

/**
 * A hook that runs in the transaction of every write of a note. Hooks keep the tags, properties, links and revisions in
 * step with the notes; the search index follows by triggers of the database (see the schema).
 */
export interface NoteWriteHook {
  /**
   * Runs after a note was created (`old` is null), changed, trashed or restored. Returns the note if it differs by then,
   * and the change in bytes that count towards the quota, besides the note's own, if there is one.
   */
  afterWrite?(session: Session, old: NoteRow | null, note: NoteRow): Promise<HookResult>
  /** Runs before a note is erased. Returns such a change in bytes. */
  beforeErase?(session: Session, note: NoteRow): Promise<number>
}

interface HookResult {
  readonly note?: NoteRow
  readonly bytes?: number
}

interface NoteWriterDeps extends Pick<Context, 'now'> {
  readonly record: RecordChange
  /** In the order in which they run. */
  readonly hooks: readonly NoteWriteHook[]
}

export type NoteWriter = ReturnType<typeof createNoteWriter>

/** The one way to write notes; see createResourceWriter. Throws conflict if an id or a source is taken. */
export function createNoteWriter({ now, record, hooks }: NoteWriterDeps) {
  async function runHooks(session: Session, old: NoteRow | null, note: NoteRow) {
    let [row, bytes] = [note, 0]
    for (const hook of hooks) {
      await yieldIfLarge(note.body)
      const result = await hook.afterWrite?.(session, old, row)
      row = result?.note ?? row
      bytes += result?.bytes ?? 0
    }
    return { row, bytes }
  }

  const store = { get: getNote, insert: insertNote, update: updateNote, erase: eraseNote }
  const refuseTaken = createRefuseTakenSource('note', findNoteBySource)
  const writer = createResourceWriter<NoteRow, NoteDraft>({
    ...{ now, record, store, refuseTaken },
    follow: runHooks,
    type: 'note',
    noun: 'note',
  })

  return {
    ...writer,

    async erase(session: Session, note: NoteRow): Promise<void> {
      let bytes = 0
      for (const hook of hooks) bytes += (await hook.beforeErase?.(session, note)) ?? 0
      await writer.erase(session, note, -bytes)
    },
  }
}

/** What the services of notes, their archive and their imports share; each takes the parts that it needs. */
export interface NotesContext extends Pick<Context, 'now' | 'ids'> {
  readonly writer: NoteWriter
  readonly rename: RenameNote
  readonly reserve: Reserve
  readonly blobs: BlobStaging
  readonly imports: Pick<Imports, 'registerWork' | 'findEarlier' | 'work' | 'begin'>
}

/**
 * Stores `next`. If its title, file name or folder changed, rewrites the links to it so that they still point to it;
 * `keepsBody` leaves the links in its own body alone. Also rewrites links to `headings` that got other texts, in its own
 * body as well. `session.db` must be a transaction. If more than MAX_ROWS_INLINE
 * notes link to it, a run is started in the transaction and rewrites them: `run` is its id. Otherwise `run` is null, and
 * `rewritten` counts all.
 * @throws ApiError rewrite_impossible; unavailable if too many runs are waiting
 */
export type RenameNote = (
  session: Session,
  old: NoteRow,
  next: NoteRow,
  options?: { readonly keepsBody?: boolean; readonly headings?: readonly HeadingRename[] },
) => Promise<{ note: NoteRow; rewritten: number; run: string | null }>
