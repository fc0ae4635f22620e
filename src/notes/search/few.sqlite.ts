import { Bindings } from '../../db/bindings'
import type { Queries, WorkspaceId } from '../../db/database'
import type { NoteFilter } from '../filters'
import { type Plan, partsOf, type RowLeaf } from './plan'
import { keysOf } from './row-condition.sqlite'

/** Up to so many notes it is quicker to gather them all than to walk all notes until 2,000 are found. */
const FEW = 8000
/** From so many on, it is quicker to look each note up on the walk than to make a list of them first. */
const MANY = 50_000

/** How to go about conditions that no full text index knows. */
export interface Shortcut {
  /** Few notes fulfil it, and an index tells which. */
  readonly few: RowLeaf | null
  /** Conditions that very many notes fulfil. */
  readonly common: ReadonlySet<RowLeaf>
}

export const NO_SHORTCUT: Shortcut = { few: null, common: new Set() }

/**
 * Counts what each condition would find by itself, as far as an index of `notes` or of tags tells.
 * @param fewest below so many notes they are few; at most FEW
 */
export async function shortcutOf(
  db: Queries,
  workspace: WorkspaceId,
  plan: Plan,
  { pinned, tags }: NoteFilter,
  fewest = FEW,
): Promise<Shortcut> {
  const common = new Set<RowLeaf>()
  let [few, least]: [RowLeaf | null, number] = [null, fewest]
  const leaves: RowLeaf[] = partsOf(plan).flatMap((part) => (part.kind === 'row' ? [part.leaf] : []))
  if (pinned) leaves.push({ kind: 'is', what: 'pinned' })
  for (const text of tags) leaves.push({ kind: 'tag', text, match: 'whole' })
  for (const leaf of leaves) {
    const count = await countUpTo(db, workspace, leaf)
    if (count < least) [few, least] = [leaf, count]
    if (count === MANY) common.add(leaf)
  }
  return { few, common }
}

/** At most MANY, and infinity where no index knows. */
async function countUpTo(db: Queries, workspace: WorkspaceId, leaf: RowLeaf): Promise<number> {
  const bind = new Bindings(workspace)
  const keys = keysOf(leaf, bind)
  if (keys === null) return Number.POSITIVE_INFINITY
  const limit = leaf.kind === 'tag' ? MANY : FEW
  const row = await db.get<{ n: number }>(`SELECT count(*) AS n FROM (${keys} LIMIT ${bind.add(limit)})`, bind.values)
  return row?.n ?? 0
}
