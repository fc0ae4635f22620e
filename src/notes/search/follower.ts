import type { Queries } from '../../db/database'
import { fold } from '../../search/fold'
import { scanMarkdown } from '../markdown/scan'
import type { NoteRow } from '../store'
import type { NoteFollower } from '../writer'
import { type Doc, dropDoc, putDoc } from './doc-index.sqlite'

/** Keeps the full text index, at the end of the transaction: only living notes are found, and only a change is written. */
export const searchFollower: NoteFollower = {
  async written({ db, workspace }, old, note) {
    const later = (work: (tx: Queries) => Promise<void>) => db.beforeCommit(nameOf(note.key), work)
    if (note.deleted_at !== null) await later((tx) => dropDoc(tx, note.key))
    else if (!old || old.deleted_at !== null || SHOWN.some((member) => old[member] !== note[member])) {
      const doc = docOf(note)
      await later((tx) => putDoc(tx, workspace.id, note.key, doc))
    }
    return { note, bytes: 0 }
  },
  // At once: the key may be another note's before the transaction ends.
  async erased({ db }, note) {
    await dropDoc(db, note.key)
    await db.beforeCommit(nameOf(note.key), async () => {})
    return 0
  },
}

/** What of a note is looked through. */
const SHOWN = ['title', 'tags', 'body'] as const

function nameOf(key: number): string {
  return `text of note ${key}`
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
