/** The counter port: the operations that the gate needs for counting requests. */
import type { Charge, CounterSubject } from './tiers'

export type MaybePromise<T> = T | Promise<T>

/** Calls `next` synchronously, unless the value is a promise. Most are plain, and promises would double the cost. */
export function whenReady<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

export interface TakeResult {
  /** Whether all charges were made; otherwise none was. */
  readonly granted: boolean
  /** What each charge has left after the request. If it was not granted, those with 0 refused it. */
  readonly left: readonly number[]
  /** Whether the newcomer was unknown; its charges then follow the others in `left`. */
  readonly isNew: boolean
}

export interface Newcomer {
  readonly key: CounterSubject
  /** A key last used before this day (since 1970) is admitted again. */
  readonly since: number
  readonly charges: readonly Charge[]
}

/** The counts of consecutive hours, oldest first; the last one is the present hour. */
export interface History {
  /** The present hour, in hours since 1970. */
  readonly hour: number
  readonly used: readonly number[]
  readonly refused: readonly number[]
}

/**
 * Counts requests. The methods may return promises, so that several processes could share a counter. `hour` is in hours
 * since 1970, as `resolveHour` returns it: it decreases only after a clock that was ahead has been corrected. All
 * methods may throw MeterUnavailable.
 */
export interface Counter {
  /**
   * Adds one to every counter, or to none if one of them is at its limit. An unknown newcomer pays for its admission in
   * the same step and is then known, so of many simultaneous requests with a new key only one pays.
   */
  take(charges: readonly Charge[], hour: number, newcomer?: Newcomer): MaybePromise<TakeResult>
  /** Returns what each charge has left, without charging. @param atOnce whether it fails at once while Redis is away */
  peek(charges: readonly Charge[], hour: number, atOnce?: boolean): MaybePromise<readonly number[]>
  /** After that hour nothing is given back, since another one was not charged. Returns what each charge has left. */
  giveBack(charges: readonly Charge[], hour: number): MaybePromise<readonly number[]>
  /** Counts a refusal. A crash may lose the count. */
  refuse(charge: Charge, hour: number): MaybePromise<void>
  /** Returns the counts of the newest `hours` hours. */
  history(charge: Charge, hours: number, hour: number): MaybePromise<History>
  /** Returns the day (since 1970) on which a key was last used, or null for an unknown key. */
  lastSeen(key: CounterSubject): MaybePromise<number | null>
  /** Records that a key was used. */
  markKeyUsed(key: CounterSubject, hour: number): MaybePromise<void>
}

export interface OpenCounter extends Counter {
  /** The last hour counted, also by other processes and earlier ones, as far as this process has seen. */
  readonly hour: number
  /** The state for /metrics. */
  readonly state: CounterState
  /** Checks that requests can be counted. @throws MeterUnavailable if they cannot */
  checkReady(): MaybePromise<void>
  close(): void
}

export interface CounterState {
  /** How often counts were written. */
  readonly commits: number
  /** Whether requests cannot be counted now. */
  readonly failing: boolean
  /** Counters held in memory. */
  readonly entries: number
}

/** Thrown while the counts cannot be read or written. It recovers by itself. */
export class MeterUnavailable extends Error {
  override readonly name = 'MeterUnavailable'
}
