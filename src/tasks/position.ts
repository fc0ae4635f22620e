import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

/**
 * Fractional order: there is a position between any two others, so a move writes one row. Positions are compared as
 * text, byte by byte.
 */

/** Beyond this many characters, the siblings are numbered anew. */
export const POSITION_LENGTH = 200

/** A position behind `before` and in front of `behind`; null is the beginning or the end. */
export function between(before: string | null, behind: string | null): string {
  return generateKeyBetween(before, behind)
}

/** `count` positions in rising order, as short as can be. */
export function spread(count: number): string[] {
  return generateNKeysBetween(null, null, count)
}
