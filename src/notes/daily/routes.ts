import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch, isUnchanged } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { changed, created, send, sendResource } from '../../http/responses'
import { NoContent, Problem } from '../../http/schema'
import { EditNote } from '../edits/schema'
import { withLinksUpdated } from '../links-updated'
import { Note } from '../schema'
import { DailyNoteParams, PutDailyNote, TimeZoneQuery } from './schema'
import type { DailyNoteChange, DailyNotes } from './service'

interface Deps {
  readonly daily: DailyNotes
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function dailyNotesRoutes({ daily, once, session }: Deps) {
  return new Elysia({ prefix: '/api/notes/daily', tags: ['Notes'] })
    .get(
      '/:date',
      async ({ request, params, query, set }) =>
        sendResource(request, set, await daily.get(session(request), daily.day(params.date, query.tz))),
      {
        params: DailyNoteParams,
        query: TimeZoneQuery,
        response: { 200: Note, 304: NoContent, 404: Problem },
        detail: {
          operationId: 'getDailyNote',
          summary: 'Get the note of a day',
          description: 'A day has at most one note outside the trash.',
        },
      },
    )
    .put(
      '/:date',
      async ({ request, params, query, body, set }) => {
        const conditions = { ifMatch: ifMatch(request), forbids: (etag: string) => isUnchanged(request, etag) }
        const written = await daily.put(session(request), daily.day(params.date, query.tz), body, conditions)
        return send(set, withLinksUpdated(outcome(written), written.linksUpdated))
      },
      {
        params: DailyNoteParams,
        query: TimeZoneQuery,
        body: PutDailyNote,
        response: { 200: Note, 201: Note, 412: Problem },
        detail: {
          operationId: 'putDailyNote',
          summary: 'Write the note of a day',
          description:
            'Makes it if there is none; `If-None-Match: *` makes it only then. A new title or folder rewrites the links that lead to it; the header `X-Links-Updated` counts the notes rewritten.',
        },
      },
    )
    .post(
      '/:date/edits',
      async ({ request, params, query, body, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) => {
            const written = await daily.edit(within, daily.day(params.date, query.tz), body, ifMatch(request))
            return body.dry_run ? { status: 200, headers: {}, body: written.note.resource } : outcome(written)
          }),
        ),
      {
        params: DailyNoteParams,
        query: TimeZoneQuery,
        body: EditNote,
        response: { 200: Note, 201: Note, 409: Problem, 412: Problem },
        detail: {
          operationId: 'editDailyNote',
          summary: 'Edit the note of a day',
          description: 'Makes the note first if there is none, so that a thought is kept in one request.',
        },
      },
    )
}

function outcome({ created: isNew, note }: DailyNoteChange) {
  return isNew ? created('/api/notes', note) : changed(note)
}
