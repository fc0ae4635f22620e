import type { Session } from '../db/database'
import type { Outcome } from '../http/idempotency'
import type { NoteRow } from './store'

/**
 * Stores `next`, and where its title or folder is another than that of `old`, spells the links that led to it anew, so
 * that they lead there still; those of its own body not where `keepsBody` is set. `session.db` must be a transaction. Where
 * more than AT_ONCE notes link to it, `run` is begun with the transaction and rewrites them; else it is null, and
 * `rewritten` tells of all.
 * @throws Refusal rewrite_impossible; unavailable where too many runs wait
 */
export type RenameNote = (
  session: Session,
  old: NoteRow,
  next: NoteRow,
  options?: { readonly keepsBody?: boolean },
) => Promise<{ note: NoteRow; rewritten: number; run: string | null }>

/** What became of the links to renamed notes. */
export interface LinksUpdated {
  readonly links_updated: number
  /** Ids of notes whose links could not be spelled anew; the first 100. */
  readonly notes_left: readonly string[]
}

/** The header that tells in how many notes links were rewritten. */
export function linksUpdatedHeader(notes: number): { 'X-Links-Updated': string } {
  return { 'X-Links-Updated': String(notes) }
}

/** The outcome with that header. */
export function withLinksUpdated<Body>(outcome: Outcome<Body>, notes: number): Outcome<Body> {
  return { ...outcome, headers: { ...outcome.headers, ...linksUpdatedHeader(notes) } }
}
