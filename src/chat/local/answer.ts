import type { Session } from '../../db/database'
import type { EngineRun } from '../engine'
import { type QuestionTerm, readQuestion } from './question'
import {
  limitNotes,
  loosenQuestion,
  MAX_NOTE_UNITS,
  type NoteQuote,
  type NoteText,
  pickQuotes,
  weighTerms,
} from './quote'
import { EMPTY_WORKSPACE, OUT_OF_SCOPE, WORDLESS, writeNotFound, writeQuotation } from './wording'

/** A word to search. The notes feature quotes it, so it is never syntax. */
export type SearchWord = Pick<QuestionTerm, 'text' | 'match'>

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

/** The notes as one search sees them. */
interface OpenNotes {
  /** Counts the notes with each term, in the order of the terms. */
  count(terms: readonly SearchWord[]): Promise<number[]>
  /** Finds notes with any of the terms, best first. */
  find(query: NoteQuery): Promise<NoteText[]>
}

/** Notes that are read for an answer. */
const MAX_NOTES = 5

export interface QuestionDeps {
  /** Counts the notes of the workspace. */
  readonly countNotes: (session: Session) => Promise<number>
  readonly openNotes: (session: Session) => Promise<OpenNotes>
}

/** Answers a question with sentences of the caller's notes, or says that none answers it. */
export async function answerQuestion({ countNotes, openNotes }: QuestionDeps, run: EngineRun): Promise<void> {
  const { session, ask } = run
  const { types, tags, ids } = ask.scope
  if (types && !types.includes('note')) return run.say(OUT_OF_SCOPE)
  const original = readQuestion(ask.message)
  if (original.terms.length === 0) return run.say(WORDLESS)
  const total = await countNotes(session)
  if (total === 0) return run.say(EMPTY_WORKSPACE)
  const index = await openNotes(session)
  const counts = { total, containing: await index.count(original.terms) }
  const question = loosenQuestion(original, counts)
  const { notes, cut } = limitNotes(
    await index.find({ terms: question.terms, limit: MAX_NOTES, bytes: MAX_NOTE_UNITS, tags, ids }),
  )
  const quotes = pickQuotes(question, weighTerms(question.terms, counts), notes)
  const titles = notes.map(({ title }) => title)
  run.say(quotes.length > 0 ? quoteNotes(run, quotes) : writeNotFound(titles))
  if (cut) run.warn('notes_read_in_part')
}

/** Writes a line for each quotation, with the mark of its citation. */
function quoteNotes(run: EngineRun, quotes: readonly NoteQuote[]): string {
  const lines = quotes.map((quote) => {
    const { note, start, end } = quote
    const { id, title, revision, body } = note
    return writeQuotation(quote, run.cite({ type: 'note', id, title, revision, text: body, start, end }))
  })
  return lines.join('\n')
}
