import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Reserve } from '../../db/change-feed'
import type { Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, invalid, refuses } from '../../http/api-error'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { refuseTrashed, textBytes } from '../../http/resource'
import { changed, ifMatch, type Precondition, type Tagged, writeEtag } from '../../http/responses'
import {
  asInteger,
  Cursor,
  closed,
  Id,
  Instant,
  Limit,
  NoContent,
  nameSchemas,
  nullable,
  pageOf,
  Revision,
} from '../../http/schema'
import { DEFAULT_LIMIT, requireLength, writeInstant } from '../../http/values'
import { withFollowedName } from '../file-name'
import { withLinksUpdated } from '../links-updated'
import { computeRow, type NotesContext, toNote } from '../note'
import { Note, NoteParams, revisionExample } from '../schema'
import { noteReader } from '../service'
import type { NoteRow } from '../store'
import { hasDifferentContent } from './history'
import {
  countLabels,
  getVersion,
  listVersions,
  setLabel,
  unpackText,
  type VersionColumns,
  type VersionRow,
  type VersionSummaryRow,
} from './store'

const summary = {
  revision: { ...Revision, description: 'The first revision of the note that had this content.' },
  updated_at: Instant,
  label: nullable(
    t.String({ description: 'One line of at most 100 characters. A labelled revision is kept forever.' }),
  ),
  title: t.String(),
  folder: nullable(t.String()),
  tags: t.Array(t.String()),
}

export const NoteRevisionSummary = t.Object(summary, { examples: [revisionExample] })
const NoteRevisionPage = pageOf(NoteRevisionSummary)
const NoteRevision = t.Object(
  { ...summary, body: t.String(), properties: t.Record(t.String(), t.Unknown()) },
  { examples: [{ ...revisionExample, body: '# Plan\n\n- book the #train\n', properties: {} }] },
)

/** A revision in a path or a query. A string with a pattern, since a coerced number also accepts `0x10` and ` 7`. */
const RevisionNumber = t.String({
  pattern: '^[1-9][0-9]{0,14}$',
  ...asInteger({ minimum: 1, maximum: 1e15 - 1 }),
  error: 'must be a whole number from 1',
})

const RevisionParams = t.Object({ id: Id, n: RevisionNumber })

const ListRevisionsQuery = t.Object({ limit: t.Optional(Limit), cursor: t.Optional(Cursor) }, closed)

const LabelRevision = t.Object(
  { label: t.Optional(nullable(t.String())) },
  { ...closed, examples: [{ label: 'as sent to Ana' }] },
)

const DiffQuery = t.Object(
  {
    to: t.Optional(RevisionNumber),
    context: t.Optional(
      t.String({
        pattern: '^(1?[0-9]|20)$',
        ...asInteger({ minimum: 0, maximum: 20, default: 3 }),
        description: 'Unchanged lines around each change: 0 to 20. Default: 3.',
        error: 'must be a whole number from 0 to 20',
      }),
    ),
  },
  closed,
)

const count = Type.Integer({ minimum: 0 })

export const RevisionDiff = t.Object(
  {
    from: Revision,
    to: Revision,
    title: t.Object({ from: t.String(), to: t.String() }, { description: 'The titles of both revisions.' }),
    added: count,
    removed: count,
    approximate: t.Boolean({
      description: 'The bodies differ too much: the diff replaces one whole body by the other.',
    }),
    unified: t.String({ description: 'A unified diff that `patch` can apply; empty if the bodies are equal.' }),
  },
  {
    examples: [
      {
        from: 3,
        to: 5,
        title: { from: 'Trip', to: 'Trip' },
        added: 1,
        removed: 1,
        approximate: false,
        unified: '--- revision 3\n+++ revision 5\n@@ -1,2 +1,2 @@\n # Trip\n-Train at 9\n+Train at 10\n',
      },
    ],
  },
)

export type NoteRevisionSummary = Static<typeof NoteRevisionSummary>
type NoteRevision = Static<typeof NoteRevision>
type ListRevisionsQuery = Static<typeof ListRevisionsQuery>
type LabelRevision = Static<typeof LabelRevision>
type DiffQuery = Static<typeof DiffQuery>
export type RevisionDiff = Static<typeof RevisionDiff>

/** Labelled versions of one note. */
const MAX_REVISION_LABELS = 100
/** In code points. */
const MAX_LABEL_CHARS = 100
/** Unchanged lines around each change of a diff if the query does not say. */
const DEFAULT_CONTEXT_LINES = 3

export type Revisions = ReturnType<typeof createRevisions>

/**
 * Reads, labels and restores versions of notes. A version is identified by its first revision, and found by any of its
 * revisions.
 */
export function createRevisions({ now, rename, reserve }: Pick<NotesContext, 'now' | 'rename' | 'reserve'>) {
  return {
    /** Lists the versions of a note, newest first; the current note is the first. Throws not_found, invalid_cursor. */
    async list(session: Session, id: string, query: ListRevisionsQuery): Promise<Page<NoteRevisionSummary>> {
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const binding = JSON.stringify(['revisions', id])
      const after = query.cursor === undefined ? null : readCursor(query.cursor, binding, ['number'])
      const before = Number(after?.[0] ?? Number.MAX_SAFE_INTEGER)
      const rows = await listVersions(session, id, before, limit + 1)
      // Revision 1 is always kept, so no page of a note is empty.
      if (rows.length === 0) await noteReader.load(session, id)
      return toPage(rows, limit, binding, ({ revision }) => [revision], toSummary)
    },

    /** Throws not_found. */
    async get(session: Session, id: string, revision: number): Promise<Tagged<NoteRevision>> {
      return toRevision(await requireVersion(session, id, revision))
    },

    /**
     * Labels a version, or removes its label. Throws not_found, invalid_request, precondition_failed; conflict while
     * the note is in the trash or if it has MAX_REVISION_LABELS labels already.
     */
    label(
      session: Session,
      id: string,
      revision: number,
      patch: LabelRevision,
      precondition: Precondition,
    ): Promise<Tagged<NoteRevision>> {
      const { label } = patch
      if (typeof label === 'string') checkLabel(label)
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        const version = await requireVersion(inside, id, revision)
        requireLabelRevision(precondition, version)
        refuseTrashed(version, 'note')
        if (label === undefined || label === version.label) return toRevision(version)
        const labelled = { ...version, label, label_revision: version.label_revision + 1 }
        await changeLabel(inside, version, labelled, reserve)
        return toRevision(labelled)
      })
    },

    /** Compares the bodies of two versions; without `to`, of a version and the current note. Throws not_found. */
    async diff(session: Session, id: string, revision: number, query: DiffQuery): Promise<RevisionDiff> {
      const from = await requireVersion(session, id, revision)
      const to = await requireVersion(session, id, query.to === undefined ? null : Number(query.to))
      const number = query.to === undefined ? to.note_revision : Number(query.to)
      const { diffTexts } = await import('./diff')
      const compared = diffTexts(
        { name: `revision ${revision}`, text: readBody(from) },
        { name: `revision ${number}`, text: readBody(to) },
        Number(query.context ?? DEFAULT_CONTEXT_LINES),
      )
      return { from: revision, to: number, title: { from: from.title, to: to.title }, ...compared }
    },

    /**
     * Gives the note exactly the content of a version, as a new revision. If the title or folder changes, rewrites the
     * links of `linksUpdated` other notes. Throws not_found, precondition_failed, conflict while the note is in the
     * trash, rewrite_impossible.
     */
    restore(
      session: Session,
      id: string,
      revision: number,
      precondition: Precondition,
    ): Promise<Tagged<Note> & { linksUpdated: number }> {
      return noteReader.withRow(session, id, precondition, async (inside, old) => {
        refuseTrashed(old, 'note')
        const next = withVersionContent(old, await requireVersion(inside, id, revision), now())
        if (!hasDifferentContent(old, next)) return { ...toNote(old), linksUpdated: 0 }
        const { note, rewritten } = await rename(inside, old, next, { keepsBody: true })
        return { ...toNote(note), linksUpdated: rewritten }
      })
    },
  }
}

async function requireVersion(session: Session, id: string, revision: number | null): Promise<VersionRow> {
  const version = await getVersion(session, id, revision)
  if (version) return version
  await noteReader.load(session, id)
  throw new ApiError('not_found', 'This note has no such revision, or it is no longer kept.')
}

/**
 * Checks If-Match against the ETag of the version, which counts the changes of its label. Throws precondition_failed.
 */
function requireLabelRevision(precondition: Precondition, version: VersionRow): void {
  if (precondition === null || precondition === '*' || precondition.includes(version.label_revision)) return
  const { resource: current } = toRevision(version)
  throw new ApiError('precondition_failed', 'The label has changed since you read it. Nothing was changed.', {
    current,
  })
}

/** Gives a version of a note a label, or none. Throws conflict if the note has MAX_REVISION_LABELS others. */
export async function changeLabel(
  session: Session,
  old: Pick<VersionColumns, 'key' | 'label'>,
  next: Pick<VersionColumns, 'revision' | 'label' | 'label_revision'>,
  reserve: Reserve,
): Promise<void> {
  if (next.label !== null && old.label === null) await refuseTooManyLabels(session, old.key)
  await setLabel(session, { ...next, key: old.key })
  await reserve(session, textBytes(next.label) - textBytes(old.label))
}

/** Throws conflict if the note has MAX_REVISION_LABELS. */
export async function refuseTooManyLabels(session: Session, key: number): Promise<void> {
  if ((await countLabels(session, key)) >= MAX_REVISION_LABELS)
    throw new ApiError('conflict', `A note may have ${MAX_REVISION_LABELS} labelled revisions. Remove a label first.`)
}

/** Throws invalid_request unless the label is one line, not blank and not too long. */
export function checkLabel(label: string): void {
  requireLength(label, MAX_LABEL_CHARS, '/label')
  if (label.trim() === '' || /[\p{Cc}\u2028\u2029]/u.test(label))
    throw invalid('/label', 'invalid_label', 'label must be one line and not blank; null removes it')
}

/** Returns the note with exactly the content of a version; no link is rewritten. */
function withVersionContent(note: NoteRow, version: VersionRow, at: number): NoteRow {
  const { title, folder } = version
  const tags: string[] = JSON.parse(version.tags)
  const properties: unknown = JSON.parse(readProperties(version))
  const pinned = note.pinned === 1
  const draft = { ...note, revision: note.revision + 1, updated_at: at, title, folder, tags, pinned, properties }
  return { ...withFollowedName(computeRow({ ...draft, body: readBody(version) }), note), key: note.key }
}

export function readBody({ present_body, packed_body }: Pick<VersionRow, 'present_body' | 'packed_body'>): string {
  return present_body ?? (packed_body ? unpackText(packed_body) : '')
}

function readProperties({ present_properties, packed_properties }: VersionRow): string {
  return present_properties ?? (packed_properties ? unpackText(packed_properties) : '{}')
}

function toSummary(row: VersionSummaryRow): NoteRevisionSummary {
  return {
    revision: row.revision,
    updated_at: writeInstant(row.updated_at),
    label: row.label,
    title: row.title,
    folder: row.folder,
    tags: JSON.parse(row.tags),
  }
}

function toRevision(row: VersionRow): Tagged<NoteRevision> {
  return {
    resource: { ...toSummary(row), body: readBody(row), properties: JSON.parse(readProperties(row)) },
    etag: writeEtag(row.label_revision),
  }
}

nameSchemas({ NoteRevision, NoteRevisionPage, NoteRevisionSummary, RevisionDiff })

export function revisionRoutes({ revisions, api }: { revisions: Revisions; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes/:id/revisions', tags: ['Edits and revisions'] })
    .use(api)
    .get('', ({ session, params, query }) => revisions.list(session, params.id, query), {
      params: NoteParams,
      query: ListRevisionsQuery,
      response: { 200: NoteRevisionPage },
      detail: {
        operationId: 'listNoteRevisions',
        ...refuses('invalid_cursor'),
        summary: 'List the revisions of a note',
        description: 'Newest first, without bodies. The first is the current note. Old revisions are thinned out.',
      },
    })
    .get(
      '/:n',
      async ({ params: { id, n }, session, reply }) => reply.read(await revisions.get(session, id, Number(n))),
      {
        params: RevisionParams,
        response: { 200: NoteRevision, 304: NoContent },
        detail: {
          operationId: 'getNoteRevision',
          summary: 'Get a revision of a note',
          description: 'Returns the whole note as it was at this revision.',
        },
      },
    )
    .patch(
      '/:n',
      async ({ request, params: { id, n }, body, session, reply }) =>
        reply.changed(await revisions.label(session, id, Number(n), body, ifMatch(request))),
      {
        params: RevisionParams,
        body: LabelRevision,
        response: { 200: NoteRevision },
        detail: {
          operationId: 'labelNoteRevision',
          ...refuses('conflict'),
          summary: 'Label a revision',
          description: 'A note may have 100 labelled revisions. They are never thinned out.',
        },
      },
    )
    .get('/:n/diff', ({ session, params: { id, n }, query }) => revisions.diff(session, id, Number(n), query), {
      params: RevisionParams,
      query: DiffQuery,
      response: { 200: RevisionDiff },
      detail: {
        operationId: 'compareNoteRevisions',
        summary: 'Compare two revisions',
        description: 'Returns a unified diff of the bodies, to the current note or to the revision `to`.',
      },
    })
    .post(
      '/:n/restore',
      ({ request, params: { id, n }, once }) =>
        once(async (session) => {
          const note = await revisions.restore(session, id, Number(n), ifMatch(request))
          return withLinksUpdated(changed(note), note.linksUpdated)
        }),
      {
        idempotent: true,
        params: RevisionParams,
        response: { 200: Note },
        detail: {
          operationId: 'restoreNoteRevision',
          summary: 'Restore a revision',
          description:
            'Makes a new revision with the old title, body, folder, tags and properties. Send the ETag of the note as If-Match. Links to the note still point to it; the header `X-Links-Updated` counts the rewritten notes.',
        },
      },
    )
}
