import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { Precondition } from '../../http/conditional'
import type { Outcome } from '../../http/idempotency'
import { refuseTrashed } from '../../http/resource'
import { changed } from '../../http/responses'
import type { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { NO_CONTENT, runStepsInline, type SteppedChange } from '../../imports/stepped-change'
import { type DeckContents, NOT_IN_TRASH } from '../deck-contents'
import { type DeckRow, getDeck, listDecksUpwards } from '../deck-store'
import { loadDeck, requireLivingDeck } from '../deck-tree'
import type { DeckWriter } from '../deck-writer'
import type { CardMemory } from '../memory'
import { createReplaySome, type Replay, type ReplayAt } from '../replay'
import type { Deck } from './schema'
import { deckReader, toDeck } from './service'

/** What happens to a deck with its contents. JSON. */
interface Params extends Replay {
  readonly id: string
  readonly what: 'trash' | 'erase' | 'restore'
  /** The deck into which its facts move first, by its id. */
  readonly moveTo: string | null
}

interface Deps {
  readonly deckWriter: DeckWriter
  readonly contents: DeckContents
  readonly memories: CardMemory
}

export type DeckTrashChange = SteppedChange<Params, Deck | undefined, ReplayAt>

/**
 * The trash takes a deck after all that is in it and gives it back before, so that nothing lives in a deck that does not.
 */
export function deckTrashChange({ contents, memories }: Omit<Deps, 'deckWriter'>): DeckTrashChange {
  const replaySome = createReplaySome(memories)
  const some = { trash: contents.trashSome, erase: contents.eraseSome, restore: contents.restoreSome }

  /** What of the deck is left: nothing, if it went to the trash again while it was brought back. */
  async function deckOf({ db, workspace }: Session, { id, what }: Params): Promise<DeckRow | null> {
    const deck = await getDeck(db, workspace.id, id)
    return what === 'restore' && deck?.deleted_at !== null ? null : deck
  }

  return {
    name: 'deck',

    async step(session, params, limit, at) {
      const replayed = await replaySome(session, params, limit, at)
      if (replayed) return replayed
      const deck = await deckOf(session, params)
      if (!deck) return null
      const target = params.moveTo === null ? null : await requireLivingDeck(session, params.moveTo, '/move_to')
      const moved = target ? await contents.moveSome(session, deck, limit, target) : 0
      const changed = moved > 0 ? moved : await some[params.what](session, deck, limit)
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

/** Deletes, erases and restores decks: in one transaction, or in steps if they hold much. */
export function createDeckTrash(
  long: DeckTrashChange,
  { deckWriter, contents, memories, work }: Deps & Pick<Imports, 'work'>,
) {
  /** Moves the decks in a deck where the request says; its facts are to follow. Throws conflict, invalid_request. */
  async function emptied(session: Session, deck: DeckRow, moveTo: string): Promise<readonly number[]> {
    refuseTrashed(deck, 'deck')
    const target = await requireLivingDeck(session, moveTo, '/move_to')
    const above = await listDecksUpwards(session.db, session.workspace.id, [target.key])
    if (above.some(({ key }) => key === deck.key))
      throw invalid('/move_to', 'unknown_deck', 'move_to must be the id of a deck outside of this one')
    let decks: readonly number[] = []
    const later = (those: readonly number[]) => (decks = those)
    await memories.follow(session, deck.key, () => contents.moveDecks(session, deck, target), { later })
    return decks
  }

  async function begin<Body extends Deck | undefined>(session: Session, params: Params, isLarge: boolean) {
    return isLarge ? { params } : ((await runStepsInline(long, session, params)) as Outcome<Body>)
  }

  /** The deck as it is. Throws not_found, precondition_failed. */
  async function required(session: Session, id: string, precondition: Precondition): Promise<DeckRow> {
    const deck = await deckReader.loadAt(session, id, precondition)
    return deck
  }

  return {
    /**
     * Moves the deck with all that lives in it to the trash, as one entry, or erases it with all that is in it for good.
     * @param moveTo the deck into which its contents move first, by its id
     * @throws ApiError not_found, precondition_failed, conflict, invalid_request; and what Imports.work throws
     */
    drop(
      request: Request,
      session: Session,
      { id, what, moveTo }: Pick<Params, 'id' | 'what' | 'moveTo'>,
      precondition: Precondition,
    ): Promise<Outcome<Deck | undefined | ImportReport>> {
      return work<Deck | undefined>(request, session, {
        kind: long.name,
        async begin(within) {
          const deck = await required(within, id, precondition)
          const isLarge = await contents.isLarge(within, deck)
          const decks = moveTo === null ? [] : await emptied(within, deck, moveTo)
          if (what === 'trash' && deck.deleted_at !== null) return NO_CONTENT
          return begin(within, { id, what, moveTo, decks, reschedule: false }, isLarge)
        },
      })
    },

    /** Brings the deck back with all that went along. Throws conflict if its name is taken, or its place is gone. */
    restore(
      request: Request,
      session: Session,
      { id, body }: { readonly id: string; readonly body: unknown },
      precondition: Precondition,
    ): Promise<Outcome<Deck | ImportReport>> {
      return work<Deck>(request, session, {
        kind: long.name,
        body,
        async begin(within) {
          const deck = await required(within, id, precondition)
          if (deck.parent_id !== null && deck.deleted_at !== null)
            refuseTrashed(await loadDeck(within, deck.parent_id), 'deck')
          await deckWriter.save(within, deck, NOT_IN_TRASH)
          const isLarge = (await contents.hasAlong(within, deck)) && (await contents.isLarge(within, deck))
          return begin(within, { id, what: 'restore', moveTo: null, decks: [], reschedule: false }, isLarge)
        },
      })
    },
  }
}
