/**
 * Scores documents by BM25F (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009) over words and stems, with
 * a bonus for words close together, and for long questions by what the best documents have in common (Lavrenko, Croft:
 * relevance models). The constants were chosen on the dev part of `bun run eval search`. All figures are of the caller's
 * own workspace.
 */
import { FIELDS, type Forms, unpackForms } from './forward'
import type { IndexFile } from './index.sqlite'
import { findKnownWords, type KnownWord } from './known-words'
import { isCommonWord } from './languages'
import { readDocs } from './read.sqlite'

/** The k1 of BM25: how soon further occurrences of a word count no more. */
const K1 = 1.8
/** The weight of an occurrence in title, tags and body. */
const FIELD_WEIGHTS = [5, 2.5, 1]
/** The b of BM25F for title, tags and body: how much a long field counts against its words, from 0 to 1. */
const LENGTH_WEIGHTS = [0.75, 0.3, 0.75]
/** The share of its score that a document gains at most by words in a row. */
const CLOSENESS_WEIGHT = 1.5
/** Words whose closeness is measured; of more, the rarest. */
const MAX_CLOSE_WORDS = 8
/** Words of documents that are read for one search, in all: about 10 ms. */
const MAX_FORMS_READ = 2_000_000

/** The least number of words, not counting common ones, of a question that is ranked by what its results share. */
const MIN_DISTINCTIVE_WORDS = 5
/** Results that are read for that, and words of each. */
const TOP_RESULTS = 6
const WORDS_PER_RESULT = 700
/** Stems whose frequency is looked up, and stems that are added to a question. */
const MAX_CANDIDATE_STEMS = 24
const MAX_ADDED_STEMS = 12
/** Stems in more than this share of all documents are ignored. */
const MAX_DOCUMENT_SHARE = 0.1
/** UTF-16 units of a stem that is added, at least. */
const MIN_STEM_UNITS = 3
/** The weight of the best added stem, where a word of the question weighs 1. */
const EXPANSION_WEIGHT = 0.5

/** A document with its score. */
export interface Scored {
  readonly doc: number
  readonly type: number
  readonly key: number
  score: number
  /** The number of words of the query that it has, and the share of their weight. */
  readonly words: number
  readonly share: number
  /** Whether it has all words that it must have. */
  readonly hasAll: boolean
  readonly forms: Forms
}

/** A form of a word of the query. */
interface Wanted {
  readonly word: number
  readonly weight: number
}

/** Scores documents for one query. */
export class Scorer {
  readonly #index: IndexFile
  readonly #words: readonly KnownWord[]
  readonly #idf: readonly number[]
  readonly #averages: readonly number[]
  readonly #total: number
  readonly #close: readonly number[]
  /** The words; after them come the extras. */
  readonly #count: number
  readonly #required: readonly number[]

  /**
   * @param extras terms that raise the rank alone: names, and words of the conditions
   * @param required the words of which `hasAll` tells
   */
  constructor(
    index: IndexFile,
    words: readonly KnownWord[],
    extras: readonly KnownWord[],
    required: readonly KnownWord[],
  ) {
    const { documents, lengths } = index.state
    this.#index = index
    this.#words = [...words, ...extras]
    this.#idf = this.#words.map(({ docs, weight = 1 }) => weight * inverseFrequency(docs, documents))
    this.#averages = lengths.map((length) => Math.max(1, length / Math.max(1, documents)))
    this.#total = this.#idf.slice(0, words.length).reduce((sum, idf) => sum + idf, 0)
    this.#close = [...words.keys()]
      .sort((a, b) => (words[a]?.docs ?? 0) - (words[b]?.docs ?? 0) || a - b)
      .slice(0, MAX_CLOSE_WORDS)
      .sort((a, b) => a - b)
    this.#count = words.length
    this.#required = required.map((word) => words.indexOf(word))
  }

  /** Returns the share of a word in the weight of all. */
  shareOf(word: number): number {
    return this.#total === 0 ? 1 : (this.#idf[word] as number) / this.#total
  }

  /** Scores documents, in no order; those that are gone are left out. */
  score(docs: readonly number[]): Scored[] {
    const rows = readDocs(this.#index, docs)
    const wanted = new WantedForms(this.#words)
    let left = this.#words.length > 0 ? MAX_FORMS_READ : 0
    return rows.map(({ doc, type, key, forms: bytes }) => {
      const forms = unpackForms(bytes, left)
      left -= forms.forms.length
      return { doc, type, key, forms, ...this.#measure(forms, wanted) }
    })
  }

  #measure({ starts, forms }: Forms, wanted: WantedForms) {
    const sums = new Float64Array(this.#words.length)
    const places: number[][] = []
    const isMeasured = this.#close.length > 1
    for (let section = 0; section < 2 * FIELDS; section++) {
      const field = section % FIELDS
      const rate = this.#rateOf(starts, field)
      const end = Math.min(starts[section + 1] as number, forms.length)
      for (let at = starts[section] as number; at < end; at++) {
        const found = wanted.find(forms[at] as number)
        if (found === undefined) continue
        for (const { word, weight } of found) {
          sums[word] = (sums[word] as number) + weight * rate
          if (!isMeasured || section >= FIELDS) continue
          // A gap between the fields keeps their words from being close.
          const own = places[word] ?? []
          places[word] = own
          own.push(at + field * FIELD_GAP)
        }
      }
    }
    let [score, words, weight] = [0, 0, 0]
    for (const [word, sum] of sums.entries()) {
      if (sum === 0) continue
      const idf = this.#idf[word] as number
      score += (idf * sum) / (K1 + sum)
      if (word >= this.#count) continue
      words++
      weight += idf
    }
    score += score * CLOSENESS_WEIGHT * this.#closeness(places)
    const hasAll = this.#required.every((word) => (sums[word] as number) > 0)
    return { score, words, hasAll, share: this.#total === 0 ? 1 : weight / this.#total }
  }

  /** The weight of an occurrence in a field. */
  #rateOf(starts: readonly number[], field: number): number {
    const length = (starts[field + 1] as number) - (starts[field] as number)
    const long = LENGTH_WEIGHTS[field] as number
    return (FIELD_WEIGHTS[field] as number) / (1 - long + (long * length) / (this.#averages[field] as number))
  }

  /** How close the words are, from 0 to 1. */
  #closeness(places: readonly (readonly number[])[]): number {
    let [close, total] = [0, 0]
    for (let i = 1; i < this.#close.length; i++) {
      const [one, other] = [this.#close[i - 1] as number, this.#close[i] as number]
      const weight = Math.min(this.#idf[one] as number, this.#idf[other] as number)
      total += weight
      close += weight / leastDistance(places[one] ?? [], places[other] ?? [])
    }
    return total === 0 ? 0 : close / total
  }

  /** Raises the scores of documents, best first, by the stems that the best of them share. */
  addFeedback(ranked: readonly Scored[]): void {
    if (this.#words.slice(0, this.#count).filter(({ text }) => !isCommonWord(text)).length < MIN_DISTINCTIVE_WORDS)
      return
    const added = this.#learn(ranked)
    const wanted = new WantedForms(added)
    for (const one of ranked) {
      const sums = new Float64Array(added.length)
      const { starts, forms } = one.forms
      for (let field = 0; field < FIELDS; field++) {
        const rate = this.#rateOf(starts, field)
        const end = Math.min(starts[field + 1] as number, forms.length)
        for (let at = starts[field] as number; at < end; at++)
          for (const { word } of wanted.find(forms[at] as number) ?? []) sums[word] = (sums[word] as number) + rate
      }
      for (const [i, sum] of sums.entries()) one.score += ((added[i]?.weight ?? 0) * sum) / (K1 + sum)
    }
  }

  /** Finds what the best results are about: stems that at least two of them have. */
  #learn(ranked: readonly Scored[]): KnownWord[] {
    const scores = new Map<string, number>()
    const results = new Map<string, number>()
    for (const [rank, { forms }] of ranked.slice(0, TOP_RESULTS).entries()) {
      const { stems, length } = this.#stemsOf(forms)
      for (const [stem, count] of stems) {
        const saturated = count / (count + 1.2 * (0.25 + (0.75 * length) / (this.#averages[2] as number)))
        scores.set(stem, (scores.get(stem) ?? 0) + saturated / (1 + rank))
        results.set(stem, (results.get(stem) ?? 0) + 1)
      }
    }
    const shared = [...scores].filter(([stem]) => (results.get(stem) ?? 0) >= 2)
    const candidates = shared.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MAX_CANDIDATE_STEMS)
    const { documents } = this.#index.state
    const toTerms = (stem: string) => new Map([[`~${stem}`, 1] as const, [stem, 1] as const])
    const known = findKnownWords(
      this.#index,
      candidates.map(([text]) => ({ text, terms: toTerms(text) })),
    )
    const gains = known.map((word, i) => ({
      word,
      gain: (candidates[i]?.[1] ?? 0) * inverseFrequency(word.docs, documents),
    }))
    const best = gains
      .filter(({ word }) => word.docs <= MAX_DOCUMENT_SHARE * documents)
      .sort((a, b) => b.gain - a.gain || (a.word.text < b.word.text ? -1 : 1))
      .slice(0, MAX_ADDED_STEMS)
    return best.map(({ word, gain }) => {
      const share = gain / (best[0]?.gain || 1)
      return { ...word, weight: EXPANSION_WEIGHT * inverseFrequency(word.docs, documents) * share }
    })
  }

  /** Returns the stems of title and body that are not common words, with their counts. */
  #stemsOf({ starts, forms }: Forms): { stems: Map<string, number>; length: number } {
    const [titleEnd = 0, body = 0, bodyEnd = 0] = starts.slice(1)
    const read = [...forms.subarray(0, titleEnd), ...forms.subarray(body, bodyEnd)].slice(0, WORDS_PER_RESULT)
    const known = this.#index.formsOf([...new Set(read)])
    const stems = new Map<string, number>()
    for (const form of read) {
      const { word = '', also = '' } = known.get(form) ?? {}
      const stem = also.startsWith('~') ? (also.split(' ')[0] as string).slice(1) : word
      if (stem.length < MIN_STEM_UNITS || isCommonWord(word) || /^\d+$/.test(stem)) continue
      stems.set(stem, (stems.get(stem) ?? 0) + 1)
    }
    return { stems, length: read.length }
  }
}

/** Higher scores come first; of equal ones, the document written last. */
export const compareScored = (a: Scored, b: Scored) => b.score - a.score || b.doc - a.doc

/** Places between the last word of a field and the first of the next. */
const FIELD_GAP = 2 ** 24

export const inverseFrequency = (docs: number, documents: number) =>
  Math.log(1 + (documents - docs + 0.5) / (docs + 0.5))

/** The words that each form is of. Most forms of a text are of none: a look at their last bits tells that. */
class WantedForms {
  readonly #table = new Map<number, Wanted[]>()
  readonly #bits = new Uint8Array(4096)

  constructor(words: readonly KnownWord[]) {
    for (const [word, { forms }] of words.entries())
      for (const [form, weight] of forms) {
        this.#table.set(form, [...(this.#table.get(form) ?? []), { word, weight }])
        this.#bits[form & 4095] = 1
      }
  }

  find(form: number): readonly Wanted[] | undefined {
    return this.#bits[form & 4095] === 1 ? this.#table.get(form) : undefined
  }
}

/**
 * Returns the least distance from a place of the first to a later place of the second, or twice that to an earlier one.
 * @param firsts ascending @param seconds ascending
 */
function leastDistance(firsts: readonly number[], seconds: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY
  let at = 0
  for (const place of seconds.length > 0 ? firsts : []) {
    while (at < seconds.length && (seconds[at] as number) <= place) at++
    if (at < seconds.length) least = Math.min(least, (seconds[at] as number) - place)
    const before = at > 0 ? (seconds[at - 1] as number) : place
    if (before < place) least = Math.min(least, 2 * (place - before))
  }
  return least
}
