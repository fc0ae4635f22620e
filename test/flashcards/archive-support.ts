import { type ByteSource, sha256Of } from '../../src/blobs/blob'
import { createBlobStaging } from '../../src/blobs/staging'
import type { Session } from '../../src/db/database'
import { createPackageFile, listStudyTypes } from '../../src/features/flashcards'
import { createStudyContext } from '../../src/flashcards/context'
import { createStudyExports } from '../../src/flashcards/export/export'
import { ApiError } from '../../src/http/api-error'
import { createListeners } from '../../src/workspace/processes'
import { createWorkspaces } from '../../src/workspace/service'
import type { As } from '../support/world'
import type { Shown } from './support'
import { makeTransferWorld } from './transfer-support'

/** What leaves a workspace: lines of each type, and files by their names. */
export interface Told {
  readonly lines: Readonly<Record<string, readonly Shown[]>>
  readonly files: ReadonlyMap<string, Uint8Array>
}

const QUOTAS = {
  key: { resources: 100_000, size_bytes: 256 * 1024 * 1024 },
  scratch: { resources: 200, size_bytes: 1024 * 1024 },
}

function toByteSource(bytes?: Uint8Array): ByteSource | null {
  const read = (from: number, length: number) => bytes?.subarray(from, from + length) ?? new Uint8Array()
  return bytes ? { size: bytes.length, sha256: sha256Of(bytes), read } : null
}

/** A world, and what flashcards hand over of its workspaces: merged as an import merges it. */
export async function makePortableWorld() {
  const world = await makeTransferWorld()
  const { db, clock, idOf } = world
  const now = () => clock.now
  const workspaces = createWorkspaces({
    db,
    now,
    quotas: QUOTAS,
    diskIsFull: () => false,
    listeners: createListeners(),
  })
  let made = 0
  const ids = () => `01910000-0000-7000-8000-${(++made).toString(16).padStart(12, '0')}`
  const missingNotes = async (session: Session, asked: readonly string[]) => {
    const sql = 'SELECT id FROM notes WHERE workspace = $1 AND id IN (SELECT value FROM json_each($2))'
    const found = await session.db.all<{ id: string }>(sql, [session.workspace.id, JSON.stringify(asked)])
    return asked.filter((id) => !found.some((one) => one.id === id))
  }
  const blobs = createBlobStaging({ now, reserve: workspaces.reserve })
  const archivedTypes = listStudyTypes(createStudyContext({ now, ids, blobs, missingNotes, ...workspaces }))

  async function told(me: As): Promise<Told> {
    const snapshot = await db.snapshot()
    const lines: Record<string, Shown[]> = {}
    const files = new Map<string, Uint8Array>()
    for (const { type, items, files: filesOf } of archivedTypes) {
      lines[type] = JSON.parse(
        JSON.stringify(await Array.fromAsync(items({ db: snapshot, workspace: { id: idOf(me) } }))),
      )
      if (filesOf)
        for await (const { name, content } of filesOf({ db: snapshot, workspace: { id: idOf(me) } }))
          files.set(name, content instanceof Uint8Array ? content : Buffer.concat(await Array.fromAsync(content)))
    }
    snapshot.close()
    return { lines, files }
  }

  /** Does it as a whole or not at all; the refusal's code if it is refused. */
  async function attempt<T>(session: Session, work: (within: Session) => Promise<T>): Promise<T | string> {
    try {
      return await session.db.transaction((inner) => work({ ...session, db: inner }))
    } catch (error) {
      if (error instanceof ApiError) return error.code
      throw error
    }
  }

  return {
    ...world,
    archivedTypes,
    told,

    /** Merges lines; what became of each, `later` what was refused in the end. */
    async merge(me: As, { lines, files = new Map() }: Partial<Told>): Promise<Record<string, string[]>> {
      const report: Record<string, string[]> = { later: [] }
      await db.transaction(async (tx) => {
        const session: Session = { workspace: { id: idOf(me), kind: 'key' }, db: tx }
        const waiting: ((within: Session) => Promise<readonly ApiError[]>)[] = []
        for (const { type, merge, relate } of archivedTypes)
          for (const line of lines?.[type] ?? []) {
            const bytes = toByteSource(files.get(`${type}/${line?.name}`))
            const outcome = await attempt(session, (within) => merge(within, line, bytes))
            report[type] = [...(report[type] ?? []), typeof outcome === 'string' ? outcome : outcome.action]
            if (typeof outcome === 'string') continue
            waiting.push(async (within) => {
              for (let left: unknown = outcome.pending; ; ) {
                const told = (await relate?.(within, line, JSON.parse(JSON.stringify(left)))) ?? []
                if (!('pending' in told)) return told
                left = told.pending
              }
            })
          }
        for (const work of waiting) {
          const refused = await attempt(session, work)
          report.later?.push(...(typeof refused === 'string' ? [refused] : refused.map(({ code }) => code)))
        }
      })
      return report
    },

    /** All bytes and resources that the workspace is said to hold. */
    async held(me: As): Promise<{ resources: number; size_bytes: number }> {
      const { resources, size_bytes } = (await world.callAny(me, 'GET', '/api/usage')).body.workspace
      return { resources, size_bytes }
    },
  }
}

export type PortableWorld = Awaited<ReturnType<typeof makePortableWorld>>

/** The files for people. @param limit of the bytes of a package */
export async function readable(
  { db, clock, idOf }: PortableWorld,
  me: As,
  limit?: number,
): Promise<Map<string, Uint8Array>> {
  const options = limit === undefined ? {} : { limit }
  const exports = createStudyExports({ now: () => clock.now, snapshot: () => db.snapshot(), ...options })
  const snapshot = await db.snapshot()
  const files = new Map<string, Uint8Array>()
  for await (const { name, content } of createPackageFile(exports)({ db: snapshot, workspace: { id: idOf(me) } }))
    files.set(name, content instanceof Uint8Array ? content : Buffer.concat(await Array.fromAsync(content)))
  snapshot.close()
  return files
}
