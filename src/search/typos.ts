/** Words that were likely meant: what occurs in the workspace and differs by an edit or two. */
import type { Entry } from './blocks'
import type { View } from './view'

/** Words of so many letters may differ by one edit, and by two; shorter ones are as likely another word. */
const ONE_EDIT = 5
const TWO_EDITS = 9
/** Words that are tried for one. */
const CANDIDATES = 16
/** A word with other than letters is no typo: a number, a name. */
const LETTERS = /^\p{L}+$/u
const ASCII = /^[a-z]*$/

/**
 * The nearest word of the workspace for each that occurs nowhere, and the commonest of the nearest; less those that have
 * none. Another first letter than one of ASCII is looked for only where the word has such letters.
 * @param words folded
 */
export async function correct(view: View, words: readonly string[]): Promise<Map<string, string>> {
  const sought = words.flatMap((word) => {
    const edits = word.length >= TWO_EDITS ? 2 : word.length >= ONE_EDIT ? 1 : 0
    return edits > 0 && LETTERS.test(word) ? [{ word, edits, letters: lettersOf(word) }] : []
  })
  const corrected = new Map<string, string>()
  if (sought.length === 0) return corrected
  const isNear = (term: string) => {
    let letters = 0
    for (const { word, letters: own, edits } of sought) {
      if (term.length - word.length > edits || word.length - term.length > edits) continue
      if (letters === 0) letters = lettersOf(term)
      if (bitsOf(letters ^ own) <= 2 * edits && distance(word, term, edits) <= edits) return true
    }
    return false
  }
  const near = new Map<string, number>()
  const take = (_: number, { term, posting }: Entry): false => {
    near.set(term, (near.get(term) ?? 0) + posting.documents)
    return false
  }
  const ascii = sought.every(({ word }) => ASCII.test(word))
  await view.scan({ from: 'a', below: '{', piece: null }, 'terms', isNear, take)
  if (!ascii) await view.scan({ from: '\u0080', below: '\u{10ffff}', piece: null }, 'terms', isNear, take)
  for (const { word, edits } of sought) {
    for (const term of candidatesOf(near, word, edits)) {
      // Some words are left of documents that stand for nothing any more.
      if (!view.occurs((await view.postings([term])).get(term))) continue
      corrected.set(word, term)
      break
    }
  }
  return corrected
}

/** The nearest, and the commonest of the nearest, first. */
function candidatesOf(near: ReadonlyMap<string, number>, word: string, edits: number): string[] {
  const candidates = [...near].flatMap(([term, documents]) => {
    const away = distance(word, term, edits)
    return away <= edits ? [{ term, away, documents }] : []
  })
  candidates.sort((a, b) => a.away - b.away || b.documents - a.documents || (a.term < b.term ? -1 : 1))
  return candidates.slice(0, CANDIDATES).map(({ term }) => term)
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

/**
 * How many letters must be put in, taken out, replaced or swapped with the next to make one word of the other (optimal string
 * alignment); `most` + 1 where more are needed.
 */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let start = 0
  while (start < a.length && start < b.length && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let [endA, endB] = [a.length, b.length]
  while (endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1))
    [endA, endB] = [endA - 1, endB - 1]
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
      let cost = Math.min(
        (ago[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (ago[j - 1] as number) + (letter === other ? 0 : 1),
      )
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
