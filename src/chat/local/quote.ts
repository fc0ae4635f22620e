import { fold } from '../../search/fold'
import type { NoteQuestion, QuestionTerm } from './question'
import { type NoteText, type ScoredSentence, scoreNote } from './sentence-score'

/** Sentences of notes that answer a question, or may. */
export interface PickedQuotes {
  /** Best first; one to three that answer, or the nearest one; none if no sentence shares a word with the question. */
  readonly quotes: readonly ScoredSentence[]
  /** How surely the first one answers, 0 to 1. */
  readonly confidence: number
  /** Whether they count as an answer. */
  readonly answers: boolean
  /** A name in the question that no note has; null if there is none. */
  readonly unknownName: string | null
}

/** UTF-16 units of notes that are read for one answer, so that huge notes do not block other callers. */
export const MAX_NOTE_UNITS = 1 << 20

/** Limits the notes to what is read for one answer, best first. `cut`: whether something was left out. */
export function limitNotes(notes: readonly NoteText[]): { notes: NoteText[]; cut: boolean } {
  let left = MAX_NOTE_UNITS
  let cut = false
  const read = notes.map((note) => {
    const fits = note.body.length <= left
    const body = fits ? note.body : note.body.slice(0, Math.max(0, note.body.lastIndexOf('\n', left)))
    cut ||= !fits
    left -= body.length
    return { ...note, body }
  })
  return { notes: read, cut }
}

/** The number of notes, and of notes with each term, in the order of the terms. */
export interface NoteCounts {
  readonly total: number
  readonly containing: readonly number[]
}

/** The coverage below which no further sentence is quoted beside the first. */
const MIN_COVERAGE = 0.3
const MAX_QUOTES = 3
/** Further sentences are quoted if they have this share of the best score. */
const NEARLY_BEST_SHARE = 0.8

/** The weight of names, where other words weigh 1. */
const NAME_WEIGHT = 1.6
/** The weight of words such as "year" or "price", which name the kind of answer and not its subject. */
const KIND_WEIGHT = 0.3
/** Added to the score of sentences of the note that the search has first; less for each further one, by its score. */
const RANK_BONUS = 0.5

/** Notes that a workspace counts as having at least: a few notes say little about how rare a word is. */
const MIN_NOTES = 50

/** UTF-16 units from which a word that no note has is searched as a beginning. */
const MIN_START_UNITS = 5

/** Returns the question with the words that no note has as beginnings of longer words. */
export function loosenQuestion(question: NoteQuestion, counts: NoteCounts): NoteQuestion {
  const terms = question.terms.map((term, i): QuestionTerm => {
    const unknown = counts.containing[i] === 0 && term.match === 'word' && term.text.length >= MIN_START_UNITS
    return unknown ? { ...term, match: 'start' } : term
  })
  return { ...question, terms }
}

/** Returns the question with the words that the search took for typos as it corrected them. */
export function correctQuestion(
  question: NoteQuestion,
  corrected: readonly { readonly from: string; readonly to: string }[],
): NoteQuestion {
  const fixes = new Map(corrected.map(({ from, to }) => [from, to]))
  const terms = question.terms.map((term): QuestionTerm => {
    const to = fixes.get(fold(term.text))
    return to === undefined ? term : { ...term, text: to, match: 'word' }
  })
  return { ...question, terms }
}

/**
 * Computes the weight of each term: its inverse document frequency (as in BM25) times its importance in the question.
 */
function weighTerms(terms: readonly QuestionTerm[], counts: NoteCounts): number[] {
  const total = Math.max(counts.total, MIN_NOTES)
  return terms.map((term, i) => {
    const holding = Math.min(counts.containing[i] ?? 0, total)
    const importance = (term.namesKind ? KIND_WEIGHT : 1) * (term.isName ? NAME_WEIGHT : 1) * term.weight
    return importance * Math.log(1 + (total - holding + 0.5) / (holding + 0.5))
  })
}

/**
 * How surely a sentence answers, by logistic regression of questions with and without an answer in the notes, on the dev
 * part of `bun run eval chat`: the words of the question near the sentence, and in it.
 */
const CONFIDENCE = { near: 6.8, hits: 3.8, base: -6.9 }
/** The confidence from which a sentence counts as an answer. Chosen on the dev part: 0.95 of the answerable reach it. */
const MIN_CONFIDENCE = 0.35

/** Computes how surely a sentence answers, 0 to 1. */
export function rateAnswer({ nearCoverage, hits }: ScoredSentence): number {
  const sum = CONFIDENCE.base + CONFIDENCE.near * nearCoverage() + CONFIDENCE.hits * Math.log(1 + hits)
  return 1 / (1 + Math.exp(-sum))
}

/** Scores all sentences of the notes, best first. @param counts those of the terms of this question */
export function rankSentences(
  question: NoteQuestion,
  counts: NoteCounts,
  notes: readonly NoteText[],
): ScoredSentence[] {
  const weights = weighTerms(question.terms, counts)
  return notes
    .flatMap((note) => scoreNote(question, weights, note))
    .map((one) => ({ ...one, score: one.score + RANK_BONUS * one.note.rank }))
    .sort((a, b) => b.score - a.score)
}

/** Returns a name in the question that no note has; null if there is none. */
export function findUnknownName(
  { terms }: NoteQuestion,
  { containing }: NoteCounts,
  ranked: readonly ScoredSentence[],
): string | null {
  const unknown = terms.find(({ isName }, i) => isName && containing[i] === 0 && !ranked.some(({ finds }) => finds[i]))
  return unknown?.text ?? null
}

/** Picks the one to three sentences that answer best; if nothing answers surely, the nearest one. */
export function pickQuotes(ranked: readonly ScoredSentence[], unknownName: string | null): PickedQuotes {
  const [best] = ranked
  if (!best) return { quotes: [], confidence: 0, answers: false, unknownName }
  const confidence = rateAnswer(best)
  const answers = confidence >= MIN_CONFIDENCE && unknownName === null
  const further = ranked.filter(
    (one) => one !== best && one.score >= best.score * NEARLY_BEST_SHARE && one.coverage >= MIN_COVERAGE,
  )
  return { quotes: answers ? [best, ...further].slice(0, MAX_QUOTES) : [best], confidence, answers, unknownName }
}
