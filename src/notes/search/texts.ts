import type { Session } from '../../db/database'
import type { SearchEngine } from '../../search/engine'
import type { Results } from '../../search/find'
import type { Query } from '../../search/query'
import { getNotesByKey, type NoteRow } from '../store'
import { selectScope } from './store'

/** A word of a question. `start` matches any word that begins with it. */
export interface TextTerm {
  readonly text: string
  /** Its weight relative to other words. */
  readonly weight: number
  readonly match: 'word' | 'start' | 'inside'
}

/** A query for the texts of notes. `ids` and `tags` restrict it; null does not. */
export interface TextQuery {
  readonly terms: readonly TextTerm[]
  readonly limit: number
  /** Notes are returned until their sizes reach this. */
  readonly bytes: number
  readonly tags: readonly string[] | null
  readonly ids: readonly string[] | null
}

export interface FoundText extends Pick<NoteRow, 'id' | 'title' | 'revision' | 'body'> {
  /** Its score relative to that of the best one: 1 for that, less for the others. */
  readonly rank: number
}

interface FoundTexts {
  readonly notes: readonly FoundText[]
  readonly corrected: Results['corrected']
}

function toLeaf({ text, weight, match }: TextTerm): Query {
  return { kind: 'text', field: null, text, match: 'whole', weight, mayBegin: match === 'start' }
}

/** Makes the search of the texts of a workspace's notes. */
export function createOpenTexts(search: Pick<SearchEngine, 'find' | 'findNear' | 'count'>) {
  return (session: Session) => ({
    count: (terms: readonly TextTerm[]): Promise<number[]> => search.count(session, terms.map(toLeaf), ['note']),

    /**
     * Finds living notes that contain words of a question, best first, until their sizes reach `bytes`; and the words
     * that were taken for typos, folded.
     */
    async find({ terms, limit, bytes, tags, ids }: TextQuery): Promise<FoundTexts> {
      const query: Query = { kind: 'and', parts: terms.map(toLeaf) }
      const selectAllowed = selectScope(tags, ids)
      const options = { query, types: ['note'] as const, limit, selectAllowed }
      const { found, corrected } = await search.find(session, options)
      const best = found[0]?.score || 1
      return { notes: await readTexts(session, found, bytes, ({ score }) => score / best), corrected }
    },

    /**
     * Finds living notes near a question by meaning alone, best first, with the rank 0; null if that is off, or not
     * ready in time.
     */
    async findNear(
      question: string,
      { limit, bytes, tags, ids }: Omit<TextQuery, 'terms'>,
    ): Promise<FoundText[] | null> {
      const options = { types: ['note'] as const, limit, selectAllowed: selectScope(tags, ids) }
      const found = await search.findNear(session, question, options)
      return found && (await readTexts(session, found, bytes, () => 0))
    },
  })
}

const QUOTED = ['key', 'id', 'title', 'revision', 'body', 'size_bytes', 'deleted_at'] as const

/** Reads the living notes that were found, in their order, until their sizes reach `bytes`. */
async function readTexts(
  session: Session,
  found: Results['found'],
  bytes: number,
  rank: (one: Results['found'][number]) => number,
): Promise<FoundText[]> {
  const keys = found.map(({ key }) => key)
  const rows = new Map((await getNotesByKey(session, keys, QUOTED)).map((row) => [row.key, row]))
  const taken: FoundText[] = []
  let remaining = bytes
  for (const one of found) {
    const row = rows.get(one.key)
    if (row?.deleted_at !== null || remaining <= 0) continue
    taken.push({ ...row, rank: rank(one) })
    remaining -= row.size_bytes
  }
  return taken
}
