import type { Session } from '../db/database'
import type { Outcome } from '../http/idempotency'
import type { ImportReport } from '../imports/schema'
import type { Imports } from '../imports/service'

/** The result of a run that rewrites the links to renamed notes. */
export interface LinksUpdated {
  readonly links_updated: number
  /** Ids of notes whose links could not be rewritten; the first 100. */
  readonly notes_left: readonly string[]
}

export function toLinksUpdatedHeader(notes: number): { 'X-Links-Updated': string } {
  return { 'X-Links-Updated': String(notes) }
}

/** Adds that header to an outcome. */
export function withLinksUpdated<Body>(outcome: Outcome<Body>, notes: number): Outcome<Body> {
  return { ...outcome, headers: { ...outcome.headers, ...toLinksUpdatedHeader(notes) } }
}

/**
 * Waits for the run that rewrites the links to what was renamed. Returns the report of the run if that takes long, else
 * what `read` returns, with the header.
 * @throws ApiError the error of the run
 */
export async function waitForLinks<Body>(
  imports: Pick<Imports, 'waitForOutcome'>,
  request: Request,
  session: Session,
  run: string,
  read: (updated: LinksUpdated) => Promise<Outcome<Body>>,
): Promise<Outcome<Body | ImportReport>> {
  const outcome = await imports.waitForOutcome<LinksUpdated>(request, session, run)
  if (!('links_updated' in outcome.body)) return { ...outcome, body: outcome.body }
  return withLinksUpdated(await read(outcome.body), outcome.body.links_updated)
}

export const LinksUpdatedHeader = {
  description: 'The number of notes whose links were rewritten.',
  schema: { type: 'integer', minimum: 0 },
}
