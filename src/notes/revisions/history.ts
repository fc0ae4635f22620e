import type { Reserve } from '../../db/change-feed'
import type { Queries, Session, Workspace, WorkspaceId } from '../../db/database'
import { textBytes } from '../../http/resource'
import type { NoteWriteHook } from '../note'
import type { NoteRow } from '../store'
import {
  addVersionBody,
  closeVersion,
  eraseVersions,
  findNextToThin,
  listVersionAges,
  openVersion,
  packText,
  setThinAt,
  type VersionAge,
} from './store'

/**
 * Decides by their ages which versions of a note are kept. Revision 1, the newest 50 and the labelled versions are kept
 * forever. Of the others, the newest is kept of each 10 minutes (for one day), then of each day (for 30 days), then of
 * each ISO week. These spans are aligned to the calendar in UTC, and a span ages as a whole, by its end. So each lies
 * within a longer span, and the result does not depend on how often thinning runs.
 */

/** The newest versions, which are always kept. */
export const NEWEST_KEPT_VERSIONS = 50
/** Versions of one note after thinning. Only decades of weekly versions exceed it; then the oldest are erased. */
export const MAX_KEPT_VERSIONS = 1000

const TEN_MINUTES_MS = 10 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000
const WEEK_MS = 7 * DAY_MS
/** 1970 began on a Thursday, ISO weeks begin on Mondays. */
const MONDAY_OFFSET_MS = 3 * DAY_MS

export function listRevisionsToErase(revisions: readonly VersionAge[], now: number): number[] {
  const rest = listUnprotected(revisions)
  const newestOfSpan = new Map(rest.map((version) => [findSpan(version, now).name, version.revision]))
  const newest = new Set(newestOfSpan.values())
  const erased = rest.filter(({ revision }) => !newest.has(revision))
  const kept = rest.filter(({ revision }) => newest.has(revision))
  const excess = Math.max(0, revisions.length - erased.length - MAX_KEPT_VERSIONS)
  return [...erased, ...kept.slice(0, excess)].map(({ revision }) => revision).toSorted((a, b) => a - b)
}

/** Returns when one of these versions will next be old enough for a longer span; null for never. Milliseconds. */
export function getNextThinning(revisions: readonly VersionAge[], now: number): number | null {
  const changes = listUnprotected(revisions).map((version) => findSpan(version, now).until)
  const next = Math.min(...changes)
  return Number.isFinite(next) ? next : null
}

/** Lists the versions that may be erased, oldest first. */
function listUnprotected(revisions: readonly VersionAge[]): VersionAge[] {
  return revisions
    .toSorted((a, b) => a.revision - b.revision)
    .slice(0, -NEWEST_KEPT_VERSIONS)
    .filter(({ revision, labelled }) => revision > 1 && !labelled)
}

/** Finds the span that a version is in, and the instant at which it moves to a longer one. */
function findSpan({ updated_at: at }: VersionAge, now: number): { name: string; until: number } {
  const slot = Math.floor(at / TEN_MINUTES_MS)
  const slotAges = (slot + 1) * TEN_MINUTES_MS + DAY_MS
  if (now < slotAges) return { name: `ten minutes ${slot}`, until: slotAges }
  const day = Math.floor(at / DAY_MS)
  const dayAges = (day + 1) * DAY_MS + 30 * DAY_MS
  if (now < dayAges) return { name: `day ${day}`, until: dayAges }
  return { name: `week ${Math.floor((at + MONDAY_OFFSET_MS) / WEEK_MS)}`, until: Number.POSITIVE_INFINITY }
}

/** Versions erased in one transaction. It bounds how long other writers wait. */
const VERSIONS_PER_STEP = 200

interface ThinnerDeps {
  readonly reserve: Reserve
  readonly find: (db: Queries, id: WorkspaceId) => Promise<Workspace>
}

/** Makes the job that thins out the versions of all notes. */
export function createThinner({ reserve, find }: ThinnerDeps) {
  /**
   * Thins one note, at most VERSIONS_PER_STEP versions. Returns the number of erased versions, or null if no note is
   * due.
   */
  async function thinOne(db: Queries, now: number): Promise<number | null> {
    const due = await findNextToThin(db, now)
    if (!due) return null
    const writer = { db, workspace: { id: due.workspace } }
    const versions = await listVersionAges(writer, due.key)
    const revisions = listRevisionsToErase(versions, now)
    const batch = revisions.slice(0, VERSIONS_PER_STEP)
    if (batch.length > 0) {
      const bytes = await eraseVersions(writer, due.key, batch)
      await reserve({ db, workspace: await find(db, due.workspace) }, -bytes)
    }
    // A note with more to erase remains due.
    if (batch.length === revisions.length) {
      const erased = new Set(batch)
      const remaining = versions.filter(({ revision }) => !erased.has(revision))
      await setThinAt(writer, due.key, getNextThinning(remaining, now))
    }
    return batch.length
  }

  /**
   * Erases the versions that need not be kept as of `now` (milliseconds), in at most `limit` short transactions. It can
   * stop between any two, by `signal` or in a crash; the next run continues. Returns the number of erased versions.
   */
  return async (db: Queries, now: number, limit: number, signal?: AbortSignal): Promise<number> => {
    let total = 0
    for (let step = 0; step < limit && !signal?.aborted; step++) {
      const erased = await db.transaction((tx) => thinOne(tx, now))
      if (erased === null) break
      total += erased
    }
    return total
  }
}

const CONTENT_MEMBERS = ['title', 'folder', 'tags', 'properties', 'body'] as const

export function hasDifferentContent(a: Pick<NoteRow, ContentMember>, b: Pick<NoteRow, ContentMember>): boolean {
  return CONTENT_MEMBERS.some((member) => a[member] !== b[member])
}
type ContentMember = (typeof CONTENT_MEMBERS)[number]

/** Keeps the history of notes: stores the version that a change of content replaces. */
export const revisionHook: NoteWriteHook = {
  async afterWrite(session, old, note) {
    if (old) return hasDifferentContent(old, note) ? { bytes: await replaceVersion(session, old, note) } : {}
    await openNewVersion(session, note, note.revision)
    return {}
  },

  async beforeErase(reader, note) {
    const revisions = (await listVersionAges(reader, note.key)).map(({ revision }) => revision)
    return -(await eraseVersions(reader, note.key, revisions))
  },
}

/** Closes the version of `old` and opens one for `note`. Returns the bytes that the closed version takes. */
async function replaceVersion(session: Session, old: NoteRow, note: NoteRow): Promise<number> {
  const { key, title, folder, tags } = old
  const properties = packText(old.properties)
  const closed = { key, last_revision: old.revision, title, folder, tags, properties }
  const bodyRevision = await closeVersion(session, closed)
  if (bodyRevision === null) throw new Error(`note ${old.id} has no history`)
  const body = old.body === note.body ? null : packText(old.body)
  if (body) await addVersionBody(session, key, bodyRevision, body)
  await openNewVersion(session, note, body ? note.revision : bodyRevision)
  const texts = textBytes(title, folder, tags)
  return texts + properties.length + (body?.length ?? 0)
}

function openNewVersion(session: Session, note: NoteRow, bodyRevision: number): Promise<void> {
  return openVersion(session, {
    key: note.key,
    revision: note.revision,
    updated_at: note.updated_at,
    body_revision: bodyRevision,
    // Revision 1 and the newest versions are always kept, so until then there is nothing to thin.
    thin_at: note.revision > NEWEST_KEPT_VERSIONS + 1 ? note.updated_at : null,
  })
}
