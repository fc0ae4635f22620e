/** What can be done with notes: each is shown at once, sent to the server, and can be undone. */
import type { NoteSummary } from '../api/types'
import { newId } from '../data/ids'
import type { NameChange } from '../data/name-lists'
import type { Workspace } from '../data/workspace'
import type { Texts, Write } from '../data/writes'
import { actWithUndo } from '../shell/act'
import { addressOf, go } from '../shell/route'
import { say } from '../words/say'

type NoteOp = Extract<Write, { type: 'note' }>['op']
type NoteChange = Pick<Extract<NoteOp, { op: 'update' }>['data'] & NoteSummary, 'folder' | 'pinned' | 'archived_at'>

/** Writes of notes wait so long for more of them, in milliseconds, before they are sent. */
export const SEND_AFTER_MS = 3000

/** @param base the texts that the new ones were made of */
export const noteWrite = (op: NoteOp, base?: Texts): Write => ({
  type: 'note',
  op,
  ...(base !== undefined && { base }),
})

/** Adds tags to a note, or takes them away. */
export function tagNote(
  workspace: Workspace,
  { id }: NoteSummary,
  words: string,
  { add = [], remove = [] }: NameChange,
): void {
  const change = (tags_add: readonly string[], tags_remove: readonly string[]) =>
    noteWrite({ op: 'update', id, data: { tags_add: [...tags_add], tags_remove: [...tags_remove] } })
  actWithUndo(workspace, words, [change(add, remove)], [change(remove, add)])
}

/** Changes members of a note. Undo gives them back what they had. */
export function updateNote(workspace: Workspace, note: NoteSummary, words: string, change: Partial<NoteChange>): void {
  const before = Object.fromEntries(Object.keys(change).map((name) => [name, note[name as keyof NoteChange]]))
  actWithUndo(
    workspace,
    words,
    [noteWrite({ op: 'update', id: note.id, data: change })],
    [noteWrite({ op: 'update', id: note.id, data: before })],
  )
}

export function pinNote(workspace: Workspace, note: NoteSummary): void {
  const words = note.pinned ? say`Unpinned “${note.title}”.` : say`Pinned “${note.title}”.`
  updateNote(workspace, note, words, { pinned: !note.pinned })
}

/** Moves a note to the archive, or back from it. `now` is milliseconds since 1970. */
export function archiveNote(workspace: Workspace, note: NoteSummary, now: number): void {
  const isArchived = note.archived_at !== null
  const words = isArchived ? say`Took “${note.title}” out of the archive.` : say`Archived “${note.title}”.`
  updateNote(workspace, note, words, { archived_at: isArchived ? null : new Date(now).toISOString() })
}

/** Moves a note to the trash. */
export function deleteNote(workspace: Workspace, note: NoteSummary): void {
  const restore = noteWrite({ op: 'restore', id: note.id })
  actWithUndo(workspace, say`Deleted “${note.title}”.`, [noteWrite({ op: 'delete', id: note.id })], [restore])
}

/** Takes a note out of the trash. */
export function restoreNote(workspace: Workspace, note: Pick<NoteSummary, 'id' | 'title'>): void {
  const remove = noteWrite({ op: 'delete', id: note.id })
  actWithUndo(workspace, say`Restored “${note.title}”.`, [noteWrite({ op: 'restore', id: note.id })], [remove])
}

/** The ids of notes that were begun here: they are created with what is typed first. */
export const begun = new Map<string, { readonly folder: string | null; readonly tags: readonly string[] }>()

/** Opens a note for writing, or for reading, in place of the other in the browser's history. */
export const showEditor = (id: string) => go(addressOf('notes', [id], { edit: '1' }), { replace: true })
export const showReader = (id: string) => go(addressOf('notes', [id]), { replace: true })

/** Opens a new note for writing. It exists once something is typed. */
export function beginNote({ folder = null, tag = null }: { folder?: string | null; tag?: string | null } = {}): void {
  const id = newId()
  begun.set(id, { folder, tags: tag === null ? [] : [tag] })
  go(addressOf('notes', [id], { edit: '1' }))
}

/** Makes the note that a link names, and opens it for writing. A path makes it in its folder, else it is beside `from`. */
export async function createLinkedNote(workspace: Workspace, target: string, from: NoteSummary): Promise<void> {
  const path = target.replace(/\.(?:md|markdown)$/i, '').split('/')
  const title = path.pop() ?? ''
  const levels = path.filter((level) => level !== '' && level !== '.' && level !== '..')
  const id = newId()
  const folder = levels.length > 0 ? levels.join('/') : from.folder
  const data = { title, body: '', ...(folder !== null && { folder }) }
  await workspace.act(
    say`Created “${title}”.`,
    [noteWrite({ op: 'create', id, data })],
    [noteWrite({ op: 'delete', id })],
  )
  go(addressOf('notes', [id], { edit: '1' }))
}
