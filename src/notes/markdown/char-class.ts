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
