import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'
import { invalid } from '../http/api-error'

/**
 * Fractional order: there is a position between any two others, so a move writes one row. Positions are compared as
 * text, byte by byte.
 */

/** Beyond this many characters, the siblings are numbered anew. */
export const POSITION_LENGTH = 200

/** A position behind `before` and in front of `behind`; null is the beginning or the end. */
export function positionBetween(before: string | null, behind: string | null): string {
  return generateKeyBetween(before, behind)
}

/** `count` positions in rising order, as short as can be. */
export function spreadPositions(count: number): string[] {
  return generateNKeysBetween(null, null, count)
}

/** Reads a position that another workspace gave. Throws invalid_request unless there is room on both sides of it. */
export function readTaskPosition(text: string): string {
  if (text.length > POSITION_LENGTH || !/^[A-Za-z][0-9A-Za-z]+$/.test(text) || !hasRoom(text))
    throw invalid('/position', 'invalid_position', 'position must be one that a move has set')
  return text
}

function hasRoom(position: string): boolean {
  try {
    return positionBetween(null, position) < position && position < positionBetween(position, null)
  } catch {
    // The library throws plain errors for what is no key of its own.
    return false
  }
}
