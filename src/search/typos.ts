/** Words that were likely meant: what occurs in the workspace and differs by an edit or two. */
import { distance } from '../lib/spelling'
import type { Entry } from './blocks'
import type { IndexView } from './view'
import { isWord } from './vocabulary'

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
export async function correctTypos(view: IndexView, words: readonly string[]): Promise<Map<string, string>> {
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
  const least = Math.min(...sought.map(({ word, edits }) => word.length - edits))
  const most = Math.max(...sought.map(({ word, edits }) => word.length + edits))
  const range = { from: 'a', below: ascii ? '{' : '\u{10ffff}', piece: null, lengths: [least, most] as const }
  await view.scan(range, 'terms', (term) => isWord(term) && isNear(term), take)
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
