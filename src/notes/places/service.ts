import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import { readCursor, toPage } from '../../http/cursor'
import { Refusal } from '../../http/problem'
import { DEFAULT_LIMIT } from '../../http/values'
import { tagKey } from '../filters'
import type { RenameAll } from '../links/rename'
import { checkedFolder, checkedTag, checkedTags, moved, withChanges } from '../note'
import { requireNote } from '../service'
import type { NoteRow } from '../store'
import { spellings } from '../tag-store'
import type { Writer } from '../writer'
import { isUnder, renamedInBody, type TagRenaming, tagRenaming } from './rename-tag'
import type { FolderPage, ListPlaces, Renamed, RenameFolder, RenameTag, TagPage } from './schema'
import { folderHolds, idsOfFolder, idsOfTag, listFolders, listTags, tagsUnder } from './store'

/** Notes that one rename may change. */
export const MAX_AFFECTED = 10_000
/** After so many notes a rename lets other requests have their turn. */
const NOTES_PER_TURN = 50

interface Deps {
  readonly writer: Writer
  /** Stores notes in another folder, and rewrites the links to them. */
  readonly renameAll: RenameAll
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export type NotePlaces = ReturnType<typeof createNotePlaces>

/** Tags and folders: they are nothing by themselves, so to rename one is to change every note that has it. */
export function createNotePlaces({ writer, renameAll, now }: Deps) {
  /** Stores what `next` makes of each note; null leaves it. Answers how many were changed. */
  async function changeAll(
    within: Session,
    ids: readonly string[],
    next: (note: NoteRow) => NoteRow | null,
  ): Promise<number> {
    let changed = 0
    for (const [index, id] of ids.entries()) {
      // The transaction is ours alone; readers have a connection of their own and need not stand still for seconds.
      if (index % NOTES_PER_TURN === NOTES_PER_TURN - 1) await setImmediate()
      const old = await requireNote(within.db, within, id)
      const note = fitting(old, next)
      if (note === null) continue
      await writer.save(within, old, note)
      changed += 1
    }
    return changed
  }

  return {
    async tags({ db, workspace }: Session, { limit: asked, cursor }: ListPlaces): Promise<TagPage> {
      const limit = Number(asked ?? DEFAULT_LIMIT)
      const rows = await listTags(db, workspace.id, after(cursor, 'tags'), limit + 1)
      return toPage(
        rows,
        limit,
        'tags',
        ({ tag_key }) => [tag_key],
        ({ tag_key: _, ...shown }) => shown,
      )
    },

    async folders({ db, workspace }: Session, { limit: asked, cursor }: ListPlaces): Promise<FolderPage> {
      const limit = Number(asked ?? DEFAULT_LIMIT)
      const rows = await listFolders(db, workspace.id, after(cursor, 'folders'), limit + 1)
      return toPage(
        rows,
        limit,
        'folders',
        ({ folder }) => [folder],
        (row) => row,
      )
    },

    /** Renames a tag and what is nested below it. Throws not_found, too_many_affected, conflict for a note that cannot take it. */
    renameTag(session: Session, { from, to, inline = true }: RenameTag): Promise<Renamed> {
      const [fromTag, toTag] = [checkedTag(from, '/from'), checkedTag(to, '/to')]
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        const ids = await idsOfTag(db, session.workspace.id, tagKey(fromTag), MAX_AFFECTED + 1)
        if (ids.length === 0) throw new Refusal('not_found', 'No note has this tag.')
        refuseTooMany(ids)
        const { spelled, merged } = await present(within, tagKey(fromTag), tagKey(toTag))
        const rename = tagRenaming(fromTag, toTag, spelled)
        const at = now()
        return { notes_changed: await changeAll(within, ids, (note) => retagged(note, rename, inline, at)), merged }
      })
    },

    /**
     * Moves what is in a folder and below it, and rewrites the links of `linksUpdated` notes to it. Throws not_found,
     * too_many_affected, conflict for a move into itself, rewrite_impossible.
     */
    renameFolder(session: Session, { from, to }: RenameFolder): Promise<{ renamed: Renamed; linksUpdated: number }> {
      checkedFolder(from, '/from')
      checkedFolder(to, '/to')
      if (to.startsWith(`${from}/`)) throw new Refusal('conflict', 'A folder cannot be moved into one below it.')
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        const ids = await idsOfFolder(db, session.workspace.id, from, MAX_AFFECTED + 1)
        if (ids.length === 0) throw new Refusal('not_found', 'No note is in this folder.')
        refuseTooMany(ids)
        const merged = from !== to && (await folderHolds(db, session.workspace.id, to, from))
        const at = now()
        const next = (note: NoteRow) => {
          const folder = checkedFolder(to + (note.folder ?? '').slice(from.length))
          return folder === note.folder ? null : moved(note, { folder, tags: note.tags }, at)
        }
        const { changed, rewritten } = await renameAll(within, ids, (note) => fitting(note, next))
        return { renamed: { notes_changed: changed, merged }, linksUpdated: rewritten }
      })
    },
  }
}

function refuseTooMany(ids: readonly string[]): void {
  if (ids.length > MAX_AFFECTED)
    throw new Refusal('too_many_affected', `More than ${MAX_AFFECTED} notes would change. Nothing was changed.`)
}

function after(cursor: string | undefined, binding: string): string {
  return cursor === undefined ? '' : String(readCursor(cursor, binding, ['string'])[0])
}

/** How the new names are spelled where they are in use already, and whether any is. A tag that only changes its spelling is itself. */
async function present({ db, workspace }: Session, fromKey: string, toKey: string) {
  if (fromKey === toKey) return { spelled: new Map<string, string>(), merged: false }
  const froms = await tagsUnder(db, workspace.id, fromKey)
  const tos = await tagsUnder(db, workspace.id, toKey)
  const names = [toKey, ...froms.map((key) => toKey + key.slice(fromKey.length))]
  return {
    spelled: await spellings(db, workspace.id, names),
    merged: tos.some((key) => !isUnder(key, fromKey)),
  }
}

function retagged(note: NoteRow, rename: TagRenaming, inline: boolean, at: number): NoteRow | null {
  const tags = checkedTags((JSON.parse(note.tags) as string[]).map((tag) => rename(tag) ?? tag))
  const body = inline ? renamedInBody(note.body, rename) : note.body
  if (body !== note.body) return withChanges(note, { tags, body }, at)
  const written = JSON.stringify(tags)
  return written === note.tags ? null : moved(note, { folder: note.folder, tags: written }, at)
}

/** What `next` makes of the note. A name or body that grows too long is no fault of the request's form: 409 names the note. */
function fitting(old: NoteRow, next: (note: NoteRow) => NoteRow | null): NoteRow | null {
  try {
    return next(old)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal('conflict', `Note ${old.id} cannot take the new name: ${error.detail}`, { note_id: old.id })
  }
}
