import type { Session } from '../../db/database'
import type { Encoder } from '../../search/meaning/remote'
import { toAnswerText } from '../answer-text'
import type { EngineRun } from '../engine'
import {
  type ConversationQuestion,
  type Mentioned,
  readConversation,
  readFirstQuote,
  readMentioned,
} from './conversation'
import { NEAR_NOTES, rankByMeaning } from './nearness'
import { quotePlainTitle, readObjectList, writeCitationMark, writeDue } from './outcome'
import type { QuestionTerm } from './question'
import {
  correctQuestion,
  findUnknownName,
  limitNotes,
  loosenQuestion,
  MAX_NOTE_UNITS,
  type PickedQuotes,
  pickQuotes,
  rankSentences,
} from './quote'
import type { NoteText, ScoredSentence } from './sentence-score'
import { cutQuery, filterByName, toTargets } from './targets'
import { EMPTY_WORKSPACE, OUT_OF_SCOPE, WORDLESS, writeNearest, writeNotFound, writeQuotation } from './wording'

/** A word to search. The notes feature quotes it, so it is never syntax. */
export type SearchWord = Pick<QuestionTerm, 'text' | 'match' | 'weight'>

/** The notes to find. */
interface NoteQuery {
  readonly terms: readonly SearchWord[]
  readonly limit: number
  /** Bytes of found notes after which no more are read. */
  readonly bytes: number
  /** Only notes with all of these tags; null for no such limit. */
  readonly tags: readonly string[] | null
  /** Only notes of these ids; null for no such limit. */
  readonly ids: readonly string[] | null
}

/** The notes that a search found, best first, and the words that it took for typos, folded. */
interface FoundNotes {
  readonly notes: readonly NoteText[]
  readonly corrected: readonly { readonly from: string; readonly to: string }[]
}

/** The search of a workspace's notes. */
interface OpenNotes {
  /** Counts the notes with each term, in the order of the terms. */
  count(terms: readonly SearchWord[]): Promise<number[]>
  /** Finds notes with any of the terms, best first. */
  find(query: NoteQuery): Promise<FoundNotes>
  /** Finds notes near a question by meaning alone, best first; null if that is off, or not ready in time. */
  findNear(question: string, query: Omit<NoteQuery, 'terms'>): Promise<readonly NoteText[] | null>
}

/** Notes that are read for an answer. */
const MAX_NOTES = 5

export interface QuestionDeps {
  /** Counts the notes of the workspace. */
  readonly countNotes: (session: Session) => Promise<number>
  readonly openNotes: (session: Session) => OpenNotes
  /** Makes embeddings, for search by meaning; null if that is off. */
  readonly encoder: Encoder | null
}

/** Answers a question with sentences of the caller's notes, or says that none answers it. */
export async function answerQuestion(deps: QuestionDeps, run: EngineRun): Promise<void> {
  const { session, ask } = run
  const { types } = ask.scope
  const asked = readConversation(ask.messages)
  if ((!types || types.includes('task')) && (await sayDue(run, asked))) return
  if (types && !types.includes('note')) return run.say(OUT_OF_SCOPE)
  if (asked.terms.length === 0) return run.say(WORDLESS)
  const total = await deps.countNotes(session)
  if (total === 0) return run.say(EMPTY_WORKSPACE)
  const { picked, titles } = await findQuotes(deps, run, asked, total)
  sayQuotes(run, picked, titles)
}

/** Says when the task is due whose title has the words of a question; returns false if it asks for no such thing. */
async function sayDue(run: EngineRun, { terms, wanted }: ConversationQuestion): Promise<boolean> {
  const words = terms.map(({ text }) => text).filter((text) => text.toLowerCase() !== 'due')
  if (wanted !== 'time' || words.length === 0 || words.length === terms.length) return false
  const query = words.join(' ')
  const { result, sources } = await run.call('search', { query: cutQuery(query), types: ['task'] })
  const [task] = filterByName({ words: query, quoted: false }, toTargets(readObjectList(result, 'items')))
  if (!task) return false
  const due = task.due === '' ? 'has no due date' : `is due ${writeDue(task.due)}`
  run.rate({ confidence: 1, answers: true })
  run.say(`${quotePlainTitle(task.title)} ${due}.${writeCitationMark(run, sources, task.id)}`)
  return true
}

/** Finds the sentences that answer best, and the titles of the notes that were read for it. */
async function findQuotes(
  { openNotes, encoder }: QuestionDeps,
  run: EngineRun,
  asked: ConversationQuestion,
  total: number,
) {
  const { session, ask } = run
  const { tags, ids } = ask.scope
  const index = openNotes(session)
  const count = async (terms: readonly SearchWord[]) => ({ total, containing: await index.count(terms) })
  const known = await count(asked.terms)
  const loose = loosenQuestion(asked, known)
  const query = { limit: MAX_NOTES, bytes: MAX_NOTE_UNITS, tags, ids }
  const { notes: found, corrected } = await index.find({ ...query, terms: loose.terms })
  const question = correctQuestion(loose, corrected)
  const counts = corrected.length > 0 ? await count(question.terms) : known
  const near = encoder ? await index.findNear(ask.message, { ...query, limit: NEAR_NOTES }) : []
  const byWords = new Set(found.map(({ id }) => id))
  const { notes, cut } = limitNotes([...found, ...(near ?? []).filter(({ id }) => !byWords.has(id))])
  if (cut) run.warn('notes_read_in_part')
  const ranked = rankInConversation(asked, readMentioned(ask.messages), rankSentences(question, counts, notes))
  const unknownName = findUnknownName(question, counts, ranked)
  const nearIds = (near ?? []).map(({ id }) => id)
  const byMeaning = encoder && near && (await rankByMeaning(encoder, ask.message, ranked, nearIds))
  if (encoder && !byMeaning) run.warn('meaning_unavailable')
  const best = byMeaning ?? ranked.filter(({ coverage }) => coverage > 0)
  return { picked: pickQuotes(best, unknownName), titles: notes.map(({ title }) => title) }
}

/** Added to the score of sentences of notes that the answer before cites: more where the message points back. */
const MENTIONED_BONUS = { no: 0.1, continues: 0.1, adds: 0, 'points back': 0.3 }
/** Subtracted from the sentence that the answer before quotes first, where the message goes on from it. */
const REPEAT_MALUS = 0.6

/** Raises the sentences of the notes that the answer before cites, and lowers the one that it quoted already. */
function rankInConversation(
  { follows }: ConversationQuestion,
  { answer, titles }: Mentioned,
  ranked: readonly ScoredSentence[],
): readonly ScoredSentence[] {
  if (titles.length === 0) return ranked
  const quoted = follows === 'no' ? '' : readFirstQuote(answer)
  return ranked
    .map((one) => {
      const { note, start, end } = one
      const bonus = titles.includes(toAnswerText(note.title)) ? MENTIONED_BONUS[follows] : 0
      const isRepeat = quoted.includes(`"${toAnswerText(note.body.slice(start, end))}"`)
      return { ...one, score: one.score + bonus - (isRepeat ? REPEAT_MALUS : 0) }
    })
    .sort((a, b) => b.score - a.score)
}

/** Says the quotations, each with the mark of its citation, and whether they answer. */
function sayQuotes(run: EngineRun, picked: PickedQuotes, titles: readonly string[]): void {
  const { quotes, confidence, answers, unknownName } = picked
  const lines = quotes.map((quote) => {
    const { note, start, end } = quote
    const { id, title, revision, body } = note
    return writeQuotation(quote, run.cite({ type: 'note', id, title, revision, text: body, start, end }))
  })
  run.rate({ confidence, answers })
  if (answers) run.say(lines.join('\n'))
  else if (lines.length > 0) run.say(writeNearest(lines, unknownName))
  else run.say(writeNotFound(titles))
}
