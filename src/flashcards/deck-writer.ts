import type { RecordChange } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { createResourceWriter, hasMembers, revise, taken, textBytes } from '../http/resource'
import { type DeckDraft, type DeckRow, deckTable, findSiblingId } from './deck-store'

interface Deps extends Pick<Context, 'now'> {
  readonly record: RecordChange
}

export type UnsizedDeck = Omit<DeckDraft, 'size_bytes'>

export type DeckWriter = ReturnType<typeof createDeckWriter>

/**
 * Creates the only writer of decks; see createResourceWriter. It throws conflict if the id is taken, or if another deck
 * outside the trash has the same name and parent.
 */
export function createDeckWriter({ now, record }: Deps) {
  const rows = createResourceWriter<DeckRow, DeckDraft>({
    ...{ now, record, refuseTaken },
    type: 'deck',
    noun: 'deck',
    store: deckTable,
  })

  /** Stores the deck as given. Its revision must be higher than the stored one. */
  function replace(session: Session, old: DeckRow, next: UnsizedDeck): Promise<DeckRow> {
    return rows.replace(session, old, withSize({ ...old, ...next }))
  }

  return {
    insert: (session: Session, deck: UnsizedDeck): Promise<DeckRow> => rows.insert(session, withSize(deck)),
    replace,

    /** Stores the deck with these members, at the next revision if one differs. */
    save: async (session: Session, old: DeckRow, members: Partial<UnsizedDeck>): Promise<DeckRow> =>
      hasMembers(old, members) ? old : replace(session, old, revise(old, members, now())),

    /** Erases the deck for good; it must be empty. */
    erase: rows.erase,
  }
}

/** Throws conflict if the name is taken. Decks in the trash may share names. */
async function refuseTaken({ db, workspace }: Session, deck: DeckDraft): Promise<void> {
  if (deck.deleted_at !== null) return
  const holder = await findSiblingId(db, workspace.id, deck)
  if (holder !== null && holder !== deck.id) throw taken('There is already a deck with this name.', holder)
}

function withSize<Deck extends UnsizedDeck>(deck: Deck) {
  return { ...deck, size_bytes: textBytes(deck.name, deck.description, deck.settings) }
}
