/** Resolves the words of a query against the index: completions, corrections, and words that occur nowhere. */
import { boundedEditDistance } from '../lib/spelling'
import type { Entry } from './blocks'
import type { WordFix } from './cursor'
import { pickRarest, type Word } from './plan'
import type { SearchOptions } from './results'
import type { IndexView } from './view'
import { isWordTerm, rangeOfPrefix } from './vocabulary'

/** Completions of a word that is still being typed. */
const MAX_COMPLETIONS = 64
/** Bytes of corrections that fit into a cursor, as JSON; typos beyond them are not corrected. */
const MAX_CORRECTIONS_BYTES = 400

const COUNTS_SIGN = '+'
const MISSING_SIGN = '-'
const TOO_COMMON_SIGN = '.'

/** Corrects typos, and drops words that occur nowhere. Later pages repeat the outcome of the first. */
export async function resolveWords(
  view: IndexView,
  queryWords: readonly Word[],
  {
    strict,
    prefix,
    beginnings,
    weights,
    after,
  }: Pick<SearchOptions, 'strict' | 'prefix' | 'beginnings' | 'weights' | 'after'>,
) {
  const present = new Map<number, Word>()
  const missing = new Map<number, string>()
  const postings = await view.postings([...new Set(queryWords.flatMap(({ terms }) => [...terms.keys()]))])
  for (const [place, word] of queryWords.entries()) {
    const sign = after?.fates.signs[place]
    if (sign === TOO_COMMON_SIGN) continue
    const occurs = after
      ? sign !== MISSING_SIGN
      : [...word.terms.keys()].some((term) => view.occurs(postings.get(term)))
    const isBeginning = word.isBeginning || (prefix && word === queryWords.at(-1))
    const weight = (word.weight ?? 1) * (weights?.get(word.text) ?? 1)
    const longer = isBeginning || (!occurs && beginnings?.has(word.text)) ? await completeWord(view, word) : word
    if (isBeginning || occurs || longer.terms.size > word.terms.size) present.set(place, { ...longer, weight })
    else missing.set(place, word.text)
  }
  const fixes = after ? after.fates.fixes : strict ? [] : await findFixes(view, missing)
  const fixed = new Map(fixes)
  const fixedWords = fixes.map(([, to]) => ({ text: to, terms: new Map([[to, 1]]) }))
  const words = pickRarest([...present.values(), ...fixedWords], postings)
  const counting = new Set(words)
  const signOf = (_: Word, place: number) => {
    const word = present.get(place)
    return word && counting.has(word) ? COUNTS_SIGN : missing.has(place) ? MISSING_SIGN : TOO_COMMON_SIGN
  }
  return {
    words,
    ignored: [...missing].flatMap(([place, text]) => (fixed.has(place) ? [] : [text])),
    corrected: fixes.map(([place, to]) => ({ from: queryWords[place]?.text ?? '', to })),
    fates: { signs: queryWords.map(signOf).join(''), fixes },
  }
}

/** Finds corrections for typos, as many as fit into a cursor. */
async function findFixes(view: IndexView, missing: ReadonlyMap<number, string>): Promise<WordFix[]> {
  const corrected = await correctTypos(view, [...missing.values()])
  let room = MAX_CORRECTIONS_BYTES
  return [...missing].flatMap(([place, text]): WordFix[] => {
    const to = corrected.get(text)
    if (to === undefined) return []
    const fix = [place, to] as const
    room -= Buffer.byteLength(JSON.stringify(fix)) + 1
    return room < 0 ? [] : [fix]
  })
}

/** Returns a word with its completions; of very many, the most common. */
async function completeWord(view: IndexView, word: Word): Promise<Word> {
  const frequencies = new Map<string, number>()
  const isLonger = (term: string) => term.startsWith(word.text)
  await view.scan(rangeOfPrefix(word.text), 'terms', isLonger, (_, { term, posting }) => {
    frequencies.set(term, (frequencies.get(term) ?? 0) + posting.documents)
    return false
  })
  const commonest = [...frequencies].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MAX_COMPLETIONS)
  return { text: word.text, terms: new Map([...commonest.map(([term]) => [term, 1] as const), ...word.terms]) }
}

/** UTF-16 units from which a word may differ by one edit; shorter ones are as likely to be another word. */
const ONE_EDIT_UNITS = 5
/** UTF-16 units from which it may differ by two. */
const TWO_EDITS_UNITS = 9
/** Corrections that are tried for one word. */
const MAX_CANDIDATES = 16
/** Only words of letters are taken for typos, not numbers and names. */
const LETTERS = /^\p{L}+$/u
const ASCII = /^[a-z]*$/

/**
 * Finds the nearest word of the workspace for each word that occurs nowhere; of equally near ones, the most common.
 * Words without a near one are left out. Unless a typo has letters beyond ASCII, only words that begin with a to z are
 * tried.
 * @param words folded
 */
async function correctTypos(view: IndexView, words: readonly string[]): Promise<Map<string, string>> {
  const typos = words.flatMap((word) => {
    const edits = word.length >= TWO_EDITS_UNITS ? 2 : word.length >= ONE_EDIT_UNITS ? 1 : 0
    return edits > 0 && LETTERS.test(word) ? [{ word, edits, letters: letterSetOf(word) }] : []
  })
  const corrected = new Map<string, string>()
  if (typos.length === 0) return corrected
  const isNear = (term: string) => {
    let letters = 0
    for (const { word, letters: typoLetters, edits } of typos) {
      if (term.length - word.length > edits || word.length - term.length > edits) continue
      if (letters === 0) letters = letterSetOf(term)
      if (countBits(letters ^ typoLetters) <= 2 * edits && boundedEditDistance(word, term, edits) <= edits) return true
    }
    return false
  }
  const near = new Map<string, number>()
  const take = (_: number, { term, posting }: Entry): false => {
    near.set(term, (near.get(term) ?? 0) + posting.documents)
    return false
  }
  const ascii = typos.every(({ word }) => ASCII.test(word))
  const least = Math.min(...typos.map(({ word, edits }) => word.length - edits))
  const most = Math.max(...typos.map(({ word, edits }) => word.length + edits))
  const range = { from: 'a', below: ascii ? '{' : '\u{10ffff}', piece: null, lengths: [least, most] as const }
  await view.scan(range, 'terms', (term) => isWordTerm(term) && isNear(term), take)
  for (const { word, edits } of typos) {
    for (const term of listCandidates(near, word, edits)) {
      // Some terms belong to outdated documents only.
      if (!view.occurs((await view.postings([term])).get(term))) continue
      corrected.set(word, term)
      break
    }
  }
  return corrected
}

/** Lists the corrections of a word, the nearest first, and of equally near ones the most common. */
function listCandidates(near: ReadonlyMap<string, number>, word: string, edits: number): string[] {
  const candidates = [...near].flatMap(([term, documents]) => {
    const away = boundedEditDistance(word, term, edits)
    return away <= edits ? [{ term, away, documents }] : []
  })
  candidates.sort((a, b) => a.away - b.away || b.documents - a.documents || (a.term < b.term ? -1 : 1))
  return candidates.slice(0, MAX_CANDIDATES).map(({ term }) => term)
}

/** Returns the letters of a word as a set of 32 bits. An edit changes at most two of them. */
function letterSetOf(word: string): number {
  let letters = 0
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) % 32)
  return letters
}

function countBits(number: number): number {
  let bits = 0
  for (let rest = number; rest !== 0; rest &= rest - 1) bits++
  return bits
}
