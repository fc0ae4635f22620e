import type { Answers } from './store'

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
