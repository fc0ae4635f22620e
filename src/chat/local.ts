import type { Session } from '../db/database'
import { notFound, outOfScope, quoting, type Reply, wordless } from './compose'
import { readQuestion } from './question'
import { bestQuotes, type FoundNote, loosen, type PassageCounts, readable, weigh } from './quote'
import type { Ask, Scope } from './request'

/** What notes to find. The notes side quotes the terms: they are words, never syntax. */
interface NoteQuery {
  readonly terms: readonly string[]
  /** `all` terms in the note, `any` of them, or `prefix`: any word that begins with one. */
  readonly match: 'all' | 'any' | 'prefix'
  readonly limit: number
  /** Only notes with all of these tags; null for no such limit. */
  readonly tags: readonly string[] | null
  /** Only notes of these ids; null for no such limit. */
  readonly ids: readonly string[] | null
}

/** Notes that hold the terms, best first. */
export type FindNotes = (session: Session, query: NoteQuery) => Promise<FoundNote[]>
/** How many notes the workspace has, and how many of them hold each term, in the order of the terms. */
export type CountPassages = (session: Session, terms: readonly string[]) => Promise<PassageCounts>

export interface LocalReply extends Reply {
  readonly warnings: readonly string[]
}

/** Notes that are read for an answer. */
const MOST_NOTES = 5
/** Shorter beginnings are those of too many words. */
const SHORTEST_PREFIX = 3

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
    const words = question.terms.map(({ text }) => text)
    const counts = await this.passageCounts(session, words)
    const found = counts.total > 0 ? await this.retrieve(session, words, scope) : []
    const { notes, cut } = readable(found)
    const quotes = bestQuotes(loosen(question, counts), weigh(question.terms, counts), notes)
    const titles = found.map(({ title }) => title)
    const reply = quotes.length > 0 ? quoting(quotes) : notFound(counts, titles)
    return { ...reply, warnings: cut ? ['notes_read_in_part'] : [] }
  }

  /** Notes with all words stand before those with any, and those before notes with words that merely begin so. */
  private async retrieve(session: Session, terms: readonly string[], { tags, ids }: Scope): Promise<FoundNote[]> {
    const found = new Map<string, FoundNote>()
    for (const match of ['all', 'any', 'prefix'] as const) {
      const usable = match === 'prefix' ? terms.filter((term) => term.length >= SHORTEST_PREFIX) : terms
      if (found.size >= MOST_NOTES || usable.length === 0) break
      for (const note of await this.findNotes(session, { terms: usable, match, limit: MOST_NOTES, tags, ids }))
        if (!found.has(note.id) && found.size < MOST_NOTES) found.set(note.id, note)
    }
    return [...found.values()]
  }
}
