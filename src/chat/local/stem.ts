/**
 * Reduces an English word to its stem, by M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980. The
 * index of search stems English words alike, so a sentence can match where the index found its note.
 */

type Rule = readonly [suffix: string, replacement: string]

const STEP_2: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['logi', 'log'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
]

const STEP_3: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]

const STEP_4 = [
  ...['al', 'ance', 'ence', 'er', 'ic', 'able', 'ible', 'ant', 'ement', 'ment', 'ent'],
  ...['ion', 'ou', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize'],
]

/** One letter per letter of the word: `c` for a consonant, `v` for a vowel. A `y` after a consonant is a vowel. */
function shape(word: string): string {
  let kinds = ''
  for (const letter of word) {
    const vowel = 'aeiou'.includes(letter) || (letter === 'y' && kinds.endsWith('c'))
    kinds += vowel ? 'v' : 'c'
  }
  return kinds
}

/** Porter's m: how often a vowel is followed by a consonant. */
const measure = (stem: string): number => shape(stem).match(/vc/g)?.length ?? 0

const hasVowel = (stem: string): boolean => shape(stem).includes('v')

const endsInDouble = (word: string): boolean => /([^aeiou])\1$/.test(word)

/** Porter's *o: consonant, vowel, consonant at the end, the last not w, x or y. */
const endsShort = (stem: string): boolean => shape(stem).endsWith('cvc') && !/[wxy]$/.test(stem)

/** Applies the rule with the longest suffix that fits, if what stays before it has the measure. */
function replaceLongest(word: string, rules: readonly Rule[]): string {
  let found: Rule | null = null
  for (const rule of rules) if (word.endsWith(rule[0]) && rule[0].length > (found?.[0].length ?? 0)) found = rule
  if (!found) return word
  const stem = word.slice(0, -found[0].length)
  return measure(stem) > 0 ? stem + found[1] : word
}

function withoutPlural(word: string): string {
  if (/.(?:sses|ies)$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

function withoutPast(word: string): string {
  if (/.eed$/.test(word)) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const stem = word.replace(/(?:ed|ing)$/, '')
  if (stem === word || !hasVowel(stem)) return word
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  if (endsInDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1)
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem
}

function withoutEnding(word: string): string {
  let longest = ''
  for (const suffix of STEP_4) if (word.endsWith(suffix) && suffix.length > longest.length) longest = suffix
  const stem = word.slice(0, word.length - longest.length)
  if (measure(stem) <= 1) return word
  return longest === 'ion' && !/[st]$/.test(stem) ? word : stem
}

function withoutLastE(word: string): string {
  let stem = word
  if (word.endsWith('e')) {
    const before = word.slice(0, -1)
    if (measure(before) > 1 || (measure(before) === 1 && !endsShort(before))) stem = before
  }
  return stem.endsWith('ll') && measure(stem) > 1 ? stem.slice(0, -1) : stem
}

/** The stem of a lower-case word without diacritics. Words of less than 3 or more than 64 letters stay as they are. */
export function stem(word: string): string {
  if (word.length < 3 || word.length > 64) return word
  let stemmed = withoutPast(withoutPlural(word))
  if (stemmed.endsWith('y') && hasVowel(stemmed.slice(0, -1))) stemmed = `${stemmed.slice(0, -1)}i`
  return withoutLastE(withoutEnding(replaceLongest(replaceLongest(stemmed, STEP_2), STEP_3)))
}
