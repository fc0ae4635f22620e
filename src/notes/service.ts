import type { Session } from '../db/database'
import { invalid } from '../http/api-error'
import { type Key, type Page, readCursor, takeWithin, writeCursor } from '../http/cursor'
import { createResourceReader, refuseTrashed, revise } from '../http/resource'
import type { Precondition, Tagged } from '../http/responses'
import { DEFAULT_LIMIT } from '../http/values'
import { readFilter, tagKey } from './filters'
import { getSortKeyKinds, isPropertySort, listNotes, toSortKeys } from './list-store'
import { findRenamedHeading } from './markdown/headings'
import { warmScanCache } from './markdown/scan-markdown'
import {
  createNoteRow,
  type MarkdownText,
  type NotesContext,
  type NoteWriter,
  patchRow,
  toNote,
  toSummary,
} from './note'
import type { CreateNote, ListNotesQuery, Note, NoteSummary, UpdateNote } from './schema'
import { countNotes, findDailyNote, getNote, getNotesByKey, listKnownIds, type NoteRow, type SummaryRow } from './store'
import { getTagSpellings } from './tag-and-property-store'

/** Limit of the notes in one page of a list with `include=body`. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024

interface UpdateOptions {
  /** Whether to rewrite the links to a note that gets another title or folder. */
  readonly updateLinks?: boolean
  /** Whether to rewrite the links to a heading, too, that the new body alone has another text for. */
  readonly updateHeadings?: boolean
  /** The text that the patch was read from. */
  readonly markdown?: MarkdownText | null
}

export type Notes = ReturnType<typeof createNotes>

export function createNotes({ now, ids, writer, rename }: Pick<NotesContext, 'now' | 'ids' | 'writer' | 'rename'>) {
  /**
   * Changes a note in a transaction: `next` gets the current note and returns the one to store, or null to change
   * nothing. Throws not_found, precondition_failed.
   */
  function change(
    session: Session,
    id: string,
    precondition: Precondition,
    next: (note: NoteRow, inside: Session) => Promise<NoteRow | null> | NoteRow | null,
    save = writer.replace,
  ): Promise<Tagged<Note>> {
    return noteReader.withRow(session, id, precondition, async (inside, old) => {
      const note = await next(old, inside)
      return toNote(note ? await save(inside, old, note) : old)
    })
  }

  return {
    change,

    /** Throws conflict if the id or the source is taken in the workspace. */
    async create(session: Session, input: CreateNote, markdown: MarkdownText | null = null): Promise<Tagged<Note>> {
      // createNoteRow and the write hooks scan the same body; this lets them find it in the cache.
      await warmScanCache(input.body)
      const draft = createNoteRow(input, input.id ?? ids(), now(), markdown?.front_matter)
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        return toNote(await writer.insert(inside, await withTagSpelling(inside, draft)))
      })
    },

    get: noteReader.get,

    /** Throws invalid_request, invalid_cursor. */
    async list(session: Session, query: ListNotesQuery): Promise<Page<NoteSummary>> {
      const { sort = '-updated', cursor, include, limit: size, ...filters } = query
      const limit = Number(size ?? DEFAULT_LIMIT)
      const filter = readFilter(filters)
      const binding = JSON.stringify(['notes', sort, include ?? null, filter])
      if (filter.trashed && isPropertySort(sort))
        throw invalid('/sort', 'invalid_value', 'the trash cannot be sorted by a property')
      const after: Key[] | null = cursor === undefined ? null : readCursor(cursor, binding, getSortKeyKinds(sort))
      const rows = await listNotes(session, { filter, sort, after, limit: limit + 1 })
      const page = rows.slice(0, limit)
      const items = include ? await toWholeNotes(session, page) : page.map(toSummary)
      const last = page[items.length - 1]
      const more = rows.length > items.length
      return { items, next_cursor: last && more ? writeCursor(binding, toSortKeys(sort, last)) : null }
    },

    /**
     * Applies a merge patch. If the title or folder changes, rewrites the links to the note unless `updateLinks` is
     * false: `linksUpdated` counts the rewritten notes, and `run` is the id of the run that rewrites them if there are
     * many, see RenameNote. Throws conflict while the note is in the trash, precondition_failed, rewrite_impossible.
     */
    async update(
      session: Session,
      id: string,
      patch: UpdateNote,
      precondition: Precondition = null,
      { updateLinks = true, updateHeadings = false, markdown = null }: UpdateOptions = {},
    ): Promise<Tagged<Note> & { linksUpdated: number; run: string | null }> {
      let [linksUpdated, run]: [number, string | null] = [0, null]
      await warmScanCache(patch.body)
      const next = async (old: NoteRow, inside: Session) => {
        refuseTrashed(old, 'note')
        // In the body that a client read, text that looks like front matter is text.
        const isText = markdown !== null && markdown.block !== '' && old.body.startsWith(markdown.block)
        const draft = isText
          ? patchRow(old, { body: markdown.text }, now())
          : patchRow(old, patch, now(), markdown?.front_matter || old.front_matter)
        return draft && draft.tags !== old.tags ? { ...draft, ...(await withTagSpelling(inside, draft)) } : draft
      }
      const relink: NoteWriter['replace'] = async (inside, old, note) => {
        const heading = updateHeadings ? findRenamedHeading(old.body, note.body) : null
        const renamed = await rename(inside, old, note, { headings: heading ? [heading] : [] })
        linksUpdated = renamed.rewritten
        run = renamed.run
        return renamed.note
      }
      const tagged = await change(session, id, precondition, next, updateLinks ? relink : writer.replace)
      return { ...tagged, linksUpdated, run }
    },

    /** Moves the note to the trash; a note that is already there does not change. */
    async trash(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      await noteReader.withRow(session, id, precondition, writer.trash)
    },

    /**
     * Restores the note from the trash; a living note does not change. A daily note whose day already has another note
     * comes back without its date.
     */
    restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Note>> {
      return change(session, id, precondition, async (old, session) => {
        if (old.deleted_at === null) return null
        const { daily_date: day } = old
        const isTaken = day !== null && (await findDailyNote(session, day)) !== null
        return revise(old, { deleted_at: null, daily_date: isTaken ? null : day }, now())
      })
    },

    /** Erases the note permanently, whether living or in the trash. */
    erase(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      return noteReader.withRow(session, id, precondition, writer.erase)
    },

    async getText(session: Session, id: string): Promise<string | null> {
      const note = await getNote(session, id)
      return note === null || note.deleted_at !== null ? null : note.body
    },

    async listMissing(session: Session, ids: readonly string[]): Promise<string[]> {
      const known = new Set(ids.length === 0 ? [] : await listKnownIds(session, ids))
      return ids.filter((id) => !known.has(id))
    },

    count: (session: Session): Promise<number> => countNotes(session),
  }
}

export const noteReader = createResourceReader({ noun: 'note', show: toNote, get: getNote })

/** Replaces the tags of a note by the workspace's spelling of each, see getTagSpellings. */
export async function withTagSpelling<Draft extends { readonly tags: string }>(
  session: Session,
  draft: Draft,
): Promise<Draft> {
  const tags: string[] = JSON.parse(draft.tags)
  if (tags.length === 0) return draft
  const known = await getTagSpellings(session, tags.map(tagKey))
  return { ...draft, tags: JSON.stringify(tags.map((tag) => known.get(tagKey(tag)) ?? tag)) }
}

/** Loads the bodies and properties of the first rows, up to MAX_PAGE_BYTES and always of at least one. */
async function toWholeNotes(session: Session, rows: readonly SummaryRow[]): Promise<Note[]> {
  const fitting = takeWithin(rows, MAX_PAGE_BYTES, ({ size_bytes }) => size_bytes)
  const keys = fitting.map(({ key }) => key)
  const texts = new Map(
    (await getNotesByKey(session, keys, ['key', 'body', 'properties'])).map((text) => [text.key, text]),
  )
  return fitting.flatMap((row) => {
    const text = texts.get(row.key)
    return text ? [toNote({ ...row, ...text }).resource] : []
  })
}
