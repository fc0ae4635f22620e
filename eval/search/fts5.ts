import { Database } from 'bun:sqlite'
import type { NoteText } from '../satchel'
import { PAGE_RESULTS } from './score'

/** Creates the peer: SQLite's full-text search with its own ranking, which finds notes with any word of the query. */
export function createFts5(texts: readonly NoteText[]) {
  const db = new Database(':memory:')
  db.run("CREATE VIRTUAL TABLE notes USING fts5(title, body, tokenize = 'porter unicode61')")
  const insert = db.query('INSERT INTO notes(rowid, title, body) VALUES (?, ?, ?)')
  db.transaction(() => {
    texts.forEach(({ title, body }, place) => void insert.run(place, title, body))
  })()
  const search = db.query<{ place: number }, [string, number]>(
    `SELECT rowid AS place FROM notes WHERE notes MATCH ? ORDER BY bm25(notes, ?, 1), rowid LIMIT ${PAGE_RESULTS}`,
  )
  return {
    /** Finds the indexes of the best texts; a title weighs `weight` times a body. */
    find(query: string, weight: number): number[] {
      const words = query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
      return words.length === 0
        ? []
        : search.all(words.map((word) => `"${word}"`).join(' OR '), weight).map(({ place }) => place)
    },
    close: () => db.close(),
  }
}
