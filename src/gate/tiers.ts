import type { NetworkRange } from '../lib/client-address'

/** The settings of the gate. Limits are requests (or new keys) in the time that their name says. */
export interface GateSettings {
  /** At least 1. */
  freeLimitPerHour: number
  /** At least 1. */
  apiLimitPerHour: number
  /** 0 switches it off. */
  networkCeilingPerHour: number
  /** 0 switches it off. */
  newKeysPerDay: number
  trustedProxies: readonly NetworkRange[]
  clientIpHeader: string
  corsOrigin: '*' | readonly string[]
}

/** Hours for which the counts of single callers are kept. */
export const DETAIL_HOURS = 48

/** A key that is unused for this many days is forgotten, unless its workspace is not empty. */
export const KEY_IDLE_DAYS = 90
/** A key in a foreign format that a network has not used for this many days counts as unused by it. */
export const FOREIGN_KEY_IDLE_DAYS = 30

export type Tier = 'free' | 'api'

interface Policy {
  /** The length of the window. 24 means the present hour and the 23 before it. */
  readonly hours: 1 | 24
  readonly limit: (settings: GateSettings) => number
  /** What the limit counts; the `detail` of a refusal begins with it. */
  readonly description: string
}

/** An IPv6 /48 may have this many times the requests of one network: 65,536 networks cost its owner nothing. */
const FREE_48_FACTOR = 16
/** An IPv6 /48 may have this many times the new keys, or first uses of foreign keys, of one network. */
const NEW_KEYS_48_FACTOR = 10
/** Requests an hour for one calendar feed, so that a leaked URL cannot use up the limit of its owner. */
const FEED_LIMIT_PER_HOUR = 60

/** All policies. Their names are stored with the counts and sent to callers, so they are stable. */
export const POLICIES = {
  free: { hours: 1, limit: (s) => s.freeLimitPerHour, description: 'requests an hour for each address without a key' },
  'free-48': {
    hours: 1,
    limit: (s) => s.freeLimitPerHour * FREE_48_FACTOR,
    description: 'requests an hour for each IPv6 /48 network without a key',
  },
  api: { hours: 1, limit: (s) => s.apiLimitPerHour, description: 'requests an hour for each key' },
  network: {
    hours: 1,
    limit: (s) => s.networkCeilingPerHour,
    description: 'requests an hour for all keys of one network together',
  },
  feed: { hours: 1, limit: () => FEED_LIMIT_PER_HOUR, description: 'requests an hour for each feed' },
  'new-keys-day': { hours: 24, limit: (s) => s.newKeysPerDay, description: 'new keys in 24 hours for each network' },
  'new-keys-48': {
    hours: 24,
    limit: (s) => s.newKeysPerDay * NEW_KEYS_48_FACTOR,
    description: 'new keys in 24 hours for each IPv6 /48 network',
  },
  'foreign-keys-day': {
    hours: 24,
    limit: (s) => s.newKeysPerDay,
    description: 'first uses in 24 hours of keys that Satchel did not make, for each network',
  },
  'foreign-keys-48': {
    hours: 24,
    limit: (s) => s.newKeysPerDay * NEW_KEYS_48_FACTOR,
    description: 'first uses in 24 hours of keys that Satchel did not make, for each IPv6 /48 network',
  },
} as const satisfies Record<string, Policy>

export type PolicyName = keyof typeof POLICIES

/** The hash of a caller that a policy counts: 32 hexadecimal digits, meaningless without the secret. */
export type CounterSubject = string

export interface Charge {
  readonly policy: PolicyName
  readonly subject: CounterSubject
  /** The name of the counter within an hour. It has no limit in it: a changed setting does not reset the counter. */
  readonly counter: string
  readonly hours: 1 | 24
  readonly limit: number
}

export function createCharge(policy: PolicyName, subject: CounterSubject, settings: GateSettings): Charge {
  const { hours, limit } = POLICIES[policy]
  return { policy, subject, counter: `${policy}:${subject}`, hours, limit: limit(settings) }
}

export const HOUR_MS = 3_600_000
/** A clock may fall behind the last hour by this much. A clock that is further behind must have been ahead before. */
export const MAX_HELD_HOURS = 2

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

type MaybePromise<T> = T | Promise<T>

/**
 * Counts requests. The methods may return promises, since several processes can share a counter. `hour` is in hours
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
  /** For /metrics: how often counts were written, whether requests cannot be counted now, counters in memory. */
  readonly state: { readonly commits: number; readonly failing: boolean; readonly entries: number }
  /** Checks that requests can be counted. @throws MeterUnavailable if they cannot */
  checkReady(): MaybePromise<void>
  close(): void
}

/** Thrown while the counts cannot be read or written. It recovers by itself. */
export class MeterUnavailable extends Error {
  override readonly name = 'MeterUnavailable'
}
