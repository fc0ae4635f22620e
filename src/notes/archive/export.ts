import { type ArchiveFile, type FilesForPeople, type ReadQueries, readPages } from '../../archive/archived-type'
import type { Context } from '../../db/context'
import type { Session, Snapshot, WorkspaceId } from '../../db/database'
import { streamExport } from '../../http/responses'
import { writeZip, type ZipParts } from '../../lib/zip/write'
import { exportAttachments, findLinkedFiles } from '../attachments/archive'
import type { AttachmentRow } from '../attachments/store'
import { type NoteFilter, readFilter } from '../filters'
import type { ExportNotesQuery } from '../schema'
import { nameFiles, toNoteFile } from './file-paths'
import { listNotesAfter, type StoredNote } from './store'

/**
 * Exports notes as Markdown files. A note with a file name keeps it, as folders keep their names; the names of all other
 * files are valid on every operating system. All are distinct on every system, and links lead to the file of their note.
 */

/** The most notes in one read; large ones are fewer, see READ_BYTES in the store. */
const NOTES_PER_READ = 100

export type NoteExports = ReturnType<typeof createNoteExports>

/** Yields a Markdown file for each note, in the order of their ids. `meet` is called with each of them before. */
async function* writeMarkdownFiles(
  read: ReadQueries,
  workspace: WorkspaceId,
  filter: NoteFilter,
  meet: (note: StoredNote) => Promise<void> = async () => {},
): AsyncGenerator<ArchiveFile> {
  // Only exports write YAML, so the library is not loaded at startup.
  const { writeNoteFrontMatter } = await import('../import/write-front-matter')
  const names = await nameFiles(read, workspace, filter)
  const list = (after: string) => listNotesAfter(read, workspace, after, NOTES_PER_READ, filter)
  for await (const notes of readPages('', list, ({ id }) => id))
    for (const stored of notes) {
      await meet(stored)
      const { path: name, note } = await toNoteFile(read, workspace, stored, names)
      const content = Buffer.from(writeNoteFrontMatter(note, name) + note.body)
      yield { name, content, changed_at: note.updated_at }
    }
}

/**
 * Yields the notes, then the attachments: all of them, or of some notes those that they show or link to, and of a folder
 * those in it as well. In memory is one number for each linked attachment.
 */
async function* writeVault(read: ReadQueries, workspace: WorkspaceId, filter: NoteFilter): AsyncGenerator<ZipParts> {
  const { folder } = filter
  const isWhole = Bun.deepEquals(filter, readFilter(folder === null ? {} : { folder }, 'any'))
  const isWithin = (row: AttachmentRow) =>
    isWhole && (folder === null || `${row.folder ?? ''}/`.startsWith(`${folder}/`))
  const linked = new Set<number>()
  const meet = async (note: StoredNote) => {
    for (const key of await findLinkedFiles(read, workspace, note)) linked.add(key)
  }
  yield* writeMarkdownFiles(read, workspace, filter, isWhole && folder === null ? undefined : meet)
  yield* exportAttachments(read, workspace, (row) => isWithin(row) || linked.has(row.key))
}

export const exportNoteFiles: FilesForPeople = async function* (read, workspace) {
  for await (const file of writeMarkdownFiles(read, workspace, readFilter({}, 'any')))
    yield { ...file, name: `notes/${file.name}` }
}

/** From one snapshot of the database. */
export function createNoteExports(deps: Pick<Context, 'now'> & { snapshot: () => Promise<Snapshot> }) {
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
