import type { Session } from '../db/database'
import { ApiError, invalid } from '../http/api-error'
import { createLoad } from '../http/resource'
import { requireLength } from '../http/values'
import { titleKey } from '../lib/text'
import { type DeckRow, getDeck, listDecksDownwards, listDecksUpwards } from './deck-store'

/** The deepest level of decks. Decks at the top are at level 1. */
export const MAX_DECK_LEVELS = 10

export const loadDeck = createLoad('deck', getDeck)

/** Returns the deck that a request names, which must not be in the trash. Throws invalid_request at `pointer`. */
export async function requireUntrashedDeck({ db, workspace }: Session, id: string, pointer: string): Promise<DeckRow> {
  const deck = await getDeck(db, workspace.id, id)
  if (!deck || deck.deleted_at !== null)
    throw invalid(pointer, 'unknown_deck', `${pointer.slice(1)} must be the id of a deck that is not in the trash`)
  return deck
}

/**
 * Checks that a deck may have this parent: no circle, and no more than MAX_DECK_LEVELS, counting trashed decks, too.
 * @param moved the deck to move; null: a new deck
 * @throws ApiError conflict for a circle, invalid_request for too many levels
 */
export async function requireDeckLevels(
  session: Session,
  moved: DeckRow | null,
  parent: DeckRow | null,
  pointer: string,
) {
  const { db, workspace } = session
  const above = parent === null ? [] : await listDecksUpwards(db, workspace.id, [parent.key])
  if (moved !== null && above.some(({ key }) => key === moved.key))
    throw new ApiError('conflict', 'A deck cannot be moved into itself or into one of its subdecks.')
  const levels = moved === null ? 1 : countLevels(await listDecksDownwards(db, workspace.id, moved.key))
  if (above.length + levels > MAX_DECK_LEVELS)
    throw invalid(pointer, 'too_deep', `decks nest at most ${MAX_DECK_LEVELS} levels deep`)
}

/** Counts the levels of a deck and its descendants, which must come after their parents. */
function countLevels(decks: readonly DeckRow[]): number {
  const levels = new Map<number, number>()
  for (const { key, parent } of decks) levels.set(key, (levels.get(parent ?? 0) ?? 0) + 1)
  return Math.max(...levels.values())
}

/** The longest name of a deck, in code points. */
export const MAX_DECK_NAME_CHARS = 200
/** The longest description of a deck, in code points. */
export const MAX_DESCRIPTION_CHARS = 10_000

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const CONTROL_CHARS = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

/** Returns the name in NFC and in the form in which names are compared. Throws invalid_request. */
export function readDeckName(sent: string): { name: string; name_key: string } {
  const name = sent.normalize('NFC')
  requireLength(name, MAX_DECK_NAME_CHARS, '/name')
  if (name === '' || name !== name.trim() || CONTROL_CHARS.test(name))
    throw invalid('/name', 'invalid_name', 'a name must be one line, not blank, without white space at its ends')
  if (name.includes('::'))
    throw invalid('/name', 'invalid_name', 'a name must not contain ::, which separates a deck from its subdeck')
  return { name, name_key: titleKey(name) }
}
