import type { Session } from '../db/database'
import { elementsIn } from '../db/dialect'
import { tagKey } from './filters'
import type { NoteRow } from './store'
import type { NoteWriteHook } from './writer'

/** A tag of one note: set by the client (`explicit`), written in its body (`inline`), or both. */
interface NoteTag {
  readonly tag_key: string
  readonly tag: string
  readonly explicit: boolean
  readonly inline: boolean
}

async function addTags({ db, workspace }: Session, key: number, tags: readonly NoteTag[]): Promise<void> {
  for (const { tag_key, tag, explicit, inline } of tags) {
    await db.run(
      'INSERT INTO note_tags (workspace, tag_key, key, tag, explicit, inline) VALUES ($1, $2, $3, $4, $5, $6)',
      [workspace.id, tag_key, key, tag, Number(explicit), Number(inline)],
    )
  }
}

/** Stores the folded tags of a note in the trash. It is found by them, but not counted. */
async function setTrashedTags({ db, workspace }: Session, key: number, tagKeys: readonly string[]): Promise<void> {
  await deleteTags({ db, workspace }, key)
  await db.run(
    `INSERT INTO note_trashed_tags (workspace, tag_key, key) SELECT $1, value, $2 FROM ${elementsIn('$3')}`,
    [workspace.id, key, JSON.stringify(tagKeys)],
  )
}

async function deleteTags({ db, workspace }: Session, key: number): Promise<void> {
  await db.run('DELETE FROM note_tags WHERE workspace = $1 AND key = $2', [workspace.id, key])
  await db.run('DELETE FROM note_trashed_tags WHERE workspace = $1 AND key = $2', [workspace.id, key])
}

/**
 * Returns the workspace's spelling of each tag, by folded tag: the spelling of the oldest note on which a client set
 * it. Tags that no client has set are left out.
 */
export async function getTagSpellings(
  { db, workspace }: Session,
  keys: readonly string[],
): Promise<Map<string, string>> {
  // A subquery for each tag reads one row in the order of the table's key; a join would read every note with the tag.
  const rows = await db.all<{ tag_key: string; tag: string | null }>(
    `SELECT value AS tag_key, (SELECT tag FROM note_tags WHERE workspace = $1 AND tag_key = value AND explicit = 1
       ORDER BY key LIMIT 1) AS tag
     FROM ${elementsIn('$2')}`,
    [workspace.id, JSON.stringify(keys)],
  )
  return new Map(rows.flatMap(({ tag_key, tag }) => (tag === null ? [] : [[tag_key, tag]])))
}

/** Keeps the two tables of tags: one of living notes, so that counts need not skip the trash, and one of the trash. */
export const tagHook: NoteWriteHook = {
  async afterWrite(session, old, note) {
    if (note.deleted_at !== null) await setTrashedTags(session, note.key, listTagKeys(note))
    else if (!old || old.deleted_at !== null || old.tags !== note.tags || old.inline_tags !== note.inline_tags) {
      if (old) await deleteTags(session, note.key)
      await addTags(session, note.key, listNoteTags(note))
    }
    return {}
  },
  async beforeErase(session, note) {
    await deleteTags(session, note.key)
    return 0
  },
}

function listTagKeys(note: NoteRow): string[] {
  return listNoteTags(note).map(({ tag_key }) => tag_key)
}

function listNoteTags(note: NoteRow): NoteTag[] {
  const tags = new Map<string, NoteTag>()
  for (const tag of JSON.parse(note.tags) as string[])
    tags.set(tagKey(tag), { tag_key: tagKey(tag), tag, explicit: true, inline: false })
  for (const tag of JSON.parse(note.inline_tags) as string[]) {
    const known = tags.get(tagKey(tag))
    tags.set(tagKey(tag), { tag_key: tagKey(tag), tag: known?.tag ?? tag, explicit: known !== undefined, inline: true })
  }
  return [...tags.values()]
}
