import type { Session, Snapshot, WorkspaceId } from '../../db/database'
import type { Portable, Readable, Reading } from '../../db/portable'
import { Refusal } from '../../http/problem'
import { streamed } from '../../http/streamed'
import { writeInstant } from '../../http/values'
import { writeZip, type ZipParts } from '../../zip/write'
import { dataFile, FORMAT, MANIFEST, VERSION } from './archive'
import type { ExportWorkspace } from './schema'

/** How long an export may take, in milliseconds: its snapshot keeps the database's log from being tidied. */
const EXPORT_MS = 30 * 60 * 1000

/** Exports that run at the same time, in all workspaces: each has a connection, and what is made of flashcards in memory. */
const MAX_RUNNING = 4

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly snapshot: () => Promise<Snapshot>
  readonly portables: readonly Portable[]
  readonly readables: readonly Readable[]
}

export type WorkspaceExports = ReturnType<typeof createWorkspaceExports>

/** Exports all of a workspace as one zip, as it was at one moment. */
export function createWorkspaceExports({ now, snapshot, portables, readables }: Deps) {
  let running = 0

  async function* admitted(workspace: WorkspaceId, withReadable: boolean): AsyncGenerator<ZipParts> {
    if (running >= MAX_RUNNING)
      throw new Refusal('unavailable', 'Other exports are running. Try again in a moment.', {}, { 'Retry-After': '5' })
    running++
    try {
      yield* files(workspace, withReadable)
    } finally {
      running--
    }
  }

  async function* files(workspace: WorkspaceId, withReadable: boolean): AsyncGenerator<ZipParts> {
    const began = now()
    const read = await snapshot()
    const goOn = () => {
      if (now() > began + EXPORT_MS) throw new Error('an export took too long')
    }
    try {
      yield* data(read, workspace, began, goOn)
      if (withReadable) for (const readable of readables) yield* timed(readable(read, workspace), goOn)
    } finally {
      read.close()
    }
  }

  async function* data(
    read: Reading,
    workspace: WorkspaceId,
    began: number,
    goOn: () => void,
  ): AsyncGenerator<ZipParts> {
    const counts: Record<string, number> = {}
    for (const portable of portables) {
      let count = 0
      const content = lines(portable.items(read, workspace), () => {
        goOn()
        count++
      })
      yield { name: dataFile(portable.type), content }
      counts[portable.type] = count
    }
    for (const portable of portables) if (portable.files) yield* timed(portable.files(read, workspace), goOn)
    const manifest = { format: FORMAT, version: VERSION, exported_at: writeInstant(began), counts }
    yield { name: MANIFEST, content: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) }
  }

  return {
    /** The archive, made while it is read; it must be read to its end or cancelled. Throws unavailable. */
    export(
      { workspace }: Pick<Session, 'workspace'>,
      { readable }: ExportWorkspace,
    ): Promise<ReadableStream<Uint8Array>> {
      return streamed(writeZip(admitted(workspace.id, readable !== 'false')))
    },
  }
}

async function* lines(items: AsyncIterable<object>, each: () => void): AsyncGenerator<string> {
  for await (const item of items) {
    each()
    yield JSON.stringify(item)
    yield '\n'
  }
}

async function* timed<Item>(items: AsyncIterable<Item>, each: () => void): AsyncGenerator<Item> {
  for await (const item of items) {
    each()
    yield item
  }
}
