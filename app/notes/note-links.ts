/** Which note of the copy a link leads to: the same as on the server, except for aliases, which the copy has not. */
import { titleKey } from '../../src/lib/text'
import { getLinkName, listNoteNames, NAME_STEP, toFolderKey, toTargetKey } from '../../src/notes/links/names'
import type { NoteSummary } from '../api/types'

type NamedNote = Pick<NoteSummary, 'id' | 'title' | 'file_name' | 'folder'>

interface Candidate {
  readonly id: string
  readonly folderLength: number
}

type Step = 'path' | 'name' | 'titlePath' | 'title'
const STEP_OF: Readonly<Record<number, Step>> = {
  [NAME_STEP.path]: 'path',
  [NAME_STEP.name]: 'name',
  [NAME_STEP.titlePath]: 'titlePath',
  [NAME_STEP.title]: 'title',
}

/** Notes by their names. It is the same object as long as no note has another name. */
export interface LinkIndex {
  /** The id of the note that a target leads to from a folder; null if there is none. */
  find(target: string, folder: string | null): string | null
}

type Names = ReturnType<typeof listNoteNames>
const known = new WeakMap<NamedNote, Names>()
let last: { readonly notes: ReadonlyMap<string, NamedNote>; readonly index: LinkIndex } | null = null

/** Makes the index of all notes, or returns the last one if nothing of it has changed. */
export function indexLinks(notes: ReadonlyMap<string, NamedNote>): LinkIndex {
  const index = last && haveSameNames(last.notes, notes) ? last.index : makeIndex(notes)
  last = { notes, index }
  return index
}

function haveSameNames(before: ReadonlyMap<string, NamedNote>, now: ReadonlyMap<string, NamedNote>): boolean {
  if (before === now) return true
  if (before.size !== now.size) return false
  for (const [id, note] of now) {
    const old = before.get(id)
    if (old === note) continue
    if (!old || old.title !== note.title || old.file_name !== note.file_name || old.folder !== note.folder) return false
  }
  return true
}

function namesOf(note: NamedNote): Names {
  const names = known.get(note) ?? listNoteNames({ ...note, properties: '{}' })
  known.set(note, names)
  return names
}

function makeIndex(notes: ReadonlyMap<string, NamedNote>): LinkIndex {
  const tables: Record<Step, Map<string, Candidate[]>> = {
    path: new Map(),
    name: new Map(),
    titlePath: new Map(),
    title: new Map(),
  }
  for (const note of notes.values()) {
    const candidate = { id: note.id, folderLength: toFolderKey(note.folder).length }
    for (const { step, key } of namesOf(note)) {
      const name = STEP_OF[step]
      if (name === undefined) continue
      const list = tables[name].get(key)
      if (list) list.push(candidate)
      else tables[name].set(key, [candidate])
    }
  }
  const first = (step: Step, key: string) => pick(tables[step].get(key) ?? [])
  return {
    find(target, folder) {
      const folderKey = toFolderKey(folder)
      const key = toTargetKey(target, folderKey)
      const id = /^note:(.+)$/.exec(key)?.[1]
      if (id !== undefined && notes.has(id)) return id
      const below = `${folderKey}/${key}`
      return (
        first('path', key) ??
        pick((tables.path.get(below) ?? []).filter(({ folderLength }) => folderLength === folderKey.length)) ??
        (key.includes('/') ? first('path', below) : null) ??
        first('name', key) ??
        first('titlePath', key) ??
        first('title', key)
      )
    },
  }
}

/** The note in the shortest folder path, then the oldest. */
function pick(candidates: readonly Candidate[]): string | null {
  let best: Candidate | null = null
  for (const candidate of candidates) if (!best || isBefore(candidate, best)) best = candidate
  return best?.id ?? null
}

const isBefore = (a: Candidate, b: Candidate) =>
  a.folderLength === b.folderLength ? a.id < b.id : a.folderLength < b.folderLength

const MAX_TITLES = 20

/**
 * Lists the notes that may complete a link: those whose name begins with what is typed, then those that have it; for
 * nothing typed the newest.
 */
export function completeLinks(notes: Iterable<NoteSummary>, typed: string): { title: string }[] {
  const key = titleKey(typed)
  const newest = [...notes].sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
  const begin: string[] = []
  const within: string[] = []
  for (const note of newest) {
    const name = getLinkName(note)
    const at = key === '' ? 0 : titleKey(name).indexOf(key)
    if (at === 0) begin.push(name)
    else if (at > 0) within.push(name)
    if (begin.length >= MAX_TITLES) break
  }
  return [...begin, ...within].slice(0, MAX_TITLES).map((title) => ({ title }))
}
