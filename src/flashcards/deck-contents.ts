import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { MAX_ROWS_INLINE } from '../imports/run-work'
import { type DeckRow, listDecksDownwards, listDecksTrashedWith } from './deck-store'
import { requireDeckLevels } from './deck-tree'
import type { DeckWriter } from './deck-writer'
import type { FactBulkWriter } from './fact-bulk-writer'
import { listFactsInDeck, listFactsTrashedWith, listLivingFactsInDeck } from './fact-store'
import { hasManyRows } from './replay'

interface Deps extends Pick<Context, 'now'> {
  readonly deckWriter: DeckWriter
  readonly factsWriter: FactBulkWriter
}

/** Changes up to about `limit` facts and decks in a deck. Returns how many it changed; 0 once none is left. */
export type ChangeDeckBatch = (session: Session, deck: DeckRow, limit: number) => Promise<number>

export type DeckContents = ReturnType<typeof createDeckContents>

/** Trashes, restores, erases and moves the contents of decks. `session.db` must be a transaction. */
export function createDeckContents({ now, deckWriter, factsWriter }: Deps) {
  /** Returns up to `limit` facts of one of these decks: only untrashed ones if `living`, else all. */
  async function listFactBatch({ db, workspace }: Session, decks: readonly DeckRow[], living: boolean, limit: number) {
    for (const { key } of decks) {
      const facts = living
        ? await listLivingFactsInDeck(db, workspace.id, key, limit)
        : await listFactsInDeck(db, workspace.id, key, { living, after: '', limit })
      if (facts.length > 0) return facts
    }
    return []
  }

  /** Trashes contents of the deck: facts first, then subdecks from the lowest up, so that nothing outlives its deck. */
  const trashBatch: ChangeDeckBatch = async (session, deck, limit) => {
    const entry = getTrashEntryId(deck)
    const decks = await listDecksDownwards(session.db, session.workspace.id, deck.key)
    const facts = await listFactBatch(session, decks, true, limit)
    if (facts.length > 0) await factsWriter.trash(session, facts, entry)
    const below = facts.length > 0 ? [] : decks.slice(1).filter(({ deleted_at }) => deleted_at === null)
    for (const subdeck of below.slice(-limit).toReversed())
      await deckWriter.save(session, subdeck, { deleted_at: now(), trashed_with: subdeck.id === entry ? null : entry })
    return facts.length + below.slice(-limit).length
  }

  /** Restores what was trashed with the deck, once it is restored itself: subdecks from the top down, then facts. */
  const restoreBatch: ChangeDeckBatch = async (session, deck, limit) => {
    const { db, workspace } = session
    const decks = (await listDecksTrashedWith(db, workspace.id, deck)).slice(0, limit)
    for (const subdeck of decks) await deckWriter.save(session, subdeck, NOT_IN_TRASH)
    if (decks.length > 0) return decks.length
    const facts = await listFactsTrashedWith(db, workspace.id, deck.id, limit)
    if (facts.length > 0) await factsWriter.restore(session, facts)
    return facts.length
  }

  /** Also from the trash. */
  const eraseBatch: ChangeDeckBatch = async (session, deck, limit) => {
    const decks = await listDecksDownwards(session.db, session.workspace.id, deck.key)
    const facts = await listFactBatch(session, decks, false, limit)
    if (facts.length > 0) await factsWriter.erase(session, facts)
    const below = facts.length > 0 ? [] : decks.slice(1).slice(-limit).toReversed()
    for (const subdeck of below) await deckWriter.erase(session, subdeck)
    return facts.length + below.length
  }

  /** Moves facts directly in the deck, also from the trash, into another. */
  async function moveFactBatch(session: Session, deck: DeckRow, limit: number, target: DeckRow): Promise<number> {
    const facts = await listFactBatch(session, [deck], false, limit)
    if (facts.length > 0) await factsWriter.move(session, facts, target.key)
    return facts.length
  }

  return {
    trashBatch,
    restoreBatch,
    eraseBatch,
    moveFactBatch,

    /** Whether the deck holds more rows than one transaction may change. */
    async isLarge(session: Session, deck: DeckRow): Promise<boolean> {
      const decks = await listDecksDownwards(session.db, session.workspace.id, deck.key)
      return decks.length > MAX_ROWS_INLINE || hasManyRows(session, decks)
    },

    async hasContentsInTrash({ db, workspace }: Session, deck: DeckRow): Promise<boolean> {
      const facts = await listFactsTrashedWith(db, workspace.id, deck.id, 1)
      return facts.length > 0 || (await listDecksTrashedWith(db, workspace.id, deck)).length > 0
    },

    /** As one entry, unless it is in the trash already. */
    async trash(session: Session, deck: DeckRow): Promise<void> {
      while ((await trashBatch(session, deck, MAX_ROWS_INLINE)) > 0);
      if (deck.deleted_at === null) await deckWriter.save(session, deck, { deleted_at: now() })
    },

    /** Restores the deck and everything trashed with it. Throws conflict if its name is taken. */
    async restore(session: Session, deck: DeckRow): Promise<void> {
      await deckWriter.save(session, deck, NOT_IN_TRASH)
      while ((await restoreBatch(session, deck, MAX_ROWS_INLINE)) > 0);
    },

    /** Erases the deck and everything in it, also from the trash. */
    async erase(session: Session, deck: DeckRow): Promise<void> {
      while ((await eraseBatch(session, deck, MAX_ROWS_INLINE)) > 0);
      await deckWriter.erase(session, deck)
    },

    /** Moves the direct subdecks of the deck, also from the trash, into another. Throws conflict, invalid_request. */
    async moveDecks(session: Session, deck: DeckRow, target: DeckRow): Promise<void> {
      const decks = await listDecksDownwards(session.db, session.workspace.id, deck.key)
      for (const subdeck of decks.filter(({ parent }) => parent === deck.key)) {
        await requireDeckLevels(session, subdeck, target, '/move_to')
        await deckWriter.save(session, subdeck, { parent: target.key })
      }
    },
  }
}

/** The columns of a restored row. */
export const NOT_IN_TRASH = { deleted_at: null, trashed_with: null }

/** Returns the id of the deck whose restoration also restores what is trashed with this one. */
function getTrashEntryId({ id, trashed_with }: DeckRow): string {
  return trashed_with ?? id
}
