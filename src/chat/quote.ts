import { holds } from './answer-type'
import { type Block, blocksOf } from './blocks'
import type { Question, Term } from './question'
import { sentencesOf } from './sentences'
import { type Matchable, matchable } from './words'

/** A note as it was found, best first in its list. */
export interface FoundNote {
  readonly id: string
  readonly title: string
  readonly revision: number
  readonly body: string
}

/** A sentence of a note, offered as an answer. */
export interface Quote {
  readonly note: FoundNote
  /** UTF-16 offsets into the body. */
  readonly start: number
  readonly end: number
  /** The innermost heading, where the sentence owes a word of the question to it; null otherwise. */
  readonly under: string | null
  /** 0..1: the share of the question's weight that the sentence and what stands around it cover. */
  readonly coverage: number
  readonly score: number
}

/** How many notes there are, and how many hold each term, in the order of the terms. */
export interface PassageCounts {
  readonly total: number
  readonly containing: readonly number[]
}

/** Below this share of the question's weight a sentence is about something else. */
export const LEAST_COVERAGE = 0.3
export const MOST_QUOTES = 3
/** A further sentence is quoted when it is nearly as good as the best. */
const NEARLY = 0.9

/** What a word found beside the sentence counts, where a word in the sentence counts 1. */
const AROUND = { heading: 0.8, neighbour: 0.35, title: 0.5 }
const TYPE_BONUS = 0.12
/** What the note found first has ahead of the last of five. */
const RANK_BONUS = 0.15

/** A workspace of few notes says little about how rare a word is: it counts as if it held this many. */
const LEAST_NOTES = 50

/** The weight of each term: its inverse document frequency (that of BM25), as far as it belongs to the question. */
export function weigh(terms: readonly Term[], counts: PassageCounts): number[] {
  const total = Math.max(counts.total, LEAST_NOTES)
  return terms.map((term, i) => {
    const holding = Math.min(counts.containing[i] ?? 0, total)
    return term.weight * Math.log(1 + (total - holding + 0.5) / (holding + 0.5))
  })
}

/**
 * The one to three sentences that answer best, best first; none where nothing covers enough of the question.
 * `weights` are those of `weigh`, in the order of the terms.
 */
export function bestQuotes(question: Question, weights: readonly number[], notes: readonly FoundNote[]): Quote[] {
  const ranked = notes.flatMap((note, rank) => {
    const bonus = RANK_BONUS * (1 - rank / Math.max(notes.length, 1))
    return scoreNote(question, weights, note).map((quote) => ({ ...quote, score: quote.score + bonus }))
  })
  const answering = ranked.filter((quote) => quote.coverage >= LEAST_COVERAGE).sort((a, b) => b.score - a.score)
  const best = answering[0]
  return best ? answering.filter((quote) => quote.score >= best.score * NEARLY).slice(0, MOST_QUOTES) : []
}

const has = (term: Term, text: Matchable): boolean => (term.inside ? text.folded.includes(term.key) : text.stems.has(term.key))

function scoreNote(question: Question, weights: readonly number[], note: FoundNote): Quote[] {
  const title = matchable(note.title)
  const contexts = new Map<string, Matchable>()
  const quotes: Quote[] = []
  let before: Matchable | null = null
  for (const block of blocksOf(note.body)) {
    let context = contexts.get(block.context)
    if (!context) contexts.set(block.context, (context = matchable(block.context)))
    for (const span of sentencesOf(note.body, block)) {
      const text = note.body.slice(span.start, span.end)
      const own = matchable(text)
      const around = { title, context, before }
      quotes.push({ note, ...span, ...rate(question, weights, text, own, around), under: null })
      before = own
    }
  }
  return quotes
}

interface Around {
  readonly title: Matchable
  readonly context: Matchable
  readonly before: Matchable | null
}

function rate(question: Question, weights: readonly number[], text: string, own: Matchable, around: Around) {
  const typed = question.wanted !== null && holds(text, question.wanted)
  let covered = 0
  let all = 0
  question.terms.forEach((term, i) => {
    const weight = weights[i] ?? 0
    all += weight
    if (has(term, own) || (typed && term.kind)) covered += weight
    else if (has(term, around.context)) covered += weight * AROUND.heading
    else if (has(term, around.title)) covered += weight * AROUND.title
    else if (around.before && has(term, around.before)) covered += weight * AROUND.neighbour
  })
  const coverage = all > 0 ? covered / all : 0
  return { coverage, score: coverage + (typed ? TYPE_BONUS : 0) }
}
