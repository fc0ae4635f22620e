import { ApiError } from '../../http/api-error'
import type { NoteRow } from '../store'

/** What `next` makes of the note. A name or body that grows too long is no fault of the request's form: 409 names the note. */
export function fitting<Note extends Pick<NoteRow, 'id'>, Next>(old: Note, next: (note: Note) => Next): Next {
  try {
    return next(old)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new ApiError('conflict', `Note ${old.id} cannot take the new name: ${error.detail}`, { note_id: old.id })
  }
}
