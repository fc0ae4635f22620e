import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import type { Precondition } from '../../http/conditional'
import type { Outcome } from '../../http/idempotency'
import { refuseTrashed } from '../../http/resource'
import { changed } from '../../http/responses'
import type { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { NO_CONTENT, runStepsInline, type SteppedChange } from '../../imports/stepped-change'
import { type DeckContents, NOT_IN_TRASH } from '../deck-contents'
import { type DeckRow, getDeck, listDecksUpwards } from '../deck-store'
import { loadDeck, requireUntrashedDeck } from '../deck-tree'
import type { DeckWriter } from '../deck-writer'
import type { CardMemory } from '../memory'
import { createReplayBatch, type Replay, type ReplayAt } from '../replay'
import type { Deck } from './schema'
import { deckReader, toDeck } from './service'

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

export type DeckTrashChange = SteppedChange<DeckTrashParams, Deck | undefined, ReplayAt>

/**
 * Creates the change that trashes, erases or restores a deck in steps. A deck is trashed after its contents and
 * restored before them, so that everything in a trashed deck is in the trash.
 */
export function createDeckTrashChange({ contents, memories }: Omit<Deps, 'deckWriter'>): DeckTrashChange {
  const replaySome = createReplayBatch(memories)
  const changeBatch = { trash: contents.trashBatch, erase: contents.eraseBatch, restore: contents.restoreBatch }

  /** Returns the deck to go on with; null if it was trashed again while it was being restored. */
  async function findDeck({ db, workspace }: Session, { id, what }: DeckTrashParams): Promise<DeckRow | null> {
    const deck = await getDeck(db, workspace.id, id)
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
  /**
   * Moves the subdecks of a deck into `moveTo`; its facts follow in later steps. Returns the decks whose cards must be
   * replayed. Throws conflict, invalid_request.
   */
  async function moveSubdecks(session: Session, deck: DeckRow, moveTo: string): Promise<readonly number[]> {
    refuseTrashed(deck, 'deck')
    const target = await requireUntrashedDeck(session, moveTo, '/move_to')
    const above = await listDecksUpwards(session.db, session.workspace.id, [target.key])
    if (above.some(({ key }) => key === deck.key))
      throw invalid('/move_to', 'unknown_deck', 'move_to must be the id of a deck outside of this one')
    let decks: readonly number[] = []
    const defer = (reweighted: readonly number[]) => (decks = reweighted)
    await memories.changeAndReplay(session, deck.key, () => contents.moveDecks(session, deck, target), { defer })
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

    /**
     * Restores the deck and everything that was trashed with it. Throws conflict if its name is taken or its parent is
     * in the trash.
     */
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
