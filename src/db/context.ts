import type { Database } from './database'

/** A log: `fields` are members of its line. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** It is made once; each service takes the parts that it needs. */
export interface Context {
  /** The clock: milliseconds since 1970. */
  readonly now: () => number
  /** A monotonic clock for durations: milliseconds with fractions, from an arbitrary start. */
  readonly ticks: () => number
  /** Makes a UUIDv7. */
  readonly ids: () => string
  /** Fills the array with secure random bytes. */
  readonly random: (bytes: Uint8Array) => Uint8Array
  readonly log: Log
  readonly db: Database
}
