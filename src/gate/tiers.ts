/** The policies of the gate: whose requests each one counts, over which time, and up to which limit. */
import type { NetworkRange } from './client-address'

/** The settings of the gate. Limits are requests (or keys) in the time their name says; 0 switches a ceiling off. */
export interface GateSettings {
  /** At least 1. */
  freeLimitPerHour: number
  /** At least 1. */
  apiLimitPerHour: number
  freeCeiling48PerHour: number
  networkCeilingPerHour: number
  newKeysPerHour: number
  newKeysPerDay: number
  newKeys48PerDay: number
  newKeysTotalPerHour: number
  keyGuessesPerHour: number
  keyIdleDays: number
  trustedProxies: readonly NetworkRange[]
  clientIpHeader: string
  corsOrigin: '*' | readonly string[]
}

export type Tier = 'free' | 'api'

interface Policy {
  /** Length of the window. 24 hours are the newest 24 hour buckets, the present one included. */
  readonly hours: 1 | 24
  readonly limit: (settings: GateSettings) => number
  /** What the limit is about; opens the `detail` of a refusal. */
  readonly says: string
}

/** Requests an hour for one token of a feed, so that an address that leaked cannot use up its owner's hour. */
const FEED_LIMIT_PER_HOUR = 60

/** Every policy. A name is stored with the counts and sent to callers: it is stable. */
export const POLICIES = {
  free: { hours: 1, limit: (s) => s.freeLimitPerHour, says: 'requests an hour for each address without a key' },
  'free-48': {
    hours: 1,
    limit: (s) => s.freeCeiling48PerHour,
    says: 'requests an hour for each IPv6 /48 network without a key',
  },
  api: { hours: 1, limit: (s) => s.apiLimitPerHour, says: 'requests an hour for each key' },
  network: {
    hours: 1,
    limit: (s) => s.networkCeilingPerHour,
    says: 'requests an hour for all keys of one network together',
  },
  feed: { hours: 1, limit: () => FEED_LIMIT_PER_HOUR, says: 'requests an hour for each feed' },
  'new-keys': { hours: 1, limit: (s) => s.newKeysPerHour, says: 'new keys an hour for each network' },
  'new-keys-day': { hours: 24, limit: (s) => s.newKeysPerDay, says: 'new keys in 24 hours for each network' },
  'new-keys-48': {
    hours: 24,
    limit: (s) => s.newKeys48PerDay,
    says: 'new keys in 24 hours for each IPv6 /48 network',
  },
  'new-keys-all': { hours: 1, limit: (s) => s.newKeysTotalPerHour, says: 'new keys an hour for the whole server' },
} as const satisfies Record<string, Policy>

export type PolicyName = keyof typeof POLICIES

/** Whom a policy counts: 32 hexadecimal digits that tell nothing without the secret. */
export type Subject = string

/** One counter to charge: a policy, whom it counts, and the limit that holds now. */
export interface Charge {
  readonly policy: PolicyName
  readonly subject: Subject
  /** The counter's name within an hour. The limit is not part of it: a changed setting refills nobody. */
  readonly counter: string
  readonly hours: 1 | 24
  readonly limit: number
  /** Its item of RateLimit-Policy. */
  readonly field: string
}

/** The charge of `policy` for `subject` under these settings. */
export function charge(policy: PolicyName, subject: Subject, settings: GateSettings): Charge {
  const { hours, limit: limitIn } = POLICIES[policy]
  const limit = limitIn(settings)
  const field = `"${policy}";q=${limit};w=${hours * 3600}`
  return { policy, subject, counter: `${policy}:${subject}`, hours, limit, field }
}
