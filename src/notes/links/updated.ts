import type { Outcome } from '../../http/idempotency'

/** The header that tells in how many notes links were rewritten. */
export function linksUpdated(notes: number): { 'X-Links-Updated': string } {
  return { 'X-Links-Updated': String(notes) }
}

/** The outcome with that header. */
export function withLinksUpdated<Body>(outcome: Outcome<Body>, notes: number): Outcome<Body> {
  return { ...outcome, headers: { ...outcome.headers, ...linksUpdated(notes) } }
}
