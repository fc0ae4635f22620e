import { cutBytes, toCodePoints } from '../lib/text'
import type { ChangePreview } from './schema'

export type ToolResult = Readonly<Record<string, unknown>>

/** Bytes of JSON of a result: with what MCP adds, such as an undo_id or how to confirm, the text has at most 4 KiB. */
export const MAX_RESULT_BYTES = 3392
/** Code points of a title or a text in a list. */
export const PREVIEW_CHARS = 160

export const countJsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Cuts a text to at most `length` code points, with an ellipsis if something is left out. */
export function clip(text: string, length = PREVIEW_CHARS): string {
  if (text.length <= length) return text
  const points = Array.from(text.slice(0, 2 * length + 2))
  return points.length <= length ? text : `${points.slice(0, length - 1).join('')}…`
}

/** Cuts a text to at most `bytes` within a JSON string. */
export function cutToJsonBytes(text: string, bytes: number): string {
  let room = bytes
  let end = 0
  for (const character of text) {
    room -= countJsonBytes(character) - 2
    if (room < 0) break
    end += character.length
  }
  return text.slice(0, end)
}

/** Cuts a result to MAX_RESULT_BYTES, with `truncated: true`, by shrinking its largest member. */
export function fitResult(result: ToolResult): ToolResult {
  if (countJsonBytes(result) <= MAX_RESULT_BYTES) return result
  let cut: ToolResult = { ...result, truncated: true }
  for (let excess = countJsonBytes(cut) - MAX_RESULT_BYTES; excess > 0; excess = countJsonBytes(cut) - MAX_RESULT_BYTES)
    cut = { ...cut, ...shrinkLargest(cut, excess) }
  return cut
}

/** Returns the largest text or list of a result, made smaller. */
function shrinkLargest(result: ToolResult, excess: number): ToolResult {
  const members = Object.entries(result).filter(([, value]) => typeof value === 'string' || Array.isArray(value))
  const [largest] = members.toSorted(([, a], [, b]) => countJsonBytes(b) - countJsonBytes(a))
  if (!largest) throw new Error('a result without texts and lists is too large')
  const [name, value] = largest
  // A UTF-16 unit takes at least a byte.
  if (typeof value === 'string')
    return { [name]: cutToJsonBytes(value, Math.max(0, countJsonBytes(value) - 2 - excess)) }
  return { [name]: (value as unknown[]).slice(0, -1) }
}

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

/**
 * Writes a side of a change for people, in at most `bytes` of UTF-8. `toLine` puts a mark before each line, so that none
 * can pass for our text, and nothing is hidden.
 */
export function writeSide(
  { text, clipped }: ChangePreview['before'],
  bytes: number,
  toLine: (line: string) => string,
): string {
  const whole = text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map(escapeHidden)
    .join('\n')
  const shown = cutBytes(whole, bytes)
  const end = clipped || shown.length < whole.length ? ['…'] : []
  return [...shown.split('\n'), ...end].map((line) => `${toLine(line)}\n`).join('')
}

/** Writes the members of a resource, one a line, as JSON, so that no value can look like another member. */
export function writeMembers(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .map(([name, value]) => escapeHidden(`${name}: ${JSON.stringify(value)}`))
    .join('\n')
}

function toSide(text: string): NonNullable<ChangePreview['before']> {
  const shown = cutBytes(text, MAX_PREVIEW_BYTES)
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
