/**
 * Turns UTF-16 offsets into a text into offsets in code points, in one pass however many there are. An offset counts
 * the code points that begin before it; lone surrogates count as one. Any order is taken, ascending is quickest.
 */
export function toCodePoints(text: string, offsets: readonly number[]): number[] {
  if (!/[\ud800-\udbff]/.test(text)) return [...offsets]
  const result = new Array<number>(offsets.length).fill(0)
  let at = 0
  let pairs = 0
  for (const [index, offset] of sortByOffset(offsets)) {
    for (; at < offset; at += 1) if (isPairEnd(text, at)) pairs += 1
    result[index] = offset - pairs
  }
  return result
}

function sortByOffset(offsets: readonly number[]): [number, number][] {
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

/**
 * The form in which titles and link labels are compared: NFC, case folded, white space joined. JavaScript has no case
 * folding; lower, upper, lower comes to the same (`ß` is `ss`), but for the dotless i, which stays a letter of its own,
 * and the final sigma, which is made an ordinary one.
 */
export function titleKey(title: string): string {
  const plain = title.normalize('NFC').replace(/\s+/g, ' ').trim()
  if (/^[ -~]*$/.test(plain)) return plain.toLowerCase()
  const folded = plain.replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase().toLowerCase())
  return folded.replaceAll('ς', 'σ').normalize('NFC')
}

/** Numbers that are tried. */
const MAX_TRIES = 100

/**
 * The name, or with the first number behind it that makes it free: `Name (2)`, in `length` code points at most. The
 * name as it is if a hundred are taken: the code that stores it refuses it.
 */
export async function findFreeName(
  name: string,
  maxChars: number,
  isTaken: (name: string) => Promise<boolean>,
): Promise<string> {
  if (!(await isTaken(name))) return name
  for (let n = 2; n <= MAX_TRIES; n++) {
    const end = ` (${n})`
    const numbered = cutCodePoints(name, maxChars - end.length).trimEnd() + end
    if (!(await isTaken(numbered))) return numbered
  }
  return name
}
