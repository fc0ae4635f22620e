import type { Session } from '../../db/database'
import { textBytes } from '../../http/resource'
import type { NoteRow } from '../store'
import type { NoteWriteHook } from '../writer'
import { addVersionBody, closeVersion, eraseVersions, listVersionAges, openVersion, packText } from './store'
import { NEWEST_KEPT_VERSIONS } from './thinning'

const CONTENT_MEMBERS = ['title', 'folder', 'tags', 'properties', 'body'] as const

export function hasDifferentContent(a: Pick<NoteRow, ContentMember>, b: Pick<NoteRow, ContentMember>): boolean {
  return CONTENT_MEMBERS.some((member) => a[member] !== b[member])
}
type ContentMember = (typeof CONTENT_MEMBERS)[number]

/** Keeps the history of notes: stores the version that a change of content replaces. */
export const revisionHook: NoteWriteHook = {
  async afterWrite(session, old, note) {
    if (old) return { note, bytes: hasDifferentContent(old, note) ? await replaceVersion(session, old, note) : 0 }
    await openNewVersion(session, note, note.revision)
    return { note, bytes: 0 }
  },

  async beforeErase({ db, workspace }, note) {
    const revisions = (await listVersionAges(db, workspace.id, note.key)).map(({ revision }) => revision)
    return -(await eraseVersions(db, workspace.id, note.key, revisions))
  },
}

/** Closes the version of `old` and opens one for `note`. Returns the bytes that the closed version takes. */
async function replaceVersion(session: Session, old: NoteRow, note: NoteRow): Promise<number> {
  const { db, workspace } = session
  const { key, title, folder, tags } = old
  const properties = packText(old.properties)
  const closed = { key, last_revision: old.revision, title, folder, tags, properties }
  const bodyRevision = await closeVersion(db, workspace.id, closed)
  if (bodyRevision === null) throw new Error(`note ${old.id} has no history`)
  const body = old.body === note.body ? null : packText(old.body)
  if (body) await addVersionBody(db, workspace.id, key, bodyRevision, body)
  await openNewVersion(session, note, body ? note.revision : bodyRevision)
  const texts = textBytes(title, folder, tags)
  return texts + properties.length + (body?.length ?? 0)
}

function openNewVersion({ db, workspace }: Session, note: NoteRow, bodyRevision: number): Promise<void> {
  return openVersion(db, workspace.id, {
    key: note.key,
    revision: note.revision,
    updated_at: note.updated_at,
    body_revision: bodyRevision,
    // Revision 1 and the newest versions are always kept, so until then there is nothing to thin.
    thin_at: note.revision > NEWEST_KEPT_VERSIONS + 1 ? note.updated_at : null,
  })
}
