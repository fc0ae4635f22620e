import type { Context } from '../db/database'
/**
 * Keeps a part of the disk free that no request may fill, so that deleting, counting requests and logging still work.
 */

export interface DiskSpace {
  /** Bytes that this process may still write. */
  readonly free: number
  /** Bytes of the whole disk. */
  readonly size: number
}

interface Deps extends Pick<Context, 'now'> {
  /** Reads the space of the disk that holds the data folder. Throws if it cannot be read. */
  readonly diskSpace: () => DiskSpace
  /**
   * Bytes that must stay free; 0: no check; null: DEFAULT_FLOOR_BYTES, or DEFAULT_SHARE of the disk if that is less.
   */
  readonly minFreeBytes: number | null
  readonly log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>
}

const DEFAULT_FLOOR_BYTES = 512 * 1024 * 1024
const DEFAULT_SHARE = 0.05
/** Time for which a measurement is reused, so that not every request makes a system call. */
const SPACE_CACHED_MS = 1000
/** A stored byte takes about this many bytes on the disk: in the write-ahead log, the table and the indexes. */
const DISK_BYTES_PER_BYTE = 4

/** The states of the disk, and the line that is logged when each begins. `unknown` counts as `enough`. */
const STATES = {
  enough: ['info', 'the disk has enough free space again: nothing is refused for it'],
  full: ['warn', 'the free space of the disk is below MIN_FREE_BYTES: what would add to the data is refused with 507'],
  unknown: ['error', 'the free space of the disk cannot be read: nothing is refused for it'],
} as const

export type Disk = ReturnType<typeof createDisk>

export function createDisk({ diskSpace, minFreeBytes, now, log }: Deps) {
  let state: keyof typeof STATES = 'enough'
  let measuredAt = Number.NEGATIVE_INFINITY
  let space: (DiskSpace & { readonly floor: number }) | null = null
  /** Bytes that were written since the last measurement, which does not include them. */
  let added = 0

  function setState(next: typeof state, fields: object): void {
    if (next === state) return
    state = next
    const [level, message] = STATES[next]
    log[level](fields, message)
  }

  function measure(): void {
    // `abs`: a clock that was set back must not make an old measurement valid for longer.
    if (Math.abs(now() - measuredAt) < SPACE_CACHED_MS) return
    measuredAt = now()
    added = 0
    try {
      const { free, size } = diskSpace()
      const floor = minFreeBytes ?? Math.min(DEFAULT_FLOOR_BYTES, Math.floor(size * DEFAULT_SHARE))
      space = { free, size, floor }
      setState(free < floor ? 'full' : 'enough', { free_bytes: free, floor_bytes: floor })
    } catch (err) {
      space = null
      setState('unknown', { err })
    }
  }

  return {
    /** Whether the free space is below the floor. If it is not, `bytes` count as written from now on. */
    isFull(bytes: number): boolean {
      if (minFreeBytes === 0) return false
      measure()
      if (space && space.free - added < space.floor) return true
      added += bytes * DISK_BYTES_PER_BYTE
      return false
    },

    /** Returns the free bytes, at most a second old, and the floor; null if they cannot be read. */
    space(): { readonly free: number; readonly floor: number } | null {
      measure()
      return space
    },
  }
}
