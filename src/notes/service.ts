import type { Queries, Session } from '../db/database'
import type { RecordChange } from '../db/journal'
import { type Precondition, requireRevision, type Tagged } from '../http/conditional'
import { type Page, readCursor, toPage } from '../http/cursor'
import { Refusal } from '../http/problem'
import { DEFAULT_LIMIT } from '../http/values'
import { checked, toNote, toSummary, withChanges } from './note'
import type { CreateNote, ListNotes, Note, NoteSummary, UpdateNote } from './schema'
import { countByStems, findByStems, index, type StemHit, type StemQuery, unindex } from './search-index.sqlite'
import { countNotes, eraseNote, getNote, insertNote, listNotes, type NoteRow, sortOf, updateNote } from './store'

export interface NotesDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly record: RecordChange
}

export type Notes = ReturnType<typeof createNotes>

/** What callers may do with notes. Every write is one transaction: the note, the index, the feed and the totals. */
export function createNotes({ now, ids, record }: NotesDeps) {
  /** Runs `change` on the note as it is in a transaction, and stores what it makes of it. Null: nothing changes. */
  function change(
    session: Session,
    id: string,
    precondition: Precondition,
    next: (note: NoteRow) => NoteRow | null,
  ): Promise<Tagged<Note>> {
    return session.db.transaction(async (tx) => {
      const old = await requireNote(tx, session, id)
      requireRevision(precondition, toNote(old).resource)
      const note = next(old)
      if (!note) return toNote(old)
      await updateNote(tx, session.workspace.id, note, note.body !== old.body)
      await reindex(tx, session, note)
      await record({ ...session, db: tx }, {
        type: 'note',
        id,
        op: note.deleted_at === null ? 'upsert' : 'delete',
        revision: note.revision,
        at: note.updated_at,
        resources: 0,
        bytes: note.size_bytes - old.size_bytes,
      })
      return toNote(note)
    })
  }

  return {
    /** Throws conflict if the id is taken in the workspace. */
    create(session: Session, input: CreateNote): Promise<Tagged<Note>> {
      const at = now()
      const row = checked({ id: input.id ?? ids(), at, input })
      return session.db.transaction(async (tx) => {
        const key = await insertNote(tx, session.workspace.id, row)
        if (key === null) throw new Refusal('conflict', 'A note with this id exists already.', { existing_id: row.id })
        const note = { ...row, key }
        await reindex(tx, session, note)
        await record({ ...session, db: tx }, {
          type: 'note',
          id: row.id,
          op: 'upsert',
          revision: 1,
          at,
          resources: 1,
          bytes: row.size_bytes,
        })
        return toNote(note)
      })
    },

    /** The note, also while it is in the trash (`deleted_at` tells). */
    async get(session: Session, id: string): Promise<Tagged<Note>> {
      return toNote(await requireNote(session.db, session, id))
    },

    /** Notes that hold the words of a question, best first. */
    findByStems: ({ db, workspace }: Session, query: StemQuery): Promise<StemHit[]> =>
      findByStems(db, workspace.id, query),

    /** How many notes there are, and how many of them hold each of the terms. */
    async countByStems({ db, workspace }: Session, terms: readonly string[]): Promise<{ total: number; containing: number[] }> {
      return { total: await countNotes(db, workspace.id), containing: await countByStems(db, workspace.id, terms) }
    },

    async list(session: Session, query: ListNotes): Promise<Page<NoteSummary>> {
      const { sort = '-updated', trashed = 'false' } = query
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const binding = `notes ${sort} ${trashed}`
      const { column } = sortOf(sort)
      const kinds = [column === 'title_key' ? 'string' : 'number', 'string'] as const
      const after = query.cursor === undefined ? null : readCursor(query.cursor, binding, kinds)
      const listing = { trashed: trashed === 'true', sort, after, limit: limit + 1 }
      const rows = await listNotes(session.db, session.workspace.id, listing)
      return toPage(rows, limit, binding, (row) => [row[column], row.id], toSummary)
    },

    /** Applies a merge patch. Throws conflict while the note is in the trash, precondition_failed if it moved on. */
    update(session: Session, id: string, patch: UpdateNote, precondition: Precondition = null): Promise<Tagged<Note>> {
      return change(session, id, precondition, (old) => {
        if (old.deleted_at !== null) throw new Refusal('conflict', 'The note is in the trash. Restore it first.')
        return withChanges(old, patch, now())
      })
    },

    /** Moves the note to the trash; what is there already stays as it is. */
    async trash(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      await change(session, id, precondition, (old) => {
        const at = now()
        return old.deleted_at === null ? { ...old, revision: old.revision + 1, updated_at: at, deleted_at: at } : null
      })
    },

    /** Brings the note back from the trash; a living one stays as it is. */
    restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Note>> {
      return change(session, id, precondition, (old) =>
        old.deleted_at === null ? null : { ...old, revision: old.revision + 1, updated_at: now(), deleted_at: null },
      )
    },

    /** Erases the note for good, from the trash or not. */
    erase(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      return session.db.transaction(async (tx) => {
        const note = await requireNote(tx, session, id)
        requireRevision(precondition, toNote(note).resource)
        await unindex(tx, note.key)
        await eraseNote(tx, session.workspace.id, id)
        await record({ ...session, db: tx }, {
          type: 'note',
          id,
          op: 'delete',
          revision: note.revision + 1,
          at: now(),
          resources: -1,
          bytes: -note.size_bytes,
        })
      })
    },
  }
}

async function requireNote(db: Queries, { workspace }: Session, id: string): Promise<NoteRow> {
  const note = await getNote(db, workspace.id, id)
  if (!note) throw new Refusal('not_found', 'There is no note with this id.')
  return note
}

/** Only living notes are found by their words. */
async function reindex(db: Queries, { workspace }: Session, note: NoteRow): Promise<void> {
  if (note.deleted_at !== null) return unindex(db, note.key)
  return index(db, workspace.id, note.key, { title: note.title, tags: JSON.parse(note.tags), body: note.body })
}
