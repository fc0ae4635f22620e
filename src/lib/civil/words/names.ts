import { isBefore, type WordLine } from './cursor'
import type { Behind, FoundPhrase } from './phrases'

const TITLE_CASE = /^\p{Lu}[\p{Ll}\p{M}'’]+$/u

/**
 * Returns whether words that could be a day belong to a name: `Black Friday`, or a run of capitalised words such as
 * `Friday Night Lights`, `Ruby Tuesday`, `Read Every Day by Levithan`. After a preposition or next to a time they are a
 * day.
 */
export function isName(line: WordLine, phrase: FoundPhrase, behind: Behind): boolean {
  const { read, start, end } = phrase
  const followed = behind === 'phrase'
  if (read.kind !== 'day' && read.kind !== 'repeat') return false
  if (read.kind === 'day' && isBefore(line, start, ['name'])) return true
  if (line.lexicon.capitals || followed || (read.kind === 'day' && read.led)) return false
  if (!inCapitals(line, start, end)) return false
  const before = neighbour(line, start - 1, start)
  const after = neighbour(line, end, end)
  const several = end - start > 1
  if (read.kind === 'repeat') return several && (after || (start > 0 && (before || line.tokens[start]?.gap === true)))
  if (!line.lexicon.capitalWeekdays && isMidWord(line, start, end)) return true
  if (read.day.weekday === null && !several) return after
  const single = !several && read.day.place === 'any'
  if (single && !after && behind === 'end' && isShortTitle(line, start)) return false
  // The first word of a text begins with a capital anyway.
  return after || (before && (start > 1 || end === line.tokens.length))
}

const TITLE_WORDS = 2

/** Returns whether a text is only one or two capitalised words up to this token: `Dentist Friday`, `Call Ann Friday`. */
function isShortTitle(line: WordLine, end: number): boolean {
  let at = end
  while (neighbour(line, at - 1, at)) at -= 1
  return end - at <= TITLE_WORDS && (at === 0 || line.tokens[at - 1]?.kind === 'covered')
}

/**
 * Returns whether a capitalised word is between words, or ends a text behind a word that has no capital: in French
 * `Lire Vendredi ou la Vie sauvage` and `regarder la série Mercredi` are names.
 */
function isMidWord(line: WordLine, start: number, end: number): boolean {
  if (end - start !== 1 || line.tokens[start - 1]?.kind !== 'word') return false
  return line.tokens[end]?.kind === 'word' || (end === line.tokens.length && !neighbour(line, start - 1, start))
}

/** Returns whether all words are capitalised, but not in capitals throughout. */
function inCapitals(line: WordLine, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const kind = line.tokens[at]?.kind
    if (kind !== 'word' || !TITLE_CASE.test(line.raw(at))) return false
  }
  return true
}

/** Returns whether the token at `at` is a capitalised word, separated by only a space. */
function neighbour(line: WordLine, at: number, gapBefore: number): boolean {
  const token = line.tokens[at]
  return token?.kind === 'word' && line.tokens[gapBefore]?.gap === true && TITLE_CASE.test(line.raw(at))
}
