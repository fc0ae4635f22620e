/**
 * Converts UTF-16 offsets into a text to code point offsets, in one pass for all of them. An offset counts the code
 * points that begin before it; lone surrogates count as one. They may come in any order; ascending is fastest.
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

/** Returns the first `limit` code points of a text. */
export function cutCodePoints(text: string, limit: number): string {
  let at = 0
  for (let count = 0; count < limit && at < text.length; count += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, at)
}

/** Percent-encodes all but the letters that RFC 3986 calls unreserved; encodeURIComponent keeps more. */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}

/** Returns the longest beginning of a text, in whole code points, that has at most `max` bytes of UTF-8. */
export function cutBytes(text: string, max: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, max))).read)
}

/**
 * Returns the form in which titles and link labels are compared: NFC, case folded, white space collapsed. JavaScript
 * has no case folding; lower, upper, lower has the same result (`ß` is `ss`), except for the dotless i, which is kept
 * as a separate letter, and the final sigma, which becomes an ordinary one.
 */
export function titleKey(title: string): string {
  const plain = title.normalize('NFC').replace(/\s+/g, ' ').trim()
  if (/^[ -~]*$/.test(plain)) return plain.toLowerCase()
  const folded = plain.replace(/[^ı]+/g, (part) => part.toLowerCase().toUpperCase().toLowerCase())
  return folded.replaceAll('ς', 'σ').normalize('NFC')
}

/** Returns names without some and then with others behind them: distinct as titleKey compares them, each in its first spelling. */
export function editNames(names: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  const removed = new Set(remove.map(titleKey))
  const changed = new Map<string, string>()
  for (const name of [...names.filter((each) => !removed.has(titleKey(each))), ...add])
    if (!changed.has(titleKey(name))) changed.set(titleKey(name), name)
  return [...changed.values()]
}

/** Numbers that are tried, at most. */
const MAX_TRIES = 100

/**
 * Returns the name, or if it is taken, the name with the first free number: `Name (2)`, with at most `maxChars` code
 * points. If the first MAX_TRIES are taken, returns the name unchanged: storing it will fail.
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

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

/** Returns the text of an HTML fragment for searches and titles: without tags, and with the usual entities decoded. */
export function stripHtml(html: string): string {
  return html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
}

/** A part of a text, from offset `from` up to `to` (UTF-16), and what replaces it. */
export interface Replacement {
  readonly from: number
  readonly to: number
  readonly text: string
}

export function replaceParts(text: string, replacements: readonly Replacement[]): string {
  let at = 0
  const parts = replacements.flatMap(({ from, to, text: written }) => {
    const before = text.slice(at, from)
    at = to
    return [before, written]
  })
  return parts.join('') + text.slice(at)
}

export const WORD = 1
export const MARK = 2
const CJK = 4
export const NUMBER = 8
export const SPACE = 16
export const PUNCTUATION = 32

const TESTS: readonly (readonly [number, RegExp])[] = [
  [WORD, /[\p{L}\p{N}]/u],
  [MARK, /\p{M}/u],
  [CJK, /(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}]/u],
  [NUMBER, /\p{N}/u],
  [SPACE, /[\s\p{Zs}]/u],
  [PUNCTUATION, /[\p{P}\p{S}]/u],
]

const pages: (Uint8Array | undefined)[] = new Array(0x1100).fill(undefined)

/**
 * Returns the Unicode class of a code point as bits: WORD (letter or number), MARK (combining), CJK (a WORD that is an
 * ideograph or kana), NUMBER, SPACE, PUNCTUATION (with symbols). Testing every character of 1 MiB with regular
 * expressions would take too long, so the classes are cached in pages of 256 code points, each filled on its first use.
 */
export function getCharClass(codePoint: number): number {
  return (pages[codePoint >> 8] ?? fillPage(codePoint >> 8))[codePoint & 255] ?? 0
}

function fillPage(page: number): Uint8Array {
  const classes = Uint8Array.from({ length: 256 }, (_, low) => classify(String.fromCodePoint((page << 8) | low)))
  pages[page] = classes
  return classes
}

function classify(char: string): number {
  return TESTS.reduce((bits, [bit, test]) => (test.test(char) ? bits | bit : bits), 0)
}

/**
 * Counts the words of a text, or of the part from `start` to `end` (UTF-16): runs of letters and digits with their
 * combining marks, and each ideograph or kana. Hangul is written with spaces, so a run of it is one word.
 */
export function countWords(text: string, start = 0, end = text.length): number {
  let words = 0
  let inRun = false
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at)
    const whole = (code & 0xfc00) === 0xd800 ? (text.codePointAt(at) ?? code) : code
    const bits = getCharClass(whole)
    if (whole > 0xffff) at += 1
    if (bits & CJK) {
      words += 1
      inRun = false
    } else if (bits & WORD) {
      if (!inRun) words += 1
      inRun = true
    } else if (!(bits & MARK)) inRun = false
  }
  return words
}

export function stripByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}
