import { type FilesForPeople, type ReadQueries, readPages } from '../../archive/archived-type'
import type { Session, Snapshot, WorkspaceId } from '../../db/database'
import { exported } from '../../http/responses'
import { writeZip } from '../../lib/zip/write'
import { listNotesAfter } from '../archive-store'
import { type NoteFilter, readFilter } from '../filters'
import type { ExportNotes } from '../schema'
import { createNamer } from './file-name'

/** Notes that are read at a time, if they are small. */
const READ = 100

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly snapshot: () => Promise<Snapshot>
}

export type Exports = ReturnType<typeof createExports>

/** A Markdown file for each note, in the order of their ids. */
async function* markdownFiles(
  read: ReadQueries,
  workspace: WorkspaceId,
  filter: NoteFilter,
): AsyncGenerator<{ name: string; content: Uint8Array }> {
  // Only exports write YAML: the library is not loaded at the start.
  const { writeMembers } = await import('./markdown-file')
  const nameOf = createNamer()
  const list = (after: string) => listNotesAfter(read, workspace, after, READ, filter)
  for await (const notes of readPages('', list, ({ id }) => id))
    for (const note of notes)
      yield { name: nameOf(note.folder, note.title), content: Buffer.from(writeMembers(note) + note.body) }
}

/** The notes outside the trash as Markdown files in their folders. */
export const readableNotes: FilesForPeople = async function* (read, workspace) {
  for await (const { name, content } of markdownFiles(read, workspace, readFilter({}, 'any')))
    yield { name: `notes/${name}`, content }
}

/** Exports notes as Markdown files in a zip archive, all as they were at one moment. */
export function createExports(deps: Deps) {
  return {
    /**
     * The archive, made while it is read; it must be read to its end or cancelled. Archived notes are in it unless the
     * filter says otherwise. Throws invalid_request; what fails before the first note is thrown here.
     */
    async export({ workspace }: Session, query: ExportNotes): Promise<ReadableStream<Uint8Array>> {
      const filter = readFilter(query, 'any')
      return exported(deps, (read) => writeZip(markdownFiles(read, workspace.id, filter)))
    },
  }
}
