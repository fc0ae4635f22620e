import { t } from 'elysia'
import type { Bindings, Session } from '../db/database'
import { keysOf } from '../db/table'
import type { RequestPlugin } from '../http/api'
import { changed, ifMatch, type Precondition, type Tagged } from '../http/responses'
import { Id, nameSchemas, Problem } from '../http/schema'
import { inSteps, type RouteDeps, removalOf } from '../resources/operations'
import { type CardCounts, countCardsByDeck } from './cards/card-store'
import type { StudyContext } from './context'
import type { DeckTrash } from './deck-trash'
import { type Deck, type DeckPage, deckReader, deckResource, loadDeck, toDeck, toOverrides } from './decks/deck'
import { DeckCounts, DeckSettingsView, ListDecks } from './decks/deck-schema'
import { type DeckRow, listPairsDownwards } from './decks/deck-store'
import { readInherited, readStudy } from './decks/study'
import { type ChangeSchedule, ReschedulePreview, RescheduleQuery } from './rescheduling'
import type { DeferReplay } from './reviews/memory'
import { startOfStudyDay } from './scheduling/study-day'

export type Decks = ReturnType<typeof createDecks>

/** Every write is one transaction. */
export function createDecks({ now, ids, record, memories }: StudyContext) {
  const service = deckResource.createService({ now, ids, record })
  return {
    ...service,

    /** Returns one page of decks, by name, with their counts if requested. Throws invalid_cursor, not_found. */
    async list(session: Session, { counts, ...query }: ListDecks): Promise<DeckPage> {
      const parent = await askedParent(session, query.parent_id)
      const where = (bind: Bindings) =>
        // What was trashed with another deck is part of that entry.
        (query.trashed === 'true' ? 'AND trashed_with IS NULL' : '') +
        (parent === undefined ? '' : ` AND coalesce(parent, 0) = ${bind.add(parent ?? 0)}`)
      if (counts !== 'true') return service.list(session, query, where)
      return service.list(session, query, where, async (rows) => {
        const sums = await sumCards(session, rows, now())
        return ({ key }) => ({ counts: sums.get(key) ?? NO_CARDS })
      })
    },

    /**
     * Applies a merge patch, and replays memory if weights changed. Throws conflict if the deck is in the trash, would
     * contain itself, or if the name is taken.
     */
    update(
      session: Session,
      id: string,
      patch: Parameters<typeof service.update>[2],
      precondition: Precondition,
      defer: DeferReplay,
    ): Promise<Tagged<Deck>> {
      return deckReader.withRow(session, id, precondition, async (tx, old) => {
        const next = await service.patched(tx, old, patch)
        const change = () => service.records.save(tx, old, next)
        const isKept = next.settings === old.settings && next.parent === old.parent
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

async function askedParent(session: Session, id: string | undefined): Promise<number | null | undefined> {
  if (id === undefined) return undefined
  return id === 'none' ? null : (await loadDeck(session, id)).key
}

const { One } = deckResource.schemas
const OneDeck = t.Object({ id: Id })

nameSchemas({ DeckSettings: DeckSettingsView, DeckCounts })

interface RoutesDeps {
  readonly decks: Decks
  readonly deckTrash: DeckTrash
  readonly changeSchedule: ChangeSchedule
  readonly api: RequestPlugin
}

export function decksRoutes({ decks, deckTrash, changeSchedule, api }: RoutesDeps) {
  const { remove: _, update, restore, ...service } = decks
  const own = {
    list: {
      handler: ({ session, query }) => decks.list(session, query),
      query: ListDecks,
      response: { 404: Problem },
    },
    update: inSteps(
      ({ session, request, params: { id }, query, body }) => {
        const change = async (tx: Session, defer: DeferReplay) =>
          changed(await update(tx, id, body, ifMatch(request), defer))
        return changeSchedule(request, session, { deckId: id, query, body, change })
      },
      {
        query: RescheduleQuery,
        response: { 200: t.Union([One, ReschedulePreview], { examples: One.examples }), 412: Problem },
      },
    ),
    remove: inSteps(({ session, request, params: { id }, query }) => {
      const { move_to }: { readonly move_to?: string } = query
      return deckTrash.deleteDeck(
        request,
        session,
        { id, what: removalOf(query), moveTo: move_to ?? null },
        ifMatch(request),
      )
    }),
    restore: inSteps(({ session, request, params: { id }, body }) =>
      deckTrash.restoreDeck(request, session, { id, body }, ifMatch(request)),
    ),
  } satisfies RouteDeps['own']
  return deckResource
    .routes({ api, service, own })
    .get('/:id/settings', ({ session, params }) => decks.settings(session, params.id), {
      params: OneDeck,
      response: { 200: DeckSettingsView },
      detail: {
        operationId: 'getDeckSettings',
        summary: 'Get the effective settings of a deck',
        description: 'Its own settings, the effective ones, and where each comes from.',
      },
    })
    .get('/:id/counts', ({ session, params }) => decks.counts(session, params.id), {
      params: OneDeck,
      response: { 200: DeckCounts },
      detail: {
        operationId: 'getDeckCounts',
        summary: 'Count the cards of a deck',
        description: 'Counts the cards of the deck and its subdecks.',
      },
    })
}
