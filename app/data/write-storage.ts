/** The writes that are not confirmed, as the browser stores them. */
import { allStored, type Store } from './database'
import { announceWrites } from './tabs'
import type { PendingWrite } from './writes'

/** The places of the writes of a tab, in their order. */
const rangeOf = (tab: string) => IDBKeyRange.bound([tab], [tab, Number.POSITIVE_INFINITY])

export type WriteStorage = ReturnType<typeof createWriteStorage>

export function createWriteStorage(kept: Store) {
  /** What comes in place of other writes, while those are still stored; null: what is put is stored at once. */
  let successors: PendingWrite[] | null = null

  async function change(put: readonly PendingWrite[], remove: readonly PendingWrite[]): Promise<void> {
    if (put.length + remove.length === 0) return
    await kept.use(async (db) => {
      const tx = db.transaction('writes', 'readwrite')
      // One that is refused is put in its own place.
      const requests = [
        ...remove.map(({ tab, seq }) => tx.store.delete([tab, seq])),
        ...put.map((write) => tx.store.put(write)),
      ]
      // Also of a page that is gone before it hears of its requests.
      tx.commit()
      await allStored(tx.done, requests)
    })
    announceWrites()
  }

  return {
    listOf: (tab: string) => kept.use((db) => db.getAll('writes', rangeOf(tab))),

    async put(writes: readonly PendingWrite[]): Promise<void> {
      if (successors) successors.push(...writes)
      else await change(writes, [])
    },

    /**
     * Removes writes in the transaction that stores what `succeed` puts: a tab that is killed leaves a write or what comes in its
     * place, never both. `succeed` waits for nothing else.
     */
    async replace(writes: readonly PendingWrite[], succeed: () => Promise<void>): Promise<void> {
      const put: PendingWrite[] = []
      successors = put
      await succeed().finally(() => {
        successors = null
      })
      await change(put, writes)
    },

    /** Stores the writes of another tab as what `rename` makes of them, in their order. Resolves with those. */
    move(other: string, rename: (write: PendingWrite) => PendingWrite): Promise<PendingWrite[] | null> {
      return kept.use(async (db) => {
        const tx = db.transaction('writes', 'readwrite')
        const left = await tx.store.getAll(rangeOf(other))
        const own = left.map(rename)
        await allStored(tx.done, [
          ...left.map(({ tab, seq }) => tx.store.delete([tab, seq])),
          ...own.map((write) => tx.store.put(write)),
        ])
        return own
      })
    },
  }
}
