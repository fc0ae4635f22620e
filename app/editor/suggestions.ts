import { findLinkQuery, isLinkable } from './markdown'
import type { Anchor } from './surface'

/** A note that a link can name. */
export interface Title {
  readonly title: string
}

/** Titles that complete a link, and the one that Enter takes. */
export interface Suggestions {
  /** The offset at which the title begins. */
  readonly from: number
  readonly titles: readonly string[]
  readonly active: number
  /** Where to show them; see TextSurface. */
  readonly place: Anchor
}

/** Titles that are shown at the same time. */
const MAX_SHOWN = 10

/** Finds the titles that complete what is typed before the caret, and where it begins; null if there are none. */
export function suggest(
  text: string,
  caret: number,
  completions: (query: string) => readonly Title[],
): Pick<Suggestions, 'from' | 'titles'> | null {
  const typed = findLinkQuery(text, caret)
  if (!typed) return null
  const titles = completions(typed.query).map(({ title }) => title)
  const shown = [...new Set(titles)].filter(isLinkable).slice(0, MAX_SHOWN)
  return shown.length > 0 ? { from: typed.from, titles: shown } : null
}
