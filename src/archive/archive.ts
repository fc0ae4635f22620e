import { ApiError } from '../http/api-error'
import type { ImportKind, ImportWarning, Line, Pass, Step, StoredItem } from '../imports/kind'
import { attempt, failedLine } from '../imports/lines'
import type { ArchivedType } from './archived-type'

/** A zip with a manifest, a JSON Lines file for each type of resource, and files for people and other programs. */

export const ARCHIVE_FORMAT = 'satchel-workspace'
/** The version of the format, the only one that is read. It grows when a reader of before would misread an archive. */
export const ARCHIVE_VERSION = 1
export const MANIFEST_NAME = 'manifest.json'

export const dataFileName = (type: string) => `data/${type}.jsonl`

export const bytesFileName = (type: string, name: string) => `${type}/${name}`

/** Bytes that one line may have. JSON escapes can make a note six times as long as its text. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024
export const MAX_MANIFEST_BYTES = 64 * 1024

export interface ArchiveParams {
  /** All types, in the order in which they are imported. */
  readonly types: readonly string[]
  /** The types whose resources have files with binary data. */
  readonly withBytes: readonly string[]
}

export function toArchiveParams(archivedTypes: readonly ArchivedType[]): ArchiveParams {
  const withBytes = archivedTypes.filter(({ files }) => files !== undefined)
  return { types: archivedTypes.map(({ type }) => type), withBytes: withBytes.map(({ type }) => type) }
}

/** The first pass merges each resource; the second does what that had to leave until all are imported. */
function createArchivePasses(archivedTypes: readonly ArchivedType[]): readonly Pass<unknown, unknown>[] {
  const byType = new Map(archivedTypes.map((archivedType) => [archivedType.type, archivedType]))

  const merge = async (step: Step, { seq, type, value, hasBytes }: StoredItem): Promise<Line | null> => {
    const archivedType = byType.get(type)
    // Another Satchel may have begun the run, and read a type that this one does not have.
    if (!archivedType) return null
    const bytes = hasBytes ? step.bytes(seq) : null
    const merged = await attempt(step.session, (tx) => archivedType.merge(tx, value, bytes, pendingOf(step.line(seq))))
    if (merged instanceof ApiError) return failedLine(toImportWarning(merged))
    const id = idOf(value)
    if (typeof merged === 'string') return { action: merged, id }
    const { action, pending: left, again = false } = merged
    return { action, id, left, ...(again ? { again } : {}) }
  }

  const relate = async (step: Step, item: StoredItem): Promise<Line | null> => {
    const archived = byType.get(item.type)
    const line = archived?.relate ? step.line(item.seq) : null
    if (line?.left === undefined) return null
    const { left, action, id } = line
    // The value is parsed only here, since most items have nothing pending.
    const result = await attempt(step.session, async (tx) => (await archived?.relate?.(tx, item.value, left)) ?? [])
    if ('pending' in result) return { action, id, left: result.pending, again: true }
    const errors = result instanceof ApiError ? [result] : result
    return errors.length === 0 ? null : { action, id, warnings: errors.map(toImportWarning) }
  }

  return [toPass(merge), toPass(relate)]
}

export function createArchiveKind(archivedTypes: readonly ArchivedType[]): ImportKind {
  return {
    name: 'workspace',
    reader: new URL('./read-worker.ts', import.meta.url),
    passes: createArchivePasses(archivedTypes),
    async finish({ session }) {
      for (const archivedType of archivedTypes) if (await archivedType.finish?.(session)) return true
      return false
    },
  }
}

function toPass(importItem: (step: Step, item: StoredItem) => Promise<Line | null>): Pass<unknown, unknown> {
  return async (step, items) => {
    const lines: (Line | null)[] = []
    for (const item of items) {
      const line = await importItem(step, item)
      lines.push(line)
      if (line?.again) break
    }
    return lines
  }
}

/** Makes the warning for a refused line, with the code of the first invalid member if the line is invalid. */
export function toImportWarning({ code, detail, extra }: ApiError): ImportWarning {
  const [fault] = (extra.errors ?? []) as readonly { readonly code: string }[]
  return { code: fault?.code ?? code, detail }
}

function pendingOf(line: Line | null): unknown {
  return line?.again ? line.left : null
}

function idOf(value: unknown): string | null {
  const { id } = (value ?? {}) as { readonly id?: unknown }
  return typeof id === 'string' ? id : null
}
