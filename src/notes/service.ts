import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { invalid } from '../http/api-error'
import type { Precondition, Tagged } from '../http/conditional'
import { type Key, type Page, readCursor, writeCursor } from '../http/cursor'
import { createResourceReader, refuseTrashed, revise } from '../http/resource'
import { DEFAULT_LIMIT } from '../http/values'
import { readFilter, tagKey } from './filters'
import type { RenameNote } from './rename-port'
import { createNoteRow, patchRow, toNote, toSummary } from './note'
import { isPropertySort } from './property-sort.sqlite'
import type { CreateNote, ListNotesQuery, Note, NoteSummary, UpdateNote } from './schema'
import {
  countNotes,
  findDailyNote,
  getNote,
  getSortKeyKinds,
  getTexts,
  listKnownIds,
  listNotes,
  type NoteRow,
  type SummaryRow,
  toSortKeys,
} from './store'
import { getTagSpellings } from './tag-store'
import type { NoteWriter } from './writer'
import { warmScanCache } from './writer'

/** Bytes of bodies and properties in one page of a list that shows them. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024

export interface NotesDeps extends Pick<Context, 'now' | 'ids'> {
  readonly writer: NoteWriter
  /** Stores a note that may have another title or folder, and rewrites the links to it. */
  readonly rename: RenameNote
}

export type Notes = ReturnType<typeof createNotes>

/** What callers may do with notes. Every write is one transaction. */
export function createNotes({ now, ids, writer, rename }: NotesDeps) {
  /** Runs `next` on the note as it is, in a transaction, and stores what it makes of it. Null: nothing changes. */
  function change(
    session: Session,
    id: string,
    precondition: Precondition,
    next: (note: NoteRow, within: Session) => Promise<NoteRow | null> | NoteRow | null,
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
    async create(session: Session, input: CreateNote): Promise<Tagged<Note>> {
      await warmScanCache(input.body)
      const draft = createNoteRow({ id: input.id ?? ids(), at: now(), input })
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        return toNote(await writer.insert(within, await withTagSpelling(within, draft)))
      })
    },

    get: noteReader.get,

    async list(session: Session, query: ListNotesQuery): Promise<Page<NoteSummary>> {
      const { sort = '-updated', cursor, include, limit: asked, ...filters } = query
      const limit = Number(asked ?? DEFAULT_LIMIT)
      const filter = readFilter(filters)
      const binding = JSON.stringify(['notes', sort, include ?? null, filter])
      if (filter.trashed && isPropertySort(sort))
        throw invalid('/sort', 'invalid_value', 'the trash cannot be sorted by a property')
      const after: Key[] | null = cursor === undefined ? null : readCursor(cursor, binding, getSortKeyKinds(sort))
      const { db, workspace } = session
      const rows = await listNotes(db, workspace.id, { filter, sort, after, limit: limit + 1 })
      const page = rows.slice(0, limit)
      const items = include ? await toWholeNotes(session, page) : page.map(toSummary)
      const last = page[items.length - 1]
      const more = rows.length > items.length
      return { items, next_cursor: last && more ? writeCursor(binding, toSortKeys(sort, last)) : null }
    },

    /**
     * Applies a merge patch, and unless `updateLinks` is false rewrites the links of `linksUpdated` notes to a new title
     * or folder; those of many notes are left to `run`, see RenameNote. Throws conflict while the note is in the trash,
     * precondition_failed if it moved on, rewrite_impossible.
     */
    async update(
      session: Session,
      id: string,
      patch: UpdateNote,
      precondition: Precondition = null,
      { updateLinks = true } = {},
    ): Promise<Tagged<Note> & { linksUpdated: number; run: string | null }> {
      let [linksUpdated, run]: [number, string | null] = [0, null]
      await warmScanCache(patch.body)
      const next = async (old: NoteRow, within: Session) => {
        refuseTrashed(old, 'note')
        const draft = patchRow(old, patch, now())
        return draft && draft.tags !== old.tags ? { ...draft, ...(await withTagSpelling(within, draft)) } : draft
      }
      const relink: NoteWriter['replace'] = async (...write) => {
        const renamed = await rename(...write)
        linksUpdated = renamed.rewritten
        run = renamed.run
        return renamed.note
      }
      const tagged = await change(session, id, precondition, next, updateLinks ? relink : writer.replace)
      return { ...tagged, linksUpdated, run }
    },

    /** Moves the note to the trash; what is there already stays as it is. */
    async trash(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      await noteReader.withRow(session, id, precondition, writer.trash)
    },

    /** Brings the note back from the trash; a living one stays as it is. A day that has another note by now keeps that one. */
    restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Note>> {
      return change(session, id, precondition, async (old, { db, workspace }) => {
        if (old.deleted_at === null) return null
        const { daily_date: day } = old
        const isTaken = day !== null && (await findDailyNote(db, workspace.id, day)) !== null
        return revise(old, { deleted_at: null, daily_date: isTaken ? null : day }, now())
      })
    },

    /** Erases the note for good, from the trash or not. */
    erase(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      return noteReader.withRow(session, id, precondition, writer.erase)
    },

    /** The text of a note that is not in the trash; null if there is none. */
    async getText({ db, workspace }: Session, id: string): Promise<string | null> {
      const note = await getNote(db, workspace.id, id)
      return note === null || note.deleted_at !== null ? null : note.body
    },

    /** Which of these ids are no notes of the workspace, living or in the trash. */
    async listMissing({ db, workspace }: Session, ids: readonly string[]): Promise<string[]> {
      const known = new Set(ids.length === 0 ? [] : await listKnownIds(db, workspace.id, ids))
      return ids.filter((id) => !known.has(id))
    },

    /** How many notes are not in the trash. */
    count: ({ db, workspace }: Session): Promise<number> => countNotes(db, workspace.id),
  }
}

/** Reads single notes. */
export const noteReader = createResourceReader({ noun: 'note', show: toNote, get: getNote })

/** Tags are shown as the workspace first spelled them. */
export async function withTagSpelling<Draft extends { readonly tags: string }>(
  { db, workspace }: Session,
  draft: Draft,
): Promise<Draft> {
  const tags: string[] = JSON.parse(draft.tags)
  if (tags.length === 0) return draft
  const known = await getTagSpellings(db, workspace.id, tags.map(tagKey))
  return { ...draft, tags: JSON.stringify(tags.map((tag) => known.get(tagKey(tag)) ?? tag)) }
}

/** Whole notes, as many of the first as fit into a page; always at least one. */
async function toWholeNotes({ db, workspace }: Session, rows: readonly SummaryRow[]): Promise<Note[]> {
  const keys: number[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row.size_bytes
    if (bytes > MAX_PAGE_BYTES && keys.length > 0) break
    keys.push(row.key)
  }
  const texts = new Map((await getTexts(db, workspace.id, keys)).map((text) => [text.key, text]))
  return rows.slice(0, keys.length).flatMap((row) => {
    const text = texts.get(row.key)
    return text ? [toNote({ ...row, ...text }).resource] : []
  })
}
