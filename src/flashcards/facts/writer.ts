import type { Session } from '../../db/database'
import type { FactDraft, FactRow } from './store'

/**
 * The one way to write facts. Each call keeps tags, the text that `q` looks through, cards and the journal in step.
 * `session.db` must be a transaction.
 */
export interface FactWriter {
  /** Stores a new fact with its cards, all new. Throws conflict if its id or its external id is taken. */
  insert(session: Session, draft: FactDraft): Promise<FactRow>
  /**
   * Stores the fact with these members, at the next revision if one differs. Its cards follow: what it has no more goes
   * to the trash, what it has again comes back with its schedule, what is new is made; they move, go to the trash and
   * come back with it. A card gets its next revision where it, its prompt or its answer changed. Throws conflict if the
   * external id is taken.
   */
  save(session: Session, old: FactRow, members: Partial<FactRow>): Promise<FactRow>
  /** Erases the fact for good, with its cards and their reviews. */
  erase(session: Session, fact: FactRow): Promise<void>
}
