import type { Outcome } from '../../http/idempotency'

/** The outcome with the header that tells in how many notes links were rewritten. */
export function withLinksUpdated<Body>(outcome: Outcome<Body>, notes: number): Outcome<Body> {
  return { ...outcome, headers: { ...outcome.headers, 'X-Links-Updated': String(notes) } }
}
