/** Ranks the sentences of what was found as answers to a question, and tells how surely the best one answers. */
import { fold } from '../../search/fold'
import type { Latin } from '../../search/languages'
import type { FoundText } from '../../search/service'
import { type ChatQuestion, holdsAnswer, isNarrowKind, keyOf, type QuestionTerm } from './question'
import { render, splitBlocks, splitSentences } from './sentences'
import { type MatchableText, readMatchable, tellLanguage } from './words'

/** A sentence of a note, or a whole task or card, as the answer to a question. */
export interface Ranked {
  readonly of: FoundText
  /** UTF-16 offsets into the body of a note. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** The innermost heading, if a word of the question was found in what is above the sentence; else null. */
  readonly under: string | null
  readonly score: number
  readonly rate: () => AnswerFeatures
}

/** What tells how surely a sentence answers; see `rateAnswer`. */
export interface AnswerFeatures {
  /** The share of the question's weight that is in the sentence, its headings and the title, 0 to 1. */
  readonly own: number
  /** The share that is there or at most NEAR_SENTENCES away. */
  readonly near: number
  /** Whether the wanted kind of answer is there; `missed`: it is not, and would be hard to miss. */
  readonly typed: keyof typeof TYPED
  /** The number of words of the question in the sentence, its headings and the title. */
  readonly hits: number
  /** Whether the wanted thing ("how many bedrooms", "the password of") is neither there nor near. */
  readonly lacksAsked: boolean
}

/** The number of documents, and of those with each word that occurs. */
export interface WordCounts {
  readonly documents: number
  readonly docs: readonly { readonly text: string; readonly docs: number }[]
}

/**
 * The weight of a word in the context of a sentence, where one in the sentence weighs 1; `meant`: before, if it points
 * back. Chosen on XQuAD and on the dev part of our own sets.
 */
const CONTEXT_WEIGHTS = { heading: 0.8, title: 0.4, subject: 0.9, before: 0.35, meant: 0.6 }
/** Added to the score of a sentence that holds the wanted kind of answer. */
const TYPE_BONUS = 0.12
/** The same for a kind that is hard to miss, and subtracted from sentences without it. */
const NARROW_BONUS = 0.1
/** The same in a message that goes on from another. */
const FOLLOWED_BONUS = { narrow: 0.5, wide: 0.15 }
/** Subtracted for long sentences, which cover more by accident: for each e-fold of words above twenty. */
const LENGTH_MALUS = 0.15
/** Subtracted for a line that only introduces a list or code. */
const LEAD_IN_MALUS = 0.4
/** Added to the score of what the answer before named: more where the message goes on from it. */
const MENTIONED_BONUS = { follows: 0.45, less: 0.15, again: 0.05 }
/** In a message that goes on from another: for a sentence with all that the message itself says. */
const SAID_BONUS = 1.1
/** For the sentence that was quoted before; less for each sentence between. */
const [AGAIN_BONUS, BESIDE_MALUS] = [0.25, 0.05]
/** Added to the score of sentences of the best result of the search; less for each further one, by its score. */
const RANK_BONUS = 0.5
/** The beginning of a sentence that refers to the sentence before it. */
const POINTING_BACK = /^(?:it|they|he|she|its|their|his|her|this|that one|these|those|er|sie|il|elle|ils)\b/i
/** Sentences before and behind a sentence that count as near it. */
const NEAR_SENTENCES = 2
/** The beginnings of a written question, and of its answer: "Q: …", "Frage 3: …"; "A: …". */
const WRITTEN_QUESTION = /^(?:q|question|f|frage|p|pregunta)\s?\d{0,3}[:.)]\s/i
const WRITTEN_ANSWER = /^(?:a|answer|antwort|r|respuesta|réponse)\s?\d{0,3}[:.)]\s/i
/** The weight of names, where other words weigh 1, and of words that name the kind of answer and not its subject. */
const [NAME_WEIGHT, KIND_WEIGHT] = [1.6, 0.3]
/** The weight of all words of earlier turns, at most, where those of the message weigh 1. */
const EARLIER_SHARE = 0.7
/** Documents that a workspace counts as having at least: a few say little about how rare a word is. */
const MIN_DOCUMENTS = 50

/** Computes the weight of each term: its inverse document frequency (as in BM25) times its importance in the question. */
export function weighTerms(terms: readonly QuestionTerm[], { documents, docs }: WordCounts): number[] {
  const total = Math.max(documents, MIN_DOCUMENTS)
  const counts = new Map(docs.map(({ text, docs }) => [text, docs]))
  const weights = terms.map((term) => {
    const holding = Math.min(counts.get(fold(term.text)) ?? 0, total)
    const importance = (term.namesKind ? KIND_WEIGHT : 1) * (term.isName ? NAME_WEIGHT : 1) * term.weight
    return importance * Math.log(1 + (total - holding + 0.5) / (holding + 0.5))
  })
  const sum = (isOwn: boolean) => weights.reduce((all, weight, i) => all + (terms[i]?.isOwn === isOwn ? weight : 0), 0)
  const [own, earlier] = [sum(true), sum(false)]
  // What a message says itself decides, and what it goes on from only helps.
  const scale = own > 0 && earlier > own * EARLIER_SHARE ? (own * EARLIER_SHARE) / earlier : 1
  return weights.map((weight, i) => (terms[i]?.isOwn ? weight : weight * scale))
}

/** A sentence with what is compared with a question. */
interface Sentence {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly own: MatchableText
  /** The headings and the head of the table above it. */
  readonly context: MatchableText
  readonly contextText: string
}

const NO_TEXT: MatchableText = { stems: new Set(), folded: '' }

/** Lists the sentences of a body. A written question gives its words to its answer, and is left out itself. */
function listSentences(body: string, language: Latin): Sentence[] {
  const contexts = new Map<string, MatchableText>()
  const sentences: Sentence[] = []
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
      sentences.push({ start, end, text, own, context, contextText: block.context })
    }
  }
  return sentences
}

/** The one sentence of a task or a card: all that it says. */
function listWhole({ type, texts: { title, tags, body }, shown }: FoundText, language: Latin): Sentence[] {
  const due = type === 'task' && 'due' in shown && shown.due ? `${shown.due.date} ${shown.due.time ?? ''}` : ''
  const deck = 'deck' in shown ? shown.deck.name : ''
  const text = [title, body, due].filter((one) => one !== '').join('\n')
  const context = readMatchable([...tags, deck].join(' '), language)
  return [{ start: 0, end: title.length, text, own: readMatchable(text, language), context, contextText: '' }]
}

/** What is known of a text before its sentences are ranked. */
export interface Standing {
  /** What is added to the score of its sentences. */
  readonly bonus: number
  /** Whether the answer before named it. */
  readonly isMentioned: boolean
  /** The sentence that the answer before quoted from it, as rendered; null for none. */
  readonly quoted: string | null
}

/** Scores all sentences, best first. */
export function rankSentences(
  question: ChatQuestion,
  counts: WordCounts,
  found: readonly FoundText[],
  standing: (text: FoundText) => Standing = () => ({ bonus: 0, isMentioned: false, quoted: null }),
): Ranked[] {
  const weights = weighTerms(question.terms, counts)
  const ranked = found.flatMap((of) => scoreText(question, weights, of, standing(of)))
  return ranked.sort((a, b) => b.score - a.score)
}

function scoreText(
  { terms, wanted, follows, isSameKind }: ChatQuestion,
  weights: readonly number[],
  of: FoundText,
  { bonus, isMentioned, quoted }: Standing,
): Ranked[] {
  const language = tellLanguage(of.texts.body || of.texts.title)
  const title = readMatchable(of.texts.title, language)
  const keys = terms.map((term) => keyOf(term, language))
  const has = (i: number, { stems, folded }: MatchableText) => {
    const key = keys[i] as string
    if (terms[i]?.inside) return folded.includes(key)
    return stems.has(key)
  }
  const sentences = of.type === 'note' ? listSentences(of.texts.body, language) : listWhole(of, language)
  const all = weights.reduce((sum, weight) => sum + weight, 0) || 1
  const isSaid = ({ isOwn, namesKind, weight }: QuestionTerm) => isOwn && !namesKind && (weight === 1 || !follows)
  const saidAll = terms.reduce((sum, term, i) => sum + (isSaid(term) ? (weights[i] as number) : 0), 0)
  // "Since when?" has no word of its own: then those of the question before have to be there.
  const isBare = !terms.some(({ isOwn, namesKind }) => isOwn && !namesKind)
  const saysNothing = saidAll === 0
  const add = RANK_BONUS * of.rank + bonus
  const quotedAt = quoted === null ? -1 : sentences.findIndex(({ text }) => render(text) === quoted)
  /** What a place beside what was quoted before is worth. @param share of what the message itself says that a sentence has */
  const followBonus = (share: number, away: number, typed: boolean): number => {
    if (!follows) return isMentioned ? MENTIONED_BONUS.again : 0
    const fits = saysNothing ? typed || wanted === null : share > 0 || typed
    const mentioned = isMentioned ? MENTIONED_BONUS[fits ? 'follows' : 'less'] : 0
    const isQuoted = quotedAt >= 0 && away === 0
    // Of the same kind as what was asked before, the sentence that answered that is no answer again.
    const again =
      quotedAt < 0 || (isQuoted && isSameKind) ? 0 : Math.max(0, AGAIN_BONUS - BESIDE_MALUS * Math.abs(away))
    return (
      SAID_BONUS * share +
      mentioned +
      (saysNothing ? (fits ? 2 * again : 0) : share > 0.99 ? again : 0) -
      (isQuoted && isSameKind ? AGAIN_BONUS : 0)
    )
  }
  let before = NO_TEXT
  return sentences.map(({ start, end, text, own, context, contextText }, at) => {
    const typed = wanted !== null && holdsAnswer(text, wanted)
    const wantsNarrow = wanted !== null && isNarrowKind(wanted)
    const meant = CONTEXT_WEIGHTS[POINTING_BACK.test(text) ? 'meant' : 'before']
    let [score, said, hits, under] = [0, 0, 0, false]
    const places = terms.map(({ namesKind, isOwn }, i) => {
      const weight = weights[i] as number
      const isHere = (typed && namesKind) || has(i, own)
      const inContext = !isHere && has(i, context)
      const inTitle = !isHere && !inContext && has(i, title)
      under ||= inContext
      const isNear = isHere || inContext || inTitle
      const isMeant = !isNear && POINTING_BACK.test(text) && has(i, before)
      if ((isNear || isMeant) && isSaid(terms[i] as QuestionTerm))
        said += inTitle || isMeant ? weight * CONTEXT_WEIGHTS.heading : weight
      if (isNear && !namesKind) hits++
      const share = isHere
        ? 1
        : inContext
          ? CONTEXT_WEIGHTS.heading
          : inTitle
            ? CONTEXT_WEIGHTS[follows && isOwn ? 'subject' : 'title']
            : 0
      score += weight * (share > 0 ? share : has(i, before) ? meant : 0)
      return isNear
    })
    before = own
    const length = LENGTH_MALUS * Math.log(1 + own.stems.size / 20)
    const narrow = wantsNarrow ? NARROW_BONUS : 0
    const ofKind = follows && wanted !== null ? FOLLOWED_BONUS[wantsNarrow || isBare ? 'narrow' : 'wide'] : narrow
    return {
      ...{ of, start, end, text, under: under ? findInnermostHeading(contextText) : null },
      score:
        add +
        score / all +
        (typed ? TYPE_BONUS + ofKind : -ofKind) +
        followBonus(said / (saidAll || 1), at - quotedAt, typed) -
        length -
        (text.endsWith(':') ? LEAD_IN_MALUS : 0),
      rate(): AnswerFeatures {
        const near = sentences.slice(Math.max(0, at - NEAR_SENTENCES), at + NEAR_SENTENCES + 1)
        const asked = terms.map(({ isOwn }) => isOwn || isBare)
        const isThere = places.map((is, i) => is || near.some((one) => has(i, one.own) || has(i, one.context)))
        const share = (is: readonly boolean[]) => {
          const sum = (of: (i: number) => boolean) =>
            weights.reduce((sum, weight, i) => sum + (asked[i] && of(i) ? weight : 0), 0)
          return sum((i) => is[i] as boolean) / (sum(() => true) || 1)
        }
        return {
          own: share(places),
          near: share(isThere),
          hits,
          lacksAsked: terms.some(({ isAsked }, i) => isAsked && !isThere[i]),
          typed: wanted === null ? 'none' : typed ? 'there' : wantsNarrow ? 'missed' : 'missing',
        }
      },
    }
  })
}

/** Returns the last of several headings; for a row of a table, the heading above it and not the head of the table. */
const findInnermostHeading = (context: string): string | null =>
  context.split('\n').findLast((line) => line !== '' && !line.startsWith('|')) ?? null

/**
 * How surely a sentence answers, by logistic regression of questions with and without an answer, in workspaces of 20 to
 * 2,000 resources. The best of many sentences is good by accident, so the number of resources counts against it.
 */
const CONFIDENCE = { base: -6.2, own: 3.6, near: 3.9, hits: 2.8, documents: -0.28, lacksAsked: -1.5 }
/** Added for the wanted kind of answer: that it is there, is not, or is not and would be hard to miss. */
const TYPED = { there: -0.4, missing: -1.8, missed: -4, none: 0 }
/** The confidence from which a sentence counts as an answer. */
export const MIN_CONFIDENCE = 0.55

/** Computes how surely a sentence answers, 0 to 1. */
export function rateAnswer({ own, near, typed, hits, lacksAsked }: AnswerFeatures, documents: number): number {
  const c = CONFIDENCE
  const of = c.own * own + c.near * near + TYPED[typed] + c.hits * Math.log(1 + hits) + (lacksAsked ? c.lacksAsked : 0)
  return 1 / (1 + Math.exp(-(c.base + of + c.documents * Math.log(Math.max(documents, 20) / 20))))
}
