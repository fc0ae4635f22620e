import type { Reserve } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { refuseTrashed } from '../../http/resource'
import { DEFAULT_LIMIT, requireLength, writeInstant } from '../../http/values'
import { withFollowedName } from '../file-name'
import { computeRow, toNote } from '../note'
import type { RenameNote } from '../rename-port'
import type { Note } from '../schema'
import { noteReader } from '../service'
import type { NoteRow } from '../store'
import type {
  DiffQuery,
  LabelRevision,
  ListRevisionsQuery,
  NoteRevision,
  NoteRevisionSummary,
  RevisionDiff,
} from './schema'
import {
  countLabels,
  getVersion,
  listVersions,
  setLabel,
  unpackText,
  type VersionRow,
  type VersionSummaryRow,
} from './store'
import { hasDifferentContent } from './write-hook'

/** Labelled versions of one note. */
export const MAX_REVISION_LABELS = 100
/** In code points. */
const MAX_LABEL_CHARS = 100
/** Unchanged lines around each change of a diff if the query does not say. */
const DEFAULT_CONTEXT_LINES = 3

/** The dependencies of Revisions. */
export interface RevisionsDeps extends Pick<Context, 'now'> {
  /** Stores a note that may have another title or folder, and rewrites the links to it. */
  readonly rename: RenameNote
  readonly reserve: Reserve
}

export type Revisions = ReturnType<typeof createRevisions>

/**
 * Reads, labels and restores versions of notes. A version is identified by its first revision, and found by any of its
 * revisions.
 */
export function createRevisions({ now, rename, reserve }: RevisionsDeps) {
  return {
    /** Lists the versions of a note, newest first; the current note is the first. Throws not_found, invalid_cursor. */
    async list(session: Session, id: string, query: ListRevisionsQuery): Promise<Page<NoteRevisionSummary>> {
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const binding = JSON.stringify(['revisions', id])
      const after = query.cursor === undefined ? null : readCursor(query.cursor, binding, ['number'])
      const before = Number(after?.[0] ?? Number.MAX_SAFE_INTEGER)
      const rows = await listVersions(session.db, session.workspace.id, id, before, limit + 1)
      // Revision 1 is always kept, so no page of a note is empty.
      if (rows.length === 0) await noteReader.load(session, id)
      return toPage(rows, limit, binding, ({ revision }) => [revision], toSummary)
    },

    /** Returns the version with a revision. Throws not_found. */
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
        if (version.label === null && (await countLabels(db, session.workspace.id, version.key)) >= MAX_REVISION_LABELS)
          throw new ApiError(
            'conflict',
            `A note may have ${MAX_REVISION_LABELS} labelled revisions. Remove a label first.`,
          )
        await setLabel(db, session.workspace.id, version, label)
        await reserve(inside, Buffer.byteLength(label ?? '') - Buffer.byteLength(version.label ?? ''))
        return toRevision({ ...version, label, label_revision: version.label_revision + 1 })
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
  const version = await getVersion(session.db, session.workspace.id, id, revision)
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

function readBody({ present_body, packed_body }: VersionRow): string {
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
