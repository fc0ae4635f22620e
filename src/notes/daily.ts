import { Elysia, type Static, t } from 'elysia'
import type { Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { ApiError, refuses } from '../http/api-error'
import { changed, created, ifMatch, isUnchanged, type Precondition, type Tagged, writeEtag } from '../http/responses'
import { closed, NoContent, nameSchemas, Problem } from '../http/schema'
import { readCivilDate, readZoneOrDefault, today } from '../http/values'
import { applyEdits } from './apply-edits'
import { EditedProperties } from './edit-properties'
import type { NoteEdits } from './edits'
import { withLinksUpdated } from './links-updated'
import { createNoteRow, type NotesContext, toNote } from './note'
import { type CreateNote, EditNote, Note, UpdateNote } from './schema'
import { type Notes, noteReader, withTagSpelling } from './service'
import { findDailyNote, type NoteDraft } from './store'

const DailyNoteParams = t.Object({
  date: t.String({ description: '`YYYY-MM-DD`, or `today`.', examples: ['2026-03-01', 'today'] }),
})

const TimeZoneQuery = t.Object(
  {
    time_zone: t.Optional(
      t.String({
        description: 'The IANA time zone of `today`. Default: that of the workspace, else UTC.',
        examples: ['Europe/Lisbon'],
      }),
    ),
  },
  closed,
)

const PutDailyNote = t.Object(
  {
    body: t.String(),
    title: t.Optional(t.String()),
    tags: UpdateNote.properties.tags,
    folder: UpdateNote.properties.folder,
  },
  {
    ...closed,
    description: 'Absent members do not change. The title of a new daily note is its date.',
    examples: [{ body: '- called Ana\n', tags: ['journal'] }],
  },
)

type PutDailyNote = Static<typeof PutDailyNote>

interface Deps extends Pick<NotesContext, 'now' | 'ids' | 'writer'> {
  readonly notes: Notes
  readonly edits: NoteEdits
}

interface DailyNoteChange {
  readonly created: boolean
  readonly note: Tagged<Note>
  readonly linksUpdated: number
}

interface DailyConditions {
  readonly ifMatch: Precondition
  /** Whether If-None-Match forbids overwriting the note with this ETag. */
  readonly isForbidden: (etag: string) => boolean
}

type DailyNotes = ReturnType<typeof createDailyNotes>

/** Reads and writes the daily notes: each day has at most one living note, created by the first write. */
export function createDailyNotes({ notes, edits, writer, now, ids }: Deps) {
  const createDraft = (date: string, input: CreateNote): NoteDraft => ({
    ...createNoteRow({ title: date, ...input }, ids(), now()),
    daily_date: date,
  })

  async function insert(inside: Session, draft: NoteDraft): Promise<DailyNoteChange> {
    const note = toNote(await writer.insert(inside, await withTagSpelling(inside, draft)))
    return { created: true, note, linksUpdated: 0 }
  }

  return {
    /** Reads the day of a path: a date, or `today` in a time zone, by default that of the workspace. Throws invalid_request. */
    async readDay(session: Session, date: string, zone?: string): Promise<string> {
      const checkedZone = await readZoneOrDefault(session, zone)
      return date === 'today' ? today(now(), checkedZone) : readCivilDate(date, '/date')
    },

    /** Returns the day's note. Throws not_found if it has no living note. */
    async get(session: Session, date: string): Promise<Tagged<Note>> {
      const id = await findDailyNote(session, date)
      if (id === null) throw new ApiError('not_found', 'This day has no note.')
      return toNote(await noteReader.load(session, id))
    },

    /**
     * Writes the day's note, or creates it. Absent members do not change; a new title or folder rewrites the links to
     * the note. Throws precondition_failed, rewrite_impossible.
     */
    put(
      session: Session,
      date: string,
      input: PutDailyNote,
      { ifMatch, isForbidden }: DailyConditions,
    ): Promise<DailyNoteChange> {
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        const id = await findNoteToWrite(inside, date, ifMatch)
        if (id === null) return insert(inside, createDraft(date, input))
        const current = await noteReader.load(inside, id)
        if (isForbidden(writeEtag(current.revision, current.computed_revision)))
          throw new ApiError('precondition_failed', 'This day has a note already. Nothing was changed.', {
            current: toNote(current).resource,
          })
        const note = await notes.update(inside, id, input, ifMatch)
        return { created: false, note, linksUpdated: note.linksUpdated }
      })
    },

    /**
     * Edits the day's note, or creates it with the edits. Throws precondition_failed and the errors of NoteEdits.apply.
     */
    edit(session: Session, date: string, input: EditNote, precondition: Precondition): Promise<DailyNoteChange> {
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        const id = await findNoteToWrite(inside, date, precondition)
        if (id !== null) {
          const note = await edits.apply(inside, id, input, precondition)
          return { created: false, note, linksUpdated: note.linksUpdated }
        }
        const properties = new EditedProperties()
        const body = applyEdits('', input.edits, properties)
        const draft = createDraft(date, { body, ...properties.toPatch() })
        if (!input.dry_run) return insert(inside, draft)
        return { created: false, note: toNote({ ...draft, key: 0 }), linksUpdated: 0 }
      })
    },
  }
}

/**
 * Returns the id of the day's note, or null if a write may create it. Throws precondition_failed if If-Match was sent
 * and there is none.
 */
async function findNoteToWrite(session: Session, date: string, precondition: Precondition): Promise<string | null> {
  const id = await findDailyNote(session, date)
  if (id === null && precondition !== null)
    throw new ApiError('precondition_failed', 'This day has no note. Nothing was changed.', { current: null })
  return id
}

nameSchemas({ PutDailyNote })

export function dailyNotesRoutes({ daily, api }: { daily: DailyNotes; api: RequestPlugin }) {
  const dayOf = (session: Session, date: string, { time_zone }: Static<typeof TimeZoneQuery>) =>
    daily.readDay(session, date, time_zone)

  return new Elysia({ prefix: '/api/notes/daily', tags: ['Notes'] })
    .use(api)
    .get(
      '/:date',
      async ({ params, query, session, reply }) =>
        reply.read(await daily.get(session, await dayOf(session, params.date, query))),
      {
        params: DailyNoteParams,
        query: TimeZoneQuery,
        response: { 200: Note, 304: NoContent, 404: Problem },
        detail: {
          operationId: 'getDailyNote',
          summary: 'Get the note of a day',
          description: 'A day has at most one daily note outside the trash.',
        },
      },
    )
    .put(
      '/:date',
      async ({ request, params, query, body, session, reply }) => {
        const conditions = { ifMatch: ifMatch(request), isForbidden: (etag: string) => isUnchanged(request, etag) }
        const change = await daily.put(session, await dayOf(session, params.date, query), body, conditions)
        return reply.send(withLinksUpdated(toOutcome(change), change.linksUpdated))
      },
      {
        params: DailyNoteParams,
        query: TimeZoneQuery,
        body: PutDailyNote,
        response: { 200: Note, 201: Note },
        detail: {
          operationId: 'putDailyNote',
          ...refuses('too_many_links'),
          summary: 'Write the note of a day',
          description:
            'Creates the note if there is none. With `If-None-Match: *` it only creates. A new title or folder rewrites the links to the note; the header `X-Links-Updated` counts the rewritten notes.',
        },
      },
    )
    .post(
      '/:date/edits',
      ({ request, params, query, body, once }) =>
        once(async (session) => {
          const change = await daily.edit(session, await dayOf(session, params.date, query), body, ifMatch(request))
          if (body.dry_run) return { status: 200, headers: {}, body: change.note.resource }
          return withLinksUpdated(toOutcome(change), change.linksUpdated)
        }),
      {
        idempotent: true,
        params: DailyNoteParams,
        query: TimeZoneQuery,
        body: EditNote,
        response: { 200: Note, 201: Note },
        detail: {
          operationId: 'editDailyNote',
          ...refuses('edit_target_ambiguous', 'edit_target_missing', 'too_many_links'),
          summary: 'Edit the note of a day',
          description: 'Creates the note first if there is none, so that one request is enough to add a thought.',
        },
      },
    )
}

function toOutcome({ created: isNew, note }: DailyNoteChange) {
  return isNew ? created('/api/notes', note) : changed(note)
}
