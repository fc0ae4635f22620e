/** Answers a question with what the workspace says: sentences of notes, fields of tasks, cards; or says that nothing answers. */

import { TIME_LANGUAGES } from '../../lib/civil/day'
import { fold } from '../../search/fold'
import type { Encoder } from '../../search/meaning/remote'
import type { FindTexts, FoundText } from '../../search/service'
import { citeWhole } from '../../tools/source'
import { allowsKind, isNarrow, showsResource } from '../../tools/tool'
import { toAnswerText } from '../answer-text'
import { isOrder } from './commands'
import { FIELD_WORDS, type FieldDeps, readField, sayTask } from './fields'
import {
  type ChatQuestion,
  keyOf,
  listQuotes,
  POINTS_BACK,
  type QuestionTerm,
  readAsked,
  readQuestion,
} from './question'
import { MIN_CONFIDENCE, type Ranked, rankSentences, rateAnswer, type WordCounts } from './rank'
import { write } from './replies'
import { render } from './sentences'
import { findMentioned } from './talk'
import { type ActDeps, type Acting, findTargets } from './targets'
import { isCommon, splitWords, stem } from './words'

export interface AnswerDeps extends FieldDeps {
  readonly findTexts: FindTexts
  /** Makes embeddings, for search by meaning; null if that is off. */
  readonly encoder: Encoder | null
}

/** Resources whose sentences are ranked; where a scope hides some, more are looked through. */
const [MAX_TEXTS, MAX_SCOPED_TEXTS] = [20, 200]
/** Further sentences are quoted if they have this share of the best score. */
const NEARLY_BEST = 0.92
const MAX_QUOTES = 3
/** Added to the score of tasks and cards where the question names one of their fields. */
const FIELD_BONUS = 0.5
/** The share of the words of a question that the title of a task has, or of the title that the question has. */
const LEAST_TITLE_SHARE = 0.6

/** Answers the question of the last message. */
export async function answerQuestion(deps: AnswerDeps, acting: Acting): Promise<void> {
  const { run, talk, language } = acting
  const { message, scope } = run.ask
  const types = (['note', 'task', 'fact'] as const).filter((type) => allowsKind(scope, type))
  if (types.length === 0) return run.say(write(language, 'noScope'))
  const asked = readAsked(talk.turns.slice(-4))
  if (asked.terms.length === 0) return run.say(write(language, 'wordless'))
  const limit = isNarrow(scope) ? MAX_SCOPED_TEXTS : MAX_TEXTS
  const found = await deps.findTexts(run.session, asked.terms, { types, limit })
  if (found.documents === 0) return run.say(write(language, 'empty'))
  const texts = found.texts
    .filter(({ type, id, texts: { tags } }) => showsResource(scope, { kind: type, ids: [id], tags }))
    .slice(0, MAX_TEXTS)
  const { read, isCut } = limitTexts(texts)
  if (isCut) run.warn('notes_read_in_part')
  const question = correct(startsAnew(asked, found) ? readQuestion(message) : asked, found.corrected)
  const field = readField(message, question)
  const quotes = new Map(listQuotes(talk.answer))
  const titles = new Set(talk.items[0]?.named.map(({ title }) => title))
  const byWords = rankSentences(question, found, read, (text) => ({
    bonus: hasField(text, question, field) ? FIELD_BONUS : 0,
    isMentioned: titles.has(toAnswerText(text.title)),
    quoted: quotes.get(toAnswerText(text.title)) ?? null,
  }))
  const byMeaning = deps.encoder && (await rankByMeaning(deps.encoder, message, byWords, found))
  if (deps.encoder && !byMeaning) run.warn('meaning_unavailable')
  const ranked = byMeaning ?? byWords.filter(({ rate }) => rate().hits > 0)
  const [best] = ranked
  if (best?.of.type === 'task' && (field !== null || titleShare(best.of, question) >= LEAST_TITLE_SHARE)) {
    const share = titleShare(best.of, question)
    if (share >= LEAST_TITLE_SHARE) {
      run.rate({ confidence: share, answers: true })
      return sayTask(deps, acting, best.of, field)
    }
  }
  sayQuotes(acting, question, found, ranked, field === 'deck')
}

/** Words of a question about a field of what was mentioned last, at most. */
const MENTIONED_WORDS = 6

/** Answers "is it done?" and "when?" for the task that was mentioned last; returns false for any other message. */
export async function answerMentioned(deps: AnswerDeps & ActDeps, acting: Acting): Promise<boolean> {
  const { message } = acting.run.ask
  const question = readQuestion(message)
  const field = readField(message, question)
  const isAbout = POINTS_BACK.test(message) && message.split(/\s+/).length <= MENTIONED_WORDS
  if (field === null || field === 'deck' || !isAbout || question.terms.some(({ isName }) => isName)) return false
  const [task, ...others] = findMentioned(acting.talk, { words: 'it', type: 'task' }, ['task'])
  const last = acting.talk.items[0]?.named[0]
  if (!task || others.length > 0 || (last && last.type !== 'task')) return false
  const named = { words: task.title, quoted: true, type: 'task', points: false } as const
  const { targets } = await findTargets(deps, acting, named, ['task'], null)
  if (!targets[0]) return false
  acting.run.rate({ confidence: 1, answers: true })
  await sayTask(deps, acting, targets[0], field)
  return true
}

/** UTF-16 units of texts whose sentences are ranked for one answer, so that huge notes do not block other callers. */
const MAX_UNITS = 1 << 20

/** Limits texts to what is read for one answer, best first. `isCut`: whether something was left out. */
function limitTexts(texts: readonly FoundText[]): { read: FoundText[]; isCut: boolean } {
  let left = MAX_UNITS
  let isCut = false
  const read = texts.map((text) => {
    const { body } = text.texts
    const fits = body.length <= left
    const kept = fits ? body : body.slice(0, Math.max(0, body.lastIndexOf('\n', left)))
    isCut ||= !fits
    left -= kept.length
    return fits ? text : { ...text, texts: { ...text.texts, body: kept } }
  })
  return { read, isCut }
}

/** Whether a question asks for a field of this task or card. */
function hasField(text: FoundText, question: ChatQuestion, field: ReturnType<typeof readField>): boolean {
  if (field === 'deck') return text.type === 'fact'
  return field !== null && text.type === 'task' && titleShare(text, question) >= LEAST_TITLE_SHARE
}

/** New words of a whole question, at least, that make it one of its own and not a follow-up. */
const NEW_WORDS = 2

/** Whether a question that could go on from another one is about something else that the workspace knows. */
function startsAnew({ terms, follows, isWhole }: ChatQuestion, { docs }: WordCounts): boolean {
  const known = new Set(docs.map(({ text }) => text))
  const isNew = ({ isOwn, isEarlier, namesKind, text }: QuestionTerm) =>
    isOwn && !isEarlier && !namesKind && known.has(fold(text))
  return follows && isWhole && terms.filter(isNew).length >= NEW_WORDS
}

/** Returns the question with the words that the search took for typos as it corrected them. */
function correct(
  question: ChatQuestion,
  corrected: readonly { readonly from: string; readonly to: string }[],
): ChatQuestion {
  if (corrected.length === 0) return question
  const fixes = new Map(corrected.map(({ from, to }) => [from, to]))
  return {
    ...question,
    terms: question.terms.map((term) => ({ ...term, text: fixes.get(fold(term.text)) ?? term.text })),
  }
}

/** The larger share of words that a title and a question have in common: of the question, or of the title. */
function titleShare({ title }: FoundText, { terms, follows }: ChatQuestion): number {
  const own = terms.filter((term) => term.isOwn && !FIELD_WORDS.test(fold(term.text)))
  const asks = own.length > 0 ? own : terms
  const keys = new Set(asks.flatMap((term) => TIME_LANGUAGES.map((language) => keyOf(term, language))))
  const words = splitWords(title)
    .map(({ text }) => text)
    .filter((word) => !isCommon(word, null))
  const has = (word: string) => TIME_LANGUAGES.some((language) => keys.has(stem(word, language)))
  const common = words.filter(has).length
  if (common === 0) return 0
  const asked = asks.length
  if (follows) {
    // One word that goes on from another question is hardly the name of a task; with those of that question it may be.
    const earlier = new Set(terms.filter(({ isOwn }) => !isOwn).map((term) => keyOf(term, 'en')))
    const all = words.filter((word) => has(word) || earlier.has(stem(word, 'en'))).length
    return Math.min(1, Math.max(asked < 2 ? 0 : common / asked, all / words.length))
  }
  return Math.min(1, Math.max(common / asked, common / words.length))
}

/** The time for which an answer waits for the vectors of sentences; then words alone decide. */
const SENTENCES_TIMEOUT_MS = 2000
/** Sentences that are compared by meaning: the best by words, and of each text. A text of 100 characters takes some 30 ms. */
const [BY_WORDS, OF_TEXT, TEXTS] = [3, 4, 4]
const QUESTION_UNITS = 1000
/** The weight of the cosine where words answer nothing. The more surely words answer, the less it weighs. */
const NEARNESS_WEIGHT = 20

/** Ranks sentences by how near they are to a question by meaning as well; null if that fails or is too slow. */
async function rankByMeaning(
  encoder: Encoder,
  question: string,
  ranked: readonly Ranked[],
  counts: WordCounts,
): Promise<Ranked[] | null> {
  const ids = [...new Set(ranked.map(({ of }) => of.id))].slice(0, TEXTS)
  const ofTexts = ids.flatMap((id) => ranked.filter(({ of }) => of.id === id).slice(0, OF_TEXT))
  const compared = [...new Set([...ranked.slice(0, BY_WORDS), ...ofTexts])]
  const texts = compared.map(({ of, text }) => `${of.title}: ${text}`)
  const vectors = await encoder.embedInTime([question.slice(0, QUESTION_UNITS), ...texts], SENTENCES_TIMEOUT_MS)
  const [asked, ...others] = vectors ?? []
  if (!asked) return null
  const [best] = ranked
  const weight = NEARNESS_WEIGHT * (1 - (best ? rateAnswer(best.rate(), counts.documents) : 0))
  const cosine = (other: Float32Array | undefined) =>
    other?.length === asked.length ? asked.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0) : 0
  return compared
    .map((one, i) => ({ ...one, score: one.score + weight * cosine(others[i]) }))
    .sort((a, b) => b.score - a.score)
}

/** UTF-16 units of the words of a question that an answer repeats, at most. */
const MAX_REPEATED_UNITS = 60

/** Returns the words of a question from the first to the last that is sought; '' if there are none, or too many. */
function soughtWords(message: string, { terms }: ChatQuestion): string {
  const own = terms.filter(({ isOwn, weight }) => isOwn && weight === 1)
  const named = own.filter(({ namesKind }) => !namesKind)
  const places = (named.length > 0 ? named : own).flatMap(({ text, inside }) => {
    const found = new RegExp(`${inside ? '' : '(?<![\\p{L}\\p{N}\\p{M}])'}${RegExp.escape(text)}`, 'u').exec(message)
    return found ? [[found.index, found.index + text.length] as const] : []
  })
  const start = Math.min(...places.map(([from]) => from))
  const words = message.slice(start, Math.max(0, ...places.map(([, to]) => to))).replace(/["“”„«»]/g, '')
  return words.length > MAX_REPEATED_UNITS ? '' : words.replace(/\s+/g, ' ')
}

/** Says the sentences that answer, each with its mark; else the nearest, or that nothing was found. */
function sayQuotes(
  acting: Acting,
  question: ChatQuestion,
  counts: WordCounts,
  ranked: readonly Ranked[],
  asksDeck: boolean,
) {
  const { run, language } = acting
  const [best] = ranked
  const unknownOrder = isOrder(run.ask.message) ? `${write(language, 'unknown')} ` : ''
  if (!best) {
    run.rate({ confidence: 0, answers: false })
    if (unknownOrder !== '') return run.say(unknownOrder + write(language, 'can'))
    const words = soughtWords(run.ask.message, question)
    return run.say(write(language, words === '' ? 'nothingSuch' : 'nothing', words))
  }
  const known = new Set(counts.docs.map(({ text }) => text))
  const unknown = question.terms.find(({ isName, isOwn, text }) => isName && isOwn && !known.has(fold(text)))
  const confidence = rateAnswer(best.rate(), counts.documents)
  const answers = confidence >= MIN_CONFIDENCE && !unknown
  run.rate({ confidence, answers })
  const further = ranked.slice(1).filter((one) => one.score >= best.score * NEARLY_BEST)
  const lines = (answers ? [best, ...further].slice(0, MAX_QUOTES) : [best]).map((one) =>
    writeQuote(acting, one, asksDeck),
  )
  if (answers) return run.say(lines.join('\n'))
  const missing = unknown ? write(language, 'noName', unknown.text) : ''
  run.say(`${unknownOrder}${write(language, 'nearest', missing)}\n${lines.join('\n')}`)
}

/** Writes a quotation with its mark. */
function writeQuote({ run, language }: Acting, { of, start, end, under }: Ranked, asksDeck: boolean): string {
  const { type, id, title, revision, texts, shown } = of
  if (type === 'note') {
    const n = run.cite({ type, id, title, revision, text: texts.body, start, end })
    return `${write(language, 'from', title, under === null ? '' : write(language, 'under', under), render(texts.body.slice(start, end)))} [${n}]`
  }
  const n = run.cite(
    type === 'task'
      ? citeWhole.task({ id, title, revision } as Parameters<typeof citeWhole.task>[0])
      : { type, id, title, revision, text: texts.title, start: 0, end: texts.title.length },
  )
  if (type === 'task') return `${write(language, 'says', title, texts.body || title)} [${n}]`
  const deck = 'deck' in shown ? shown.deck.name : ''
  if (asksDeck) return `${write(language, 'inDeck', title, deck)} [${n}]`
  const [front, back] = [render(texts.title), render(texts.body.split('\n')[0] ?? '')]
  return `${write(language, 'card', front, back || front, deck)} [${n}]`
}

/** Sentences of a text in a message that are quoted as its summary. */
export const SUMMARY_SENTENCES = 5

/** Answers a question about a text that the message brings along; returns false if it does not answer. */
export function answerFromText({ run, language }: Acting, text: string, asked: string): boolean {
  const question = readQuestion(asked)
  const of: FoundText = {
    type: 'note',
    id: '',
    title: '',
    revision: 0,
    updated_at: 0,
    rank: 1,
    texts: { title: '', tags: [], body: text },
    shown: { folder: null, excerpt: '' },
  }
  const ranked = rankSentences(question, { documents: 1, docs: [] }, [of])
  const [best] = ranked
  if (!best || best.rate().hits === 0) return false
  run.rate({ confidence: rateAnswer(best.rate(), 20), answers: true })
  run.say(write(language, 'yourText', render(best.text)))
  return true
}
