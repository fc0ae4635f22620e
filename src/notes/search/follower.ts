import { scanMarkdown } from '../markdown/scan'
import type { NoteRow } from '../store'
import type { NoteFollower } from '../writer'
import { type Doc, dropDoc, putDoc } from './doc-index.sqlite'
import { fold } from './fold'

/** Keeps the full text index: only living notes are found, and only a change of text is written. */
export const searchFollower: NoteFollower = {
  async written({ db, workspace }, old, note) {
    if (note.deleted_at !== null) await dropDoc(db, note.key)
    else if (
      !old ||
      old.deleted_at !== null ||
      old.title !== note.title ||
      old.tags !== note.tags ||
      old.body !== note.body
    )
      await putDoc(db, workspace.id, note.key, docOf(note))
    return { note, bytes: 0 }
  },
  async erased({ db }, note) {
    await dropDoc(db, note.key)
    return 0
  },
}

function docOf({ title, tags, body }: NoteRow): Doc {
  const { code, headings } = scanMarkdown(body)
  return {
    title: fold(title),
    tags: fold(tagText(tags)),
    body: fold(body),
    hasCode: code.length > 0,
    hasHeading: headings.length > 0,
  }
}

/** The tags of a row as one text, a line for each. */
export function tagText(tags: string): string {
  return (JSON.parse(tags) as string[]).join('\n')
}
