/** What the gate needs of a counter, however it is kept. */
import type { Charge, CounterSubject } from './tiers'

export type MaybePromise<T> = T | Promise<T>

/** Goes on as soon as an answer is here. Most are at once, and a promise for each would cost as much as the rest. */
export function whenReady<T, U>(answer: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return answer instanceof Promise ? answer.then(next) : next(answer)
}

export interface TakeResult {
  /** True: every charge was made. False: none was. */
  readonly granted: boolean
  /** What each charge has left, after this request. Of a request not granted, those with 0 refused it. */
  readonly left: readonly number[]
  /** The newcomer was unknown: its charges follow the others in `left`. */
  readonly isNew: boolean
}

/** A key that may have to be admitted. */
export interface Newcomer {
  readonly key: CounterSubject
  /** ms since 1970. */
  readonly at: number
  /** A key last used before this day (since 1970) is admitted again. */
  readonly since: number
  /** What its admission costs. */
  readonly charges: readonly Charge[]
}

/** Counts hour by hour, the oldest first, the present hour last. */
export interface History {
  /** The present hour, in hours since 1970. */
  readonly hour: number
  readonly used: readonly number[]
  readonly refused: readonly number[]
}

/**
 * Everything the gate asks of a counter. It may answer now or by promise, so that a shared one can stand in for many
 * processes. `hour` is in hours since 1970, as `heldHour` tells it: it goes back only when the clock was ahead. Each may throw MeterUnavailable.
 */
export interface Counter {
  /**
   * Adds one to every counter, or to none when one of them is at its limit. A newcomer that is unknown pays its
   * admission in the same step, and is known from then on: of many requests that bring a key at once, one pays.
   */
  take(charges: readonly Charge[], hour: number, newcomer?: Newcomer): MaybePromise<TakeResult>
  /** What each charge has left. */
  peek(charges: readonly Charge[], hour: number): MaybePromise<readonly number[]>
  /** Notes a refusal. It may be lost in a crash. */
  refuse(charge: Charge, hour: number): MaybePromise<void>
  history(charge: Charge, hours: number, hour: number): MaybePromise<History>
  /** The day since 1970 on which a key was last used, or null for one that is not known. */
  lastSeen(key: CounterSubject): MaybePromise<number | null>
  /** Notes that a key was used at `at` (ms since 1970). */
  markKeyUsed(key: CounterSubject, at: number, hour: number): MaybePromise<void>
}

/** The meter's file cannot be read or written now. It resumes by itself. */
export class MeterUnavailable extends Error {
  override readonly name = 'MeterUnavailable'
}
