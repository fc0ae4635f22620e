import type { Context, Session } from '../db/database'
import { keysOf } from '../db/table'
import { ApiError, invalid } from '../http/api-error'
import { refuseTrashed } from '../http/resource'
import { changed, type Outcome, type Precondition } from '../http/responses'
import { MAX_ROWS_INLINE } from '../imports/run-work'
import type { ImportReport } from '../imports/schema'
import type { Imports } from '../imports/service'
import { NO_CONTENT, runStepsInline, type SteppedChange } from '../imports/stepped-change'
import {
  type Deck,
  type DeckWriter,
  deckReader,
  loadDeck,
  requireDeckLevels,
  requireUntrashedDeck,
  toDeck,
} from './decks/deck'
import { type DeckRow, getDeck, listDecksDownwards, listDecksTrashedWith, listDecksUpwards } from './decks/deck-store'
import type { FactBulkWriter } from './fact-bulk'
import { listFactsInDeck, listFactsTrashedWith, listLivingFactsInDeck } from './facts/fact-store'
import { createReplayBatch, hasManyRows, type Replay, type ReplayAt } from './rescheduling'
import type { CardMemory } from './reviews/memory'

interface ContentsDeps extends Pick<Context, 'now'> {
  readonly deckWriter: DeckWriter
  readonly factsWriter: FactBulkWriter
}

/** Changes up to about `limit` facts and decks in a deck. Returns how many it changed; 0 once none is left. */
type ChangeDeckBatch = (session: Session, deck: DeckRow, limit: number) => Promise<number>

export type DeckContents = ReturnType<typeof createDeckContents>

/** Trashes, restores, erases and moves the contents of decks. `session.db` must be a transaction. */
export function createDeckContents({ now, deckWriter, factsWriter }: ContentsDeps) {
  /** Returns up to `limit` facts of one of these decks: only untrashed ones if `living`, else all. */
  async function listFactBatch(session: Session, decks: readonly DeckRow[], living: boolean, limit: number) {
    for (const { key } of decks) {
      const facts = living
        ? await listLivingFactsInDeck(session, key, limit)
        : await listFactsInDeck(session, key, { living, after: '', limit })
      if (facts.length > 0) return facts
    }
    return []
  }

  /** Trashes contents of the deck: facts first, then subdecks from the lowest up, so that nothing outlives its deck. */
  const trashBatch: ChangeDeckBatch = async (session, deck, limit) => {
    const entry = getTrashEntryId(deck)
    const decks = await listDecksDownwards(session, deck.key)
    const facts = await listFactBatch(session, decks, true, limit)
    if (facts.length > 0) await factsWriter.trash(session, facts, entry)
    const below = facts.length > 0 ? [] : decks.slice(1).filter(({ deleted_at }) => deleted_at === null)
    for (const subdeck of below.slice(-limit).toReversed())
      await deckWriter.save(session, subdeck, { deleted_at: now(), trashed_with: subdeck.id === entry ? null : entry })
    return facts.length + below.slice(-limit).length
  }

  /** Restores what was trashed with the deck, once it is restored itself: subdecks from the top down, then facts. */
  const restoreBatch: ChangeDeckBatch = async (session, deck, limit) => {
    const decks = (await listDecksTrashedWith(session, deck)).slice(0, limit)
    for (const subdeck of decks) await deckWriter.save(session, subdeck, NOT_IN_TRASH)
    if (decks.length > 0) return decks.length
    const facts = await listFactsTrashedWith(session, deck.id, limit)
    if (facts.length > 0) await factsWriter.restore(session, facts)
    return facts.length
  }

  /** Also from the trash. */
  const eraseBatch: ChangeDeckBatch = async (session, deck, limit) => {
    const decks = await listDecksDownwards(session, deck.key)
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
      const decks = keysOf(await listDecksDownwards(session, deck.key))
      return decks.length > MAX_ROWS_INLINE || hasManyRows(session, decks)
    },

    async hasContentsInTrash(session: Session, deck: DeckRow): Promise<boolean> {
      const facts = await listFactsTrashedWith(session, deck.id, 1)
      return facts.length > 0 || (await listDecksTrashedWith(session, deck)).length > 0
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

    /** Also from the trash. Throws conflict, invalid_request. */
    async moveDecks(session: Session, deck: DeckRow, target: DeckRow): Promise<void> {
      const decks = await listDecksDownwards(session, deck.key)
      for (const subdeck of decks.filter(({ parent }) => parent === deck.key)) {
        await requireDeckLevels(session, subdeck, target, '/move_to')
        await deckWriter.save(session, subdeck, { parent: target.key })
      }
    },
  }
}

const NOT_IN_TRASH = { deleted_at: null, trashed_with: null }

/** Returns the id of the deck whose restoration also restores what is trashed with this one. */
function getTrashEntryId({ id, trashed_with }: DeckRow): string {
  return trashed_with ?? id
}

/** Stored as JSON. */
interface DeckTrashParams extends Replay {
  readonly id: string
  readonly what: 'trash' | 'erase' | 'restore'
  /** The id of the deck to move its facts into first, or null. */
  readonly moveTo: string | null
}

interface Deps {
  readonly deckWriter: DeckWriter
  readonly contents: DeckContents
  readonly memories: CardMemory
}

type DeckTrashChange = SteppedChange<DeckTrashParams, Deck | undefined, ReplayAt>

/** A deck is trashed after its contents and restored before them: everything in a trashed deck is in the trash. */
export function createDeckTrashChange({ contents, memories }: Omit<Deps, 'deckWriter'>): DeckTrashChange {
  const replaySome = createReplayBatch(memories)
  const changeBatch = { trash: contents.trashBatch, erase: contents.eraseBatch, restore: contents.restoreBatch }

  /** Returns the deck to go on with; null if it was trashed again while it was being restored. */
  async function findDeck(session: Session, { id, what }: DeckTrashParams): Promise<DeckRow | null> {
    const deck = await getDeck(session, id)
    return what === 'restore' && deck?.deleted_at !== null ? null : deck
  }

  return {
    name: 'deck',

    async step(session, params, limit, at) {
      const replayed = await replaySome(session, params, limit, at)
      if (replayed) return replayed
      const deck = await findDeck(session, params)
      if (!deck) return null
      const target = params.moveTo === null ? null : await requireUntrashedDeck(session, params.moveTo, '/move_to')
      const moved = target ? await contents.moveFactBatch(session, deck, limit, target) : 0
      const changed = moved > 0 ? moved : await changeBatch[params.what](session, deck, limit)
      return changed > 0 ? { changed, cursor: at } : null
    },

    async end(session, { id, what }) {
      const deck = await loadDeck(session, id)
      if (what === 'restore') return changed(toDeck(deck))
      await contents[what](session, deck)
      return NO_CONTENT
    },
  }
}

export type DeckTrash = ReturnType<typeof createDeckTrash>

/** Creates the service that trashes, erases and restores decks: in one transaction, or in steps if they are large. */
export function createDeckTrash(
  long: DeckTrashChange,
  { deckWriter, contents, memories, work }: Deps & Pick<Imports, 'work'>,
) {
  /** Moves the subdecks; facts follow in later steps. Returns the decks to replay. Throws conflict, invalid_request. */
  async function moveSubdecks(session: Session, deck: DeckRow, moveTo: string): Promise<readonly number[]> {
    refuseTrashed(deck, 'deck')
    const target = await requireUntrashedDeck(session, moveTo, '/move_to')
    const above = await listDecksUpwards(session, [target.key])
    if (above.some(({ key }) => key === deck.key))
      throw invalid('/move_to', 'unknown_deck', 'move_to must be the id of a deck outside of this one')
    let decks: readonly number[] = []
    const defer = (reweighted: readonly number[]) => (decks = reweighted)
    await memories.applyChange(session, deck.key, () => contents.moveDecks(session, deck, target), defer)
    return decks
  }

  /** Throws conflict if a deck in the trash has a parent that is there as well. */
  async function requireParent(session: Session, deck: DeckRow): Promise<void> {
    if (deck.parent_id !== null && deck.deleted_at !== null)
      refuseTrashed(await loadDeck(session, deck.parent_id), 'deck')
  }

  async function begin<Body extends Deck | undefined>(session: Session, params: DeckTrashParams, isLarge: boolean) {
    return isLarge ? { params } : ((await runStepsInline(long, session, params)) as Outcome<Body>)
  }

  return {
    /**
     * Moves the deck and its contents to the trash, as one entry, or erases it and everything in it.
     * @param moveTo the id of the deck to move its contents into first, or null
     * @throws ApiError not_found, precondition_failed, conflict, invalid_request; and what Imports.work throws
     */
    deleteDeck(
      request: Request,
      session: Session,
      { id, what, moveTo }: Pick<DeckTrashParams, 'id' | 'what' | 'moveTo'>,
      precondition: Precondition,
    ): Promise<Outcome<Deck | undefined | ImportReport>> {
      return work<Deck | undefined>(request, session, {
        kind: long.name,
        async begin(tx) {
          const deck = await deckReader.loadAt(tx, id, precondition)
          const isLarge = await contents.isLarge(tx, deck)
          const decks = moveTo === null ? [] : await moveSubdecks(tx, deck, moveTo)
          if (what === 'trash' && deck.deleted_at !== null) return NO_CONTENT
          return begin(tx, { id, what, moveTo, decks, reschedule: null }, isLarge)
        },
      })
    },

    /** Throws conflict if the name of the deck is taken or its parent is in the trash. */
    restoreDeck(
      request: Request,
      session: Session,
      { id, body }: { readonly id: string; readonly body: unknown },
      precondition: Precondition,
    ): Promise<Outcome<Deck | ImportReport>> {
      return work<Deck>(request, session, {
        kind: long.name,
        body,
        async begin(tx) {
          const deck = await deckReader.loadAt(tx, id, precondition)
          await requireParent(tx, deck)
          await deckWriter.save(tx, deck, NOT_IN_TRASH)
          const isLarge = (await contents.hasContentsInTrash(tx, deck)) && (await contents.isLarge(tx, deck))
          return begin(tx, { id, what: 'restore', moveTo: null, decks: [], reschedule: null }, isLarge)
        },
      })
    },

    /**
     * Moves a deck and its contents to the trash, or restores both, in one transaction.
     * @throws ApiError not_found, precondition_failed; conflict for a deck that takes steps, or as restoreDeck does
     */
    changeInline(
      session: Session,
      { id, what }: { readonly id: string; readonly what: 'trash' | 'restore' },
      precondition: Precondition,
    ): Promise<void> {
      return deckReader.withRow(session, id, precondition, async (tx, deck) => {
        if (await contents.isLarge(tx, deck))
          throw new ApiError('conflict', 'The deck has too many cards to be changed at once: use its own request.')
        if (what === 'restore') await requireParent(tx, deck)
        await contents[what](tx, deck)
      })
    },
  }
}
