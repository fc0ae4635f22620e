import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { findContradictions } from '../../src/cli/check.sqlite'
import { flashcardContradictions } from './recount-flashcards'
import { searchContradictions } from './recount-search'
import { taskContradictions } from './recount-tasks'

/**
 * What in the database of a folder contradicts itself, in words: a change was done by half. Reads only. It is what the
 * command `check` asks, and what takes too much memory to be asked of a large database.
 */
export function contradictions(folder: string): string[] {
  const db = new Database(join(folder, 'satchel.db'), { readonly: true })
  try {
    return [
      ...findContradictions(db),
      ...taskContradictions(db),
      ...flashcardContradictions(db),
      ...searchContradictions(db),
    ]
  } finally {
    db.close()
  }
}
