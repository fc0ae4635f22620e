/**
 * Turns UTF-16 offsets into a text into offsets in code points, in one pass however many there are. An offset counts
 * the code points that begin before it; lone surrogates count as one. Any order is taken, ascending is quickest.
 */
export function toCodePoints(text: string, offsets: readonly number[]): number[] {
  if (!/[\ud800-\udbff]/.test(text)) return [...offsets]
  const result = new Array<number>(offsets.length).fill(0)
  let at = 0
  let pairs = 0
  for (const [index, offset] of ascending(offsets)) {
    for (; at < offset; at += 1) if (isPairEnd(text, at)) pairs += 1
    result[index] = offset - pairs
  }
  return result
}

function ascending(offsets: readonly number[]): [number, number][] {
  const indexed = offsets.map((offset, index): [number, number] => [index, offset])
  return indexed.sort((a, b) => a[1] - b[1])
}

function isPairEnd(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}

/** The first `limit` code points of a text. */
export function cutCodePoints(text: string, limit: number): string {
  let at = 0
  for (let count = 0; count < limit && at < text.length; count += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, at)
}
