/** The writes that the server never takes: each is told until the person has seen it, also after a reload or a crash. */
import { signal } from '@preact/signals'
import type { WriteStorage } from './write-storage'
import type { PendingWrite } from './writes'

export const isUnsent = ({ refused }: PendingWrite) => refused === undefined

export function createRefusedWrites(stored: WriteStorage) {
  const told = signal<readonly PendingWrite[]>([])

  /** Tells of the stored writes that were refused, and returns the others. */
  function sort(writes: readonly PendingWrite[]): PendingWrite[] {
    told.value = [...told.value, ...writes.filter((write) => !isUnsent(write))]
    return writes.filter(isUnsent)
  }

  return {
    told,
    sort,

    /** To be called while the write is removed from those that are sent. @param why a sentence */
    async add(write: PendingWrite, why: string): Promise<void> {
      const refused = { ...write, refused: why }
      sort([refused])
      await stored.put([refused])
    },

    /** Forgets a write. */
    async dismiss(write: PendingWrite): Promise<void> {
      told.value = told.value.filter((one) => one !== write)
      await stored.replace([write], async () => {})
    },
  }
}
