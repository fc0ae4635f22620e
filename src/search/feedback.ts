/**
 * Pseudo-relevance feedback: what the best results of a long question have in common shows what else it is about. The
 * weights are those of Lavrenko and Croft's relevance models, with BM25's saturation. It only reorders the results
 * whose closeness is measured; it never adds or removes one. It reads only the caller's own workspace.
 */
import type { Session } from '../db/database'
import { readText } from './analyze'
import { listByDocs } from './find-store'
import { detectLanguage, isCommonWord, stemOf } from './languages'
import type { Word } from './plan'
import { readCounts } from './postings'
import { type SearchSources, TYPES } from './source'
import { FIELD_WEIGHTS, K1, LENGTH_WEIGHTS, type MeasuredRank, type Statistics } from './statistics'
import type { IndexView } from './view'

/** A stem that is added to a question, with its weight. A cursor holds it, so that later pages rank alike. */
export type FeedbackTerm = readonly [stem: string, weight: number]

/**
 * The least number of words, not counting common ones, for which feedback runs. Shorter questions usually name one
 * note, which notes like it would push down.
 */
const MIN_DISTINCTIVE_WORDS = 5
/** Results that are read: about 5 ms in all. */
const TOP_RESULTS = 6
/** UTF-16 units that are read of each. */
const UNITS_PER_RESULT = 4096
/** Stems whose frequency is looked up: those that say most of what the results are about. */
const MAX_CANDIDATE_STEMS = 24
/** Stems that are added to a question. */
export const MAX_FEEDBACK_TERMS = 12
/** Stems in more than this share of all documents are ignored. */
const MAX_DOCUMENT_SHARE = 0.1
/** UTF-16 units of a stem that is added, at least. */
const MIN_STEM_UNITS = 3
/** Bytes of a stem that is added, at most, so that the cursor stays small. */
const MAX_STEM_BYTES = 32
/** The weight of the best added stem, where a word of the question weighs 1. */
const EXPANSION_WEIGHT = 0.5

/** Whether a question is long enough for its results to be ranked by what they have in common. */
export function isLongQuestion(words: readonly Word[]): boolean {
  return words.filter(({ text }) => !isCommonWord(text)).length >= MIN_DISTINCTIVE_WORDS
}

/** The feedback of one search; see the header of this file. */
export class Feedback {
  readonly #session: Session
  readonly #view: IndexView
  readonly #sources: SearchSources
  #added: readonly FeedbackTerm[] | null

  /**
   * @param fromCursor the terms of the first page, so that writes between pages do not reorder results; null on the
   * first
   */
  constructor(session: Session, view: IndexView, sources: SearchSources, fromCursor: readonly FeedbackTerm[] | null) {
    this.#session = session
    this.#view = view
    this.#sources = sources
    this.#added = fromCursor
  }

  /** The added terms; none before `apply`. */
  get added(): readonly FeedbackTerm[] {
    return this.#added ?? []
  }

  /** Raises the scores of results by the stems that the best of them share. */
  async apply(results: readonly MeasuredRank[], base: Pick<Statistics, 'documents' | 'averages'>): Promise<void> {
    this.#added ??= await this.#learn(results, base)
    const places = this.#view.parts.map(() => new Map<number, MeasuredRank>())
    for (const result of results) places[result.part]?.set(result.number, result)
    for (const [stem, weight] of this.#added) {
      const sums = new Map<MeasuredRank, number>()
      for (const postings of (await this.#view.postings(termsOf(stem))).values())
        postings.forEach((posting, part) => {
          if (!posting) return
          const { length, docs, titles, tags, bodies } = readCounts(posting.counts)
          for (let i = 0; i < length; i++) {
            const result = places[part]?.get(docs[i] as number)
            if (!result) continue
            const counts = [titles[i] as number, tags[i] as number, bodies[i] as number]
            sums.set(result, (sums.get(result) ?? 0) + this.#weightedFrequency(result, counts, base.averages))
          }
        })
      for (const [result, sum] of sums) result.score += (weight * sum) / (K1 + sum)
      await this.#view.yieldTurn()
    }
  }

  /** Computes the BM25F frequency: counts weighted by field and normalized by its length. */
  #weightedFrequency({ part, number }: MeasuredRank, counts: readonly number[], averages: readonly number[]): number {
    const lengths = this.#view.parts[part]?.lengths ?? []
    return counts.reduce((sum, count, field) => {
      const [weight, normalization] = [FIELD_WEIGHTS[field] ?? 0, LENGTH_WEIGHTS[field] ?? 0]
      const length = (lengths[field]?.[number] ?? 0) / (averages[field] ?? 1)
      return count === 0 ? sum : sum + (weight * count) / (1 - normalization + normalization * length)
    }, 0)
  }

  async #learn(
    results: readonly MeasuredRank[],
    base: Pick<Statistics, 'documents' | 'averages'>,
  ): Promise<FeedbackTerm[]> {
    const candidates = await this.#listSharedStems(results, base.averages[2] ?? 1)
    await this.#view.postings(candidates.flatMap(([stem]) => termsOf(stem)))
    const weighed: { stem: string; gain: number; inverse: number }[] = []
    for (const [stem, aboutness] of candidates) {
      const frequency = await this.#frequencyOf(stem)
      if (frequency === 0 || frequency > MAX_DOCUMENT_SHARE * base.documents) continue
      const inverse = Math.log(1 + (base.documents - frequency + 0.5) / (frequency + 0.5))
      weighed.push({ stem, gain: aboutness * inverse, inverse })
    }
    const best = weighed.sort((a, b) => b.gain - a.gain || (a.stem < b.stem ? -1 : 1)).slice(0, MAX_FEEDBACK_TERMS)
    const weight = (gain: number, inverse: number) => (EXPANSION_WEIGHT * inverse * gain) / (best[0]?.gain ?? 1)
    return best.map(({ stem, gain, inverse }) => [stem, Number(weight(gain, inverse).toFixed(4))])
  }

  async #frequencyOf(stem: string): Promise<number> {
    const postings = [...(await this.#view.postings(termsOf(stem))).values()]
    const documentCounts = this.#view.parts.map((_, part) =>
      Math.max(0, ...postings.map((posting) => posting[part]?.documents ?? 0)),
    )
    return documentCounts.reduce((sum, documents) => sum + documents, 0)
  }

  /**
   * Lists the stems that at least two of the best results have, with how much these are about them; the first counts
   * most.
   */
  async #listSharedStems(results: readonly MeasuredRank[], average: number): Promise<[string, number][]> {
    const best = results.slice(0, TOP_RESULTS)
    const texts = await this.#readTexts(best.map(({ doc }) => doc))
    const scores = new Map<string, number>()
    const resultCounts = new Map<string, number>()
    for (const [rank, { doc }] of best.entries()) {
      const text = texts.get(doc)
      if (text === undefined) continue
      const { stems, length } = stemsOf(text)
      for (const [stem, count] of stems) {
        const saturated = count / (count + 1.2 * (0.25 + (0.75 * length) / average))
        scores.set(stem, (scores.get(stem) ?? 0) + saturated / (1 + rank))
        resultCounts.set(stem, (resultCounts.get(stem) ?? 0) + 1)
      }
      await this.#view.yieldTurn()
    }
    const shared = [...scores].filter(([stem]) => (resultCounts.get(stem) ?? 0) >= 2)
    return shared.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MAX_CANDIDATE_STEMS)
  }

  async #readTexts(docs: readonly number[]): Promise<Map<number, string>> {
    const { db, workspace } = this.#session
    const rows = await listByDocs(db, workspace.id, docs)
    const texts = new Map<number, string>()
    for (const type of TYPES) {
      const typeRows = rows.filter((row) => row.type === type)
      if (typeRows.length === 0) continue
      const read = await this.#sources[type].readTexts(
        db,
        workspace.id,
        typeRows.map(({ key }) => key),
      )
      for (const { doc, key } of typeRows) {
        const found = read.get(key)
        if (found) texts.set(doc, `${found.title}\n${found.body}`.slice(0, UNITS_PER_RESULT))
      }
    }
    return texts
  }
}

/** Returns the terms of a stem in the index: as the stem of other words, and as a word itself. */
const termsOf = (stem: string) => [`~${stem}`, stem]

/** Returns the stems of a text that are not common words, with their counts, and the number of words of the text. */
function stemsOf(text: string): { stems: Map<string, number>; length: number } {
  const words: { word: string; written: string }[] = []
  readText(text, (token) => words.push(token))
  const language = detectLanguage(words.map(({ written }) => written))
  const stems = new Map<string, number>()
  for (const { word, written } of words) {
    const stem = stemOf(written, language)
    if (
      stem.length < MIN_STEM_UNITS ||
      Buffer.byteLength(stem) > MAX_STEM_BYTES ||
      isCommonWord(word) ||
      /^\d+$/.test(stem)
    )
      continue
    stems.set(stem, (stems.get(stem) ?? 0) + 1)
  }
  return { stems, length: words.length }
}
