import type { Session } from '../../db/database'
import { matchTargets, type TargetMatches, type TargetQuery } from './store'

const RESOLUTION_ORDER = [
  'by_id',
  'by_path',
  'in_folder',
  'below_folder',
  'by_name',
  'by_title_path',
  'by_title',
  'by_alias',
] as const satisfies (keyof TargetMatches)[]

export interface ResolvedTarget {
  readonly key: number
  readonly step: (typeof RESOLUTION_ORDER)[number]
}

export function pickFirstMatch(matches: TargetMatches | undefined): ResolvedTarget | null {
  for (const step of RESOLUTION_ORDER) {
    const key = matches?.[step] ?? null
    if (key !== null) return { key, step }
  }
  return null
}

/**
 * Resolves targets, in their order. A target that matches no name resolves to the note that had this name before a
 * running rename.
 */
export async function resolveTargets(
  { db, workspace }: Session,
  wanted: readonly TargetQuery[],
): Promise<(ResolvedTarget | null)[]> {
  const hits = (await matchTargets(db, workspace.id, wanted)).map(pickFirstMatch)
  const missed = wanted.filter((_, i) => hits[i] === null)
  const former = (await matchTargets(db, workspace.id, missed, 'former')).map(pickFirstMatch).values()
  return hits.map((hit) => hit ?? former.next().value ?? null)
}
