/** What the meter is opened with. */
import type { Database } from 'bun:sqlite'
import type { Log } from './counter-port'

export interface MeterOptions {
  /** Path of meter.db. */
  path: string
  /** Fingerprint of the secret that the subjects are made with. */
  fingerprint: string
  /** ms since 1970. */
  now: () => number
  log: Log
  /** Counters held in memory, 100,000 unless told. */
  cacheEntries?: number
  /** Between two tries of a failed commit. */
  retryMs?: number
  /** The longest that a refusal waits for a commit to ride with. */
  tallyMs?: number
  connect?: (path: string) => Database
}
