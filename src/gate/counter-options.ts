/** What the meter is opened with. */
import type { Database } from 'bun:sqlite'
import type { Log } from './counter-port'

export interface MeterOptions {
  /** Path of meter.db. */
  path: string
  /** Fingerprint of the secret that the subjects are made with. */
  fingerprint: string
  /** The clock at start, in ms since 1970. */
  now: number
  log: Log
  /** Counters held in memory. */
  cacheEntries: number
  /** Keys unused for so many days leave the table; 0 keeps them. */
  keyIdleDays: number
  /** Between two tries of a failed commit. */
  retryMs?: number
  /** The longest that a refusal waits for a commit to ride with. */
  tallyMs?: number
  connect?: (path: string) => Database
}
