import { columnsOfSource, readSource } from '../../http/values'
import { checkFolder, computeRow, NEW_NOTE, normalizeTags } from '../note'
import type { NoteDraft, NoteRow } from '../store'
import type { ParsedDraft, ParsedNote, Warning } from './parsed'

/** Returns the row of a new note. Members that the file does not state have their defaults. Throws invalid_request. */
export function createImportedRow(item: ParsedNote, id: string, at: number): NoteDraft {
  const { draft, source, source_url = null, file_name = null } = item
  return computeRow({
    ...NEW_NOTE,
    id,
    created_at: draft.created_at ?? draft.updated_at ?? at,
    updated_at: draft.updated_at ?? at,
    file_name,
    ...toContent(draft),
    pinned: draft.pinned ?? false,
    archived_at: getArchivedAt(draft, null, at),
    ...columnsOfSource(readSource({ ...source, url: source_url })),
    daily_date: draft.daily_date,
    front_matter: draft.front_matter,
  })
}

/** Leaves out dates in the future, and an `updated_at` before the `created_at`, each with a warning. */
export function withPlausibleDates(note: ParsedNote, now: number): ParsedNote {
  const { created_at, updated_at } = note.draft
  const isPast = (at: number | null) => at === null || at <= now
  const isOrdered = created_at === null || updated_at === null || !isPast(created_at) || updated_at >= created_at
  if (isPast(created_at) && isPast(updated_at) && isOrdered) return note
  const created = isPast(created_at) ? created_at : null
  const updated = isPast(updated_at) ? updated_at : null
  const warning: Warning = {
    code: 'date_changed',
    detail: isOrdered
      ? 'The file has a date in the future, which was left out.'
      : 'The file was changed before it was created, so it has the second date for both.',
  }
  return {
    ...note,
    draft: { ...note.draft, created_at: created, updated_at: isOrdered ? updated : created },
    warnings: [...note.warnings, warning],
  }
}

/**
 * Applies a draft to a note. Members that the file does not state do not change. `updated_at` never goes back: clients
 * look for changes by it. Throws invalid_request.
 */
export function changeImportedRow(old: NoteRow, draft: ParsedDraft, at: number): NoteRow {
  const content = toContent(draft)
  const created_at = draft.created_at ?? old.created_at
  const isNewer = draft.updated_at !== null && draft.updated_at > old.updated_at
  const next = computeRow({
    ...old,
    revision: old.revision + 1,
    created_at,
    updated_at: Math.max(created_at, isNewer ? draft.updated_at : at),
    front_matter: draft.front_matter,
    ...content,
    title: content.title ?? old.title,
    pinned: draft.pinned ?? old.pinned === 1,
    archived_at: getArchivedAt(draft, old.archived_at, at),
  })
  return { ...next, key: old.key }
}

const CONTENT_MEMBERS = ['title', 'body', 'folder', 'tags', 'pinned', 'archived_at', 'front_matter'] as const

/** Whether two rows have the same content, ignoring times and the order of properties. */
export function hasSameContent(a: NoteRow, b: NoteRow): boolean {
  return (
    CONTENT_MEMBERS.every((member) => a[member] === b[member]) &&
    (a.properties === b.properties || toSortedJson(a.properties) === toSortedJson(b.properties))
  )
}

/** Returns a digest of a draft, without its times: programs write new times even if nothing has changed. */
export function hashDraft({
  title,
  body,
  folder,
  tags,
  properties,
  pinned,
  archived,
  front_matter,
}: ParsedDraft): string {
  const values = [title, body, folder, tags, toSortedJson(JSON.stringify(properties)), pinned, archived]
  return hashJson(front_matter === '' ? values : [...values, front_matter])
}

/** Returns a digest of the members that people edit. Pinning or archiving a note is not a conflict with its file. */
export function hashNote({ title, body, folder, tags, properties }: NoteDraft): string {
  return hashJson([title, body, folder, tags, toSortedJson(properties)])
}

function toSortedJson(json: string): string {
  return JSON.stringify(JSON.parse(json), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

function hashJson(value: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('base64url')
}

function toContent({ title, body, folder, tags, properties }: ParsedDraft) {
  return { title, body, folder: checkFolder(folder), tags: normalizeTags(tags), properties }
}

/** Returns when a note was archived. If the file says `archived` without a time, a known time does not change. */
function getArchivedAt({ archived }: ParsedDraft, known: number | null, at: number): number | null {
  if (archived === null) return known
  if (archived === 'not') return null
  return archived === 'now' ? (known ?? at) : archived
}
