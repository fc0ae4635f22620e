import { index, unindex } from './search-index.sqlite'
import type { NoteFollower } from './writer'

/** Keeps the full text index: only living notes are found by their words. */
export const indexFollower: NoteFollower = {
  async written({ db, workspace }, old, note) {
    if (note.deleted_at !== null) await unindex(db, note.key)
    else if (
      !old ||
      old.deleted_at !== null ||
      old.title !== note.title ||
      old.tags !== note.tags ||
      old.body !== note.body
    )
      await index(db, workspace.id, note.key, { title: note.title, tags: JSON.parse(note.tags), body: note.body })
    return note
  },
  async erased({ db }, note) {
    await unindex(db, note.key)
  },
}
