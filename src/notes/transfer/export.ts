import type { Session, Snapshot } from '../../db/database'
import { streamed } from '../../http/streamed'
import { writeZip, type ZipFile } from '../../zip/write'
import { type NoteFilter, readFilter } from '../filters'
import { createNamer } from './file-name'
import { writeMembers } from './members'
import type { ExportNotes } from './schema'
import { listWhole } from './store'

/** Notes that are read at a time: 16 MiB of bodies at most. */
const NOTES_READ = 16
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

/** Exports notes as Markdown files in a zip archive, all as they were at one moment. */
export function createExports({ now, snapshot }: Deps) {
  async function* files(session: Session, filter: NoteFilter): AsyncGenerator<ZipFile> {
    const end = now() + EXPORT_MS
    const nameOf = createNamer()
    const read = await snapshot()
    try {
      for (let after: string | undefined = FIRST; after !== undefined; ) {
        if (now() > end) throw new Error('an export took too long')
        const notes = await listWhole(read, session.workspace.id, filter, after, NOTES_READ)
        for (const note of notes)
          yield { name: nameOf(note.folder, note.title), content: Buffer.from(writeMembers(note) + note.body) }
        after = notes.length < NOTES_READ ? undefined : notes.at(-1)?.id
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
