import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { MAX_ROWS_INLINE } from '../imports/run-work'
import { type DeckRow, listDecksDownwards, listDecksTrashedWith } from './deck-store'
import { requireDeckLevels } from './deck-tree'
import type { DeckWriter } from './deck-writer'
import type { FactsWriter } from './fact-bulk-writer'
import { listFactsInDeck, listFactsTrashedWith, listLivingFactsInDeck } from './fact-store'
import { hasManyRows } from './replay'

interface Deps extends Pick<Context, 'now'> {
  readonly deckWriter: DeckWriter
  readonly factsWriter: FactsWriter
}

/** Does something with up to about `limit` of the facts and decks that hang on a deck; how many: 0, if there is none left. */
export type ChangeSome = (session: Session, deck: DeckRow, limit: number) => Promise<number>

export type DeckContents = ReturnType<typeof createDeckContents>

/** What happens to the contents of a deck when it is deleted, restored or erased. `session.db` must be a transaction. */
export function createDeckContents({ now, deckWriter, factsWriter }: Deps) {
  /** Some facts of these decks: of those that live, or of all. */
  async function factsOf({ db, workspace }: Session, decks: readonly DeckRow[], living: boolean, limit: number) {
    for (const { key } of decks) {
      const facts = living
        ? await listLivingFactsInDeck(db, workspace.id, key, limit)
        : await listFactsInDeck(db, workspace.id, key, { living, after: '', limit })
      if (facts.length > 0) return facts
    }
    return []
  }

  /** Takes into the trash what lives in the deck: facts first, then decks from the lowest upwards, so that none lives in the trash. */
  const trashSome: ChangeSome = async (session, deck, limit) => {
    const entry = entryOf(deck)
    const decks = await listDecksDownwards(session.db, session.workspace.id, deck.key)
    const facts = await factsOf(session, decks, true, limit)
    if (facts.length > 0) await factsWriter.trash(session, facts, entry)
    const below = facts.length > 0 ? [] : decks.slice(1).filter(({ deleted_at }) => deleted_at === null)
    for (const one of below.slice(-limit).toReversed())
      await deckWriter.save(session, one, { deleted_at: now(), trashed_with: one.id === entry ? null : entry })
    return facts.length + below.slice(-limit).length
  }

  /** Brings back what went along with the deck, which is back itself: decks from the top downwards, then facts. */
  const restoreSome: ChangeSome = async (session, deck, limit) => {
    const { db, workspace } = session
    const decks = (await listDecksTrashedWith(db, workspace.id, deck)).slice(0, limit)
    for (const one of decks) await deckWriter.save(session, one, NOT_IN_TRASH)
    if (decks.length > 0) return decks.length
    const facts = await listFactsTrashedWith(db, workspace.id, deck.id, limit)
    if (facts.length > 0) await factsWriter.restore(session, facts)
    return facts.length
  }

  /** Erases what is in the deck, living and in the trash. */
  const eraseSome: ChangeSome = async (session, deck, limit) => {
    const decks = await listDecksDownwards(session.db, session.workspace.id, deck.key)
    const facts = await factsOf(session, decks, false, limit)
    if (facts.length > 0) await factsWriter.erase(session, facts)
    const below = facts.length > 0 ? [] : decks.slice(1).slice(-limit).toReversed()
    for (const one of below) await deckWriter.erase(session, one)
    return facts.length + below.length
  }

  /** Moves facts of the deck itself, living and in the trash, into another. */
  async function moveSome(session: Session, deck: DeckRow, limit: number, target: DeckRow): Promise<number> {
    const facts = await factsOf(session, [deck], false, limit)
    if (facts.length > 0) await factsWriter.move(session, facts, target.key)
    return facts.length
  }

  return {
    trashSome,
    restoreSome,
    eraseSome,
    moveSome,

    /** Whether more hangs on the deck than one transaction changes. */
    async isLarge(session: Session, deck: DeckRow): Promise<boolean> {
      const decks = await listDecksDownwards(session.db, session.workspace.id, deck.key)
      return decks.length > MAX_ROWS_INLINE || hasManyRows(session, decks)
    },

    /** Whether anything went along with the deck into the trash. */
    async hasAlong({ db, workspace }: Session, deck: DeckRow): Promise<boolean> {
      const facts = await listFactsTrashedWith(db, workspace.id, deck.id, 1)
      return facts.length > 0 || (await listDecksTrashedWith(db, workspace.id, deck)).length > 0
    },

    /** Takes the deck, unless it is there, with all that lives in it into the trash, as one entry. */
    async trash(session: Session, deck: DeckRow): Promise<void> {
      while ((await trashSome(session, deck, MAX_ROWS_INLINE)) > 0);
      if (deck.deleted_at === null) await deckWriter.save(session, deck, { deleted_at: now() })
    },

    /** Brings the deck back with all that went along. Throws conflict if its name is taken by now. */
    async restore(session: Session, deck: DeckRow): Promise<void> {
      await deckWriter.save(session, deck, NOT_IN_TRASH)
      while ((await restoreSome(session, deck, MAX_ROWS_INLINE)) > 0);
    },

    /** Erases the deck with all that is in it, living and in the trash. */
    async erase(session: Session, deck: DeckRow): Promise<void> {
      while ((await eraseSome(session, deck, MAX_ROWS_INLINE)) > 0);
      await deckWriter.erase(session, deck)
    },

    /** Moves the decks in the deck, living and in the trash, into another. Throws conflict, invalid_request. */
    async moveDecks(session: Session, deck: DeckRow, target: DeckRow): Promise<void> {
      const decks = await listDecksDownwards(session.db, session.workspace.id, deck.key)
      for (const one of decks.filter(({ parent }) => parent === deck.key)) {
        await requireDeckLevels(session, one, target, '/move_to')
        await deckWriter.save(session, one, { parent: target.key })
      }
    },
  }
}

export const NOT_IN_TRASH = { deleted_at: null, trashed_with: null }

/** What is restored to bring back all that goes into the trash with a deck. */
function entryOf({ id, trashed_with }: DeckRow): string {
  return trashed_with ?? id
}
