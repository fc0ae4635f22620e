import { type FilesForPeople, type ReadQueries, readPages } from '../../archive/archived-type'
import type { Context } from '../../db/context'
import type { Session, Snapshot, WorkspaceId } from '../../db/database'
import { exported } from '../../http/responses'
import { cutCodePoints } from '../../lib/text'
import { writeZip } from '../../lib/zip/write'
import { type NoteFilter, readFilter } from '../filters'
import type { ExportNotesQuery } from '../schema'
import { listNotesAfter } from './store'

/** Names of exported files, such that every system can unpack them and none takes two for one. */

/** Bytes of one name in UTF-8, its ending included. File systems end at 255. */
const MAX_NAME_BYTES = 200
const ENDING = '.md'
/** Windows keeps these for devices, whatever ending they have. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const FORBIDDEN = /[\x00-\x1f\x7f-\x9f<>:"/\\|?*\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Gives each note of an export its path: `folder/Title.md`, or `folder/Title (2).md` if that is taken. */
export function createNamer(): (folder: string | null, title: string) => string {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return (folder, title) => {
    const directory =
      folder === null
        ? ''
        : `${folder
            .split('/')
            .map((part) => toSafeName(part, MAX_NAME_BYTES))
            .join('/')}/`
    const first = directory + toSafeName(title, MAX_NAME_BYTES - ENDING.length)
    for (let n = (counts.get(foldPath(first)) ?? 0) + 1; ; n++) {
      const suffix = n === 1 ? '' : ` (${n})`
      const path = directory + toSafeName(title, MAX_NAME_BYTES - ENDING.length - suffix.length) + suffix + ENDING
      if (taken.has(foldPath(path))) continue
      counts.set(foldPath(first), n)
      taken.add(foldPath(path))
      return path
    }
  }
}

/** One name without what a system forbids: signs, devices, dots at the ends (hidden on one system, cut off on another). */
function toSafeName(name: string, bytes: number): string {
  const plain = name
    .normalize('NFC')
    .replace(FORBIDDEN, '-')
    .trim()
    .replace(/^\.+/, '_')
    .replace(DEVICE, '$1_')
    .replace(/^__MACOSX$/i, '_MACOSX')
  return cutBytes(plain, bytes).replace(/[. ]+$/, '') || 'Untitled'
}

function cutBytes(text: string, bytes: number): string {
  let cut = cutCodePoints(text, bytes)
  while (Buffer.byteLength(cut) > bytes) cut = cutCodePoints(cut, [...cut].length - 1)
  return cut
}

/** Names that differ in case alone are the same on some systems. */
function foldPath(path: string): string {
  return path.toLowerCase().normalize('NFC')
}

/** Notes that are read at a time, if they are small. */
const NOTES_PER_READ = 100

interface Deps extends Pick<Context, 'now'> {
  readonly snapshot: () => Promise<Snapshot>
}

export type NoteExports = ReturnType<typeof createNoteExports>

/** A Markdown file for each note, in the order of their ids. */
async function* writeMarkdownFiles(
  read: ReadQueries,
  workspace: WorkspaceId,
  filter: NoteFilter,
): AsyncGenerator<{ name: string; content: Uint8Array }> {
  // Only exports write YAML: the library is not loaded at the start.
  const { writeNoteFrontMatter: writeMembers } = await import('../import/markdown-file')
  const nameOf = createNamer()
  const list = (after: string) => listNotesAfter(read, workspace, after, NOTES_PER_READ, filter)
  for await (const notes of readPages('', list, ({ id }) => id))
    for (const note of notes)
      yield { name: nameOf(note.folder, note.title), content: Buffer.from(writeMembers(note) + note.body) }
}

/** The notes outside the trash as Markdown files in their folders. */
export const exportNoteFiles: FilesForPeople = async function* (read, workspace) {
  for await (const { name, content } of writeMarkdownFiles(read, workspace, readFilter({}, 'any')))
    yield { name: `notes/${name}`, content }
}

/** Exports notes as Markdown files in a zip archive, all as they were at one moment. */
export function createNoteExports(deps: Deps) {
  return {
    /**
     * The archive, made while it is read; it must be read to its end or cancelled. Archived notes are in it unless the
     * filter says otherwise. Throws invalid_request; what fails before the first note is thrown here.
     */
    async export({ workspace }: Session, query: ExportNotesQuery): Promise<ReadableStream<Uint8Array>> {
      const filter = readFilter(query, 'any')
      return exported(deps, (read) => writeZip(writeMarkdownFiles(read, workspace.id, filter)))
    },
  }
}
