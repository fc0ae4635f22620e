import type { Session } from '../../db/database'
import type { Run } from '../run'
import { readQuestion, type Term } from './question'
import {
  bestQuotes,
  type FoundNote,
  loosen,
  type PassageCounts,
  type Quote,
  READ_LIMIT,
  readable,
  weigh,
} from './quote'
import { rankNotes } from './rank'
import { notFound, OUT_OF_SCOPE, quoting, WORDLESS } from './wording'
import { reader } from './words'

/** A word to look for. The notes side quotes it: it is never syntax. */
export type Sought = Pick<Term, 'text' | 'match'>

/** What notes to find. */
interface NoteQuery {
  readonly terms: readonly Sought[]
  readonly limit: number
  /** No note more is wanted once those found have this many bytes. */
  readonly bytes: number
  /** Only notes with all of these tags; null for no such limit. */
  readonly tags: readonly string[] | null
  /** Only notes of these ids; null for no such limit. */
  readonly ids: readonly string[] | null
}

/** Notes that hold any of the terms, the best first. */
export type FindNotes = (session: Session, query: NoteQuery) => Promise<FoundNote[]>
/** How many notes the workspace has, and how many of them hold each term, in the order of the terms. */
export type CountPassages = (session: Session, terms: readonly Sought[]) => Promise<PassageCounts>

/** Notes that are looked through for the best. */
const MOST_CANDIDATES = 20
/** Notes whose sentences are read for an answer. */
const MOST_NOTES = 5

export interface QuestionDeps {
  readonly findNotes: FindNotes
  readonly passageCounts: CountPassages
}

/** Answers a question with sentences of the caller's notes, or says that none answers. */
export async function answerQuestion({ findNotes, passageCounts }: QuestionDeps, run: Run): Promise<void> {
  const { session, ask } = run
  const { types, tags, ids } = ask.scope
  if (types && !types.includes('note')) return run.say(OUT_OF_SCOPE)
  const asked = readQuestion(ask.message)
  if (asked.terms.length === 0) return run.say(WORDLESS)
  const counts = await passageCounts(session, asked.terms)
  const question = loosen(asked, counts)
  const weights = weigh(question.terms, counts)
  const terms = question.terms.map(({ text, match }) => ({ text, match }))
  const query = { terms, limit: MOST_CANDIDATES, bytes: READ_LIMIT, tags, ids }
  const { notes, cut } = readable(counts.total > 0 ? await findNotes(session, query) : [])
  const keys = question.terms.map(({ key }) => key)
  const best = rankNotes(question.terms, weights, notes, reader(keys)).slice(0, MOST_NOTES)
  const quotes = bestQuotes(question, weights, best, reader())
  const titles = best.map(({ title }) => title)
  run.say(quotes.length > 0 ? quoted(run, quotes) : notFound(counts, titles))
  if (cut) run.warn('notes_read_in_part')
}

/** A line for each quotation, with the mark of its citation. */
function quoted(run: Run, quotes: readonly Quote[]): string {
  const lines = quotes.map((quote) => {
    const { note, start, end } = quote
    const { id, title, revision, body } = note
    return quoting(quote, run.cite({ type: 'note', id, title, revision, text: body, start, end }))
  })
  return lines.join('\n')
}
