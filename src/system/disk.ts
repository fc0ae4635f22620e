/** The floor of the disk: a part of it that no request may fill, so that deleting, counting and the log still work. */

export interface DiskSpace {
  /** Bytes that this process may still write. */
  readonly free: number
  /** Bytes of the whole disk. */
  readonly size: number
}

interface Deps {
  /** The space of the disk that holds the data folder. Throws if it cannot be read. */
  readonly diskSpace: () => DiskSpace
  /** Bytes that stay free; 0 = off; null: DEFAULT_FLOOR, or DEFAULT_SHARE of the disk if that is less. */
  readonly minFreeBytes: number | null
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>
}

const DEFAULT_FLOOR = 512 * 1024 * 1024
const DEFAULT_SHARE = 0.05
/** How long one look at the disk serves all requests, in milliseconds: none of them pays for a system call of its own. */
const LOOK_MS = 1000
/** So often is a byte that is let in written, roughly: to the log of SQLite, to its table, and to indexes. */
const WRITTEN_TIMES = 4

/** What a look finds; `unknown` counts as `enough`. The log has one line for each change. */
const STATES = {
  enough: ['info', 'the disk has enough free space again: nothing is refused for it'],
  full: ['warn', 'the free space of the disk is below MIN_FREE_BYTES: what would add to the data is refused with 507'],
  unknown: ['error', 'the free space of the disk cannot be read: nothing is refused for it'],
} as const

export type Disk = ReturnType<typeof createDisk>

export function createDisk({ diskSpace, minFreeBytes, now, log }: Deps) {
  let state: keyof typeof STATES = 'enough'
  let lookedAt = Number.NEGATIVE_INFINITY
  let space: (DiskSpace & { readonly floor: number }) | null = null
  /** Bytes that what was let in since the last look takes; the look does not know of them. */
  let added = 0

  function enter(next: typeof state, fields: object): void {
    if (next === state) return
    state = next
    const [level, message] = STATES[next]
    log[level](fields, message)
  }

  function look(): void {
    // A clock that was set back must not keep an old look alive.
    if (Math.abs(now() - lookedAt) < LOOK_MS) return
    lookedAt = now()
    added = 0
    try {
      const { free, size } = diskSpace()
      const floor = minFreeBytes ?? Math.min(DEFAULT_FLOOR, Math.floor(size * DEFAULT_SHARE))
      space = { free, size, floor }
      enter(free < floor ? 'full' : 'enough', { free_bytes: free, floor_bytes: floor })
    } catch (err) {
      space = null
      enter('unknown', { err })
    }
  }

  return {
    /** Whether the free space is below the floor. If not, `bytes` count as written from here on. */
    isFull(bytes: number): boolean {
      if (minFreeBytes === 0) return false
      look()
      if (space && space.free - added < space.floor) return true
      added += bytes * WRITTEN_TIMES
      return false
    },

    /** At the last look, at most a second ago: free bytes and the floor. Null if they cannot be read. */
    space(): { readonly free: number; readonly floor: number } | null {
      look()
      return space
    },
  }
}
