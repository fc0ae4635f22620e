import type { Encoder } from '../../search/meaning/remote'
import { rateAnswer } from './quote'
import type { ScoredSentence } from './sentence-score'

/** The time for which an answer waits for the vectors of sentences; then words alone decide. */
const SENTENCES_TIMEOUT_MS = 2000
/** The best sentences by words that are compared by meaning as well. */
const SENTENCES_BY_WORDS = 3
/** Sentences of each note that is near by meaning. A text of 100 characters takes some 25 to 40 ms. */
const SENTENCES_OF_NOTE = 4
/** Notes that are near by meaning whose sentences are compared. */
export const NEAR_NOTES = 4
/** UTF-16 units of a question that are sent to the encoder. */
const QUESTION_UNITS = 1000
/**
 * The weight of the cosine between question and sentence where words answer nothing, and all words of the question
 * weigh 1. The more surely words answer, the less it weighs.
 */
const NEARNESS_WEIGHT = 20

/**
 * Adds how near sentences are to a question by meaning to their scores, and sorts by that. Only the best by words, and
 * some of the notes that are near, are compared; the others are left out.
 * @param ranked all sentences, best first by words
 * @param near the ids of the notes that are near by meaning, at most NEAR_NOTES
 * @returns null if the encoder fails or is too slow
 */
export async function rankByMeaning(
  encoder: Encoder,
  question: string,
  ranked: readonly ScoredSentence[],
  near: readonly string[],
): Promise<ScoredSentence[] | null> {
  const ofNotes = near.flatMap((id) => ranked.filter(({ note }) => note.id === id).slice(0, SENTENCES_OF_NOTE))
  const compared = [...new Set([...ranked.slice(0, SENTENCES_BY_WORDS), ...ofNotes])]
  const texts = compared.map(({ note, start, end }) => `${note.title}: ${note.body.slice(start, end)}`)
  const vectors = await encoder.embedInTime([question.slice(0, QUESTION_UNITS), ...texts], SENTENCES_TIMEOUT_MS)
  const [asked, ...others] = vectors ?? []
  if (!asked) return null
  const [best] = ranked
  const weight = NEARNESS_WEIGHT * (1 - (best ? rateAnswer(best) : 0))
  return compared
    .map((one, i) => ({ ...one, score: one.score + weight * computeCosine(asked, others[i]) }))
    .sort((a, b) => b.score - a.score)
}

/** Computes the cosine of two unit vectors. */
function computeCosine(a: Float32Array, b: Float32Array | undefined): number {
  return b?.length === a.length ? a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) : 0
}
