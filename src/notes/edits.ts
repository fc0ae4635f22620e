import { Elysia } from 'elysia'
import type { Context, Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { ApiError, refuses } from '../http/api-error'
import { refuseTrashed } from '../http/resource'
import { changed, ifMatch, type Precondition, type Tagged } from '../http/responses'
import { NoContent, nameSchemas } from '../http/schema'
import { countWords, toCodePoints } from '../lib/text'
import { applyEditsInSteps } from './apply-edits'
import { getHeadingPath, listSections } from './edit-targets'
import { yieldIfLarge } from './markdown/scan-markdown'
import { patchRow, toNote } from './note'
import { BodyEdit, DocumentTarget, EditNote, HeadingTarget, Note, NoteOutline, NoteParams, TextTarget } from './schema'
import { type Notes, noteReader } from './service'

/** The limit of an outline. It is needed because a long heading is repeated in the path of each heading below it. */
const MAX_OUTLINE_UNITS = 8 * 1024 * 1024
/** UTF-16 units that the other members of an outline's item take in JSON. */
const OUTLINE_ITEM_UNITS = 100

export type NoteEdits = ReturnType<typeof createNoteEdits>

export function createNoteEdits({ notes, now }: Pick<Context, 'now'> & { notes: Pick<Notes, 'change'> }) {
  return {
    /**
     * Applies all of the edits or none, as one revision. A dry run stores nothing and returns the resulting note with
     * its current revision. Throws not_found, precondition_failed, conflict while the note is in the trash, and the
     * errors of applyEdits.
     */
    async apply(
      session: Session,
      id: string,
      input: EditNote,
      precondition: Precondition = null,
    ): Promise<Tagged<Note>> {
      const old = await noteReader.loadAt(session, id, precondition)
      refuseTrashed(old, 'note')
      const body = await applyEditsYielding(old.body, input.edits)
      if (input.dry_run) return toNote({ ...(patchRow(old, { body }, now()) ?? old), revision: old.revision })
      // Many edits of a long text take a while, so they are applied before the transaction, which blocks other writers.
      // They are applied again in it only if the body has changed since.
      return notes.change(session, id, precondition, async (current) => {
        refuseTrashed(current, 'note')
        const next = current.body === old.body ? body : await applyEditsYielding(current.body, input.edits)
        return patchRow(current, { body: next }, now())
      })
    },

    /**
     * Lists the headings of a note with their paths and positions. Throws not_found; conflict if the list exceeds 8
     * MiB.
     */
    async getOutline(session: Session, id: string): Promise<Tagged<NoteOutline>> {
      const note = await noteReader.load(session, id)
      return { resource: buildOutline(note.body), etag: toNote(note).etag }
    },
  }
}

/** Applies edits like applyEdits, and lets other requests run between the edits of a long body. */
async function applyEditsYielding(body: string, edits: readonly BodyEdit[]): Promise<string> {
  let text = body
  for (text of applyEditsInSteps(body, edits)) await yieldIfLarge(text)
  return text
}

function buildOutline(body: string): NoteOutline {
  const sections = listSections(body)
  const offsets = toCodePoints(
    body,
    sections.flatMap(({ heading }) => [heading.start, heading.sectionEnd]),
  )
  let length = 0
  const items = sections.map((section, i) => {
    const { level, text, line, bodyStart, sectionEnd } = section.heading
    const path = getHeadingPath(section)
    length += OUTLINE_ITEM_UNITS + text.length + path.join('').length
    if (length > MAX_OUTLINE_UNITS)
      throw new ApiError('conflict', 'The outline of this note would be larger than 8 MiB.')
    const [start = 0, end = 0] = [offsets[2 * i], offsets[2 * i + 1]]
    return { level, text, path, line, start, end, word_count: countWords(body, bodyStart, sectionEnd) }
  })
  return { items }
}

nameSchemas({ BodyEdit, DocumentTarget, EditNote, HeadingTarget, NoteOutline, TextTarget })

export function noteEditsRoutes({ edits, api }: { edits: NoteEdits; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes', tags: ['Edits and revisions'] })
    .use(api)
    .post(
      '/:id/edits',
      ({ request, params, body, once }) =>
        once(async (session) => {
          const note = await edits.apply(session, params.id, body, ifMatch(request))
          // The note of a dry run is not stored, so no ETag may name it.
          return body.dry_run ? { status: 200, headers: {}, body: note.resource } : changed(note)
        }),
      {
        idempotent: true,
        params: NoteParams,
        body: EditNote,
        response: { 200: Note },
        detail: {
          operationId: 'editNote',
          ...refuses('edit_target_ambiguous', 'edit_target_missing', 'too_many_links'),
          summary: 'Edit parts of a note',
          description:
            'Applies up to 100 edits in order, all or none, as one revision. If a target matches no part of the note or several, the response lists candidates, and nothing is changed.',
        },
      },
    )
    .get('/:id/outline', async ({ params, session, reply }) => reply.read(await edits.getOutline(session, params.id)), {
      params: NoteParams,
      response: { 200: NoteOutline, 304: NoContent },
      detail: {
        operationId: 'getNoteOutline',
        ...refuses('conflict'),
        summary: 'Outline a note',
        description: 'Lists the headings in order, without those inside quotes and list items.',
      },
    })
}
