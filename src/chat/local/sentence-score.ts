import type { Latin } from '../../search/languages'
import { splitBlocks } from './blocks'
import { holdsAnswer, keyOf, type NoteQuestion } from './question'
import { splitSentences } from './sentences'
import { type MatchableText, readMatchable, tellLanguage } from './words'

/** A note that was found. Lists have the best first. */
export interface NoteText {
  readonly id: string
  readonly title: string
  readonly revision: number
  readonly body: string
  /** Its score by the search, relative to that of the best one: 1 for that, less for the others. */
  readonly rank: number
}

/** The score of one sentence of a note as the answer to a question. */
export interface ScoredSentence {
  readonly note: NoteText
  /** UTF-16 offsets into the body. */
  readonly start: number
  readonly end: number
  /** The innermost heading, if a word of the question was found in the context of the sentence; else null. */
  readonly under: string | null
  /** The share of the question's weight that the sentence and the text around it cover, 0 to 1. */
  readonly coverage: number
  /** The number of words of the question in the sentence, its headings and the title, without those that name its kind. */
  readonly hits: number
  readonly score: number
  /** Whether each term of the question is in it or in the text around it. */
  readonly finds: readonly boolean[]
  /** Computes the share of the question's weight that is in the title or at most NEAR_SENTENCES away, 0 to 1. */
  readonly nearCoverage: () => number
}

// Chosen on SQuAD 2.0 passages as notes; a small change of any one moves those figures by under 1 %.
/**
 * The weight of a word in the context of a sentence, where one in the sentence weighs 1. `meant`: before, if it points
 * back; `subject`: in the title, if it is the new subject of a conversation.
 */
const CONTEXT_WEIGHTS = { heading: 0.8, title: 0.3, subject: 0.95, before: 0.35, meant: 0.6 }
/** Added to the score of a sentence that holds the wanted kind of answer. */
const TYPE_BONUS = 0.12
/** Subtracted for long sentences, which cover more by accident: for each e-fold of words above twenty. */
const LENGTH_MALUS = 0.15
/** Subtracted for a line that only introduces a list or code. */
const LEAD_IN_MALUS = 0.4
/** The beginning of a sentence that refers to the sentence before it. */
const POINTING_BACK = /^(?:it|they|he|she|its|their|his|her|this|that one|these|those)\b/i
/** Sentences before and behind a sentence that count as near it. */
const NEAR_SENTENCES = 2

/** The beginnings of a written question, and of its answer: "Q: …", "Frage 3: …"; "A: …". */
const WRITTEN_QUESTION = /^(?:q|question|f|frage|p|pregunta)\s?\d{0,3}[:.)]\s/i
const WRITTEN_ANSWER = /^(?:a|answer|antwort|r|respuesta|réponse)\s?\d{0,3}[:.)]\s/i

const NO_TEXT: MatchableText = { stems: new Set(), folded: '' }

/** A sentence with what is compared with a question. */
interface Sentence {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly own: MatchableText
  /** The headings and the head of the table above it. */
  readonly context: MatchableText
  readonly contextText: string
  readonly before: MatchableText
}

/** Lists the sentences of a body. A written question gives its words to its answer, and is left out itself. */
function listSentences(body: string, language: Latin): Sentence[] {
  const contexts = new Map<string, MatchableText>()
  const sentences: Sentence[] = []
  let before = NO_TEXT
  for (const block of splitBlocks(body)) {
    const context = contexts.get(block.context) ?? readMatchable(block.context, language)
    contexts.set(block.context, context)
    for (const { start, end } of splitSentences(body, block)) {
      const text = body.slice(start, end)
      let own = readMatchable(text, language)
      const asked = sentences.at(-1)
      if (asked && WRITTEN_ANSWER.test(text) && WRITTEN_QUESTION.test(asked.text)) {
        own = { stems: own.stems.union(asked.own.stems), folded: `${asked.own.folded} ${own.folded}` }
        sentences.pop()
      }
      sentences.push({ start, end, text, own, context, contextText: block.context, before })
      before = own
    }
  }
  return sentences
}

/** Where a word of the question was found. */
interface Place {
  /** Its weight there; 0 for nowhere. */
  readonly weight: number
  /** Whether it is in the sentence, its headings or the title. */
  readonly near: boolean
  readonly context: boolean
}

/** Scores every sentence of a note. @param weights those of `weighTerms` */
export function scoreNote(question: NoteQuestion, weights: readonly number[], note: NoteText): ScoredSentence[] {
  const language = tellLanguage(note.body)
  const title = readMatchable(note.title, language)
  const has = createTermTest(question, language)
  const sentences = listSentences(note.body, language)
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const shareOf = (weigh: (term: number) => number) =>
    all > 0 ? weights.reduce((sum, weight, i) => sum + weight * weigh(i), 0) / all : 0

  return sentences.map(({ start, end, text, own, context, contextText, before }, at) => {
    const typed = question.wanted !== null && holdsAnswer(text, question.wanted)
    const found = question.terms.map(({ namesKind, isSubject }, i): Place => {
      if ((typed && namesKind) || has(i, own)) return { weight: 1, near: true, context: false }
      const inContext = has(i, context) ? CONTEXT_WEIGHTS.heading : 0
      const inTitle = has(i, title) ? CONTEXT_WEIGHTS[isSubject ? 'subject' : 'title'] : 0
      const inBefore = has(i, before) ? CONTEXT_WEIGHTS[POINTING_BACK.test(text) ? 'meant' : 'before'] : 0
      return { weight: Math.max(inContext, inTitle, inBefore), near: inContext + inTitle > 0, context: inContext > 0 }
    })
    const coverage = shareOf((i) => found[i]?.weight ?? 0)
    const length = LENGTH_MALUS * Math.log(1 + own.stems.size / 20)
    const near = () => sentences.slice(Math.max(0, at - NEAR_SENTENCES), at + NEAR_SENTENCES + 1)
    return {
      note,
      start,
      end,
      under: found.some((place) => place.context) ? findInnermostHeading(contextText) : null,
      coverage,
      hits: found.filter(({ near }, i) => near && !question.terms[i]?.namesKind).length,
      score: coverage + (typed ? TYPE_BONUS : 0) - length - (text.endsWith(':') ? LEAD_IN_MALUS : 0),
      finds: found.map(({ weight }) => weight > 0),
      nearCoverage: () => {
        const texts = [title, ...near().flatMap((one) => [one.own, one.context])]
        return shareOf((i) => (texts.some((one) => has(i, one)) ? 1 : 0))
      },
    }
  })
}

/** Makes the test whether a text has the term with an index. @param language that of words in Latin letters */
function createTermTest({ terms }: NoteQuestion, language: Latin): (term: number, text: MatchableText) => boolean {
  const keys = terms.map((term) => keyOf(term, language))
  return (term, text) => {
    const [key = '', match] = [keys[term], terms[term]?.match]
    if (match === 'inside') return text.folded.includes(key)
    return text.stems.has(key) || (match === 'start' && text.stems.keys().some((stem) => stem.startsWith(key)))
  }
}

/** Returns the last of several headings; for a row of a table, the heading above it and not the head of the table. */
function findInnermostHeading(context: string): string | null {
  return context.split('\n').findLast((line) => !line.startsWith('|')) ?? null
}
