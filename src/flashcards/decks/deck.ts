import { Type as t } from '@sinclair/typebox'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import type { Page } from '../../http/cursor'
import { createRefuseTakenName } from '../../http/resource'
import { Id, nullable } from '../../http/schema'
import { readKeyedName, requireLength } from '../../http/values'
import { declareResource } from '../../resources/resource'
import { DEFAULT_SETTINGS, findWeightFault, type Overrides, type SettingName } from '../scheduling/settings'
import { DeckCounts, DeckOverrides, inheriting, PatchOverrides } from './deck-schema'
import { type DeckRow, deckTable, findSiblingId, getDeck, listDecksDownwards, listDecksUpwards } from './deck-store'

/** The deepest level of decks. Decks at the top are at level 1. */
export const MAX_DECK_LEVELS = 10

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

/** The key of the parent that a request names. Throws conflict, invalid_request. */
async function findParent(session: Session, moved: DeckRow | null, id: string | null): Promise<number | null> {
  if (id !== null && id === moved?.parent_id) return moved.parent
  const parent = id === null ? null : await requireUntrashedDeck(session, id, '/parent_id')
  await requireDeckLevels(session, moved, parent, '/parent_id')
  return parent?.key ?? null
}

/** The longest name of a deck, in code points. */
export const MAX_DECK_NAME_CHARS = 200
/** The longest description of a deck, in code points. */
export const MAX_DESCRIPTION_CHARS = 10_000

/** Returns the name in NFC and in the form in which names are compared. Throws invalid_request. */
export function readDeckName(sent: string): { name: string; name_key: string } {
  const read = readKeyedName(sent, MAX_DECK_NAME_CHARS, '/name')
  if (read.name.includes('::'))
    throw invalid('/name', 'invalid_name', 'a name must not contain ::, which separates a deck from its subdeck')
  return read
}

/** Throws invalid_request. */
export function checkDescription(description: string): string {
  requireLength(description, MAX_DESCRIPTION_CHARS, '/description')
  return description
}

const Name = t.String({
  description:
    'One line of at most 200 characters, without `::`; unique among the decks beside it, without regard to case.',
})
const Description = t.String({ description: 'At most 10,000 characters.' })
const ParentId = t.Union([Id, t.Null()], {
  description: 'The parent deck; null: none. Decks nest at most 10 levels deep.',
})
const id = '01980000-0000-7000-8000-0000000000e0'

export const deckResource = declareResource({
  type: 'deck',
  noun: 'deck',
  names: ['Deck', 'Deck'],
  path: '/api/flashcards/decks',
  tag: 'Decks',
  table: deckTable,
  order: ['name_key', 'id'],
  texts: ['name', 'description', 'settings'],
  shown: { parent_id: ParentId, name: Name, description: Description, settings: DeckOverrides },
  listed: { counts: t.Optional(DeckCounts) },
  show: ({ parent_id, name, description, settings }) => ({
    ...{ parent_id, name, description, settings: toOverrides(JSON.parse(settings)) },
  }),
  once: {},
  settable: {
    name: Name,
    parent_id: t.Optional(ParentId),
    description: t.Optional(nullable(Description)),
    settings: t.Optional(nullable(PatchOverrides)),
  },
  removal: {
    move_to: t.Optional(t.String({ ...Id, description: 'The deck to move its facts and subdecks into first.' })),
  },

  async read(session, { name, parent_id, description, settings }, old) {
    return {
      ...(name === undefined && old ? { name: old.name, name_key: old.name_key } : readDeckName(name ?? '')),
      parent: old && parent_id === undefined ? old.parent : await findParent(session, old, parent_id ?? null),
      description: checkDescription(description === undefined ? (old?.description ?? '') : (description ?? '')),
      settings:
        settings === undefined && old
          ? old.settings
          : patchOverrides(old?.settings ?? '{}', settings ?? null, '/settings'),
      trashed_with: old?.trashed_with ?? null,
    }
  },

  refuseTaken: createRefuseTakenName<Pick<DeckRow, 'id' | 'deleted_at' | 'name_key' | 'parent'>>(
    'deck',
    findSiblingId,
    'parent',
  ),
  refused: { remove: ['conflict'] },
  examples: {
    shown: {
      id,
      revision: 2,
      updated_at: '2026-03-02T09:30:00.000Z',
      parent_id: null,
      name: 'Geography',
      description: 'Capitals and rivers.',
      settings: { ...inheriting, new_limit_per_day: 10 },
    },
    create: { id, name: 'Geography', settings: { new_limit_per_day: 10 } },
    update: { name: 'Capitals', settings: { fuzz: false } },
  },
  notes: {
    list: 'All decks by name, or those of one parent. The trash is listed alone, each subtree as one entry. `counts=true` counts the cards of each.',
    create: 'Settings left out are inherited from its parent.',
    get: 'A deck in the trash is returned too, with `deleted_at` set.',
    update: '`parent_id` moves it with its contents. Due days stay as they are, unless `reschedule` moves them.',
    remove:
      'Moves it with its subdecks and facts to the trash for 30 days, as one entry; `permanent=true` erases them at once. `move_to` moves its contents into another deck first.',
    restore: 'Restores the deck and everything that was trashed with it.',
  },
})

export type Deck = ReturnType<typeof deckResource.show>['resource']
export type DeckPage = Page<Deck & { counts?: DeckCounts }>

export const { show: toDeck, reader: deckReader } = deckResource
export const { load: loadDeck } = deckReader

export type DeckWriter = ReturnType<typeof deckResource.createRecords>

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
