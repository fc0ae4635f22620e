import { Elysia, t } from 'elysia'
import type { Session } from '../db/database'
import { keysOf } from '../db/table'
import type { RequestPlugin } from '../http/api'
import { refuses } from '../http/api-error'
import { readCursor, toPage } from '../http/cursor'
import { newStamps, refuseTrashed } from '../http/resource'
import { changed, created, ifMatch, type Precondition, type Tagged } from '../http/responses'
import { Id, NoContent, nameSchemas, Problem } from '../http/schema'
import { DEFAULT_LIMIT, requireLength } from '../http/values'
import { ImportReport, IN_STEPS } from '../imports/schema'
import { type CardCounts, countCardsByDeck } from './cards/card-store'
import type { StudyContext } from './context'
import type { DeckTrash } from './deck-trash'
import {
  deckReader,
  loadDeck,
  MAX_DESCRIPTION_CHARS,
  patchOverrides,
  readDeckName,
  requireDeckLevels,
  requireUntrashedDeck,
  toDeck,
  toOverrides,
} from './decks/deck'
import {
  CreateDeck,
  Deck,
  DeckCounts,
  DeckPage,
  DeckSettingsView,
  DeleteDeck,
  ListDecks,
  UpdateDeck,
} from './decks/deck-schema'
import { type DeckRow, listDecks, listPairsDownwards } from './decks/deck-store'
import { readInherited, readStudy } from './decks/study'
import { type ChangeSchedule, ReschedulePreview, RescheduleQuery } from './rescheduling'
import type { DeferReplay } from './reviews/memory'
import { startOfStudyDay } from './scheduling/study-day'

export type Decks = ReturnType<typeof createDecks>

/** Every write is one transaction. */
export function createDecks({ now, ids, deckWriter, memories }: StudyContext) {
  return {
    /** Throws conflict if the id or the name is taken. */
    create(session: Session, { id = ids(), ...input }: CreateDeck): Promise<Tagged<Deck>> {
      const stamps = { ...newStamps(id, now()), trashed_with: null }
      const members = { ...readDeckName(input.name), ...checkedMembers(input, NOTHING) }
      return session.db.transaction(async (db) => {
        const tx = { ...session, db }
        const parent = await parentFor(tx, null, input.parent_id ?? null)
        return toDeck(await deckWriter.insert(tx, { ...stamps, ...members, parent }))
      })
    },

    /** Returns a deck, also from the trash. Throws not_found. */
    get: deckReader.get,

    /** Returns one page of decks, by name, with their counts if requested. Throws invalid_cursor, invalid_request. */
    async list(session: Session, query: ListDecks): Promise<DeckPage> {
      const { cursor, limit: asked, parent_id, trashed } = query
      const limit = Number(asked ?? DEFAULT_LIMIT)
      const binding = JSON.stringify(['decks', parent_id ?? null, trashed === 'true'])
      const after = cursor === undefined ? null : readCursor(cursor, binding, ['string', 'string'])
      const parent = await askedParent(session, parent_id)
      const listing = { trashed: trashed === 'true', parent, after, limit: limit + 1 }
      const rows = await listDecks(session, listing)
      const keys = ({ name_key, id }: DeckRow) => [name_key, id]
      const counts = query.counts === 'true' ? await sumCards(session, rows.slice(0, limit), now()) : null
      return toPage(rows, limit, binding, keys, (row) => ({
        ...toDeck(row).resource,
        ...(counts ? { counts: counts.get(row.key) ?? NO_CARDS } : {}),
      }))
    },

    /**
     * Applies a merge patch, and replays memory if weights changed. Throws conflict if the deck is in the trash, would
     * contain itself, or if the name is taken.
     */
    update(
      session: Session,
      id: string,
      patch: UpdateDeck,
      precondition: Precondition,
      defer: DeferReplay,
    ): Promise<Tagged<Deck>> {
      return deckReader.withRow(session, id, precondition, async (tx, old) => {
        refuseTrashed(old, 'deck')
        const { name, name_key } = patch.name === undefined ? old : readDeckName(patch.name)
        const parent = patch.parent_id === undefined ? old.parent : await parentFor(tx, old, patch.parent_id)
        const members = { name, name_key, parent, ...checkedMembers(patch, old) }
        const change = () => deckWriter.save(tx, old, members)
        const isKept = members.settings === old.settings && parent === old.parent
        return toDeck(await (isKept ? change() : memories.applyChange(tx, old.key, change, defer)))
      })
    },

    /** Returns the settings of the deck, the effective ones, and where each comes from. Throws not_found. */
    async settings(session: Session, id: string): Promise<DeckSettingsView> {
      const deck = await loadDeck(session, id)
      const study = await readStudy(session, now())
      const inherited = (await readInherited(session, study, [deck.key])).get(deck.key)
      if (!inherited) throw new Error(`deck ${id} inherits nothing`)
      const { overrides, effective, from } = inherited
      return { overrides: toOverrides(overrides), effective, from }
    },

    /** Counts the cards of the deck and its subdecks, without the trash. Throws not_found. */
    async counts(session: Session, id: string): Promise<DeckCounts> {
      const deck = await loadDeck(session, id)
      return (await sumCards(session, [deck], now())).get(deck.key) ?? NO_CARDS
    },
  }
}

const NO_CARDS: CardCounts = { new: 0, learning: 0, review: 0, suspended: 0, total: 0, due_today: 0 }

/** The cards of each of these decks and its subdecks, without the trash, by its key. Each card is read once. */
async function sumCards(
  session: Session,
  decks: readonly DeckRow[],
  now: number,
): Promise<ReadonlyMap<number, CardCounts>> {
  const { today, clock } = await readStudy(session, now)
  const keys = keysOf(decks)
  const pairs = await listPairsDownwards(session, keys)
  const counted = [...new Set(keysOf(pairs))]
  const due = { today, dayEndsAt: startOfStudyDay(today + 1, clock) }
  const own = new Map((await countCardsByDeck(session, counted, due)).map(({ deck, ...counts }) => [deck, counts]))
  const sums = new Map<number, CardCounts>()
  for (const { top, key } of pairs) sums.set(top, addCounts(sums.get(top) ?? NO_CARDS, own.get(key) ?? NO_CARDS))
  return sums
}

function addCounts(one: CardCounts, other: CardCounts): CardCounts {
  return {
    new: one.new + other.new,
    learning: one.learning + other.learning,
    review: one.review + other.review,
    suspended: one.suspended + other.suspended,
    total: one.total + other.total,
    due_today: one.due_today + other.due_today,
  }
}

/** Throws conflict, invalid_request. */
async function parentFor(session: Session, moved: DeckRow | null, id: string | null): Promise<number | null> {
  if (id !== null && id === moved?.parent_id) return moved.parent
  const parent = id === null ? null : await requireUntrashedDeck(session, id, '/parent_id')
  await requireDeckLevels(session, moved, parent, '/parent_id')
  return parent?.key ?? null
}

async function askedParent(session: Session, id: string | undefined): Promise<number | null | undefined> {
  if (id === undefined) return undefined
  return id === 'none' ? null : (await loadDeck(session, id)).key
}

type Members = Pick<DeckRow, 'description' | 'settings'>

const NOTHING: Members = { description: '', settings: '{}' }

/** Absent members keep their old values. Throws invalid_request. */
function checkedMembers({ description, settings }: Omit<UpdateDeck, 'name'>, old: Members): Members {
  requireLength(description ?? '', MAX_DESCRIPTION_CHARS, '/description')
  return {
    description: description === undefined ? old.description : (description ?? ''),
    settings: settings === undefined ? old.settings : patchOverrides(old.settings, settings, '/settings'),
  }
}

const COLLECTION = '/api/flashcards/decks'
const One = t.Object({ id: Id })

nameSchemas({ Deck, DeckPage, DeckSettings: DeckSettingsView, DeckCounts, CreateDeck, UpdateDeck })

interface RoutesDeps {
  readonly decks: Decks
  readonly deckTrash: DeckTrash
  readonly changeSchedule: ChangeSchedule
  readonly api: RequestPlugin
}

export function decksRoutes({ decks, deckTrash, changeSchedule, api }: RoutesDeps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Decks'] })
    .use(api)
    .get('', ({ session, query }) => decks.list(session, query), {
      query: ListDecks,
      response: { 200: DeckPage, 404: Problem },
      detail: {
        operationId: 'listDecks',
        ...refuses('invalid_cursor'),
        summary: 'List decks',
        description:
          'All decks by name, or those of one parent. The trash is listed alone, each subtree as one entry. `counts=true` counts the cards of each.',
      },
    })
    .post('', ({ once, body }) => once(async (session) => created(COLLECTION, await decks.create(session, body))), {
      idempotent: true,
      body: CreateDeck,
      response: { 201: Deck },
      detail: {
        operationId: 'createDeck',
        summary: 'Create a deck',
        description: 'Settings left out are inherited from its parent.',
      },
    })
    .get('/:id', async ({ session, params, reply }) => reply.read(await decks.get(session, params.id)), {
      params: One,
      response: { 200: Deck, 304: NoContent },
      detail: {
        operationId: 'getDeck',
        summary: 'Get a deck',
        description: 'A deck in the trash is returned too, with `deleted_at` set.',
      },
    })
    .patch(
      '/:id',
      async ({ session, request, params, query, body, reply }) => {
        const change = async (tx: Session, defer: DeferReplay) =>
          changed(await decks.update(tx, params.id, body, ifMatch(request), defer))
        return reply.send(await changeSchedule(request, session, { deckId: params.id, query, body, change }))
      },
      {
        params: One,
        query: RescheduleQuery,
        body: UpdateDeck,
        response: {
          200: t.Union([Deck, ReschedulePreview], { examples: Deck.examples }),
          202: ImportReport,
          412: Problem,
        },
        detail: {
          operationId: 'updateDeck',
          ...refuses('conflict'),
          summary: 'Change a deck',
          description: `\`parent_id\` moves it with its contents. Due days stay as they are, unless \`reschedule\` moves them. ${IN_STEPS}`,
        },
      },
    )
    .delete(
      '/:id',
      async ({ session, request, params, query, reply }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        const order = { id: params.id, what, moveTo: query.move_to ?? null } as const
        return reply.send(await deckTrash.deleteDeck(request, session, order, ifMatch(request)))
      },
      {
        params: One,
        query: DeleteDeck,
        response: { 202: ImportReport, 204: NoContent },
        detail: {
          operationId: 'deleteDeck',
          ...refuses('conflict'),
          summary: 'Delete a deck',
          description:
            'Moves it with its subdecks and facts to the trash for 30 days, as one entry; `permanent=true` erases them at once. `move_to` moves its contents into another deck first. ' +
            IN_STEPS,
        },
      },
    )
    .post(
      '/:id/restore',
      async ({ session, request, params, body, reply }) =>
        reply.send(await deckTrash.restoreDeck(request, session, { id: params.id, body }, ifMatch(request))),
      {
        params: One,
        response: { 200: Deck, 202: ImportReport },
        detail: {
          operationId: 'restoreDeck',
          summary: 'Restore a deck',
          description: `Restores the deck and everything that was trashed with it. ${IN_STEPS}`,
        },
      },
    )
    .get('/:id/settings', ({ session, params }) => decks.settings(session, params.id), {
      params: One,
      response: { 200: DeckSettingsView },
      detail: {
        operationId: 'getDeckSettings',
        summary: 'Get the effective settings of a deck',
        description: 'Its own settings, the effective ones, and where each comes from.',
      },
    })
    .get('/:id/counts', ({ session, params }) => decks.counts(session, params.id), {
      params: One,
      response: { 200: DeckCounts },
      detail: {
        operationId: 'getDeckCounts',
        summary: 'Count the cards of a deck',
        description: 'Counts the cards of the deck and its subdecks.',
      },
    })
}
