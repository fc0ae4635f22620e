import { type ReadQueries, readPages } from '../../archive/archived-type'
import type { WorkspaceId } from '../../db/database'
import { EXTENSION, MAX_MADE_NAME_BYTES, toSafeFolder, toSafeName } from '../file-name'
import type { NoteFilter } from '../filters'
import { getLinkName, stripExtension } from '../link-name'
import { mayHaveLinks } from '../links/body-links'
import { toFolderKey, toLinkPath, toNameKey } from '../links/names'
import { isSpellable, type LinkRewrite, rewriteLinks, spellById } from '../links/rewrite-links'
import { listLinksFrom, type ResolvedLink } from '../links/store'
import { getNoteLocations, type NoteRow } from '../store'
import { listNotePathsAfter } from './store'

/**
 * Makes a function that returns the path of each note of an export: its folder and its file name, else `Title.md`; or
 * `Title (2).md` if that is taken.
 */
export function createNamer(): (folder: string | null, title: string, fileName?: string | null) => string {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return (folder, title, fileName = null) => {
    const { directory, stem, extension, path: first } = getOwnPath(folder, title, fileName)
    for (let n = (counts.get(foldPath(first)) ?? 0) + 1; ; n++) {
      const suffix = ` (${n})`
      const path =
        n === 1
          ? first
          : directory + toSafeName(stem, MAX_MADE_NAME_BYTES - extension.length - suffix.length) + suffix + extension
      if (taken.has(foldPath(path))) continue
      counts.set(foldPath(first), n)
      taken.add(foldPath(path))
      return path
    }
  }
}

function getOwnPath(folder: string | null, title: string, fileName: string | null) {
  const directory = folder === null ? '' : `${toSafeFolder(folder)}/`
  const stem = fileName === null ? title.normalize('NFC') : stripExtension(fileName)
  const extension = fileName?.slice(stem.length) ?? EXTENSION
  const name = fileName ?? toSafeName(stem, MAX_MADE_NAME_BYTES - extension.length) + extension
  return { directory, stem, extension, path: directory + name }
}

/** Folds a path for comparison: on some systems, names that differ only in case are the same. */
function foldPath(path: string): string {
  return path.toLowerCase().normalize('NFC')
}

/** Notes in one read, without their bodies. */
const PATHS_PER_READ = 500
/** What can change how a wiki link with a title is parsed. */
const UNLINKABLE = /[[\]#^|`%\\]/g

export interface ExportedNames {
  /** The keys of all notes of the export. */
  readonly notes: ReadonlySet<number>
  /** The paths of the notes that links do not find by the name of their file. */
  readonly renamed: ReadonlyMap<number, string>
}

/**
 * Names the files of an export, in the order of the notes' ids. Of a note in a link, a title that links cannot spell gives
 * a name that they can. In memory are a number for each note and the paths of those that are renamed, beside what the namer
 * keeps.
 */
export async function nameFiles(read: ReadQueries, workspace: WorkspaceId, filter: NoteFilter): Promise<ExportedNames> {
  const [notes, renamed, getName] = [new Set<number>(), new Map<number, string>(), createNamer()]
  const list = (after: string) => listNotePathsAfter(read, workspace, after, PATHS_PER_READ, filter)
  for await (const page of readPages('', list, ({ id }) => id))
    for (const { key, folder, title, file_name, links_in } of page) {
      notes.add(key)
      const path = getName(
        folder,
        links_in > 0 && !isSpellable(title) ? title.replace(UNLINKABLE, '-') : title,
        file_name,
      )
      const isFound = toNameKey(getFileName(path)) === toNameKey(getLinkName({ title, file_name }))
      if (!isFound || path !== getOwnPath(folder, title, file_name).path) renamed.set(key, path)
    }
  return { notes, renamed }
}

/** A note as its file has it: its path, its body, and its file name if an import must know it to find the links. */
export async function toNoteFile<Note extends NoteRow>(
  read: ReadQueries,
  workspace: WorkspaceId,
  note: Note,
  names: ExportedNames,
): Promise<{ readonly path: string; readonly note: Note }> {
  const renamed = names.renamed.get(note.key)
  const path = renamed ?? getOwnPath(note.folder, note.title, note.file_name).path
  const body = await rewriteForFiles(read, workspace, note, names)
  const file_name = renamed !== undefined && note.links_in > 0 ? getFileName(path) : note.file_name
  return { path, note: { ...note, body, file_name } }
}

/**
 * Returns the body with the links by id, and those to notes whose file has another name, as paths of files. Others stay:
 * links to notes that are not in the export, or whose path no link can spell or no import would keep.
 */
async function rewriteForFiles(
  read: ReadQueries,
  workspace: WorkspaceId,
  { key, folder, body }: NoteRow,
  { notes, renamed }: ExportedNames,
): Promise<string> {
  if (!mayHaveLinks(body) || (renamed.size === 0 && !/\[\[\s*note:/i.test(body))) return body
  const links = (await listLinksFrom(read, workspace, key)).filter(
    ({ target_key, resolved }) => renamed.has(resolved) || (target_key.startsWith('note:') && notes.has(resolved)),
  )
  if (links.length === 0) return body
  const rows = await getNoteLocations(read, workspace, [...new Set(links.map(({ resolved }) => resolved))])
  const locations = new Map(rows.map((row) => [row.key, row]))
  const rewrites = new Map<string, LinkRewrite>()
  for (const link of links) {
    const location = locations.get(link.resolved)
    // An import puts a note into its folder, whatever that of the file is called.
    if (!location || (location.folder !== null && toSafeFolder(location.folder) !== location.folder)) continue
    rewrites.set(link.target_key, planRewrite(link, location, renamed.get(link.resolved)))
  }
  return rewriteLinks(body, rewrites, { from: folder, to: folder }) ?? body
}

/** @param path of the file, if it has another name than the note */
function planRewrite(
  { target_key, folder_key }: ResolvedLink,
  note: Pick<NoteRow, 'id' | 'title' | 'file_name' | 'folder'>,
  path?: string,
): LinkRewrite {
  const name = path === undefined ? getLinkName(note) : stripExtension(getFileName(path))
  const target = toLinkPath(note.folder, name)
  const safe = spellById(note.id, note.title)
  const own = [getLinkName(note), note.title].map((one) => `${toFolderKey(note.folder)}/${toNameKey(one)}`)
  const isRelative = folder_key !== '' && own.includes(`${folder_key}/${target_key}`)
  return {
    wanted: isSpellable(target) ? { ...safe, target } : null,
    safe,
    step: isRelative ? 'below_folder' : 'by_name',
    path: { folder: note.folder, name },
    plainLeads: false,
    pathLeads: true,
  }
}

function getFileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
