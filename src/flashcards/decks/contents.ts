import type { Session } from '../../db/database'
import type { FactsWriter } from '../facts/many'
import { type FactRow, factsAlongWith, factsInDeck } from '../facts/store'
import { bySteps, type NextRows } from './steps'
import { type DeckRow, decksAlongWith, decksDownwards } from './store'
import { requireRoom } from './tree'
import type { DeckWriter } from './writer'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly deckWriter: DeckWriter
  readonly factsWriter: FactsWriter
}

export type Contents = ReturnType<typeof createContents>

/** What becomes of all that stands in a deck when that goes or comes back. `session.db` must be a transaction. */
export function createContents({ now, deckWriter, factsWriter }: Deps) {
  /** Does something with all facts of these decks: those that live, or all. */
  async function withFacts(
    { db, workspace }: Session,
    decks: readonly DeckRow[],
    living: boolean,
    work: (facts: readonly FactRow[]) => Promise<void>,
  ): Promise<void> {
    for (const { key } of decks)
      await bySteps((after, limit) => factsInDeck(db, workspace.id, key, { living, after, limit }), work)
  }

  return {
    /** Takes the deck, unless it is there, with all that lives in it into the trash, as one entry. */
    async trash(session: Session, deck: DeckRow): Promise<void> {
      const trashed_at = now()
      const entry = deck.trashed_with ?? deck.id
      const decks = await decksDownwards(session.db, session.workspace.id, deck.key)
      await withFacts(session, decks, true, (facts) => factsWriter.trash(session, facts, entry))
      for (const one of decks.filter((each) => each.trashed_at === null))
        await deckWriter.save(session, one, { trashed_at, trashed_with: one.id === entry ? null : entry })
    },

    /** Brings the deck back with all that went along. Throws conflict if its name is taken by now. */
    async restore(session: Session, deck: DeckRow): Promise<void> {
      const { db, workspace } = session
      const back = { trashed_at: null, trashed_with: null }
      for (const one of [deck, ...(await decksAlongWith(db, workspace.id, deck))])
        await deckWriter.save(session, one, back)
      const along: NextRows<FactRow> = (after, limit) => factsAlongWith(db, workspace.id, deck.id, { after, limit })
      await bySteps(along, (facts) => factsWriter.restore(session, facts))
    },

    /** Erases the deck with all that is in it, living and in the trash. */
    async erase(session: Session, deck: DeckRow): Promise<void> {
      const decks = await decksDownwards(session.db, session.workspace.id, deck.key)
      await withFacts(session, decks, false, (facts) => factsWriter.erase(session, facts))
      for (const one of decks.toReversed()) await deckWriter.erase(session, one)
    },

    /** Erases up to `limit` facts of the deck and those below it, living and in the trash. False: there are none. */
    async eraseFacts(session: Session, deck: DeckRow, limit: number): Promise<boolean> {
      const { db, workspace } = session
      for (const { key } of await decksDownwards(db, workspace.id, deck.key)) {
        const facts = await factsInDeck(db, workspace.id, key, { living: false, after: '', limit })
        if (facts.length === 0) continue
        await factsWriter.erase(session, facts)
        return true
      }
      return false
    },

    /** Moves all that stands in the deck, living and in the trash, into another. Throws conflict, invalid_request. */
    async move(session: Session, deck: DeckRow, target: DeckRow): Promise<void> {
      const decks = await decksDownwards(session.db, session.workspace.id, deck.key)
      for (const one of decks.filter(({ parent }) => parent === deck.key)) {
        await requireRoom(session, one, target, '/move_to')
        await deckWriter.save(session, one, { parent: target.key })
      }
      await withFacts(session, [deck], false, (facts) => factsWriter.move(session, facts, target.key))
    },
  }
}
