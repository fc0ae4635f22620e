import type { RecordChange } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import {
  createLoad,
  createResourceReader,
  createResourceWriter,
  hasMembers,
  revise,
  taken,
  textBytes,
  writeTrashStamps,
} from '../../http/resource'
import { type Tagged, writeEtag } from '../../http/responses'
import { requireLength } from '../../http/values'
import { titleKey } from '../../lib/text'
import { DEFAULT_SETTINGS, findWeightFault, type Overrides, type SettingName } from '../scheduling/settings'
import { type Deck, type DeckOverrides, inheriting } from './deck-schema'
import {
  type DeckDraft,
  type DeckRow,
  deckTable,
  findSiblingId,
  getDeck,
  listDecksDownwards,
  listDecksUpwards,
} from './deck-store'

/** The deepest level of decks. Decks at the top are at level 1. */
export const MAX_DECK_LEVELS = 10

export const loadDeck = createLoad('deck', getDeck)

/** Returns the deck that a request names, which must not be in the trash. Throws invalid_request at `pointer`. */
export async function requireUntrashedDeck(session: Session, id: string, pointer: string): Promise<DeckRow> {
  const deck = await getDeck(session, id)
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
  const above = parent === null ? [] : await listDecksUpwards(session, [parent.key])
  if (moved !== null && above.some(({ key }) => key === moved.key))
    throw new ApiError('conflict', 'A deck cannot be moved into itself or into one of its subdecks.')
  const levels = moved === null ? 1 : countLevels(await listDecksDownwards(session, moved.key))
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

export function toDeck(row: DeckRow): Tagged<Deck> {
  const { parent_id, name, description } = row
  return {
    resource: {
      ...writeTrashStamps(row),
      parent_id,
      name,
      description,
      settings: toOverrides(JSON.parse(row.settings)),
    },
    etag: writeEtag(row.revision),
  }
}

export const deckReader = createResourceReader({ noun: 'deck', show: toDeck, get: getDeck })

export type UnsizedDeck = Omit<DeckDraft, 'size_bytes'>

export type DeckWriter = ReturnType<typeof createDeckWriter>

/** See createResourceWriter. Throws conflict if the id, or the name beside the parent outside the trash, is taken. */
export function createDeckWriter({ now, record }: Pick<Context, 'now'> & { record: RecordChange }) {
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

    /** It must be empty. */
    erase: rows.erase,
  }
}

/** Throws conflict if the name is taken. Decks in the trash may share names. */
async function refuseTaken(session: Session, deck: DeckDraft): Promise<void> {
  if (deck.deleted_at !== null) return
  const holder = await findSiblingId(session, deck)
  if (holder !== null && holder !== deck.id) throw taken('There is already a deck with this name.', holder)
}

function withSize<Deck extends UnsizedDeck>(deck: Deck) {
  return { ...deck, size_bytes: textBytes(deck.name, deck.description, deck.settings) }
}

const SETTING_NAMES = Object.keys(DEFAULT_SETTINGS) as SettingName[]

/**
 * Overrides after a merge patch, as JSON: null takes a member out, null alone takes out all. Throws invalid_request for
 * a weight out of its range; the schema of the patch has the other ranges.
 * @param pointer the member of the request that holds them, e.g. `/settings`
 */
export function patchOverrides(stored: string, patch: Overrides | null, pointer: string): string {
  if (patch === null) return '{}'
  const fault = patch.weights ? findWeightFault(patch.weights) : null
  if (fault) throw invalid(`${pointer}/weights`, 'invalid_value', `weights ${fault}`)
  const merged: Overrides = { ...JSON.parse(stored), ...patch }
  const set = SETTING_NAMES.filter((name) => (merged[name] ?? null) !== null)
  return JSON.stringify(Object.fromEntries(set.map((name) => [name, merged[name]])))
}

/** `deck_defaults` as JSON, without those that are the defaults anyway: naming them changes nothing. */
export function withoutDefaults(stored: string): string {
  const other = Object.entries(JSON.parse(stored) as Overrides).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(DEFAULT_SETTINGS[name as SettingName]),
  )
  return JSON.stringify(Object.fromEntries(other))
}

/** Overrides with every member; null where it is inherited. */
export function toOverrides(overrides: Overrides): DeckOverrides {
  return { ...inheriting, ...(overrides as Partial<DeckOverrides>) }
}
