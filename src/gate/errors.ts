/** What the gate itself answers. */
import { ApiError } from '../http/api-error'
import { type Charge, POLICIES, type Tier } from './tiers'

/** The answer to a preflight. It cannot carry the key, so it allows everything that the API knows. */
export function createPreflightResponse(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers': '*, Authorization',
      // Chromium keeps a preflight no longer than two hours.
      'Access-Control-Max-Age': '7200',
      'Cache-Control': 'no-store',
    },
  })
}

/** 429, naming the policies that refused. `reset` is in seconds. */
export function tooManyRequests(violated: readonly Charge[], tier: Tier, reset: number): ApiError {
  const [first] = violated
  const limit = first ? `${first.limit} ${POLICIES[first.policy].says}` : 'The limit is used up'
  const newKey = violated.some(({ policy }) => policy.startsWith('new-keys'))
  const advice = tier === 'free' ? 'Slow down, or add an API key (see /)' : 'Slow down'
  return new ApiError(
    newKey ? 'too_many_new_keys' : 'rate_limited',
    newKey
      ? `${limit}. Use a key you already have, or ask again in ${reset} s at the earliest.`
      : `${limit}. ${advice}. Resets in ${reset} s.`,
    { violated_policies: violated.map(({ policy }) => policy) },
    { 'Retry-After': String(reset) },
  )
}

/** `fault` is a sentence that says what is wrong with the key, without repeating it. */
export function invalidKey(fault: string): ApiError {
  return new ApiError('invalid_api_key', fault)
}

export function invalidHost(): ApiError {
  return new ApiError(
    'invalid_request',
    'The Host header is missing, was sent twice, or is not a host name with an optional port.',
  )
}

/** While the meter, or the database it depends on, fails. */
export function countingUnavailable(): ApiError {
  return new ApiError('unavailable', 'The server cannot count requests right now. Try again in a moment.')
}
