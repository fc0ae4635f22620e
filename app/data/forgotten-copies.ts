/** What the browser keeps of workspaces whose keys it no longer keeps, or is to forget. */
import { deleteDB } from 'idb'
import { clearConversations } from './conversations'
import { clearStored } from './copy'
import { createStore, databaseName, openDatabase, type Store } from './database'
import { streamOf } from './sync'
import { listLed } from './tabs'
import { keys, workspace } from './workspace'

/**
 * Deletes the copies of workspaces whose key this browser no longer keeps: it was removed on the key page, which knows of no
 * copies. What the server has not got stays, and is sent once the key is back. Copies that a tab has open stay as they are,
 * and all of them where the kept keys cannot be read. To be called once the workspace is open.
 */
export async function deleteForgottenCopies(): Promise<void> {
  const [copied, led] = await Promise.all([listCopiedKeys(), listLed()])
  // After the list of copies: a key is kept before it has one.
  keys.refresh()
  if (keys.trouble) return
  const kept = new Set([workspace.peek()?.key, ...keys.keys.map(({ key }) => key)])
  const forgotten = copied.filter((key) => !kept.has(key) && !led.has(streamOf(databaseName(key))))
  await Promise.all(
    forgotten.map(async (key) => {
      const unsent = await useStored(key, async (stored) => {
        const count = await countWrites(stored)
        if (count > 0) await stored.use((db) => Promise.all([clearStored(db), clearConversations(db)]))
        return count
      })
      if (unsent === 0) await deleteDatabase(key)
    }),
  )
}

/** How many changes of a workspace wait in this browser, in whatever tab; null if its copy cannot be read. */
export const countUnsent = (key: string) => useStored(key, countWrites)

/** Of another program, or empty: there are no such tables. */
const countWrites = async (stored: Store) => (await stored.use((db) => db.count('writes'))) ?? 0

/** Works on what is stored of a workspace that need not be open; null if that cannot be read. */
async function useStored<Value>(key: string, work: (stored: Store) => Promise<Value>): Promise<Value | null> {
  const db = await openDatabase(key)
  if (typeof db === 'string') return null
  try {
    return await work(createStore(db))
  } finally {
    db.close()
  }
}

/** Deletes the copy of the workspace of a key that was removed, also while it is open: its connections are closed then. */
export async function deleteDatabase(key: string): Promise<void> {
  try {
    await deleteDB(databaseName(key))
  } catch {
    // The browser stores nothing: there is no copy.
  }
}

/** The keys that have a copy in this browser, kept or not. */
async function listCopiedKeys(): Promise<readonly string[]> {
  const prefix = databaseName('')
  try {
    const databases = await indexedDB.databases()
    return databases.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : []))
  } catch {
    return [] // The browser stores nothing, or is too old to tell.
  }
}
