import type { Session } from '../../db/database'
import type { SearchEngine } from '../../search/engine'
import { fold } from '../../search/fold'
import type { Query } from '../../search/query'
import { getQuotedNotes, type NoteRow } from '../store'
import { selectScope } from './source.sqlite'

/** A word of a question; `start`: any word that begins so. */
export interface TextTerm {
  readonly text: string
  readonly match: 'word' | 'start' | 'inside'
}

/** What notes to find; `ids` and `tags` narrow it, null is no limit. */
export interface TextQuery {
  readonly terms: readonly TextTerm[]
  readonly limit: number
  readonly bytes: number
  readonly tags: readonly string[] | null
  readonly ids: readonly string[] | null
}

export type FoundText = Pick<NoteRow, 'id' | 'title' | 'revision' | 'body'>

function toLeaf({ text }: TextTerm): Query {
  return { kind: 'text', field: null, text, match: 'whole' }
}

/** Opens the texts of notes for several questions, of one moment of the index. What it returns is for one request alone. */
export function createOpenTexts(search: Pick<SearchEngine, 'open' | 'find' | 'count'>) {
  return async (session: Session) => {
    const { db, workspace } = session
    const view = await search.open(session)
    return {
      /** How many notes hold each of the terms. */
      count: (terms: readonly TextTerm[]): Promise<number[]> =>
        search.count(session, view, terms.map(toLeaf), ['note']),

      /** Living notes that hold words of a question, best first, until those taken have `bytes` bytes. */
      async find({ terms, limit, bytes, tags, ids }: TextQuery): Promise<FoundText[]> {
        const beginnings = new Set(terms.filter(({ match }) => match === 'start').map(({ text }) => fold(text)))
        const query: Query = { kind: 'and', parts: terms.map(toLeaf) }
        const within = selectScope(tags, ids)
        const { found } = await search.find(session, { query, beginnings, types: ['note'], limit, within, view })
        const rows = new Map(
          (
            await getQuotedNotes(
              db,
              workspace.id,
              found.map(({ key }) => key),
            )
          ).map((row) => [row.key, row]),
        )
        const taken: FoundText[] = []
        let left = bytes
        for (const { key } of found) {
          const row = rows.get(key)
          if (!row || left <= 0) continue
          taken.push(row)
          left -= row.size_bytes
        }
        return taken
      },
    }
  }
}
