import type { DeckRow } from '../decks/store'

/** Where something lies in the trash, or null and null. */
export type Trashed = Pick<DeckRow, 'trashed_at' | 'trashed_with'>

/**
 * What is told of the trash, as far as the deck that it stands in lets it: nothing lives in a deck that is in the trash,
 * and nothing went along with a deck that its own did not go along with.
 */
export function trashedIn(
  { trashed_at, trashed_with }: Trashed,
  deck: (Trashed & Pick<DeckRow, 'id'>) | null,
): Trashed {
  const entry = deck === null || deck.trashed_at === null ? null : (deck.trashed_with ?? deck.id)
  if (trashed_at === null) return { trashed_at: deck?.trashed_at ?? null, trashed_with: entry }
  return { trashed_at, trashed_with: trashed_with === entry ? entry : null }
}
