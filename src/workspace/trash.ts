import type { ResourceType } from '../db/change-feed'
import type { Queries, Session, Workspace, WorkspaceId } from '../db/database'
import type { Trash, TrashFilter } from '../db/trash'
import { ApiError } from '../http/api-error'
import type { Imports } from '../imports/service'
import type { EmptiedTrash } from './schema'

/** How much of the trash may turn out not to be erasable before a kind of it is left as it is. */
const MOST_KEPT = 100

/** What could not be erased, and why. */
interface KeptItem {
  readonly id: string
  readonly code: string
}

/** What a step erased. */
interface ErasedStep {
  readonly erased: number
  readonly refused: readonly KeptItem[]
  /** Whether there may be more to erase. */
  readonly more: boolean
}

/**
 * Erases about `limit` resources of one kind of the trash, or of what goes along with one of them. `tx` must be a
 * transaction.
 */
export async function eraseTrashBatch(
  tx: Queries,
  { list, erase, eraseContents }: Trash,
  among: TrashFilter,
  find: (db: Queries, id: WorkspaceId) => Promise<Workspace>,
  limit: number,
): Promise<ErasedStep> {
  const items = await list(tx, among, limit)
  const refused: KeptItem[] = []
  let erased = 0
  for (const { workspace, id } of items) {
    const session = { db: tx, workspace: await find(tx, workspace) }
    try {
      if (await eraseContents?.(session, id, limit)) return { erased, refused, more: true }
      await erase(session, id)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // It may have gone along with another of these.
      if (error.code !== 'not_found') refused.push({ id, code: error.code })
      else erased++
      continue
    }
    erased++
  }
  return { erased, refused, more: items.length === limit }
}

/** How far the emptying of a trash has come: JSON, see WorkKind. */
interface Progress {
  /** The place of the kind that is at it, among all. */
  readonly kind: number
  readonly total: number
  readonly erased: Readonly<Record<string, number>>
  readonly kept: readonly (KeptItem & { readonly type: ResourceType })[]
}

interface Params {
  /** Null: of all kinds. */
  readonly type: ResourceType | null
  /** Only what went to the trash before this instant, in milliseconds since 1970. */
  readonly before: number
}

interface Deps {
  /** In the order in which they are erased: what others hold comes first. */
  readonly trash: readonly Trash[]
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly imports: Pick<Imports, 'registerWork' | 'work'>
}

const NAME = 'trash'

export type EmptyTrash = ReturnType<typeof createEmptyTrash>

/** Empties the trash of a workspace. */
export function createEmptyTrash({ trash, now, imports }: Deps) {
  imports.registerWork(emptyingTrash(trash))

  /** @throws ApiError unavailable, and what Imports.work throws */
  return async (request: Request, session: Session, type: ResourceType | null) => {
    const params = { type, before: now() + 1 }
    const total = await countTrash(session, trash, params)
    if (total === 0) return { status: 200, headers: {}, body: { erased: 0, resources: {}, kept: [] } }
    return imports.work<EmptiedTrash>(request, session, { kind: NAME, begin: async () => ({ params }) })
  }
}

/** The steps of it; see WorkKind. */
function emptyingTrash(trash: readonly Trash[]) {
  return {
    name: NAME,

    async step(session: Session, params: Params, state: Progress | null, size: number) {
      const { workspace, db } = session
      const from = state ?? { kind: 0, total: await countTrash(session, trash, params), erased: {}, kept: [] }
      const kind = trash[from.kind]
      if (!kind) return stepResult(from, false)
      if (params.type !== null && params.type !== kind.type) return stepResult({ ...from, kind: from.kind + 1 }, true)
      const skipped = from.kept.filter(({ type }) => type === kind.type).map(({ id }) => id)
      const among = { workspace: workspace.id, before: params.before, skipped }
      const { erased, refused, more } = await eraseTrashBatch(db, kind, among, async () => workspace, size)
      const isOver = !more || skipped.length + refused.length >= MOST_KEPT
      const next = {
        ...from,
        kind: isOver ? from.kind + 1 : from.kind,
        erased: erased > 0 ? { ...from.erased, [kind.type]: (from.erased[kind.type] ?? 0) + erased } : from.erased,
        kept: [...from.kept, ...refused.map((one) => ({ ...one, type: kind.type }))],
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
  return Object.values(counts).reduce((all, one) => all + one, 0)
}
