import { type FilesForPeople, type ReadQueries, readPages } from '../../archive/archived-type'
import type { Context } from '../../db/context'
import type { Session, Snapshot, WorkspaceId } from '../../db/database'
import { streamExport } from '../../http/responses'
import { cutCodePoints } from '../../lib/text'
import { writeZip, type ZipParts } from '../../lib/zip/write'
import { exportAttachments } from '../attachments/archive'
import { type NoteFilter, readFilter } from '../filters'
import type { ExportNotesQuery } from '../schema'
import { listNotesAfter } from './store'

/** Exports notes as Markdown files, with names that are valid and distinct on every operating system. */

/** Bytes of one file name in UTF-8, with its extension. File systems allow 255. */
const MAX_NAME_BYTES = 200
const EXTENSION = '.md'
/** The names that Windows reserves for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const FORBIDDEN = /[\x00-\x1f\x7f-\x9f<>:"/\\|?*\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/**
 * Makes a function that returns the path of each note of an export: `folder/Title.md`, or `folder/Title (2).md` if that
 * is taken.
 */
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
    const first = directory + toSafeName(title, MAX_NAME_BYTES - EXTENSION.length)
    for (let n = (counts.get(foldPath(first)) ?? 0) + 1; ; n++) {
      const suffix = n === 1 ? '' : ` (${n})`
      const path = directory + toSafeName(title, MAX_NAME_BYTES - EXTENSION.length - suffix.length) + suffix + EXTENSION
      if (taken.has(foldPath(path))) continue
      counts.set(foldPath(first), n)
      taken.add(foldPath(path))
      return path
    }
  }
}

/**
 * Replaces everything in a name that a system forbids: characters, device names, leading dots (hidden files) and
 * trailing dots.
 */
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

/** Folds a path for comparison: on some systems, names that differ only in case are the same. */
function foldPath(path: string): string {
  return path.toLowerCase().normalize('NFC')
}

/** The most notes in one read; large ones are fewer, see READ_BYTES in the store. */
const NOTES_PER_READ = 100

interface Deps extends Pick<Context, 'now'> {
  readonly snapshot: () => Promise<Snapshot>
}

export type NoteExports = ReturnType<typeof createNoteExports>

/** Yields a Markdown file for each note, in the order of their ids. */
async function* writeMarkdownFiles(
  read: ReadQueries,
  workspace: WorkspaceId,
  filter: NoteFilter,
): AsyncGenerator<{ name: string; content: Uint8Array }> {
  // Only exports write YAML, so the library is not loaded at startup.
  const { writeNoteFrontMatter } = await import('../import/markdown-file')
  const getName = createNamer()
  const list = (after: string) => listNotesAfter(read, workspace, after, NOTES_PER_READ, filter)
  for await (const notes of readPages('', list, ({ id }) => id))
    for (const note of notes)
      yield { name: getName(note.folder, note.title), content: Buffer.from(writeNoteFrontMatter(note) + note.body) }
}

/** Yields the notes, then the attachments beside them; without attachments if only some notes of a folder are wanted. */
async function* writeVault(read: ReadQueries, workspace: WorkspaceId, filter: NoteFilter): AsyncGenerator<ZipParts> {
  yield* writeMarkdownFiles(read, workspace, filter)
  const { folder } = filter
  const isWhole = Bun.deepEquals(filter, readFilter(folder === null ? {} : { folder }, 'any'))
  if (isWhole) yield* exportAttachments(read, workspace, folder)
}

/** Yields the living notes as Markdown files in their folders. */
export const exportNoteFiles: FilesForPeople = async function* (read, workspace) {
  for await (const { name, content } of writeMarkdownFiles(read, workspace, readFilter({}, 'any')))
    yield { name: `notes/${name}`, content }
}

/** Exports notes as Markdown files in a zip archive, from one snapshot of the database. */
export function createNoteExports(deps: Deps) {
  return {
    /**
     * Returns the zip archive as a stream, which must be read to its end or cancelled. It includes archived notes
     * unless the filter excludes them. Throws invalid_request, and errors before the first note.
     */
    async export({ workspace }: Session, query: ExportNotesQuery): Promise<ReadableStream<Uint8Array>> {
      const filter = readFilter(query, 'any')
      return streamExport(deps, (read) => writeZip(writeVault(read, workspace.id, filter)))
    },
  }
}
