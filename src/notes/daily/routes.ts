import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import { ifMatch, isUnchanged } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed, created } from '../../http/responses'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import { EditNote } from '../edits/schema'
import { withLinksUpdated } from '../rename-port'
import { Note } from '../schema'
import { DailyNoteParams, PutDailyNote, TimeZoneQuery } from './schema'
import type { DailyNoteChange, DailyNotes } from './service'

nameSchemas({ PutDailyNote })

export function dailyNotesRoutes({ daily, api }: { daily: DailyNotes; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes/daily', tags: ['Notes'] })
    .use(api)
    .get(
      '/:date',
      async ({ params, query, session, reply }) =>
        reply.read(await daily.get(session, await daily.readDay(session, params.date, query.time_zone))),
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
        const change = await daily.put(
          session,
          await daily.readDay(session, params.date, query.time_zone),
          body,
          conditions,
        )
        return reply.send(withLinksUpdated(toOutcome(change), change.linksUpdated))
      },
      {
        params: DailyNoteParams,
        query: TimeZoneQuery,
        body: PutDailyNote,
        response: { 200: Note, 201: Note, 412: Problem },
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
          const change = await daily.edit(
            session,
            await daily.readDay(session, params.date, query.time_zone),
            body,
            ifMatch(request),
          )
          return body.dry_run ? { status: 200, headers: {}, body: change.note.resource } : toOutcome(change)
        }),
      {
        idempotent: true,
        params: DailyNoteParams,
        query: TimeZoneQuery,
        body: EditNote,
        response: { 200: Note, 201: Note, 409: Problem, 412: Problem },
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
