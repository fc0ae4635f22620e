/** Resolves the words of a query against the index: their forms, completions, corrections, and what occurs nowhere. */
import type { Fate } from './cursor'
import { encodeTerms, type IndexFile } from './index.sqlite'
import type { Word } from './plan'
import { countDocs, type FormOfTerm, findForms, listCompletions } from './read.sqlite'
import { readVocabulary } from './vocabulary'

/** Bare words that are scored; of more, the rarest. */
const MAX_SCORED_WORDS = 64
/** Completions of a word that is still being typed; of more, the most common. */
const MAX_COMPLETIONS = 64
/** Documents of a word that are counted one by one, at most. */
const MAX_COUNTED_DOCS = 1000
/** Slips that are looked for in one query: each takes some milliseconds among 100,000 words. */
const MAX_CORRECTED_WORDS = 8

/** A word that occurs, or with no forms one that does not. */
export interface KnownWord extends Word {
  /** The forms that match the word, with the weight of an occurrence. */
  readonly forms: ReadonlyMap<number, number>
  readonly docs: number
  /** The expression that matches it in FTS5. */
  readonly expression: string
  /** The terms by which it is seen in a text: words as they are written, parts of words with a plus. */
  readonly seen: readonly string[]
}

/** How the words of a question were read. */
export interface ReadWords {
  /** Words that occur nowhere. */
  readonly ignored: readonly string[]
  readonly corrected: readonly { readonly from: string; readonly to: string }[]
  /** The terms by which the words are seen in a text, for snippets; see `KnownWord`. */
  readonly seen: readonly string[]
  /** The number of documents, and of those with each word that occurs. */
  readonly documents: number
  readonly docs: readonly { readonly text: string; readonly docs: number }[]
}

interface ResolvedWords extends ReadWords {
  /** Those that occur. */
  readonly words: readonly KnownWord[]
  readonly fates: Fate[]
}

/** Finds the forms of words: those that are current at this moment. */
export function findKnownWords(index: IndexFile, words: readonly Word[]): KnownWord[] {
  if (words.length === 0) return []
  const terms = [...new Set(words.flatMap((word) => [...word.terms.keys()]))]
  const rows = findForms(
    index,
    terms.filter((term) => !isAlso(term)),
    terms.filter(isAlso),
  )
  const matches = Map.groupBy(rows, ({ term }) => term)
  return words.map((word) => toKnown(index, word, matches))
}

function toKnown(index: IndexFile, word: Word, matches: ReadonlyMap<string, readonly FormOfTerm[]>): KnownWord {
  const forms = new Map<number, number>()
  const seen = new Set<string>()
  const present: string[] = []
  let docs = 0
  for (const [term, weight] of word.terms) {
    const found = matches.get(term) ?? []
    // A word whose stem is looked for as well need not be looked for by itself.
    const isCovered = !isAlso(term) && found.every(({ also }) => also.split(' ').some((one) => word.terms.has(one)))
    if (found.length > 0 && !isCovered) present.push(term)
    for (const row of found) {
      if (!forms.has(row.form)) docs += row.docs
      forms.set(row.form, (forms.get(row.form) ?? 0) + weight)
      seen.add(toSeen(row))
    }
  }
  const expression = matchTerms(present)
  // A document may have several of the forms. Of many documents that makes no difference.
  if (forms.size > 1 && docs <= MAX_COUNTED_DOCS) docs = countDocs(index, expression)
  return { ...word, forms, docs: Math.min(docs, index.state.documents), expression, seen: [...seen] }
}

/** Whether a term is a stem or a part of a word. */
const isAlso = (term: string) => term.startsWith('~') || term.startsWith('+')

const matchTerms = (terms: readonly string[]) => `(${terms.map((term) => `"${encodeTerms(term)}"`).join(' OR ')})`

/** Returns by what a form is seen in a text that has it: the stem of a part comes right after that part. */
function toSeen({ term, word, also }: FormOfTerm): string {
  if (!term.startsWith('~')) return term
  const terms = also.split(' ')
  const before = terms[terms.indexOf(term) - 1]
  return before?.startsWith('+') ? before : word
}

/**
 * Completes words, corrects slips, and drops words that occur nowhere.
 * @param given what became of each word on the first page, which later pages repeat
 */
export function resolveWords(
  index: IndexFile,
  asked: readonly Word[],
  strict: boolean,
  given: readonly Fate[] | null,
): ResolvedWords {
  const known = findKnownWords(index, asked).map((word) => completeWord(index, word))
  let left = strict ? 0 : MAX_CORRECTED_WORDS
  const fates = known.map(({ text, forms }, place): Fate => {
    if (given) return given[place] ?? null
    return forms.size > 0 ? 1 : left-- > 0 ? readVocabulary(index).correct(text) : null
  })
  const corrected = asked.flatMap(({ text: from }, place) => {
    const to = fates[place]
    return typeof to === 'string' ? [{ from, to }] : []
  })
  const present = known.flatMap((word, place) => {
    const fate = fates[place]
    const [one] =
      typeof fate === 'string' ? findKnownWords(index, [{ text: fate, terms: new Map([[fate, 1]]) }]) : [word]
    return fate && one && one.forms.size > 0 ? [one] : []
  })
  const rarest = new Set([...present].sort((a, b) => a.docs - b.docs).slice(0, MAX_SCORED_WORDS))
  const words = present.filter((word) => rarest.has(word))
  return {
    words,
    seen: words.flatMap(({ seen }) => seen),
    documents: index.state.documents,
    docs: words.map(({ text, docs }) => ({ text, docs })),
    ignored: asked.flatMap(({ text }, place) => (fates[place] === null ? [text] : [])),
    corrected,
    fates: fates.map((fate, place) => {
      const word = known[place]
      return fate === 1 && word && !rarest.has(word) ? 0 : fate
    }),
  }
}

/** Adds the words that begin with a word that is, or may be, a beginning. */
function completeWord(index: IndexFile, word: KnownWord): KnownWord {
  if (!word.isBeginning && (word.forms.size > 0 || !word.mayBegin)) return word
  const rows = listCompletions(index, word.text, MAX_COMPLETIONS)
  if (rows.length === 0) return word
  const terms = [...new Set(rows.map((row) => row.word))]
  const others = word.forms.size > 0 ? `${word.expression} OR ` : ''
  const expression = `(${others}${matchTerms(terms)})`
  return {
    ...word,
    forms: new Map([...rows.map(({ form }) => [form, 1] as const), ...word.forms]),
    docs: countDocs(index, expression),
    expression,
    seen: [...word.seen, ...terms],
  }
}
