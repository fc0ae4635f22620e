/** Bits of a character's class; see classOf. */
export const WORD = 1
export const MARK = 2
export const CJK = 4
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
 * The Unicode class of a code point: WORD (letter or number), MARK (combining), CJK (a WORD that is an ideograph or
 * kana), NUMBER, SPACE, PUNCTUATION (with symbols). Asking a regular expression for every character of 1 MiB takes
 * too long, so pages of 256 code points are filled when first met.
 */
export function classOf(codePoint: number): number {
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
