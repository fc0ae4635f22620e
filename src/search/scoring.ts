/**
 * Scores documents by BM25F (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009) over words and stems, with
 * a bonus for words close together, and for long questions by what the best documents have in common (Lavrenko, Croft:
 * relevance models). The constants were chosen on the dev part of `bun run eval search`. All figures are of the caller's
 * own workspace.
 */
import { hasWords } from './fold'
import { FIELDS, type Forms, unpackForms } from './forward'
import type { IndexFile } from './index.sqlite'
import type { KnownWord } from './known-words'
import { isCommonWord } from './languages'
import { type DocRow, readDocs } from './read.sqlite'

/** The k1 of BM25: how soon further occurrences of a word count no more. */
const K1 = 1.8
/** The weight of an occurrence in title, tags and body. */
const FIELD_WEIGHTS = [5, 2.5, 1]
/** The b of BM25F for title, tags and body: how much a long field counts against its words, from 0 to 1. */
const LENGTH_WEIGHTS = [0.75, 0.3, 0.75]
/** The share of its score that a document gains at most by words in a row. */
const CLOSENESS_WEIGHT = 1.5
/** By how much the score of a document rises whose title is the query. */
const TITLE_FACTOR = 2
/** Words whose closeness is measured; of more, the rarest. */
const MAX_CLOSE_WORDS = 8
/** Words of documents that are read for one search, in all: about 10 ms. */
const MAX_FORMS_READ = 2_000_000
/** Places between the last word of a field and the first of the next, so that their words are not close. */
const FIELD_GAP = 2 ** 24

/** The least number of words, not counting common ones, of a question that is ranked by what its results share. */
const MIN_DISTINCTIVE_WORDS = 5
/** Results that are read for that, and words of each. */
const TOP_RESULTS = 6
const WORDS_PER_RESULT = 700
/** Shared words whose frequency is looked up, and words that are added to a question. */
const MAX_CANDIDATES = 24
const MAX_ADDED_WORDS = 12
/** The weight of the best added word, where a word of the question weighs 1. */
const ADDED_WEIGHT = 0.5

/** A document with its score. */
export interface Scored extends DocRow {
  score: number
  /** The number of words of the query that it has, and the share of their weight. */
  readonly words: number
  readonly share: number
  /** Whether it has all words that it must have. */
  readonly hasAll: boolean
  readonly forms: Forms
}

/** Scores documents for one query. */
export class Scorer {
  /** The words; after them come the extras. */
  readonly #words: readonly KnownWord[]
  readonly #count: number
  readonly #required: readonly number[]
  readonly #close: readonly number[]
  readonly #idf: readonly number[]
  readonly #total: number
  readonly #averages: readonly number[]

  /**
   * @param extras terms that raise the rank alone: names, and words of the conditions
   * @param required the words of which `hasAll` tells
   */
  constructor(
    private readonly index: IndexFile,
    words: readonly KnownWord[],
    extras: readonly KnownWord[] = [],
    required: readonly KnownWord[] = words,
  ) {
    const { documents, lengths } = index.state
    this.#words = [...words, ...extras]
    this.#count = words.length
    this.#required = required.map((word) => words.indexOf(word))
    const rarest = [...words].sort((a, b) => a.docs - b.docs).slice(0, MAX_CLOSE_WORDS)
    this.#close = rarest.map((word) => words.indexOf(word)).sort((a, b) => a - b)
    this.#idf = this.#words.map(({ docs, weight = 1 }) => weight * inverseFrequency(docs, documents))
    this.#total = this.#idf.slice(0, words.length).reduce((sum, idf) => sum + idf, 0)
    this.#averages = lengths.map((length) => Math.max(1, length / Math.max(1, documents)))
  }

  /** Scores documents, in no order; those that are gone are left out. */
  score(docs: readonly number[]): Scored[] {
    const wanted = new WantedForms(this.#words)
    let left = this.#words.length > 0 ? MAX_FORMS_READ : 0
    return readDocs(this.index, docs).map((row) => {
      const forms = unpackForms(row.forms, left)
      left -= forms.forms.length
      return this.#measure(row, forms, wanted)
    })
  }

  #measure({ doc, type, key }: DocRow, forms: Forms, wanted: WantedForms): Scored {
    const places: number[][] = []
    const sums = this.#sumUp(forms, wanted, this.#words.length, this.#close.length > 1 ? places : null)
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
    if (words > 0 && words === this.#count && this.#isTitle(forms, wanted)) score *= TITLE_FACTOR
    const hasAll = this.#required.every((word) => (sums[word] as number) > 0)
    return { doc, type, key, forms, score, words, hasAll, share: this.#total === 0 ? 1 : weight / this.#total }
  }

  /** Whether the words of the query, and no others, are the title. */
  #isTitle({ starts, forms }: Forms, wanted: WantedForms): boolean {
    const found = new Set<number>()
    const end = Math.min(starts[1] as number, forms.length)
    for (let at = 0; at < end; at++) {
      const words = wanted.find(forms[at] as number)?.filter(({ word }) => word < this.#count) ?? []
      if (words.length === 0) return false
      for (const { word } of words) found.add(word)
    }
    return found.size === this.#count
  }

  /** Sums up the occurrences of each word by their weights. @param places gets where each word is */
  #sumUp({ starts, forms }: Forms, wanted: WantedForms, count: number, places: number[][] | null): Float64Array {
    const sums = new Float64Array(count)
    for (let section = 0; section < 2 * FIELDS; section++) {
      const field = section % FIELDS
      const rate = this.#rateOf(starts, field)
      const end = Math.min(starts[section + 1] as number, forms.length)
      for (let at = starts[section] as number; at < end; at++) {
        const found = wanted.find(forms[at] as number)
        for (let i = 0; found && i < found.length; i++) {
          const { word, weight } = found[i] as Wanted
          sums[word] = (sums[word] as number) + weight * rate
          if (!places || section >= FIELDS) continue
          places[word] ??= []
          places[word].push(at + field * FIELD_GAP)
        }
      }
    }
    return sums
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

  /** Raises the scores of documents, best first, by the words that the best of them share. */
  addFeedback(ranked: readonly Scored[]): void {
    const distinctive = this.#words.slice(0, this.#count).filter(({ text }) => !isCommonWord(text))
    if (distinctive.length < MIN_DISTINCTIVE_WORDS) return
    const added = this.#learn(ranked)
    const wanted = new WantedForms(added.map(({ form }) => ({ forms: new Map([[form, 1]]) })))
    for (const one of ranked)
      for (const [i, sum] of this.#sumUp(one.forms, wanted, added.length, null).entries())
        one.score += ((added[i]?.weight ?? 0) * sum) / (K1 + sum)
  }

  /** Finds what the best results are about: words that at least two of them have. */
  #learn(ranked: readonly Scored[]): { form: number; weight: number }[] {
    const shared = new Map<number, { gain: number; results: number }>()
    for (const [rank, { forms }] of ranked.slice(0, TOP_RESULTS).entries()) {
      const { length, counts } = countForms(forms)
      for (const [form, count] of counts) {
        const { gain = 0, results = 0 } = shared.get(form) ?? {}
        const saturated = count / (count + 1.2 * (0.25 + (0.75 * length) / (this.#averages[2] as number)))
        shared.set(form, { gain: gain + saturated / (1 + rank), results: results + 1 })
      }
    }
    const candidates = [...shared].filter(([, { results }]) => results > 1).sort((a, b) => b[1].gain - a[1].gain)
    const known = this.index.formsOf(candidates.slice(0, MAX_CANDIDATES).map(([form]) => form))
    const { documents } = this.index.state
    const gains = [...known].flatMap(([form, { word, docs }]) => {
      // Two characters of a script without spaces are no word: Japanese questions lost 0.012 by them.
      if (isCommonWord(word) || !hasWords(word)) return []
      const idf = inverseFrequency(docs, documents)
      return [{ form, idf, gain: (shared.get(form)?.gain ?? 0) * idf }]
    })
    const best = gains.sort((a, b) => b.gain - a.gain).slice(0, MAX_ADDED_WORDS)
    return best.map(({ form, idf, gain }) => ({ form, weight: (ADDED_WEIGHT * idf * gain) / (best[0]?.gain || 1) }))
  }
}

/** Counts the forms of title and body. */
function countForms({ starts, forms }: Forms): { length: number; counts: Map<number, number> } {
  const [titleEnd = 0, body = 0, bodyEnd = 0] = starts.slice(1)
  const read = [...forms.subarray(0, titleEnd), ...forms.subarray(body, bodyEnd)].slice(0, WORDS_PER_RESULT)
  const counts = new Map<number, number>()
  for (const form of read) counts.set(form, (counts.get(form) ?? 0) + 1)
  return { length: read.length, counts }
}

/** Higher scores come first; of equal ones, the document written last. */
export const compareScored = (a: Scored, b: Scored) => b.score - a.score || b.doc - a.doc

export const inverseFrequency = (docs: number, documents: number) =>
  Math.log(1 + (documents - docs + 0.5) / (docs + 0.5))

interface Wanted {
  readonly word: number
  readonly weight: number
}

/** The words that each form is of. Most forms of a text are of none: a look at their last bits tells that. */
class WantedForms {
  readonly #table = new Map<number, Wanted[]>()
  readonly #bits = new Uint8Array(4096)

  constructor(words: readonly Pick<KnownWord, 'forms'>[]) {
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
