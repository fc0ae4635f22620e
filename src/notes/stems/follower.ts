import type { Queries } from '../../db/database'
import type { NoteFollower } from '../writer'
import { index, unindex } from './stem-index.sqlite'

/** Keeps the stems of notes, at the end of the transaction: only living notes are found by them. */
export const indexFollower: NoteFollower = {
  async written({ db, workspace }, old, note) {
    const later = (work: (tx: Queries) => Promise<void>) => db.beforeCommit(nameOf(note.key), work)
    if (note.deleted_at !== null) await later((tx) => unindex(tx, note.key))
    else if (!old) await later((tx) => index(tx, workspace.id, note.key, note))
    else if (old.deleted_at !== null || old.title !== note.title || old.body !== note.body)
      await later(async (tx) => {
        await unindex(tx, note.key)
        await index(tx, workspace.id, note.key, note)
      })
    return { note, bytes: 0 }
  },
  // At once: the key may be another note's before the transaction ends.
  async erased({ db }, note) {
    await unindex(db, note.key)
    await db.beforeCommit(nameOf(note.key), async () => {})
    return 0
  },
}

function nameOf(key: number): string {
  return `stems of note ${key}`
}
