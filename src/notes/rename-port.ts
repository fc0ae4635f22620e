import type { Session } from '../db/database'
import type { Outcome } from '../http/idempotency'
import type { ImportReport } from '../imports/schema'
import type { Imports } from '../imports/service'
import type { NoteRow } from './store'

/** The contract of a rename, which links/rename-note.ts implements, and the results that it reports. */

/**
 * Stores `next`. If its title, file name or folder changed, rewrites the links to it so that they still point to it; `keepsBody`
 * leaves the links in its own body alone. `session.db` must be a transaction. If more than MAX_ROWS_INLINE notes link to it, a
 * run is started in the transaction and rewrites them: `run` is its id. Otherwise `run` is null, and `rewritten` counts
 * all.
 * @throws ApiError rewrite_impossible; unavailable if too many runs are waiting
 */
export type RenameNote = (
  session: Session,
  old: NoteRow,
  next: NoteRow,
  options?: { readonly keepsBody?: boolean },
) => Promise<{ note: NoteRow; rewritten: number; run: string | null }>

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
