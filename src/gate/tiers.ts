import type { NetworkRange } from './client-address'

/** The policies of the gate: whose requests each one counts, over which time, and up to which limit. */

/** The settings of the gate. Limits are requests (or keys) in the time their name says. */
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

/** A key unused for so many days is forgotten, unless its workspace holds something. */
export const KEY_IDLE_DAYS = 90

export type Tier = 'free' | 'api'

interface Policy {
  /** Length of the window. 24 hours are the newest 24 hour buckets, the present one included. */
  readonly hours: 1 | 24
  readonly limit: (settings: GateSettings) => number
  /** What the limit is about; opens the `detail` of a refusal. */
  readonly says: string
}

/** What an IPv6 /48 may have of what one network may: it holds 65,536 networks, which cost their owner nothing. */
const FREE_48_TIMES = 16
const NEW_KEYS_48_TIMES = 10
/** Requests an hour for one token of a feed, so that an address that leaked cannot use up its owner's hour. */
const FEED_LIMIT_PER_HOUR = 60

/** Every policy. A name is stored with the counts and sent to callers: it is stable. */
export const POLICIES = {
  free: { hours: 1, limit: (s) => s.freeLimitPerHour, says: 'requests an hour for each address without a key' },
  'free-48': {
    hours: 1,
    limit: (s) => s.freeLimitPerHour * FREE_48_TIMES,
    says: 'requests an hour for each IPv6 /48 network without a key',
  },
  api: { hours: 1, limit: (s) => s.apiLimitPerHour, says: 'requests an hour for each key' },
  network: {
    hours: 1,
    limit: (s) => s.networkCeilingPerHour,
    says: 'requests an hour for all keys of one network together',
  },
  feed: { hours: 1, limit: () => FEED_LIMIT_PER_HOUR, says: 'requests an hour for each feed' },
  'new-keys-day': { hours: 24, limit: (s) => s.newKeysPerDay, says: 'new keys in 24 hours for each network' },
  'new-keys-48': {
    hours: 24,
    limit: (s) => s.newKeysPerDay * NEW_KEYS_48_TIMES,
    says: 'new keys in 24 hours for each IPv6 /48 network',
  },
} as const satisfies Record<string, Policy>

export type PolicyName = keyof typeof POLICIES

/** Whom a policy counts: 32 hexadecimal digits that tell nothing without the secret. */
export type CounterSubject = string

/** One counter to charge: a policy, whom it counts, and the limit that holds now. */
export interface Charge {
  readonly policy: PolicyName
  readonly subject: CounterSubject
  /** The counter's name within an hour. The limit is not part of it: a changed setting refills nobody. */
  readonly counter: string
  readonly hours: 1 | 24
  readonly limit: number
  /** Its item of RateLimit-Policy. */
  readonly field: string
}

/** The charge of `policy` for `subject` under these settings. */
export function createCharge(policy: PolicyName, subject: CounterSubject, settings: GateSettings): Charge {
  const { hours, limit: limitIn } = POLICIES[policy]
  const limit = limitIn(settings)
  const field = `"${policy}";q=${limit};w=${hours * 3600}`
  return { policy, subject, counter: `${policy}:${subject}`, hours, limit, field }
}

/** The hour that requests are counted in: that of the clock, or one that is held because the clock was set back. */

export const HOUR_MS = 3_600_000
/** So many hours a clock may fall behind the hour held; one that is further behind was ahead before. */
const HELD_HOURS = 2

/**
 * The hour to count in, in hours since 1970. A clock set back a little gives nobody a fresh hour: the newest one goes on
 * until the clock has passed it. Had the clock been ahead, that would freeze every limit for as long: it is followed.
 * @param held the hour that was counted in last
 * @param present the hour of the clock
 */
export function resolveHour(held: number, present: number): number {
  return present < held - HELD_HOURS ? present : Math.max(held, present)
}
