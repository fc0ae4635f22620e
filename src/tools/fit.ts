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

/** Cuts a text to at most `bytes` of UTF-8, in whole characters. */
export function cutToUtf8Bytes(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read)
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
