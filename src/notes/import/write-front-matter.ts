import { isDeepStrictEqual } from 'node:util'
import { sourceOfRow, writeInstant } from '../../http/values'
import { stripExtension } from '../../lib/file-target'
import { tagKey } from '../filters'
import { normalizeTags } from '../note'
import type { NoteRow } from '../store'
import {
  changeFrontMatter,
  type FrontMatterNote,
  hasMeaning,
  readFrontMatter,
  readMember,
  readMembers,
  SATCHEL,
  type SatchelMembers,
  writeFrontMatter,
} from './front-matter'
import { toFolder, toTitle } from './parsed'

type Properties = Record<string, unknown>

/**
 * Writes the front matter of a note, with everything stored except its body, revision and history. Of the front matter
 * that its file had, only the lines that are no longer true change; what Satchel adds is in one member of its own.
 * @param path the path of the exported file, which states the title and the folder unless the front matter does
 */
export function writeNoteFrontMatter(note: NoteRow, path: string): string {
  const properties: Properties = JSON.parse(note.properties)
  const tags: string[] = JSON.parse(note.tags)
  const kept = note.front_matter === '' ? null : updateBlock(note, path, properties, tags)
  if (kept !== null) return kept
  const free = Object.entries(properties).filter(([name]) => !hasMeaning(name))
  const stated = { ...(tags.length > 0 ? { tags } : {}), ...Object.fromEntries(free) }
  return writeFrontMatter({ ...stated, [SATCHEL]: toSatchelMembers(note, path, properties, { properties: stated }) })
}

/** Returns the block of the note's file with what changed since; null if it cannot hold that. */
function updateBlock(note: NoteRow, path: string, properties: Properties, tags: readonly string[]): string | null {
  const { members } = readFrontMatter(note.front_matter)
  if (!members) return null
  const changes = new Map<string, unknown>()
  for (const [name, member] of members) {
    const read = readMember(name, member, [])
    // Satchel's own member is written at the end, and has what another program wrote under its name.
    if (name === SATCHEL) changes.set(name, undefined)
    else if (read) for (const value of listChangedValues(name, read, note, tags)) changes.set(name, value)
    else if (!Object.hasOwn(properties, name)) changes.set(name, undefined)
    else if (!isDeepStrictEqual(properties[name], member.value)) changes.set(name, properties[name])
  }
  if (tags.length > 0 && !members.has('tags')) changes.set('tags', tags)
  for (const [name, value] of Object.entries(properties))
    if (!members.has(name) && !hasMeaning(name)) changes.set(name, value)
  const own = changeFrontMatter(note.front_matter, changes)
  const stated = own && readFrontMatter(own).members
  if (!own || !stated) return null
  const satchel = toSatchelMembers(note, path, properties, readMembers(stated, []))
  const block = changeFrontMatter(own, new Map([[SATCHEL, satchel]]))
  if (block === null || !hasSameMembers(block, note, path, properties, tags)) return null
  return note.body === '' || block.endsWith('\n') ? block : `${block}\n`
}

/** Lists the value that a member must have where what it states of the note is no longer true: one or none. */
function listChangedValues(
  name: string,
  read: Partial<FrontMatterNote>,
  note: NoteRow,
  tags: readonly string[],
): unknown[] {
  const { title, archived } = read
  const isArchived = note.archived_at !== null
  switch (name) {
    case 'id':
      return read.id === note.id ? [] : [note.id]
    case 'title':
      return title == null || title === note.title ? [] : [note.title]
    case 'folder':
      return read.folder === note.folder ? [] : [note.folder]
    case 'tags':
      return hasSameTags(read.tags ?? [], tags) ? [] : [tags]
    case 'created':
      return listChangedInstant(read.created_at, note.created_at)
    case 'updated':
      return listChangedInstant(read.updated_at, note.updated_at)
    case 'pinned':
      return read.pinned == null || read.pinned === (note.pinned === 1) ? [] : [note.pinned === 1]
    case 'archived':
      if (archived === 'now' ? isArchived : archived === (note.archived_at ?? 'not')) return []
      return [note.archived_at === null ? false : writeInstant(note.archived_at)]
    default:
      return []
  }
}

function listChangedInstant(stated: number | null | undefined, at: number): string[] {
  return stated == null || stated === at ? [] : [writeInstant(at)]
}

/** Collects what neither the other members nor the path of the file state of a note. */
function toSatchelMembers(
  note: NoteRow,
  path: string,
  properties: Properties,
  stated: FrontMatterNote,
): SatchelMembers {
  const { created_at, updated_at, archived_at, daily_date, file_name } = note
  const { title, folder } = withPath(stated, path)
  const source = sourceOfRow(note)
  const hidden = Object.entries(properties).filter(
    ([name, value]) => hasMeaning(name) && !isDeepStrictEqual(stated.properties[name], value),
  )
  return {
    ...(stated.id === note.id ? {} : { id: note.id }),
    ...(title === note.title ? {} : { title: note.title }),
    ...(folder === note.folder ? {} : { folder: note.folder }),
    ...(stated.created_at === created_at ? {} : { created: writeInstant(created_at) }),
    ...(stated.updated_at === updated_at ? {} : { updated: writeInstant(updated_at) }),
    ...((stated.pinned ?? false) === (note.pinned === 1) ? {} : { pinned: note.pinned === 1 }),
    ...(archived_at === null || stated.archived === archived_at ? {} : { archived: writeInstant(archived_at) }),
    ...(source === null
      ? {}
      : { source: Object.fromEntries(Object.entries(source).filter(([, value]) => value !== null)) }),
    ...(daily_date === null ? {} : { daily_date }),
    ...(file_name === null ? {} : { file_name }),
    ...(hidden.length === 0 ? {} : { properties: Object.fromEntries(hidden) }),
  }
}

/** Whether the import of a file with this front matter gives the same note. */
function hasSameMembers(
  block: string,
  note: NoteRow,
  path: string,
  properties: Properties,
  tags: readonly string[],
): boolean {
  const { members } = readFrontMatter(block)
  if (!members) return false
  const stated = readMembers(members, [])
  const rest = toSatchelMembers(note, path, properties, stated)
  const { source, daily_date, file_name, ...missing } = rest
  return (
    Object.keys(missing).length === 0 &&
    (stated.archived ?? 'not') === (note.archived_at ?? 'not') &&
    isDeepStrictEqual(stated.properties, properties) &&
    hasSameTags(stated.tags ?? [], tags)
  )
}

function withPath({ title, folder }: FrontMatterNote, path: string) {
  const names = path.split('/')
  const fileName = stripExtension(names.pop() ?? '')
  return { title: title ?? toTitle(fileName, []), folder: folder === undefined ? toFolder(names, []) : folder }
}

/** Whether tags are the same as the workspace compares them: it may spell them in another way than the file. */
function hasSameTags(a: readonly string[], b: readonly string[]): boolean {
  return isDeepStrictEqual(normalizeTags(a).map(tagKey), b.map(tagKey))
}
