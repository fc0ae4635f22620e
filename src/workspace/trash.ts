import type { ResourceType } from '../db/change-feed'
import type { Context, Queries, Session, Workspace, WorkspaceId } from '../db/database'
import type { Trash, TrashFilter } from '../db/trash'
import { ApiError } from '../http/api-error'
import type { Imports } from '../imports/service'
import type { EmptiedTrash } from './schema'

/** After this many resources of a type that cannot be erased, the rest of the type is skipped. */
const MAX_REFUSED = 100

interface RefusedItem {
  readonly id: string
  readonly code: string
}

interface ErasedStep {
  readonly erased: number
  readonly refused: readonly RefusedItem[]
  /** Whether there may be more to erase. */
  readonly more: boolean
}

/** Erases about `limit` resources of a type in the trash, or of the contents of one. `tx` must be a transaction. */
export async function eraseTrashBatch(
  tx: Queries,
  { list, erase, eraseContents }: Trash,
  filter: TrashFilter,
  find: (db: Queries, id: WorkspaceId) => Promise<Workspace>,
  limit: number,
): Promise<ErasedStep> {
  const items = await list(tx, filter, limit)
  const refused: RefusedItem[] = []
  let erased = 0
  for (const { workspace, id } of items) {
    const session = { db: tx, workspace: await find(tx, workspace) }
    try {
      if (await eraseContents?.(session, id, limit)) return { erased, refused, more: true }
      await erase(session, id)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // It may have been erased together with another one of these.
      if (error.code !== 'not_found') refused.push({ id, code: error.code })
      else erased++
      continue
    }
    erased++
  }
  return { erased, refused, more: items.length === limit }
}

/** The state of the work: stored as JSON, so the names of its members must not change. See WorkKind. */
interface Progress {
  /** The index in `trash` of the type that is being erased. */
  readonly kind: number
  readonly total: number
  readonly erased: Readonly<Record<string, number>>
  readonly kept: readonly (RefusedItem & { readonly type: ResourceType })[]
}

interface Params {
  /** The type of resources to erase; null: all types. */
  readonly type: ResourceType | null
  /** Only resources that went to the trash before this instant are erased; in milliseconds since 1970. */
  readonly before: number
}

interface Deps extends Pick<Context, 'now'> {
  /** The types in the order in which they are erased: contents before their containers. */
  readonly trash: readonly Trash[]
  readonly imports: Pick<Imports, 'registerWork' | 'work'>
}

const NAME = 'trash'

export type EmptyTrash = ReturnType<typeof createEmptyTrash>

export function createEmptyTrash({ trash, now, imports }: Deps) {
  imports.registerWork(createWorkKind(trash))

  /** @throws ApiError unavailable, and the errors of Imports.work */
  return async (request: Request, session: Session, type: ResourceType | null) => {
    const params = { type, before: now() + 1 }
    const total = await countTrash(session, trash, params)
    if (total === 0) return { status: 200, headers: {}, body: { erased: 0, resources: {}, kept: [] } }
    return imports.work<EmptiedTrash>(request, session, { kind: NAME, begin: async () => ({ params }) })
  }
}

function createWorkKind(trash: readonly Trash[]) {
  return {
    name: NAME,

    async step(session: Session, params: Params, state: Progress | null, size: number) {
      const { workspace, db } = session
      const from = state ?? { kind: 0, total: await countTrash(session, trash, params), erased: {}, kept: [] }
      const kind = trash[from.kind]
      if (!kind) return stepResult(from, false)
      if (params.type !== null && params.type !== kind.type) return stepResult({ ...from, kind: from.kind + 1 }, true)
      const skipped = from.kept.filter(({ type }) => type === kind.type).map(({ id }) => id)
      const filter = { workspace: workspace.id, before: params.before, skipped }
      const { erased, refused, more } = await eraseTrashBatch(db, kind, filter, async () => workspace, size)
      const isOver = !more || skipped.length + refused.length >= MAX_REFUSED
      const next = {
        ...from,
        kind: isOver ? from.kind + 1 : from.kind,
        erased: erased > 0 ? { ...from.erased, [kind.type]: (from.erased[kind.type] ?? 0) + erased } : from.erased,
        kept: [...from.kept, ...refused.map((item) => ({ ...item, type: kind.type }))],
      }
      return stepResult(next, true)
    },

    result: ({ erased, kept }: Progress): EmptiedTrash => ({ erased: sum(erased), resources: erased, kept: [...kept] }),
  }
}

async function countTrash({ db, workspace }: Session, trash: readonly Trash[], { type, before }: Params) {
  let total = 0
  for (const kind of trash) if (type === null || type === kind.type) total += await kind.count(db, workspace.id, before)
  return total
}

function stepResult(state: Progress, more: boolean) {
  return { state, done: sum(state.erased), total: Math.max(state.total, sum(state.erased)), more }
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
