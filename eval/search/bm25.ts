/** A plain baseline, the same as lunr's: lower case, stop words, an English stemmer and BM25, in memory. */
import { stemmer } from '@orama/stemmers/english'
import type { NoteText } from '../satchel'
import { PAGE_RESULTS } from './score'

/** Lunr's constants: how soon a repeated word stops counting, and how much a long text loses. */
const [K1, B] = [1.2, 0.75]

const STOP_WORDS = new Set(
  `a about after all also am an and any are as at be because been but by can could did do does either else ever for
  from get had has have he her hers him his how however i if in into is it its just least let like likely may me might
  most must my neither no nor not of off often on only or other our own rather said say says she should since so some
  than that the their them then there these they this to too us wants was we were what when where which while who whom
  why will with would yet you your`.split(/\s+/),
)

const listStems = (text: string) =>
  (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word)).map(stemmer)

/** One field of all texts: how often each stem is in which text, and how much each text is damped for its length. */
function indexField(fields: readonly string[]) {
  const postings = new Map<string, Map<number, number>>()
  const lengths = fields.map((field, place) => {
    const stems = listStems(field)
    for (const stem of stems) {
      const places = postings.get(stem) ?? new Map<number, number>()
      postings.set(stem, places.set(place, (places.get(place) ?? 0) + 1))
    }
    return stems.length
  })
  const average = Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / fields.length)
  return { postings, damping: lengths.map((length) => K1 * (1 - B + (B * length) / average)) }
}

/** Creates the peer, which finds texts with any word of the query. */
export function createBm25(texts: readonly NoteText[]) {
  const title = indexField(texts.map(({ title }) => title))
  const body = indexField(texts.map(({ body }) => body))
  const computeIdf = (stem: string) => {
    const holding = new Set([...(title.postings.get(stem)?.keys() ?? []), ...(body.postings.get(stem)?.keys() ?? [])])
    return Math.log(1 + (texts.length - holding.size + 0.5) / (holding.size + 0.5))
  }
  return {
    /** Finds the indexes of the best texts; a title weighs `weight` times a body. */
    find(query: string, weight: number): number[] {
      const scores = new Map<number, number>()
      for (const stem of listStems(query)) {
        const idf = computeIdf(stem)
        for (const [field, boost] of [
          [title, weight],
          [body, 1],
        ] as const)
          for (const [place, times] of field.postings.get(stem) ?? []) {
            const gain = (boost * idf * times * (K1 + 1)) / (times + (field.damping[place] ?? K1))
            scores.set(place, (scores.get(place) ?? 0) + gain)
          }
      }
      const ranked = [...scores].sort(([a, x], [b, y]) => y - x || a - b)
      return ranked.slice(0, PAGE_RESULTS).map(([place]) => place)
    },
    close() {},
  }
}
