import { toCodePoints } from '../lib/text'
import { cutToUtf8Bytes } from './fit'
import type { ChangePreview } from './schema'

/** Bytes of UTF-8 of each side of a preview. */
export const MAX_PREVIEW_BYTES = 2048
/** UTF-16 units of unchanged text that are shown around a change within a long line. */
const CONTEXT_UNITS = 160

/**
 * Returns the lines that change, before and after. Of a long line only the surroundings of the change are shown, so
 * that two equal beginnings cannot hide it. `after` is null for a move to the trash.
 */
export function previewChange(before: string, after: string | null): ChangePreview {
  if (after === null) return { start: 0, before: toSide(before), after: null }
  const { from, tail } = findChange(before, after)
  const [start = 0] = toCodePoints(before, [from])
  return {
    start,
    before: toSide(before.slice(from, before.length - tail)),
    after: toSide(after.slice(from, after.length - tail)),
  }
}

/**
 * The characters that end a line, or hide or reorder a part of it: control characters except the tab, and those that
 * nothing shows, such as bidi controls, spaces without width and tags. The joiners, marks of direction and selectors that
 * scripts and emoji need are none of them.
 */
const HIDING_CHARS =
  /(?!\t|\u061c|[\u200c-\u200f]|[\ufe00-\ufe0f])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu

/** Writes the characters that would hide or reorder a part of a line as JSON escapes. */
export function escapeHidden(line: string): string {
  const writeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return line.replace(HIDING_CHARS, (sign) => sign.split('').map(writeUnit).join(''))
}

/** Writes the members of a resource, one a line, as JSON, so that no value can look like another member. */
export function writeMembers(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .map(([name, value]) => escapeHidden(`${name}: ${JSON.stringify(value)}`))
    .join('\n')
}

function toSide(text: string): NonNullable<ChangePreview['before']> {
  const shown = cutToUtf8Bytes(text, MAX_PREVIEW_BYTES)
  return { text: shown, clipped: shown.length < text.length }
}

/** Finds where the changed lines begin, and how much is the same after them, in UTF-16 units. */
function findChange(before: string, after: string): { from: number; tail: number } {
  const shorter = Math.min(before.length, after.length)
  const same = countAlike(shorter, (from, to) => before.slice(from, to) === after.slice(from, to))
  const endOf = (text: string, from: number, to: number) => text.slice(text.length - to, text.length - from)
  const sameEnd = countAlike(shorter - same, (from, to) => endOf(before, from, to) === endOf(after, from, to))

  const lineStart = before.lastIndexOf('\n', same - 1) + 1
  const from = same === 0 ? 0 : moveOutOfPair(before, Math.max(lineStart, same - CONTEXT_UNITS))
  const changeEnd = before.length - sameEnd
  const newline = before.indexOf('\n', changeEnd)
  const lineEnd = newline === -1 ? before.length : newline
  const to = moveOutOfPair(before, Math.min(lineEnd, changeEnd + CONTEXT_UNITS))
  return { from, tail: before.length - to }
}

/** Counts how many of `most` units are alike. Large steps come first, since this runs in a transaction. */
function countAlike(most: number, alike: (from: number, to: number) => boolean): number {
  let length = 0
  for (const step of [4096, 64, 1]) while (length + step <= most && alike(length, length + step)) length += step
  return length
}

/** Returns an offset, or the one before it if it is inside a surrogate pair. */
function moveOutOfPair(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at
}
