import type { Database } from '../../src/db/database'
import { factSource } from '../../src/flashcards/search-source-store'
import { noteSource } from '../../src/notes/search/store'
import { createSearchEngine } from '../../src/search/engine'
import { taskSource } from '../../src/tasks/store'
import { makeFolder } from './folder'

export const sources = { note: noteSource, task: taskSource, fact: factSource }

/** The search over all that a database has, for tests that put the app together themselves. */
export function searchOf(db: Database, now: () => number) {
  const log = {
    info() {},
    warn() {},
    error(fields: object) {
      throw new Error('indexing failed', { cause: fields })
    },
  }
  return createSearchEngine({ db, now, ticks: () => performance.now(), folder: makeFolder(), sources, log })
}
