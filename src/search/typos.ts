/** Words that were likely meant: what occurs in the workspace and differs by an edit or two. */
import type { View } from './view'

/** Words of so many letters may differ by one edit, and by two; shorter ones are as likely another word. */
const ONE_EDIT = 5
const TWO_EDITS = 9
/** A word with other than letters is no typo: a number, a name. */
const LETTERS = /^\p{L}+$/u

/**
 * The nearest word of the workspace for each that occurs nowhere, and the commonest of the nearest; less those that have none.
 * @param words folded
 */
export async function correct(view: View, words: readonly string[]): Promise<Map<string, string>> {
  const sought = words.flatMap((word) => {
    const edits = word.length >= TWO_EDITS ? 2 : word.length >= ONE_EDIT ? 1 : 0
    return edits > 0 && LETTERS.test(word) ? [{ word, edits, letters: lettersOf(word) }] : []
  })
  const corrected = new Map<string, string>()
  if (sought.length === 0) return corrected
  const near = await view.words((term) =>
    sought.some(
      ({ word, letters, edits }) =>
        Math.abs(term.length - word.length) <= edits &&
        bitsOf(lettersOf(term) ^ letters) <= 2 * edits &&
        distance(word, term, edits) <= edits,
    ),
  )
  for (const { word, edits } of sought) {
    let best: Candidate | null = null
    for (const [term, documents] of near) {
      const away = distance(word, term, edits)
      if (away > edits) continue
      const isBetter = !best || away < best.away || (away === best.away && (documents > best.documents || (documents === best.documents && term < best.term)))
      if (isBetter) best = { term, away, documents }
    }
    if (best) corrected.set(word, best.term)
  }
  return corrected
}

/** The letters that a word has, each as one of 32 bits: an edit changes two of them at most. */
function lettersOf(word: string): number {
  let letters = 0
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) % 32)
  return letters
}

function bitsOf(number: number): number {
  let bits = 0
  for (let rest = number; rest !== 0; rest &= rest - 1) bits++
  return bits
}

interface Candidate {
  readonly term: string
  readonly away: number
  readonly documents: number
}

/**
 * How many letters must be put in, taken out, replaced or swapped with the next to make one word of the other (optimal string
 * alignment); `most` + 1 where more are needed.
 */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let start = 0
  while (start < a.length && start < b.length && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let [endA, endB] = [a.length, b.length]
  while (endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) [endA, endB] = [endA - 1, endB - 1]
  const width = endB - start
  if (endA === start) return width
  let twoAgo: number[] = []
  let ago = Array.from({ length: width + 1 }, (_, i) => i)
  for (let i = 1; i <= endA - start; i++) {
    const row = [i]
    let least = i
    const letter = a.charCodeAt(start + i - 1)
    for (let j = 1; j <= width; j++) {
      const other = b.charCodeAt(start + j - 1)
      let cost = Math.min((ago[j] as number) + 1, (row[j - 1] as number) + 1, (ago[j - 1] as number) + (letter === other ? 0 : 1))
      if (i > 1 && j > 1 && letter === b.charCodeAt(start + j - 2) && a.charCodeAt(start + i - 2) === other)
        cost = Math.min(cost, (twoAgo[j - 2] as number) + 1)
      row.push(cost)
      if (cost < least) least = cost
    }
    if (least > most) return most + 1
    twoAgo = ago
    ago = row
  }
  return Math.min(ago[width] ?? most + 1, most + 1)
}
