/** Folds text for comparison: stored texts and queries alike. */

/**
 * The accents of Latin, Greek and Cyrillic, which folding removes. The marks of kana are outside this range and stay.
 */
const ACCENTS = /[\u0300-\u036f]/g
/**
 * A character with all that may combine with it: marks, half-width voicing signs, jamo that make up a syllable, and
 * vowels that decompose into a mark and a letter. Found by trying every code point; a test repeats that.
 */
const CLUSTER = /[\s\S][\p{M}\u1160-\u11ff\u3131-\u318e\ud7b0-\ud7ff\u0e33\u0eb3\uff9e-\uffdc\u{16d63}-\u{16d6a}]*/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
export const ASCII = /^[\x00-\x7f]*$/
/** Scripts that are written without spaces, or whose readers look for parts of words. */
export const UNSPACED_SCRIPTS = ['Han', 'Hira', 'Kana', 'Bopo', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr', 'Tibt']
  .map((script) => `\\p{scx=${script}}`)
  .join('')
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u')

/**
 * Letters that readers take for others, though Unicode does not, with the letters that they are compared as. The
 * letters of ALIKE_LETTERS that are missing here are removed: vowel points of Arabic and Hebrew, tatweel, soft hyphens.
 */
const ALIKE: Readonly<Record<string, string>> = {
  ς: 'σ',
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ة: 'ه',
}
const ALIKE_LETTERS =
  /[ςßłøđıæœþأإآٱىة\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g

/** Folds a text: NFKD, accents removed, NFC, lower case, and letters that readers take for others replaced. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const plain = text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase()
  return plain.replace(ALIKE_LETTERS, (letter) => ALIKE[letter] ?? '').normalize('NFC')
}

/** ASCII signs in the order of the Unicode collation, in which they come before digits and letters. */
const SIGNS = ` _-,;:!?.'"()[]{}@*/\\&#%\`^+<=>|~$`
const SIGN = /[ -/:-@[-`{-~]/g
/** Pictures come after the signs and before digits. */
const AFTER_SIGNS = String.fromCharCode(1 + SIGNS.length)
const MOST_DIGITS = 9

/**
 * Returns a text whose code points are in the order in which people sort titles, as Intl.Collator has it with `numeric`
 * and the sensitivity `base`: signs, numbers by their value, letters without case and accents.
 */
export function toSortKey(text: string): string {
  const signs = fold(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(SIGN, (sign) => String.fromCharCode(1 + SIGNS.indexOf(sign)))
    .replace(/\p{Extended_Pictographic}/gu, `${AFTER_SIGNS}$&`)
  return signs.replace(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=.)/, '')
    // The length comes first: 9 for each full nine digits, and what is left.
    const length = number.length - 1
    return '9'.repeat(length / MOST_DIGITS) + (length % MOST_DIGITS) + number
  })
}

/** Whether a text is searched as words. Bare signs, and text in scripts without spaces, are searched as written. */
export function hasWords(folded: string): boolean {
  return /[\p{L}\p{N}]/u.test(folded) && !UNSPACED.test(folded)
}

/** A converted text that knows which characters of the original each part comes from. */
export interface MappedText {
  readonly text: string
  /** Returns the UTF-16 range of the original that a range of the converted text was made of. */
  original(start: number, end: number): [start: number, end: number]
}

/**
 * Folds a text with a mapping back. A range that begins or ends inside the fold of one character takes that whole
 * character.
 */
export function foldMapped(text: string): MappedText {
  const folded = fold(text)
  return keepsPlaces(text, folded) ? { text: folded, original: (start, end) => [start, end] } : mapClusters(text, fold)
}

/** The folds of UTF-16 units outside ASCII that texts had; NaN for one that becomes none, or several. */
const foldsOfUnits = new Map<number, number>()

/** Whether each UTF-16 unit of a text became the one at its place, as in most texts of scripts with letters. */
function keepsPlaces(text: string, folded: string): boolean {
  if (folded.length !== text.length) return false
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 128) continue
    let own = foldsOfUnits.get(unit)
    if (own === undefined) {
      const one = fold(text.charAt(i))
      own = one.length === 1 ? one.charCodeAt(0) : Number.NaN
      foldsOfUnits.set(unit, own)
    }
    if (own !== folded.charCodeAt(i)) return false
  }
  return true
}

/** Converts a text to NFKC, as the index reads it, with a mapping back. */
export function composeMapped(text: string): MappedText {
  if (ASCII.test(text) || text.normalize('NFKC') === text) return { text, original: (start, end) => [start, end] }
  return mapClusters(text, (cluster) => cluster.normalize('NFKC'))
}

function mapClusters(text: string, change: (cluster: string) => string): MappedText {
  let changed = ''
  // Of each unit of the changed text, where its cluster begins and ends.
  const [starts, ends]: [number[], number[]] = [[], []]
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    changed += change(cluster)
    while (starts.length < changed.length) {
      starts.push(index)
      ends.push(index + cluster.length)
    }
  }
  return {
    text: changed,
    original: (start, end) => [starts[start] ?? text.length, ends[end - 1] ?? 0],
  }
}
