import { ApiError } from '../http/api-error'
import type { ImportKind, ImportWarning, Line, Pass, Step, StoredItem } from '../imports/kind'
import { attempt, failed } from '../imports/lines'
import type { ArchivedType } from './archived-type'

/** What the archive of a workspace is: a zip with a manifest, a file of lines for each type, and files for people. */

export const ARCHIVE_FORMAT = 'satchel-workspace'
/** Grows when an older reader would misread what a newer writer wrote. */
export const ARCHIVE_VERSION = 3
/** What is read: a feature knows the lines of its older versions by their members. */
export const READ_VERSIONS: readonly unknown[] = [2, ARCHIVE_VERSION]
export const MANIFEST = 'manifest.json'

/** The file with the resources of a type, each a line of JSON. */
export const dataFile = (type: string) => `data/${type}.jsonl`

/** The file with the bytes of a resource, if its type has such. */
export const bytesFile = (type: string, name: string) => `${type}/${name}`

/** Bytes of one line: a note whose text is all escapes has six times as many as its text. */
export const LINE_BYTES = 8 * 1024 * 1024
/** Bytes of the manifest. */
export const MANIFEST_BYTES = 64 * 1024

/** What the reader of an archive has to know of the types that are merged. */
export interface ArchiveParams {
  /** All types, in the order in which they are taken. */
  readonly types: readonly string[]
  /** Those of them whose resources have bytes beside. */
  readonly withBytes: readonly string[]
}

/** What the reader has to know. */
export function paramsOf(archivedTypes: readonly ArchivedType[]): ArchiveParams {
  const withBytes = archivedTypes.filter(({ files }) => files !== undefined)
  return { types: archivedTypes.map(({ type }) => type), withBytes: withBytes.map(({ type }) => type) }
}

/** First each resource is merged, by itself; then what was left is done, once all are in. */
export function archivePasses(archivedTypes: readonly ArchivedType[]): readonly Pass<unknown, unknown>[] {
  const byType = new Map(archivedTypes.map((archivedType) => [archivedType.type, archivedType]))

  const merge = async (step: Step, { seq, type, value, hasBytes }: StoredItem): Promise<Line | null> => {
    const archivedType = byType.get(type)
    // A run of an older version may have read what is known no more.
    if (!archivedType) return null
    const bytes = hasBytes ? step.bytes(seq) : null
    const merged = await attempt(step.session, (within) => archivedType.merge(within, value, bytes))
    if (merged instanceof ApiError) return failed(faultOf(merged))
    const id = idOf(value)
    return typeof merged === 'string' ? { action: merged, id } : { action: merged.merged, id, left: merged.left }
  }

  const relate = async (step: Step, item: StoredItem): Promise<Line | null> => {
    const archived = byType.get(item.type)
    const line = archived?.relate ? step.line(item.seq) : null
    if (line?.left === undefined) return null
    const { left, action, id } = line
    // The value is read only now: for most items nothing is left.
    const done = await attempt(step.session, async (tx) => (await archived?.relate?.(tx, item.value, left)) ?? [])
    if ('left' in done) return { action, id, left: done.left, again: true }
    const refused = done instanceof ApiError ? [done] : done
    return refused.length === 0 ? null : { action, id, warnings: refused.map(faultOf) }
  }

  return [oneByOne(merge), oneByOne(relate)]
}

/** After the passes what is best brought up to date once for all. */
export function archiveKind(archivedTypes: readonly ArchivedType[]): ImportKind {
  return {
    name: 'workspace',
    reader: new URL('./reader.ts', import.meta.url),
    passes: archivePasses(archivedTypes),
    async finish({ session }) {
      for (const archivedType of archivedTypes) if (await archivedType.finish?.(session)) return true
      return false
    },
  }
}

function oneByOne(take: (step: Step, item: StoredItem) => Promise<Line | null>): Pass<unknown, unknown> {
  return async (step, items) => {
    const lines: (Line | null)[] = []
    for (const item of items) {
      const line = await take(step, item)
      lines.push(line)
      if (line?.again) break
    }
    return lines
  }
}

/** What a line is refused for: by the first member that is wrong, if it is one. */
export function faultOf({ code, detail, extra }: ApiError): ImportWarning {
  const [fault] = (extra.errors ?? []) as readonly { readonly code: string }[]
  return { code: fault?.code ?? code, detail }
}

function idOf(value: unknown): string | null {
  const { id } = (value ?? {}) as { readonly id?: unknown }
  return typeof id === 'string' ? id : null
}
