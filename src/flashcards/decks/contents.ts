import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import { type FactRow, factsAlongWith, factsInDecks } from '../facts/store'
import type { FactWriter } from '../facts/writer'
import { type DeckRow, decksAlongWith, decksDownwards } from './store'
import { requireRoom } from './tree'
import type { DeckWriter } from './writer'

/** Facts that are read at once; after them a change lets other requests have their turn. */
const FACTS_PER_TURN = 100

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly deckWriter: DeckWriter
  readonly factWriter: FactWriter
}

/** What becomes of all that stands in a deck when that goes or comes back. `session.db` must be a transaction. */
export function createContents({ now, deckWriter, factWriter }: Deps) {
  async function below({ db, workspace }: Session, deck: DeckRow, living: boolean) {
    const decks = await decksDownwards(db, workspace.id, deck.key)
    return { decks, facts: factsOf({ db, workspace }, keysOf(decks), living) }
  }

  return {
    /** Takes the deck with all that lives in it into the trash, as one entry. */
    async trash(session: Session, deck: DeckRow): Promise<void> {
      const trashed_at = now()
      const { decks, facts } = await below(session, deck, true)
      await each(facts, (fact) => factWriter.save(session, fact, { trashed_at, trashed_with: deck.id }))
      for (const one of decks.filter((one) => one.trashed_at === null))
        await deckWriter.save(session, one, { trashed_at, trashed_with: one.id === deck.id ? null : deck.id })
    },

    /** Brings the deck back with all that went along. */
    async restore(session: Session, deck: DeckRow): Promise<void> {
      const { db, workspace } = session
      const back = { trashed_at: null, trashed_with: null }
      for (const one of [deck, ...(await decksAlongWith(db, workspace.id, deck))])
        await deckWriter.save(session, one, back)
      const along: NextFacts = (after, limit) => factsAlongWith(db, workspace.id, deck.id, { after, limit })
      await each(along, (fact) => factWriter.save(session, fact, back))
    },

    /** Erases the deck with all that is in it, living and in the trash. */
    async erase(session: Session, deck: DeckRow): Promise<void> {
      const { decks, facts } = await below(session, deck, false)
      await each(facts, (fact) => factWriter.erase(session, fact))
      for (const one of decks.toReversed()) await deckWriter.erase(session, one)
    },

    /** Moves all that stands in the deck, living and in the trash, into another. Throws conflict, invalid_request. */
    async move(session: Session, deck: DeckRow, target: DeckRow): Promise<void> {
      const { db, workspace } = session
      const decks = await decksDownwards(db, workspace.id, deck.key)
      for (const one of decks.filter(({ parent }) => parent === deck.key)) {
        await requireRoom(session, one, target, '/move_to')
        await deckWriter.save(session, one, { parent: target.key })
      }
      await each(factsOf(session, [deck.key], false), (fact) => factWriter.save(session, fact, { deck: target.key }))
    },
  }
}

/** Reads the next facts behind a key. */
type NextFacts = (after: number, limit: number) => Promise<FactRow[]>

function factsOf({ db, workspace }: Session, decks: readonly number[], living: boolean): NextFacts {
  return (after, limit) => factsInDecks(db, workspace.id, decks, { living, after, limit })
}

/** Does something with each fact, one after the other, however many there are. */
async function each(next: NextFacts, work: (fact: FactRow) => Promise<unknown>): Promise<void> {
  let after = 0
  for (;;) {
    const facts = await next(after, FACTS_PER_TURN)
    for (const fact of facts) await work(fact)
    after = facts.at(-1)?.key ?? after
    if (facts.length < FACTS_PER_TURN) return
    // The transaction is ours alone; readers have a connection of their own and need not stand still for seconds.
    await setImmediate()
  }
}

function keysOf(decks: readonly DeckRow[]): number[] {
  return decks.map(({ key }) => key)
}
