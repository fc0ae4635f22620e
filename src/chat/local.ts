import type { Session } from '../db/database'
import { notFound, outOfScope, quoting, type Reply, wordless } from './compose'
import { type Question, readQuestion, type Term } from './question'
import { bestQuotes, type FoundNote, loosen, type PassageCounts, READ_LIMIT, readable, weigh } from './quote'
import { rankNotes } from './rank'
import type { Ask, Scope } from './request'
import type { Engine } from './run'
import { reader } from './words'

/** A word to look for. The notes side quotes it: it is never syntax. */
export type Sought = Pick<Term, 'text' | 'match'>

/** What notes to find. */
interface NoteQuery {
  /** Notes whose terms weigh more are better. */
  readonly terms: readonly (Sought & { readonly weight: number })[]
  readonly limit: number
  /** No note more is wanted once those found have this many bytes. */
  readonly bytes: number
  /** Only notes with all of these tags; null for no such limit. */
  readonly tags: readonly string[] | null
  /** Only notes of these ids; null for no such limit. */
  readonly ids: readonly string[] | null
}

/** Notes that hold any of the terms, the best first as far as weights alone can tell. */
export type FindNotes = (session: Session, query: NoteQuery) => Promise<FoundNote[]>
/** How many notes the workspace has, and how many of them hold each term, in the order of the terms. */
export type CountPassages = (session: Session, terms: readonly Sought[]) => Promise<PassageCounts>

export interface LocalReply extends Reply {
  readonly warnings: readonly string[]
}

/** Notes that are looked through for the best. */
const MOST_CANDIDATES = 20
/** Notes whose sentences are read for an answer. */
const MOST_NOTES = 5

interface LocalDeps {
  readonly findNotes: FindNotes
  readonly passageCounts: CountPassages
}

/** The embedded engine: it needs no network and no model. */
export function createLocalEngine({ findNotes, passageCounts }: LocalDeps): Engine {
  const engine = new LocalEngine(findNotes, passageCounts)
  return {
    name: 'local',
    model: 'satchel-local',
    async answer(run) {
      const { text, sources, warnings } = await engine.answer(run.session, run.ask)
      for (const source of sources) run.cite(source)
      for (const code of warnings) run.warn(code)
      for (const line of text.split(/(?<=\n)/)) run.say(line)
      return { reason: 'stop', steps: 1, tokens: null }
    },
  }
}

/** The rule-based engine: it answers with sentences of the caller's notes, or says that none answers. */
export class LocalEngine {
  constructor(
    private readonly findNotes: FindNotes,
    private readonly passageCounts: CountPassages,
  ) {}

  async answer(session: Session, { message, scope }: Ask): Promise<LocalReply> {
    if (scope.types && !scope.types.includes('note')) return { ...outOfScope(), warnings: [] }
    const question = readQuestion(message)
    if (question.terms.length === 0) return { ...wordless(), warnings: [] }
    const counts = await this.passageCounts(session, question.terms)
    const { reply, cut } = await this.reply(session, loosen(question, counts), counts, scope)
    return { ...reply, warnings: cut ? ['notes_read_in_part'] : [] }
  }

  private async reply(session: Session, question: Question, counts: PassageCounts, { tags, ids }: Scope) {
    const weights = weigh(question.terms, counts)
    const terms = question.terms.map(({ text, match }, i) => ({ text, match, weight: weights[i] ?? 0 }))
    const query = { terms, limit: MOST_CANDIDATES, bytes: READ_LIMIT, tags, ids }
    const { notes, cut } = readable(counts.total > 0 ? await this.findNotes(session, query) : [])
    const read = reader()
    const best = rankNotes(question.terms, weights, notes, read).slice(0, MOST_NOTES)
    const quotes = bestQuotes(question, weights, best, read)
    return {
      reply:
        quotes.length > 0
          ? quoting(quotes)
          : notFound(
              counts,
              best.map(({ title }) => title),
            ),
      cut,
    }
  }
}
