import type { Change, RecordChange } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { type DeckDraft, type DeckRow, eraseDeck, findSiblingId, insertDeck, updateDeck } from './deck-store'

interface Deps extends Pick<Context, 'now'> {
  readonly record: RecordChange
}

/** A deck without what follows from the rest of it. */
export type UnsizedDeck = Omit<DeckDraft, 'size_bytes'>

/** The one way to write decks. Each call records the change. `session.db` must be a transaction. */
export interface DeckWriter {
  /** Stores a new deck. Throws conflict if its id is taken, or if a sibling outside the trash has its name. */
  insert(session: Session, draft: UnsizedDeck): Promise<DeckRow>
  /** Stores the deck with these members, at the next revision if one differs. Throws conflict if its name is taken. */
  save(session: Session, old: DeckRow, members: Partial<UnsizedDeck>): Promise<DeckRow>
  /** Stores the deck as it is elsewhere: at that revision, which is higher, with those instants. Throws like `save`. */
  replace(session: Session, old: DeckRow, next: UnsizedDeck): Promise<DeckRow>
  /** Erases the deck for good; it must be empty. */
  erase(session: Session, deck: DeckRow): Promise<void>
}

export function createDeckWriter({ now, record }: Deps): DeckWriter {
  async function replace(session: Session, old: DeckRow, asked: UnsizedDeck): Promise<DeckRow> {
    const next = withSize({ ...old, ...asked })
    await requireFreeName(session, next)
    const deck = await updateDeck(session.db, session.workspace.id, next)
    await record(session, changeOf(deck, 0, deck.size_bytes - old.size_bytes))
    return deck
  }

  return {
    replace,

    async insert(session, asked) {
      const draft = withSize(asked)
      await requireFreeName(session, draft)
      const deck = await insertDeck(session.db, session.workspace.id, draft)
      if (!deck) throw taken('A deck with this id exists already.', draft.id)
      await record(session, changeOf(deck, 1, deck.size_bytes))
      return deck
    },

    async save(session, old, members) {
      if (Object.entries(members).every(([name, value]) => Reflect.get(old, name) === value)) return old
      return replace(session, old, { ...old, ...members, revision: old.revision + 1, updated_at: now() })
    },

    async erase(session, deck) {
      await eraseDeck(session.db, session.workspace.id, deck.key)
      const gone = { ...deck, revision: deck.revision + 1, updated_at: now(), deleted_at: now() }
      await record(session, changeOf(gone, -1, -deck.size_bytes))
    },
  }
}

/** In the trash, names are free. */
async function requireFreeName({ db, workspace }: Session, deck: DeckDraft): Promise<void> {
  if (deck.deleted_at !== null) return
  const holder = await findSiblingId(db, workspace.id, deck)
  if (holder !== null && holder !== deck.id) throw taken('There is already a deck with this name.', holder)
}

function withSize<Deck extends UnsizedDeck>(deck: Deck) {
  const texts = [deck.name, deck.description, deck.settings]
  return { ...deck, size_bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) }
}

function taken(detail: string, id: string): ApiError {
  return new ApiError('conflict', detail, { existing_id: id })
}

function changeOf(deck: DeckRow, resources: number, bytes: number): Change {
  return {
    type: 'deck',
    id: deck.id,
    op: deck.deleted_at === null ? 'upsert' : 'delete',
    revision: deck.revision,
    at: deck.updated_at,
    resources,
    bytes,
  }
}
