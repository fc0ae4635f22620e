/** The responses that the gate itself makes: the 204 of a preflight, and its errors. */
import { ApiError } from '../http/api-error'
import { type Charge, POLICIES, type Tier } from './tiers'

/** Makes the response to a preflight. A preflight never carries the key, so all methods and headers are allowed. */
export function createPreflightResponse(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers': '*, Authorization',
      // Two hours: the most that Chromium accepts.
      'Access-Control-Max-Age': '7200',
      'Cache-Control': 'no-store',
    },
  })
}

/** Makes a 429 that names the policies that refused. @param reset seconds until the end of the hour */
export function tooManyRequests(violated: readonly Charge[], tier: Tier, reset: number): ApiError {
  const [first] = violated
  const limit = first ? `${first.limit} ${POLICIES[first.policy].description}` : 'The limit is used up'
  const isNewKey = violated.some(({ hours }) => hours === 24)
  const isForeign = violated.some(({ policy }) => policy.startsWith('foreign-keys'))
  const otherKey = isForeign ? 'Use a key made on the key page (see /)' : 'Use a key you already have'
  const advice = tier === 'free' ? 'Slow down, or add an API key (see /)' : 'Slow down'
  return new ApiError(
    isNewKey ? 'too_many_new_keys' : 'rate_limited',
    isNewKey
      ? `${limit}. ${otherKey}, or try again in ${reset} s at the earliest.`
      : `${limit}. ${advice}. Resets in ${reset} s.`,
    { violated_policies: violated.map(({ policy }) => policy) },
    { 'Retry-After': String(reset) },
  )
}

/** @param fault a sentence that says what is wrong with the key, without repeating it */
export function invalidKey(fault: string): ApiError {
  return new ApiError('invalid_api_key', fault)
}

export function invalidHost(): ApiError {
  return new ApiError(
    'invalid_request',
    'The Host header is missing, was sent twice, or is not a host name with an optional port.',
  )
}

export function countingUnavailable(): ApiError {
  return new ApiError('unavailable', 'The server cannot count requests right now. Try again in a moment.')
}
