/** Decks as a tree. */
import type { Deck } from '../api/types'

export interface ListedDeck {
  readonly deck: Deck
  /** 0 at the top. */
  readonly level: number
  /** Its name with those above it, as in `Languages::French`. */
  readonly path: string
}

/** Lists decks by name, each followed by those in it. One whose parent is not there is at the top. */
export function listDecks(decks: Iterable<Deck>): ListedDeck[] {
  const all = [...decks]
  const ids = new Set(all.map(({ id }) => id))
  const children = Map.groupBy(all, ({ parent_id }) => (parent_id !== null && ids.has(parent_id) ? parent_id : ''))
  const list = (parent: string, level: number, above: string): ListedDeck[] =>
    (children.get(parent) ?? [])
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .flatMap((deck) => {
        const path = `${above}${deck.name}`
        return [{ deck, level, path }, ...list(deck.id, level + 1, `${path}::`)]
      })
  return list('', 0, '')
}

/** The ids of a deck and of all decks in it. */
export function withSubdecks(decks: Iterable<Deck>, id: string): Set<string> {
  const all = [...decks]
  const found = new Set([id])
  for (let size = 0; size < found.size; ) {
    size = found.size
    for (const deck of all) if (deck.parent_id !== null && found.has(deck.parent_id)) found.add(deck.id)
  }
  return found
}
