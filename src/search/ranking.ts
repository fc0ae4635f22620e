/**
 * Ranks results by the workspace's own texts alone: BM25F (Robertson, Zaragoza: The Probabilistic Relevance Framework,
 * 2009) over words and stems, with a bonus for words close together. The constants were chosen on the dev part of
 * `bun run eval search`.
 */
import type { Places } from './analyze'
import type { Feedback } from './feedback'
import type { Masks } from './masks'
import type { Word } from './plan'
import { readCounts, readPlaces } from './postings'
import type { Documents } from './segment'
import {
  computeLengths,
  FIELD_WEIGHTS,
  K1,
  LENGTH_WEIGHTS,
  type Lengths,
  type MeasuredRank,
  type Rank,
  type RankedDocument,
  type Statistics,
} from './statistics'
import type { IndexView, Postings } from './view'

/** The share of its score that a document gains at most by words in a row. */
const CLOSENESS_WEIGHT = 1.5
/** Documents. The closeness of words in more than this many is not measured, unless COMMON_SHARE allows more. */
const COMMON_DOCUMENTS = 2000
/** The share of all documents up to which the closeness of a word is measured. */
const COMMON_SHARE = 0.1
/** Words whose closeness is measured; of more, the rarest. */
const MAX_CLOSE_WORDS = 8
/** Documents whose closeness is measured: the best by words alone. */
const MEASURED_DOCUMENTS = 300

/** Ranks the documents of one search. */
export class Ranking {
  readonly #view: IndexView
  readonly #words: readonly Word[]
  readonly #extras: ReadonlyMap<string, number>
  readonly #fromCursor: Statistics | null
  readonly #base: Lengths
  /** By part and document: the score, the number of words that it has, and the sum of their weights. */
  readonly #sums: readonly Float64Array[]
  readonly #counts: readonly Uint8Array[]
  readonly #weights: readonly Float64Array[]
  /** By part and document: the BM25F frequency of the present word; all zero between two words. */
  readonly #wordSums: readonly Float64Array[]
  #frequencies: number[] = []
  #termWeights: number[] = []
  #ranked: { masks: Masks; scores: readonly Float64Array[]; measured: MeasuredRank[] } | null = null
  #lastMeasured: Rank | null = null

  /** @param fromCursor the statistics of the first page; null on the first page */
  constructor(
    view: IndexView,
    words: readonly Word[],
    extras: ReadonlyMap<string, number>,
    fromCursor: Statistics | null,
  ) {
    this.#view = view
    this.#words = words
    this.#extras = extras
    this.#fromCursor = fromCursor
    this.#base = fromCursor ?? computeLengths(view)
    const numbers = () => view.parts.map(({ count }) => new Float64Array(count))
    this.#sums = numbers()
    this.#counts = view.parts.map(({ count }) => new Uint8Array(count))
    this.#weights = numbers()
    this.#wordSums = numbers()
  }

  get statistics(): Statistics {
    return { ...this.#base, frequencies: this.#frequencies, measured: this.#lastMeasured }
  }

  /** Computes the score of each document. */
  async score(): Promise<void> {
    for (const [i, { terms, weight = 1 }] of this.#words.entries()) await this.#addWord([...terms], i, weight)
    for (const [i, [term, weight]] of [...this.#extras].entries())
      await this.#addWord([[term, 1]], this.#words.length + i, weight)
  }

  /** Selects the allowed documents whose words have at least a share of the weight of all words. */
  selectByWeight(share: number, allowed: Masks): Masks {
    const least = share * this.#termWeights.slice(0, this.#words.length).reduce((sum, weight) => sum + weight, 0)
    return this.#weights.map((weights, i) => {
      const mask = new Uint8Array(allowed[i] as Uint8Array)
      for (let doc = 0; doc < mask.length; doc++) {
        const weight = weights[doc] as number
        if (weight === 0 || weight < least) mask[doc] = 0
      }
      return mask
    })
  }

  /** Selects the allowed documents that have at least `least` of the words. */
  selectByCount(least: number, allowed: Masks): Masks {
    return this.#counts.map((counts, part) => {
      const mask = new Uint8Array(allowed[part] as Uint8Array)
      for (let doc = 0; doc < mask.length; doc++) if ((counts[doc] as number) < least) mask[doc] = 0
      return mask
    })
  }

  /** Counts the words that a document has. */
  countWords(doc: number): number {
    const part = this.#view.parts.findIndex(({ docs }) => (docs.at(-1) ?? -1) >= doc)
    const number = this.#view.parts[part]?.docs.indexOf(doc) ?? -1
    return this.#counts[part]?.[number] ?? 0
  }

  async #addWord(terms: readonly (readonly [string, number])[], index: number, factor: number): Promise<void> {
    const found = await this.#view.postings(terms.map(([term]) => term))
    const parts = this.#view.parts.map((_, part) => this.#sumFrequencies(terms, found, part))
    const frequency = this.#fromCursor?.frequencies[index] ?? parts.reduce((sum, docs) => sum + docs.length, 0)
    const { documents } = this.#base
    const weight = factor * Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))
    this.#frequencies[index] = frequency
    this.#termWeights[index] = weight
    const isWord = index < this.#words.length ? 1 : 0
    parts.forEach((docs, part) => {
      const wordSums = this.#wordSums[part] as Float64Array
      const sums = this.#sums[part] as Float64Array
      const counts = this.#counts[part] as Uint8Array
      const weights = this.#weights[part] as Float64Array
      for (let i = 0; i < docs.length; i++) {
        const doc = docs[i] as number
        const sum = wordSums[doc] as number
        wordSums[doc] = 0
        sums[doc] = (sums[doc] as number) + (weight * sum) / (K1 + sum)
        counts[doc] = (counts[doc] as number) + isWord
        weights[doc] = (weights[doc] as number) + isWord * weight
      }
    })
    await this.#view.yieldTurn()
  }

  /** Sums up the BM25F frequency of a word in the documents of a part; returns the documents that have it. */
  #sumFrequencies(
    terms: readonly (readonly [string, number])[],
    found: ReadonlyMap<string, Postings>,
    part: number,
  ): Uint32Array {
    const { lengths, count } = this.#view.parts[part] as Documents
    const living = this.#view.current[part] as Uint8Array
    const sums = this.#wordSums[part] as Float64Array
    const [inTitle, inTags, inBody] = lengths
    const [title, tags, body] = FIELD_WEIGHTS
    const [longTitle, longTags, longBody] = LENGTH_WEIGHTS
    const [meanTitle = 1, meanTags = 1, meanBody = 1] = this.#base.averages
    const postings = terms.flatMap(([term, factor]) => {
      const posting = found.get(term)?.[part]
      return posting ? [{ posting, factor }] : []
    })
    const most = postings.reduce((sum, { posting }) => sum + posting.documents, 0)
    const docs = new Uint32Array(Math.min(count, most))
    let having = 0
    for (const { posting, factor } of postings) {
      const read = readCounts(posting.counts)
      for (let i = 0; i < read.length; i++) {
        const doc = read.docs[i] as number
        if (living[doc] === 0) continue
        const titles = read.titles[i] as number
        const tagged = read.tags[i] as number
        const bodies = read.bodies[i] as number
        let sum = 0
        if (bodies > 0) sum += (body * bodies) / (1 - longBody + (longBody * (inBody[doc] as number)) / meanBody)
        if (titles > 0) sum += (title * titles) / (1 - longTitle + (longTitle * (inTitle[doc] as number)) / meanTitle)
        if (tagged > 0) sum += (tags * tagged) / (1 - longTags + (longTags * (inTags[doc] as number)) / meanTags)
        if (sums[doc] === 0) docs[having++] = doc
        sums[doc] = (sums[doc] as number) + factor * sum
      }
    }
    return docs.subarray(0, having)
  }

  /**
   * Lists the `count` best documents of the masks after a rank. The MEASURED_DOCUMENTS best by words alone are ordered
   * by closeness and feedback as well; these only raise scores, so those documents come before the rest on every page.
   */
  async listBest(masks: Masks, count: number, behind: Rank | null, feedback: Feedback | null = null): Promise<Rank[]> {
    if (this.#ranked?.masks !== masks) this.#ranked = await this.#rank(masks, feedback)
    const { scores, measured } = this.#ranked
    const last = this.#lastMeasured
    const first = behind ? measured.filter((rank) => isAfter(rank, behind)) : measured
    if (first.length >= count || last === null) return first.slice(0, count)
    const start = behind && isAfter(behind, last) ? behind : last
    return [...first, ...this.#listTop(masks, scores, count - first.length, start)]
  }

  async #rank(
    masks: Masks,
    feedback: Feedback | null,
  ): Promise<{ masks: Masks; scores: readonly Float64Array[]; measured: MeasuredRank[] }> {
    const scores = this.#sums
    const isMeasured = (rank: Rank) => !this.#fromCursor?.measured || !isAfter(rank, this.#fromCursor.measured)
    const best = this.#listTop(masks, scores, MEASURED_DOCUMENTS, null).filter(isMeasured)
    const measured = best.map((rank): MeasuredRank => ({ ...rank, base: rank.score }))
    const last = measured.at(-1)
    this.#lastMeasured = this.#fromCursor
      ? this.#fromCursor.measured
      : last && measured.length === MEASURED_DOCUMENTS
        ? { score: last.base, doc: last.doc }
        : null
    await this.#addCloseness(measured)
    await feedback?.apply(measured.sort(compareRanks), this.#base)
    return { masks, scores, measured: measured.sort(compareRanks) }
  }

  /** Lists the `count` best by their scores after a rank, best first. */
  #listTop(
    masks: Masks,
    scores: readonly Float64Array[],
    count: number,
    behind: Rank | null,
  ): (Rank & RankedDocument)[] {
    let kept: (Rank & RankedDocument)[] = []
    let least: Rank | null = null
    this.#view.parts.forEach(({ docs }, part) => {
      const [mask, partScores] = [masks[part] as Uint8Array, scores[part] as Float64Array]
      for (let number = 0; number < partScores.length; number++) {
        if (mask[number] !== 1) continue
        const score = partScores[number] as number
        if (least && score < least.score) continue
        const rank = { score, doc: docs[number] as number, part, number }
        if ((behind && !isAfter(rank, behind)) || (least && isAfter(rank, least))) continue
        kept.push(rank)
        if (kept.length < 2 * count + 64) continue
        kept = kept.sort(compareRanks).slice(0, count)
        least = kept.at(-1) ?? null
      }
    })
    return kept.sort(compareRanks).slice(0, count)
  }

  /** Raises the scores of documents by the closeness of their words. */
  async #addCloseness(ranks: MeasuredRank[]): Promise<void> {
    const rare = this.#listRareWords()
    const pairs = rare
      .slice(1)
      .map((_, i) => Math.min(this.#termWeights[rare[i] ?? 0] ?? 0, this.#termWeights[rare[i + 1] ?? 0] ?? 0))
    const total = pairs.reduce((sum, weight) => sum + weight, 0)
    if (total === 0) return
    const wanted = this.#view.parts.map(() => new Set<number>())
    for (const { part, number } of ranks) wanted[part]?.add(number)
    const places: Map<number, Places[]>[][] = []
    for (const i of rare) places.push(await this.#readPlaces([...(this.#words[i]?.terms.keys() ?? [])], wanted))
    for (const rank of ranks) {
      const merged = places.map((parts) => mergePlaces(parts[rank.part]?.get(rank.number) ?? []))
      const close = pairs.reduce(
        (sum, weight, i) => sum + weight / leastDistance(merged[i] ?? NO_PLACES, merged[i + 1] ?? NO_PLACES),
        0,
      )
      rank.score += (rank.base * CLOSENESS_WEIGHT * close) / total
    }
  }

  /** Lists the words that are rare enough to measure closeness, by their index in the query. */
  #listRareWords(): number[] {
    const frequency = (i: number) => this.#frequencies[i] ?? 0
    const common = Math.max(COMMON_DOCUMENTS, this.#base.documents * COMMON_SHARE)
    const rare = [...this.#words.keys()].filter((i) => frequency(i) <= common)
    const rarest = rare.sort((a, b) => frequency(a) - frequency(b) || a - b).slice(0, MAX_CLOSE_WORDS)
    return rarest.sort((a, b) => a - b)
  }

  async #readPlaces(
    terms: readonly string[],
    wanted: readonly ReadonlySet<number>[],
  ): Promise<Map<number, Places[]>[]> {
    const found = this.#view.parts.map(() => new Map<number, Places[]>())
    const counted = await this.#view.postings(terms)
    const present = terms.filter((term) =>
      counted.get(term)?.some((posting, part) => posting && wanted[part]?.size !== 0),
    )
    for (const postings of (await this.#view.postings(present, true)).values()) {
      postings.forEach((posting, part) => {
        const wantedDocs = wanted[part]
        if (!posting || !wantedDocs || wantedDocs.size === 0) return
        for (const [doc, places] of readPlaces(posting, (one) => wantedDocs.has(one))) {
          const list = found[part]?.get(doc)
          if (list) list.push(places)
          else found[part]?.set(doc, [places])
        }
      })
    }
    return found
  }
}

function compareRanks(a: Rank, b: Rank): number {
  return b.score - a.score || b.doc - a.doc
}

function isAfter(rank: Rank, other: Rank): boolean {
  return rank.score < other.score || (rank.score === other.score && rank.doc < other.doc)
}

const NO_PLACES: Places = [[], [], []]

/**
 * Returns the least distance from a place of the first to a later place of the second, or twice that to an earlier one.
 */
function leastDistance(firsts: Places, seconds: Places): number {
  let least = Number.POSITIVE_INFINITY
  for (const field of [0, 1, 2] as const) {
    const [one, other] = [firsts[field], seconds[field]]
    let at = 0
    for (let i = 0; i < one.length && other.length > 0; i++) {
      const place = one[i] as number
      while (at < other.length && (other[at] as number) <= place) at++
      if (at < other.length) least = Math.min(least, (other[at] as number) - place)
      const before = at > 0 ? (other[at - 1] as number) : place
      if (before < place) least = Math.min(least, 2 * (place - before))
    }
  }
  return least
}

/** Merges the places of several terms into those of one. */
function mergePlaces(lists: readonly Places[]): Places {
  const [first = NO_PLACES, ...rest] = lists
  if (rest.length === 0) return first
  const all = (field: 0 | 1 | 2) => lists.flatMap((places) => places[field]).sort((a, b) => a - b)
  return [all(0), all(1), all(2)]
}
