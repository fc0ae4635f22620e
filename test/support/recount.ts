import { findContradictions } from '../../src/cli/check.sqlite'
import type { Queries } from '../../src/db/database'
import { useDatabase } from './database'
import { flashcardContradictions } from './recount-flashcards'
import { taskContradictions } from './recount-tasks'

/**
 * What in the database of a folder contradicts itself, in words: a change was done by half. Reads only. It is what the
 * command `check` asks, and what takes too much memory to be asked of a large database.
 */
export function contradictions(folder: string): Promise<string[]> {
  return useDatabase(folder, contradictionsIn)
}

/** The same of a database that is open. */
export async function contradictionsIn(db: Queries): Promise<string[]> {
  return [...(await findContradictions(db)), ...(await taskContradictions(db)), ...(await flashcardContradictions(db))]
}
