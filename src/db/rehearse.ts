import type { Queries } from './database'

/** Runs `work` in a transaction that is rolled back: what it answers is what it would have come to. */
export async function rehearse<T>(db: Queries, work: (tx: Queries) => Promise<T>): Promise<T> {
  const done: T[] = []
  const end = new Error('a rehearsal ends')
  try {
    await db.transaction(async (tx) => {
      done.push(await work(tx))
      throw end
    })
  } catch (error) {
    const [value] = done
    if (error === end && value !== undefined) return value
    throw error
  }
  throw new Error('a transaction outlived its rollback')
}
