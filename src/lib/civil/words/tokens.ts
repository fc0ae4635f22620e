/** Splits texts in one pass. Quoted text is one token, which is never read. Positions are UTF-16 units. */

/** The character with which callers cover text that they have taken; phrases on both sides of it are adjacent. */
export const COVERED = '\uFFFC'
/** The character with which callers cover text that must not be read. */
export const SEALED = '\uFFFD'

export interface WordToken {
  readonly kind: 'word' | 'number' | 'sign' | 'covered' | 'sealed'
  readonly start: number
  readonly end: number
  /** A word in lower case and without accents; else the text. */
  readonly key: string
  /** Whether a space or the start of the text precedes it. */
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
/** In UTF-16 units; longer text between two quotation marks is not a quote. */
const QUOTE_LENGTH = 300

/** Never throws. */
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

/** Returns the end of the quote that begins at `at`, or null. An apostrophe inside a word does not close a quote. */
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

/** Folds a word for lookups: lower case, without accents, `ß` as `ss`. */
function foldWord(word: string): string {
  const lower = word.toLowerCase()
  if (/^[a-z']*$/.test(lower)) return lower
  return lower.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').replaceAll('’', "'")
}
