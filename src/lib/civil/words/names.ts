import type { WordLine } from './cursor'
import { type FoundPhrase, isBefore } from './phrases'

const TITLE_CASE = /^\p{Lu}[\p{Ll}\p{M}'’]+$/u

/**
 * Returns whether words that could be a day belong to a name: `Black Friday`, or a run of capitalised words such as
 * `Friday Night Lights`, `Ruby Tuesday`, `Read Every Day by Levithan`. After a preposition or next to a time they are a
 * day.
 */
export function isName(line: WordLine, phrase: FoundPhrase, followed: boolean): boolean {
  const { read, start, end } = phrase
  if (read.kind !== 'day' && read.kind !== 'repeat') return false
  if (read.kind === 'day' && read.day.weekday !== null && isBefore(line, start, ['name'])) return true
  if (line.lexicon.capitals || followed || (read.kind === 'day' && read.led)) return false
  if (!inCapitals(line, start, end)) return false
  const before = neighbour(line, start - 1, start)
  const after = neighbour(line, end, end)
  const several = end - start > 1
  if (read.kind === 'repeat') return several && (after || (start > 0 && (before || line.tokens[start]?.gap === true)))
  if (read.day.weekday === null && !several) return after
  // The first word of a text begins with a capital anyway.
  return after || (before && (start > 1 || end === line.tokens.length))
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
