import { toCodePoints } from '../../lib/text'
import { cutToUtf8Bytes } from './fit'
import type { ChangePreview } from './schema'

/** Bytes of UTF-8 that a preview shows of each side at most. */
export const MAX_PREVIEW_BYTES = 2048
/** UTF-16 units of an unchanged line that are shown on either side of a change. */
const CONTEXT_UNITS = 160

/**
 * What a change makes of a text: the lines that change, before and after. Of a long line only the surroundings of the
 * change are shown, so that two equal beginnings cannot hide it. `after` is null for what goes to the trash.
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
 * What ends a line, or hides or reorders a part of it: of the control characters all but the tab, and those of bidi.
 */
const HIDING_CHARS = /(?!\t)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** A line with the characters that would hide or reorder a part of it as the escapes of JSON. */
export function escapeHidden(line: string): string {
  return line.replace(HIDING_CHARS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Members of a resource, one a line. As JSON, so that no value can pass for another member. */
export function writeMembers(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .map(([name, value]) => escapeHidden(`${name}: ${JSON.stringify(value)}`))
    .join('\n')
}

function toSide(text: string): NonNullable<ChangePreview['before']> {
  const shown = cutToUtf8Bytes(text, MAX_PREVIEW_BYTES)
  return { text: shown, clipped: shown.length < text.length }
}

/** Where the lines that change begin, and how much is the same after them, in UTF-16 units. */
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

/** How many units of at most `most` are alike, counted in large steps first: this runs in a transaction. */
function countAlike(most: number, alike: (from: number, to: number) => boolean): number {
  let length = 0
  for (const step of [4096, 64, 1]) while (length + step <= most && alike(length, length + step)) length += step
  return length
}

/** The place, or the one before it where it would cut a surrogate pair in two. */
function moveOutOfPair(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at
}
