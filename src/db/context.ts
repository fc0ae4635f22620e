import type { Database } from './database'

/** A log, called as pino is. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What the services of a running server share. Made once; each takes of it what it needs. */
export interface Context {
  /** The clock: milliseconds since 1970. */
  readonly now: () => number
  /** A clock that never goes back, for durations: milliseconds with fractions, from an arbitrary moment. */
  readonly ticks: () => number
  /** Makes a UUIDv7. */
  readonly ids: () => string
  /** Fills the array with secure random bytes. */
  readonly random: (bytes: Uint8Array) => Uint8Array
  readonly log: Log
  readonly db: Database
}
