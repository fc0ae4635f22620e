import type { Session, Snapshot, WorkspaceId } from '../db/database'
import { ApiError } from '../http/api-error'
import { streamExport } from '../http/responses'
import { writeInstant } from '../http/values'
import { writeZip, type ZipParts } from '../lib/zip/write'
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, dataFileName, MANIFEST_NAME } from './archive'
import type { ArchivedType, FilesForPeople, ReadQueries } from './archived-type'

/** Exports that run at the same time, in all workspaces: each has a connection, and what is made of flashcards in memory. */
const MAX_RUNNING = 4

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly snapshot: () => Promise<Snapshot>
  readonly archivedTypes: readonly ArchivedType[]
  readonly readables: readonly FilesForPeople[]
}

export type ArchiveExports = ReturnType<typeof createArchiveExports>

/** Exports all of a workspace as one zip, as it was at one moment. */
export function createArchiveExports({ now, snapshot, archivedTypes, readables }: Deps) {
  let running = 0

  async function* files(read: ReadQueries, workspace: WorkspaceId, withReadable: boolean): AsyncGenerator<ZipParts> {
    const exported_at = writeInstant(now())
    const counts: Record<string, number> = {}
    for (const { type, items } of archivedTypes) {
      counts[type] = 0
      const content = lines(items(read, workspace), () => {
        counts[type] = (counts[type] ?? 0) + 1
      })
      yield { name: dataFileName(type), content }
    }
    for (const archivedType of archivedTypes) if (archivedType.files) yield* archivedType.files(read, workspace)
    const manifest = { format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, exported_at, counts }
    yield { name: MANIFEST_NAME, content: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) }
    if (withReadable) for (const readable of readables) yield* readable(read, workspace)
  }

  /** @throws ApiError unavailable */
  async function admitted(): Promise<Snapshot> {
    if (running >= MAX_RUNNING)
      throw new ApiError('unavailable', 'Other exports are running. Try again in a moment.', {}, { 'Retry-After': '5' })
    running++
    try {
      const read = await snapshot()
      return {
        ...read,
        close() {
          running--
          read.close()
        },
      }
    } catch (error) {
      running--
      throw error
    }
  }

  return {
    /** The archive, made while it is read; it must be read to its end or cancelled. Throws unavailable. */
    export: ({ workspace }: Pick<Session, 'workspace'>, { readable }: { readonly readable?: 'true' | 'false' }) =>
      streamExport({ now, snapshot: admitted }, (read) => writeZip(files(read, workspace.id, readable !== 'false'))),
  }
}

async function* lines(items: AsyncIterable<object>, each: () => void): AsyncGenerator<string> {
  for await (const item of items) {
    each()
    yield JSON.stringify(item)
    yield '\n'
  }
}
