/**
 * Texts as words, numbers and signs. One pass from left to right; what is in quotes is one token that nothing is read
 * in. Positions are UTF-16 units.
 */

/** What a caller puts over text that it has taken itself: a reading goes on across it. */
export const COVERED = '\uFFFC'
/** What a caller puts over text that is to be left alone: nothing is read in it or across it. */
export const SEALED = '\uFFFD'

export interface WordToken {
  readonly kind: 'word' | 'number' | 'sign' | 'covered' | 'sealed'
  readonly start: number
  readonly end: number
  /** A word in lower case and without accents; else the text. */
  readonly key: string
  /** Whether a space or the start of the text is before it. */
  readonly gap: boolean
}

/** French puts a word of one letter before another: `d'avril`, `jusqu'au`. */
const ELISION = "(?:jusqu|d|l)['’](?=\\p{L}|$)"
const PIECE = new RegExp(
  `(?<space>\\s+)|(?<word>${ELISION}|[\\p{L}\\p{M}]+(?:['’][\\p{L}\\p{M}]+)*)|(?<number>\\d+)|(?<covered>${COVERED}+)|(?<sealed>${SEALED}+)|(?<sign>.)`,
  'suiy',
)
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”',
  '„': '“”',
  '«': '»',
  '`': '`',
  "'": "'",
  '‘': '’',
}
/** UTF-16 units; a longer text between two quotes is no quote. */
const QUOTE_LENGTH = 300

/** The text as tokens, in order. Never throws. */
export function tokenise(text: string): WordToken[] {
  const tokens: WordToken[] = []
  let gap = true
  for (let at = 0; at < text.length; ) {
    const open = tokens.at(-1)?.key === '('
    const quoted: number | null = gap || open ? endOfQuote(text, at) : null
    PIECE.lastIndex = at
    const groups = PIECE.exec(text)?.groups ?? {}
    const end: number = quoted ?? Math.max(PIECE.lastIndex, at + 1)
    const kind: WordToken['kind'] | null = quoted === null ? kindOf(groups) : 'sealed'
    if (kind !== null) {
      const piece = text.slice(at, end)
      tokens.push({ kind, start: at, end, key: kind === 'word' ? foldWord(piece) : piece, gap })
    }
    // What follows an elision is a word of its own.
    gap = kind === null || (kind === 'word' && /['’]$/.test(text.slice(at, end)))
    at = end
  }
  return tokens
}

function kindOf(groups: Readonly<Record<string, string | undefined>>): WordToken['kind'] | null {
  if (groups.space !== undefined) return null
  if (groups.word !== undefined) return 'word'
  if (groups.number !== undefined) return 'number'
  if (groups.covered !== undefined) return 'covered'
  return groups.sealed === undefined ? 'sign' : 'sealed'
}

/** Where the quote that begins here ends; null if none does. An apostrophe inside of a word closes nothing. */
function endOfQuote(text: string, at: number): number | null {
  const closing = QUOTES[text.charAt(at)]
  if (closing === undefined) return null
  const last = Math.min(text.length, at + QUOTE_LENGTH)
  for (let end = at + 2; end < last; end++) {
    if (!closing.includes(text.charAt(end))) continue
    if (!/[\p{L}\d]/u.test(text.charAt(end + 1))) return end + 1
  }
  return null
}

/** A word as the tables have it: lower case, without accents, `ß` as `ss`. */
export function foldWord(word: string): string {
  const lower = word.toLowerCase()
  if (/^[a-z']*$/.test(lower)) return lower
  return lower.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').replaceAll('’', "'")
}
