import type { Session } from '../../db/database'
import { type Answers, resolve, type Wanted } from './store'

/** The steps of resolution, first come first. */
const ORDER = ['by_id', 'by_path', 'in_folder', 'by_title', 'by_alias'] as const satisfies (keyof Answers)[]

export interface Hit {
  readonly key: number
  readonly step: (typeof ORDER)[number]
}

/** The note that a target leads to, and by which of its names; null if nothing answers. */
export function firstOf(answers: Answers | undefined): Hit | null {
  for (const step of ORDER) {
    const key = answers?.[step] ?? null
    if (key !== null) return { key, step }
  }
  return null
}

/** What targets lead to, in their order; one that nothing answers to leads to what was called so before a rename. */
export async function hitsOf({ db, workspace }: Session, wanted: readonly Wanted[]): Promise<(Hit | null)[]> {
  const hits = (await resolve(db, workspace.id, wanted)).map(firstOf)
  const missed = wanted.filter((_, i) => hits[i] === null)
  const former = (await resolve(db, workspace.id, missed, 'former')).map(firstOf).values()
  return hits.map((hit) => hit ?? former.next().value ?? null)
}
