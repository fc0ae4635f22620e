import { splitBlocks } from './blocks'
import type { NoteQuestion, QuestionTerm } from './question'
import { holdsAnswer } from './question'
import { splitSentences } from './sentences'
import { type MatchableText, readMatchable } from './words'

/** A note that was found. Lists have the best first. */
export interface NoteText {
  readonly id: string
  readonly title: string
  readonly revision: number
  readonly body: string
}

/** A sentence of a note, offered as an answer. */
export interface NoteQuote {
  readonly note: NoteText
  /** UTF-16 offsets into the body. */
  readonly start: number
  readonly end: number
  /** The innermost heading, if a word of the question was found in the context of the sentence; else null. */
  readonly under: string | null
  /** The share of the question's weight that the sentence and the text around it cover, 0 to 1. */
  readonly coverage: number
  readonly score: number
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

/** The share of the question's weight below which a sentence is about something else. */
const MIN_COVERAGE = 0.3
/** The same for a sentence with only one of several words, which is mostly chance. */
const MIN_COVERAGE_OF_ONE = 0.5
const MAX_QUOTES = 3
/** Further sentences are quoted if they have this share of the best score. */
const NEARLY_BEST_SHARE = 0.8

// Chosen on SQuAD 2.0 passages as notes (705 questions); a small change of any one moves those figures by under 1 %.
/**
 * The weight of a word in the context of a sentence, where one in the sentence weighs 1. `meant`: before, if it points
 * back.
 */
const CONTEXT_WEIGHTS = { heading: 0.8, title: 0.3, before: 0.35, meant: 0.6 }
/** The weight of names, where other words weigh 1. */
const NAME_WEIGHT = 1.6
/** The weight of words such as "year" or "price", which name the kind of answer and not its subject. */
const KIND_WEIGHT = 0.3
/** Added to the score of a sentence that holds the wanted kind of answer. */
const TYPE_BONUS = 0.12
/** Added to the score of sentences of the first note; less for each further one. */
const RANK_BONUS = 0.1
/** Subtracted for long sentences, which cover more by accident: for each e-fold of words above twenty. */
const LENGTH_MALUS = 0.15
/** Subtracted for a line that only introduces a list or code. */
const LEAD_IN_MALUS = 0.4
/** The beginning of a sentence that refers to the sentence before it. */
const POINTING_BACK = /^(?:it|they|he|she|its|their|his|her|this|these|those)\b/i

const NO_TEXT: MatchableText = { stems: new Set(), folded: '' }

/** Notes that a workspace counts as having at least: a few notes say little about how rare a word is. */
const MIN_NOTES = 50

/** UTF-16 units from which a word that no note has is searched as a beginning. */
const MIN_START_UNITS = 5

/** Returns the question with the words that no note has as beginnings of longer words. */
export function loosenQuestion(question: NoteQuestion, counts: NoteCounts): NoteQuestion {
  const terms = question.terms.map((term, i): QuestionTerm => {
    const unknown = counts.containing[i] === 0 && term.match === 'word' && term.key.length >= MIN_START_UNITS
    return unknown ? { ...term, match: 'start' } : term
  })
  return { ...question, terms }
}

/**
 * Computes the weight of each term: its inverse document frequency (as in BM25) times its importance in the question.
 */
export function weighTerms(terms: readonly QuestionTerm[], counts: NoteCounts): number[] {
  const total = Math.max(counts.total, MIN_NOTES)
  return terms.map((term, i) => {
    const holding = Math.min(counts.containing[i] ?? 0, total)
    const importance = (term.namesKind ? KIND_WEIGHT : 1) * (term.isName ? NAME_WEIGHT : 1) * term.weight
    return importance * Math.log(1 + (total - holding + 0.5) / (holding + 0.5))
  })
}

/**
 * Picks the one to three sentences that answer best, best first; none if nothing covers enough of the question.
 * `weights` are those of `weighTerms`.
 */
export function pickQuotes(
  question: NoteQuestion,
  weights: readonly number[],
  notes: readonly NoteText[],
): NoteQuote[] {
  const ranked = notes.flatMap((note, rank) => {
    const bonus = RANK_BONUS * (1 - rank / Math.max(notes.length, 1))
    return scoreNote(question, weights, note).map((quote) => ({ ...quote, score: quote.score + bonus }))
  })
  const answering = ranked.filter((quote) => quote.coverage >= MIN_COVERAGE).sort((a, b) => b.score - a.score)
  const best = answering[0]
  return best ? answering.filter((quote) => quote.score >= best.score * NEARLY_BEST_SHARE).slice(0, MAX_QUOTES) : []
}

function scoreNote(question: NoteQuestion, weights: readonly number[], note: NoteText): NoteQuote[] {
  const title = readMatchable(note.title)
  const contexts = new Map<string, MatchableText>()
  const quotes: NoteQuote[] = []
  let before = NO_TEXT
  for (const block of splitBlocks(note.body)) {
    const context = contexts.get(block.context) ?? readMatchable(block.context)
    contexts.set(block.context, context)
    for (const span of splitSentences(note.body, block)) {
      const text = note.body.slice(span.start, span.end)
      const sentence = readMatchable(text)
      const rating = rateSentence(question, weights, text, [sentence, context, title, before])
      quotes.push({ note, ...span, under: rating.owesContext ? findInnermostHeading(block.context) : null, ...rating })
      before = sentence
    }
  }
  return quotes
}

/** The sentence itself and the texts around it, in the order in which they are searched for a word. */
type SentencePlaces = readonly [
  sentence: MatchableText,
  context: MatchableText,
  title: MatchableText,
  before: MatchableText,
]
const PLACE_WEIGHTS = [1, CONTEXT_WEIGHTS.heading, CONTEXT_WEIGHTS.title, CONTEXT_WEIGHTS.before] as const
const PLACE_WEIGHTS_POINTING_BACK = [1, CONTEXT_WEIGHTS.heading, CONTEXT_WEIGHTS.title, CONTEXT_WEIGHTS.meant] as const
const OWN = 0
const CONTEXT = 1
const BEFORE = 3

/** Computes how much of the question a sentence covers. */
function rateSentence(question: NoteQuestion, weights: readonly number[], text: string, places: SentencePlaces) {
  const typed = question.wanted !== null && holdsAnswer(text, question.wanted)
  const found = question.terms.map((term) =>
    typed && term.namesKind ? OWN : places.findIndex((place) => hasTerm(term, place)),
  )
  const counts = POINTING_BACK.test(text) ? PLACE_WEIGHTS_POINTING_BACK : PLACE_WEIGHTS
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const covered = weights.reduce((sum, weight, i) => sum + weight * (counts[found[i] ?? -1] ?? 0), 0)
  const share = all > 0 ? covered / all : 0
  const hits = question.terms.filter(
    (term, i) => !term.namesKind && (found[i] ?? -1) >= OWN && found[i] !== BEFORE,
  ).length
  const several = question.terms.filter((term) => !term.namesKind).length > 1
  const chance = several && hits < 2 && share < MIN_COVERAGE_OF_ONE
  const length = LENGTH_MALUS * Math.log(1 + places[OWN].stems.size / 20)
  const leadIn = text.endsWith(':') ? LEAD_IN_MALUS : 0
  const score = share + (typed ? TYPE_BONUS : 0) - length - leadIn
  return { coverage: chance ? 0 : share, score, owesContext: found.includes(CONTEXT) }
}

function hasTerm({ key, match }: QuestionTerm, text: MatchableText): boolean {
  if (match === 'inside') return text.folded.includes(key)
  return text.stems.has(key) || (match === 'start' && text.stems.keys().some((stem) => stem.startsWith(key)))
}

/** Returns the last of several headings; for a row of a table, the heading above it and not the head of the table. */
function findInnermostHeading(context: string): string | null {
  return context.split('\n').findLast((line) => !line.startsWith('|')) ?? null
}
