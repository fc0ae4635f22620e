import type { Session, Snapshot } from '../../db/database'
import type { ArchiveFile, Portable } from '../../db/portable'
import { dataFile } from './archive'
import type { LineFault } from './report'

/** Where an import has its resources from: an archive, or another workspace. */

/** One resource as it was told, or why it cannot be read. */
export type Line = { readonly where: string } & ({ readonly item: unknown } | { readonly fault: LineFault })

export interface Source {
  /** The resources of a type, in the order in which they were told. */
  lines(type: string): AsyncIterable<Line>
  /** Bytes that a resource refers to; null if they are not there, or broken. */
  file(name: string): Promise<Uint8Array | null>
  /** What is there, and of no type that is known here. */
  readonly unknown: readonly string[]
}

/**
 * Another workspace, as it is at the moment of `snapshot`. It must be small, such as a scratch space: its files are held
 * in memory.
 */
export async function openWorkspace(
  snapshot: Snapshot,
  { workspace }: Pick<Session, 'workspace'>,
  portables: readonly Portable[],
): Promise<Source> {
  const files = new Map<string, Uint8Array>()
  for (const portable of portables)
    for await (const file of portable.files?.(snapshot, workspace.id) ?? []) files.set(file.name, await bytesOf(file))
  return {
    async *lines(type) {
      let line = 0
      for await (const item of portables.find((one) => one.type === type)?.items(snapshot, workspace.id) ?? [])
        yield { where: `${dataFile(type)}:${++line}`, item }
    },
    file: async (name) => files.get(name) ?? null,
    unknown: [],
  }
}

async function bytesOf({ content }: ArchiveFile): Promise<Uint8Array> {
  return content instanceof Uint8Array ? content : Buffer.concat(await Array.fromAsync(content))
}
