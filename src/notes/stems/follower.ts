import type { NoteFollower } from '../writer'
import { index, unindex } from './stem-index.sqlite'

/** Keeps the stems of notes: only living notes are found by them. */
export const indexFollower: NoteFollower = {
  async written({ db, workspace }, old, note) {
    if (note.deleted_at !== null) await unindex(db, note.key)
    else if (!old || old.deleted_at !== null || old.title !== note.title || old.body !== note.body)
      await index(db, workspace.id, note.key, note)
    return { note, bytes: 0 }
  },
  async erased({ db }, note) {
    await unindex(db, note.key)
    return 0
  },
}
