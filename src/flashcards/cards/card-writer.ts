import type { Change, RecordChange, RecordChanges } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import { changeOf, hasMembers, revise, taken } from '../../http/resource'
import { type CardDraft, type CardRow, cardTable, updateMemory } from './card-store'

export const CARD_BYTES = 100

interface Deps extends Pick<Context, 'now'> {
  readonly record: RecordChange
  readonly recordAll: RecordChanges
}

export type CardWriter = ReturnType<typeof createCardWriter>

/** The only writer of cards. Each call records the change. `session.db` must be a transaction. */
export function createCardWriter({ now, record, recordAll }: Deps) {
  /** Stores an archived state of the card, with its revision, which must be higher, and its instants. */
  async function replace(session: Session, old: CardRow, asked: CardDraft): Promise<CardRow> {
    const card = await cardTable.update(session, { ...old, ...asked }, old)
    await record(session, changeOf('card', card, 0, 0))
    return card
  }

  return {
    replace,

    async insert(session: Session, draft: CardDraft): Promise<CardRow> {
      const card = await cardTable.insert(session, draft)
      if (!card) throw taken('A card with this id exists already.', draft.id)
      await record(session, changeOf('card', card, 0, CARD_BYTES))
      return card
    },

    /**
     * Stores the card with these members, at the next revision if one differs.
     * @param touched whether its faces changed, so that it gets its next revision even if no member differs
     */
    async save(session: Session, old: CardRow, members: Partial<CardRow>, touched = false): Promise<CardRow> {
      return hasMembers(old, members) && !touched ? old : replace(session, old, revise(old, members, now()))
    },

    /** Stores these cards, each at its next revision; of some only stability and difficulty may differ: `memory`. */
    async saveAll(session: Session, cards: readonly CardRow[], what: 'all' | 'memory'): Promise<void> {
      const at = now()
      const changes: Change[] = []
      for (const card of cards) {
        const next = revise(card, {}, at)
        await (what === 'memory' ? updateMemory : cardTable.update)(session, next)
        changes.push(changeOf('card', next, 0, 0))
      }
      await recordAll(session, changes)
    },
  }
}
