import type { Session } from '../../db/database'
import type { CardDraft, CardRow } from './store'

/** What a card counts towards the quota, in bytes. */
export const CARD_BYTES = 100

/** The one way to write cards. Each call keeps the journal in step. `session.db` must be a transaction. */
export interface CardWriter {
  insert(session: Session, draft: CardDraft): Promise<CardRow>
  /** Stores the card with these members, at the next revision if one differs or `touched` says so. */
  save(session: Session, old: CardRow, members: Partial<CardRow>, touched?: boolean): Promise<CardRow>
  /** Tells the journal of cards that are about to go for good with their fact, and of their reviews. */
  erased(session: Session, cards: readonly CardRow[]): Promise<void>
}
