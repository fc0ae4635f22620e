import type { Session, Snapshot, WorkspaceId } from '../../db/database'
import type { Reading } from '../../db/portable'
import { streamed } from '../../http/streamed'
import { writeZip, type ZipFile } from '../../zip/write'
import { type NoteFilter, readFilter } from '../filters'
import { createNamer } from './file-name'
import type { ExportNotes } from './schema'
import { listWhole } from './store'

/** Notes that are read at a time, if they are small. */
const NOTES_READ = 100
/** How long an export may take, in milliseconds: its snapshot keeps the database's log from being tidied. */
const EXPORT_MS = 30 * 60 * 1000
/** Where the ids begin. */
const FIRST = ''

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly snapshot: () => Promise<Snapshot>
}

export type Exports = ReturnType<typeof createExports>

/** A Markdown file for each note, in the order of their ids. */
export async function* markdownFiles(
  read: Reading,
  workspace: WorkspaceId,
  filter: NoteFilter,
): AsyncGenerator<{ name: string; content: Uint8Array }> {
  // Only exports write YAML: the library is not loaded at the start.
  const { writeMembers } = await import('./members')
  const nameOf = createNamer()
  for (let after: string | undefined = FIRST; after !== undefined; ) {
    const notes = await listWhole(read, workspace, filter, after, NOTES_READ)
    for (const note of notes)
      yield { name: nameOf(note.folder, note.title), content: Buffer.from(writeMembers(note) + note.body) }
    after = notes.at(-1)?.id
  }
}

/** Exports notes as Markdown files in a zip archive, all as they were at one moment. */
export function createExports({ now, snapshot }: Deps) {
  async function* files(session: Session, filter: NoteFilter): AsyncGenerator<ZipFile> {
    const end = now() + EXPORT_MS
    const read = await snapshot()
    try {
      for await (const file of markdownFiles(read, session.workspace.id, filter)) {
        if (now() > end) throw new Error('an export took too long')
        yield file
      }
    } finally {
      read.close()
    }
  }

  return {
    /**
     * The archive, made while it is read; it must be read to its end or cancelled. Archived notes are in it unless the
     * filter says otherwise. Throws invalid_request; what fails before the first note is thrown here.
     */
    async export(session: Session, query: ExportNotes): Promise<ReadableStream<Uint8Array>> {
      return streamed(writeZip(files(session, readFilter(query, 'any'))))
    },
  }
}
