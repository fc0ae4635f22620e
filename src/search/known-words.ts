/** Resolves the words of a query against the index: their forms, completions, corrections, and what occurs nowhere. */
import type { WordFix, WordOutcomes } from './cursor'
import { encodeTerms, type IndexFile } from './index.sqlite'
import { MAX_SCORED_WORDS, type Word } from './plan'
import { countDocs, type FormOfTerm, findForms, listCompletions } from './read.sqlite'
import type { Vocabulary } from './vocabulary'

/** Completions of a word that is still being typed. */
const MAX_COMPLETIONS = 64
/** Bytes of corrections that fit into a cursor, as JSON; slips beyond them are not corrected. */
const MAX_CORRECTIONS_BYTES = 400
/** Documents of a word that are counted one by one, at most. */
const MAX_COUNTED_DOCS = 1000
/** Slips that are looked for in one query: each takes some milliseconds among 100,000 words. */
const MAX_CORRECTED_WORDS = 8

const COUNTS_SIGN = '+'
const MISSING_SIGN = '-'
const TOO_COMMON_SIGN = '.'

/** A word that occurs. */
export interface KnownWord extends Word {
  /** The forms that match the word, with the weight of an occurrence. */
  readonly forms: ReadonlyMap<number, number>
  readonly docs: number
  /** The expression that matches it in FTS5. */
  readonly expression: string
}

/** How the words of a query are to be read. */
export interface WordOptions {
  readonly strict: boolean
  readonly prefix: boolean
  readonly beginnings: ReadonlySet<string>
  readonly weights: ReadonlyMap<string, number>
  /** The outcome of the first page, which later ones repeat. */
  readonly fates: WordOutcomes | null
}

export interface ResolvedWords {
  readonly words: readonly KnownWord[]
  readonly ignored: readonly string[]
  readonly corrected: readonly { readonly from: string; readonly to: string }[]
  readonly fates: WordOutcomes
}

/** Finds the forms of words: those that are current at this moment. */
export function findKnownWords(index: IndexFile, words: readonly Word[]): KnownWord[] {
  const terms = [...new Set(words.flatMap((word) => [...word.terms.keys()]))]
  const rows = findForms(
    index,
    terms.filter((term) => !isAlso(term)),
    terms.filter(isAlso),
  )
  const matches = new Map<string, FormOfTerm[]>()
  for (const row of rows) matches.set(row.term, [...(matches.get(row.term) ?? []), row])
  return words.map((word) => toKnown(index, word, matches))
}

function toKnown(index: IndexFile, word: Word, matches: ReadonlyMap<string, readonly FormOfTerm[]>): KnownWord {
  const forms = new Map<number, number>()
  const present: string[] = []
  let docs = 0
  for (const [term, weight] of word.terms) {
    const found = matches.get(term) ?? []
    // A word whose stem is looked for as well need not be looked for by itself.
    const isCovered = !isAlso(term) && found.every(({ also }) => also.split(' ').some((one) => word.terms.has(one)))
    if (found.length > 0 && !isCovered) present.push(`"${encodeTerms(term)}"`)
    for (const { form, docs: count } of found) {
      if (!forms.has(form)) docs += count
      forms.set(form, (forms.get(form) ?? 0) + weight)
    }
  }
  const expression = `(${present.join(' OR ')})`
  // A document may have several of the forms. Of many documents that makes no difference.
  if (forms.size > 1 && docs <= MAX_COUNTED_DOCS) docs = countDocs(index, expression)
  return { ...word, forms, docs: Math.min(docs, index.state.documents), expression }
}

/** Whether a term is a stem or a part of a word. */
const isAlso = (term: string) => term.startsWith('~') || term.startsWith('+')

/** Corrects slips, and drops words that occur nowhere. */
export function resolveWords(
  index: IndexFile,
  vocabulary: () => Vocabulary,
  queryWords: readonly Word[],
  { strict, prefix, beginnings, weights, fates }: WordOptions,
): ResolvedWords {
  const present = new Map<number, KnownWord>()
  const missing = new Map<number, string>()
  for (const [place, word] of findKnownWords(index, queryWords).entries()) {
    const sign = fates?.signs[place]
    if (sign === TOO_COMMON_SIGN) continue
    const occurs = fates ? sign !== MISSING_SIGN : word.forms.size > 0
    const isBeginning = word.isBeginning || (prefix && place === queryWords.length - 1)
    const longer = isBeginning || (!occurs && beginnings.has(word.text)) ? completeWord(index, word) : word
    const weight = (word.weight ?? 1) * (weights.get(word.text) ?? 1)
    if (longer.forms.size > 0 && (occurs || longer !== word)) present.set(place, { ...longer, weight })
    else missing.set(place, word.text)
  }
  const fixes = fates?.fixes ?? (strict ? [] : findFixes(index, vocabulary, missing))
  const fixed = new Map(fixes)
  const fixedWords = findKnownWords(
    index,
    fixes.map(([, to]) => ({ text: to, terms: new Map([[to, 1]]) })),
  )
  const words = pickRarest([...present.values(), ...fixedWords])
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

function pickRarest(words: readonly KnownWord[]): readonly KnownWord[] {
  if (words.length <= MAX_SCORED_WORDS) return words
  const kept = new Set([...words].sort((a, b) => a.docs - b.docs).slice(0, MAX_SCORED_WORDS))
  return words.filter((word) => kept.has(word))
}

/** Finds corrections for slips, as many as fit into a cursor. */
function findFixes(index: IndexFile, vocabulary: () => Vocabulary, missing: ReadonlyMap<number, string>): WordFix[] {
  let [room, left] = [MAX_CORRECTIONS_BYTES, MAX_CORRECTED_WORDS]
  return [...missing].flatMap(([place, text]): WordFix[] => {
    const to = left-- > 0 ? vocabulary().correct(index, text) : null
    if (to === null) return []
    const fix = [place, to] as const
    room -= Buffer.byteLength(JSON.stringify(fix)) + 1
    return room < 0 ? [] : [fix]
  })
}

/** Returns a word with its completions; of very many, the most common. */
function completeWord(index: IndexFile, word: KnownWord): KnownWord {
  const rows = listCompletions(index, word.text, MAX_COMPLETIONS)
  if (rows.length === 0) return word
  const terms = [...new Set(rows.map((row) => row.word))]
  const expression = terms.map((term) => `"${encodeTerms(term)}"`).join(' OR ')
  const own = word.forms.size > 0 ? `${word.expression.slice(1, -1)} OR ` : ''
  return {
    ...word,
    terms: new Map([...terms.map((term) => [term, 1] as const), ...word.terms]),
    forms: new Map([...rows.map(({ form }) => [form, 1] as const), ...word.forms]),
    docs: countDocs(index, `(${own}${expression})`),
    expression: `(${own}${expression})`,
  }
}
