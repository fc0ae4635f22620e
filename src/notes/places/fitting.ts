import { Refusal } from '../../http/problem'
import type { NoteRow } from '../store'

/** What `next` makes of the note. A name or body that grows too long is no fault of the request's form: 409 names the note. */
export function fitting<Note extends Pick<NoteRow, 'id'>, Next>(old: Note, next: (note: Note) => Next): Next {
  try {
    return next(old)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal('conflict', `Note ${old.id} cannot take the new name: ${error.detail}`, { note_id: old.id })
  }
}
