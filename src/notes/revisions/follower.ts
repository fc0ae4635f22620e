import type { Session } from '../../db/database'
import type { NoteRow } from '../store'
import type { NoteFollower } from '../writer'
import { closeVersion, eraseVersions, listVersionAges, openVersion, pack, putBody } from './store'
import { NEWEST_KEPT } from './thinning'

/** What a version keeps. */
const CONTENT = ['title', 'folder', 'tags', 'properties', 'body'] as const

/** Whether two rows differ in what a version keeps. */
export function contentDiffers(a: Pick<NoteRow, Content>, b: Pick<NoteRow, Content>): boolean {
  return CONTENT.some((member) => a[member] !== b[member])
}
type Content = (typeof CONTENT)[number]

/** Keeps the history: of every change of content, the version that it replaced. */
export const revisionFollower: NoteFollower = {
  async written(session, old, note) {
    if (old) return { note, bytes: contentDiffers(old, note) ? await replace(session, old, note) : 0 }
    await open(session, note, note.revision)
    return { note, bytes: 0 }
  },

  async erased({ db, workspace }, note) {
    const all = (await listVersionAges(db, workspace.id, note.key)).map(({ revision }) => revision)
    return -(await eraseVersions(db, workspace.id, note.key, all))
  },
}

/** Returns how many bytes the replaced version takes. */
async function replace(session: Session, old: NoteRow, note: NoteRow): Promise<number> {
  const { db, workspace } = session
  const { key, title, folder, tags } = old
  const properties = pack(old.properties)
  const closed = { key, last_revision: old.revision, title, folder, tags, properties }
  const bodyRevision = await closeVersion(db, workspace.id, closed)
  if (bodyRevision === null) throw new Error(`note ${old.id} has no history`)
  const body = old.body === note.body ? null : pack(old.body)
  if (body) await putBody(db, key, bodyRevision, body)
  await open(session, note, body ? note.revision : bodyRevision)
  const texts = Buffer.byteLength(title) + Buffer.byteLength(folder ?? '') + Buffer.byteLength(tags)
  return texts + properties.length + (body?.length ?? 0)
}

function open({ db, workspace }: Session, note: NoteRow, bodyRevision: number): Promise<void> {
  return openVersion(db, workspace.id, {
    key: note.key,
    revision: note.revision,
    updated_at: note.updated_at,
    body_revision: bodyRevision,
    // With revision 1 and the newest there is nothing to thin yet.
    thin_at: note.revision > NEWEST_KEPT + 1 ? note.updated_at : null,
  })
}
