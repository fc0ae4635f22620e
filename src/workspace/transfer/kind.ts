import type { Session } from '../../db/database'
import type { Portable } from '../../db/portable'
import { Refusal } from '../../http/problem'
import type { ImportKind, Line, Pass, Step, StoredItem } from '../../imports/kind'
import type { ArchiveParams } from './archive'
import { faultOf } from './fault'

/** An archive as an import: what of it every feature takes, in the order of the list. */

/** What the reader has to know. */
export function paramsOf(portables: readonly Portable[]): ArchiveParams {
  const withBytes = portables.filter(({ files }) => files !== undefined)
  return { types: portables.map(({ type }) => type), withBytes: withBytes.map(({ type }) => type) }
}

/**
 * First each resource is merged, by itself; then what was left is done, once all are in; then what is best brought up to
 * date once for all.
 */
export function archiveKind(portables: readonly Portable[]): ImportKind {
  const byType = new Map(portables.map((portable) => [portable.type, portable]))

  const merge = async (step: Step, { seq, type, value, hasBytes }: StoredItem): Promise<Line | null> => {
    const portable = byType.get(type)
    // A run of an older version may have read what is known no more.
    if (!portable) return null
    const bytes = hasBytes ? step.bytes(seq) : null
    const merged = await attempt(step.session, (within) => portable.merge(within, value, bytes))
    if (merged instanceof Refusal) return { action: 'failed', id: null, warnings: [faultOf(merged)] }
    const id = idOf(value)
    return typeof merged === 'string' ? { action: merged, id } : { action: merged.merged, id, left: merged.left }
  }

  const relate = async (step: Step, item: StoredItem): Promise<Line | null> => {
    const portable = byType.get(item.type)
    const line = portable?.relate ? step.line(item.seq) : null
    if (line?.left === undefined) return null
    const { left, action, id } = line
    const told = await attempt(
      step.session,
      async (within) => (await portable?.relate?.(within, item.value, left)) ?? [],
    )
    if ('left' in told) return { action, id, left: told.left, again: true }
    const refused = told instanceof Refusal ? [told] : told
    return refused.length === 0 ? null : { action, id, warnings: refused.map(faultOf) }
  }

  return {
    name: 'workspace',
    reader: new URL('./reader.ts', import.meta.url),
    passes: [oneByOne(merge), oneByOne(relate)],
    async finish({ session }) {
      for (const portable of portables) if (await portable.finish?.(session)) return true
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

/** Does a part of an import as a whole or not at all. What would end all that comes after it as well is thrown. */
async function attempt<T>(session: Session, work: (within: Session) => Promise<T>): Promise<T | Refusal> {
  try {
    return await session.db.transaction((db) => work({ ...session, db }))
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'quota_exceeded' || error.code === 'storage_full') throw error
    return error
  }
}

function idOf(value: unknown): string | null {
  const { id } = (value ?? {}) as { readonly id?: unknown }
  return typeof id === 'string' ? id : null
}
