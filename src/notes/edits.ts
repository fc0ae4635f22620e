import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { ApiError, refuses } from '../http/api-error'
import { refuseTrashed } from '../http/resource'
import { changed, ifMatch, type Precondition, type Tagged } from '../http/responses'
import { NoContent, nameSchemas } from '../http/schema'
import { countWords, toCodePoints } from '../lib/text'
import { applyEditsInSteps } from './apply-edits'
import { EditedProperties } from './edit-properties'
import { getHeadingPath, listSections } from './edit-targets'
import { withLinksUpdated } from './links-updated'
import { findRenamedHeading, type HeadingRename } from './markdown/headings'
import { yieldIfLarge } from './markdown/scan-markdown'
import { type NotesContext, patchRow, toNote } from './note'
import {
  BlockTarget,
  BodyEdit,
  DocumentTarget,
  EditNote,
  HeadingTarget,
  Note,
  NoteOutline,
  NoteParams,
  PropertyTarget,
  TextTarget,
  type UpdateNote,
} from './schema'
import { type Notes, noteReader } from './service'
import type { NoteRow } from './store'

/** The limit of an outline. It is needed because a long heading is repeated in the path of each heading below it. */
const MAX_OUTLINE_UNITS = 8 * 1024 * 1024
/** UTF-16 units that the other members of an outline's item take in JSON. */
const OUTLINE_ITEM_UNITS = 100

export type NoteEdits = ReturnType<typeof createNoteEdits>

interface Deps extends Pick<NotesContext, 'now' | 'rename'> {
  readonly notes: Pick<Notes, 'change'>
}

/** A note, and how many notes have links that an edit rewrote, since it renamed a heading. */
type EditedNote = Tagged<Note> & { readonly linksUpdated: number }

export function createNoteEdits({ notes, now, rename }: Deps) {
  return {
    /**
     * Applies all of the edits or none, as one revision, and rewrites the links to headings that they rename. A dry run
     * stores nothing and returns the resulting note with its current revision. Throws not_found, precondition_failed,
     * conflict while the note is in the trash, rewrite_impossible, and the errors of applyEdits.
     */
    async apply(session: Session, id: string, input: EditNote, precondition: Precondition = null): Promise<EditedNote> {
      const old = await noteReader.loadAt(session, id, precondition)
      refuseTrashed(old, 'note')
      let { patch, headings } = await applyEditsYielding(old, input.edits)
      if (input.dry_run) {
        const note = patchRow(old, patch, now()) ?? old
        return { ...toNote({ ...note, revision: old.revision }), linksUpdated: 0 }
      }
      // Many edits of a long text take a while, so they are applied before the transaction, which blocks other writers.
      // They are applied again in it only if the note has changed since.
      const next = async (current: NoteRow) => {
        refuseTrashed(current, 'note')
        const isSame = current.body === old.body && current.properties === old.properties
        if (!isSame) ({ patch, headings } = await applyEditsYielding(current, input.edits))
        return patchRow(current, patch, now())
      }
      let linksUpdated = 0
      const note = await notes.change(session, id, precondition, next, async (inside, current, edited) => {
        const renamed = await rename(inside, current, edited, { headings })
        linksUpdated = renamed.rewritten
        return renamed.note
      })
      return { ...note, linksUpdated }
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

interface AppliedEdits {
  readonly patch: UpdateNote
  readonly headings: readonly HeadingRename[]
}

/** Applies edits like applyEdits, and lets other requests run between the edits of a long body. */
async function applyEditsYielding(note: NoteRow, edits: readonly BodyEdit[]): Promise<AppliedEdits> {
  const properties = new EditedProperties(JSON.parse(note.properties))
  const headings: HeadingRename[] = []
  let { body } = note
  let applied = 0
  for (const text of applyEditsInSteps(body, edits, properties)) {
    const heading = mayRenameHeading(edits[applied]) ? findRenamedHeading(body, text) : null
    if (heading) headings.push(heading)
    body = text
    applied += 1
    await yieldIfLarge(body)
  }
  return { patch: { body, ...properties.toPatch() }, headings }
}

/** Whether an edit names a heading that it may give another text: by its path, or by what it replaces. */
function mayRenameHeading(edit: BodyEdit | undefined): boolean {
  return edit !== undefined && (edit.op === 'rename' || (edit.op === 'replace' && 'text' in edit.target))
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

nameSchemas({
  ...{ BlockTarget, BodyEdit, DocumentTarget, EditNote, HeadingTarget, NoteOutline, PropertyTarget, TextTarget },
})

export function noteEditsRoutes({ edits, api }: { edits: NoteEdits; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes', tags: ['Edits and revisions'] })
    .use(api)
    .post(
      '/:id/edits',
      ({ request, params, body, once }) =>
        once(async (session) => {
          const note = await edits.apply(session, params.id, body, ifMatch(request))
          // The note of a dry run is not stored, so no ETag may name it.
          if (body.dry_run) return { status: 200, headers: {}, body: note.resource }
          return withLinksUpdated(changed(note), note.linksUpdated)
        }),
      {
        idempotent: true,
        params: NoteParams,
        body: EditNote,
        response: { 200: Note },
        detail: {
          operationId: 'editNote',
          ...refuses('edit_target_ambiguous', 'edit_target_missing', 'rewrite_impossible', 'too_many_links'),
          summary: 'Edit parts of a note',
          description:
            'Applies up to 100 edits in order, all or none, as one revision. If a target matches no part of the note or several, the response lists candidates, and nothing is changed. An edit that gives a heading another text, by `rename` or in place of an exact text, rewrites the links to the heading, such as `[[Note#Heading]]`, here and in other notes; the header `X-Links-Updated` counts the rewritten notes. If more than 200 notes have such links, they are rewritten in the background.',
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
