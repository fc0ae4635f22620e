import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { changed, created, send, sendResource } from '../../http/responses'
import { Id, NoContent, Problem } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import type { ReplayAfter } from '../replay'
import { CreateDeck, Deck, DeckCounts, DeckPage, DeckSettingsView, DeleteDeck, ListDecks, UpdateDeck } from './schema'
import type { Decks } from './service'
import type { DeckTrash } from './trash'

interface Deps {
  readonly decks: Decks
  readonly leaving: DeckTrash
  readonly reweigh: ReplayAfter
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

const COLLECTION = '/api/flashcards/decks'
const One = t.Object({ id: Id })

export function decksRoutes({ decks, leaving, reweigh, once, session }: Deps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Flashcards'] })
    .get('', ({ request, query }) => decks.list(session(request), query), {
      query: ListDecks,
      response: { 200: DeckPage, 404: Problem },
      detail: {
        operationId: 'listDecks',
        summary: 'List decks',
        description:
          'By name, on all levels, or those of one deck. The trash is listed alone, each subtree as one entry.',
      },
    })
    .post(
      '',
      async ({ request, body, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) =>
            created(COLLECTION, await decks.create(within, body)),
          ),
        ),
      {
        body: CreateDeck,
        response: { 201: Deck, 409: Problem },
        detail: {
          operationId: 'createDeck',
          summary: 'Create a deck',
          description: 'Settings that it does not set come from the deck above.',
        },
      },
    )
    .get(
      '/:id',
      async ({ request, params, set }) => sendResource(request, set, await decks.get(session(request), params.id)),
      {
        params: One,
        response: { 200: Deck, 304: NoContent },
        detail: {
          operationId: 'getDeck',
          summary: 'Get a deck',
          description: 'Also from the trash; `trashed_at` tells.',
        },
      },
    )
    .patch(
      '/:id',
      async ({ request, params, body, set }) =>
        send(
          set,
          await reweigh(request, session(request), {
            body,
            change: async (within, options) =>
              changed(await decks.update(within, params.id, body, ifMatch(request), options)),
          }),
        ),
      {
        params: One,
        body: UpdateDeck,
        response: { 200: Deck, 202: ImportReport, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateDeck',
          summary: 'Change a deck',
          description: `\`parent_id\` moves it with all that stands in it. ${IN_STEPS}`,
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, params, query, set }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        const order = { id: params.id, what, moveTo: query.move_to ?? null } as const
        return send(set, await leaving.drop(request, session(request), order, ifMatch(request)))
      },
      {
        params: One,
        query: DeleteDeck,
        response: { 202: ImportReport, 204: NoContent, 409: Problem, 412: Problem },
        detail: {
          operationId: 'deleteDeck',
          summary: 'Delete a deck',
          description:
            'Moves it with its subdecks and facts to the trash for 30 days, as one entry; `permanent=true` erases them at once. `move_to` saves what stands in it into another deck first. ' +
            IN_STEPS,
        },
      },
    )
    .post(
      '/:id/restore',
      async ({ request, params, body, set }) =>
        send(set, await leaving.restore(request, session(request), { id: params.id, body }, ifMatch(request))),
      {
        params: One,
        response: { 200: Deck, 202: ImportReport, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreDeck',
          summary: 'Restore a deck',
          description: `Brings it back from the trash, with all that went along. ${IN_STEPS}`,
        },
      },
    )
    .get('/:id/settings', ({ request, params }) => decks.settings(session(request), params.id), {
      params: One,
      response: { 200: DeckSettingsView },
      detail: {
        operationId: 'getDeckSettings',
        summary: 'Get what a deck goes by',
        description: 'Its own settings, and what it inherits from where.',
      },
    })
    .get('/:id/counts', ({ request, params }) => decks.counts(session(request), params.id), {
      params: One,
      response: { 200: DeckCounts },
      detail: {
        operationId: 'getDeckCounts',
        summary: 'Count the cards of a deck',
        description: 'With those of its subdecks.',
      },
    })
}
