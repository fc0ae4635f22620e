import { tagKey } from './filters'
import type { NoteRow } from './store'
import { addTags, dropTags, type NoteTag, putTrashedTags } from './tag-store'
import type { NoteFollower } from './writer'

/** Keeps the tables of tags: one of living notes, so that counts need not look at the trash, and one of the trash. */
export const tagFollower: NoteFollower = {
  async written({ db, workspace }, old, note) {
    if (note.deleted_at !== null) await putTrashedTags(db, workspace.id, note.key, tagKeysOf(note))
    else if (!old || old.deleted_at !== null || old.tags !== note.tags || old.inline_tags !== note.inline_tags) {
      if (old) await dropTags(db, workspace.id, note.key)
      await addTags(db, workspace.id, note.key, tagsOf(note))
    }
    return { note, bytes: 0 }
  },
  async erased({ db, workspace }, note) {
    await dropTags(db, workspace.id, note.key)
    return 0
  },
}

function tagKeysOf(note: NoteRow): string[] {
  return tagsOf(note).map(({ tag_key }) => tag_key)
}

function tagsOf(note: NoteRow): NoteTag[] {
  const tags = new Map<string, NoteTag>()
  for (const tag of JSON.parse(note.tags) as string[])
    tags.set(tagKey(tag), { tag_key: tagKey(tag), tag, explicit: true, inline: false })
  for (const tag of JSON.parse(note.inline_tags) as string[]) {
    const known = tags.get(tagKey(tag))
    tags.set(tagKey(tag), { tag_key: tagKey(tag), tag: known?.tag ?? tag, explicit: known !== undefined, inline: true })
  }
  return [...tags.values()]
}
