import type { Context, Reader, Session, Snapshot } from '../db/database'
import { busy } from '../http/api-error'
import { streamExport } from '../http/responses'
import { writeInstant } from '../http/values'
import { createSlots } from '../lib/steps'
import type { ZipParts } from '../lib/zip/write'
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, dataFileName, MANIFEST_NAME } from './archive'
import type { ArchivedType, FilesForPeople } from './archived-type'

/** Exports that run at the same time on the server: each holds a connection, and the flashcards package in memory. */
const MAX_RUNNING = 4

interface Deps extends Pick<Context, 'now'> {
  readonly snapshot: () => Promise<Snapshot>
  readonly archivedTypes: readonly ArchivedType[]
  readonly filesForPeople: readonly FilesForPeople[]
}

export type ArchiveExports = ReturnType<typeof createArchiveExports>

export function createArchiveExports({ now, snapshot, archivedTypes, filesForPeople }: Deps) {
  const slots = createSlots(MAX_RUNNING)

  async function* listFiles({ db: read, workspace }: Reader, withFilesForPeople: boolean): AsyncGenerator<ZipParts> {
    const exported_at = writeInstant(now())
    const counts: Record<string, number> = {}
    for (const { type, items } of archivedTypes) {
      counts[type] = 0
      const content = writeLines(items({ db: read, workspace }), () => {
        counts[type] = (counts[type] ?? 0) + 1
      })
      yield { name: dataFileName(type), content }
    }
    for (const archivedType of archivedTypes) if (archivedType.files) yield* archivedType.files({ db: read, workspace })
    const manifest = { format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, exported_at, counts }
    yield { name: MANIFEST_NAME, content: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) }
    if (withFilesForPeople) for (const readable of filesForPeople) yield* readable({ db: read, workspace })
  }

  return {
    /** Streams the archive. The stream must be read to its end or cancelled. @throws ApiError unavailable */
    export: ({ workspace }: Pick<Session, 'workspace'>, { readable }: { readonly readable?: 'true' | 'false' }) =>
      streamExport({ now, snapshot }, (db) => {
        if (!slots.isFree()) throw busy('Other exports are running. Try again in a moment.')
        return slots.use(async function* () {
          const { writeZip } = await import('../lib/zip/write')
          yield* writeZip(listFiles({ db, workspace }, readable !== 'false'))
        })
      }),
  }
}

async function* writeLines(items: AsyncIterable<object>, onLine: () => void): AsyncGenerator<string> {
  for await (const item of items) {
    onLine()
    yield JSON.stringify(item)
    yield '\n'
  }
}
