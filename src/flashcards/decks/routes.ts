import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { refuses } from '../../http/api-error'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed, created } from '../../http/responses'
import { Id, NoContent, nameSchemas, Problem } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import type { ReplayOptions } from '../memory'
import type { ChangeSchedule } from '../rescheduling/change'
import { ReschedulePreview, RescheduleQuery } from '../rescheduling/schema'
import { CreateDeck, Deck, DeckCounts, DeckPage, DeckSettingsView, DeleteDeck, ListDecks, UpdateDeck } from './schema'
import type { Decks } from './service'
import type { DeckTrash } from './trash'

interface Deps {
  readonly decks: Decks
  readonly deckTrash: DeckTrash
  readonly changeSchedule: ChangeSchedule
  readonly api: RequestPlugin
}

const COLLECTION = '/api/flashcards/decks'
const One = t.Object({ id: Id })

nameSchemas({ Deck, DeckPage, DeckSettings: DeckSettingsView, DeckCounts, CreateDeck, UpdateDeck })

export function decksRoutes({ decks, deckTrash, changeSchedule, api }: Deps) {
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
      response: { 201: Deck, 409: Problem },
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
        const change = async (tx: Session, options: ReplayOptions) =>
          changed(await decks.update(tx, params.id, body, ifMatch(request), options))
        return reply.send(await changeSchedule(request, session, { deckId: params.id, query, body, change }))
      },
      {
        params: One,
        query: RescheduleQuery,
        body: UpdateDeck,
        response: {
          200: t.Union([Deck, ReschedulePreview], { examples: Deck.examples }),
          202: ImportReport,
          409: Problem,
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
        response: { 202: ImportReport, 204: NoContent, 409: Problem, 412: Problem },
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
        response: { 200: Deck, 202: ImportReport, 409: Problem, 412: Problem },
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
