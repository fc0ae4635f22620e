import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { changed, created, send, show } from '../../http/reply'
import { Id, NoContent, Problem } from '../../http/schema'
import { CreateDeck, Deck, DeckCounts, DeckPage, DeckSettingsView, DeleteDeck, ListDecks, UpdateDeck } from './schema'
import type { Decks } from './service'

interface Deps {
  readonly decks: Decks
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

const COLLECTION = '/api/flashcards/decks'
const One = t.Object({ id: Id })

export function decksRoutes({ decks, once, session }: Deps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Flashcards'] })
    .get('', ({ request, query }) => decks.list(session(request), query), {
      query: ListDecks,
      response: { 200: DeckPage, 404: Problem },
      detail: {
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
        detail: { summary: 'Create a deck', description: 'Settings that it does not set come from the deck above.' },
      },
    )
    .get('/:id', async ({ request, params, set }) => show(request, set, await decks.get(session(request), params.id)), {
      params: One,
      response: { 200: Deck, 304: NoContent },
      detail: { summary: 'Get a deck', description: 'Also from the trash; `trashed_at` tells.' },
    })
    .patch(
      '/:id',
      async ({ request, params, body, set }) =>
        send(set, changed(await decks.update(session(request), params.id, body, ifMatch(request)))),
      {
        params: One,
        body: UpdateDeck,
        response: { 200: Deck, 409: Problem, 412: Problem },
        detail: { summary: 'Change a deck', description: '`parent_id` moves it with all that stands in it.' },
      },
    )
    .delete(
      '/:id',
      async ({ request, params, query, set }) => {
        const dropped = query.permanent === 'true' ? decks.erase : decks.trash
        await dropped(session(request), params.id, query.move_to, ifMatch(request))
        set.status = 204
      },
      {
        params: One,
        query: DeleteDeck,
        response: { 204: NoContent, 409: Problem, 412: Problem },
        detail: {
          summary: 'Delete a deck',
          description:
            'Moves it with its subdecks and facts to the trash for 30 days, as one entry; `permanent=true` erases them at once. `move_to` saves what stands in it into another deck first.',
        },
      },
    )
    .post(
      '/:id/restore',
      async ({ request, params, body, set }) =>
        send(
          set,
          await once(request, session(request), body, async (within) =>
            changed(await decks.restore(within, params.id, ifMatch(request))),
          ),
        ),
      {
        params: One,
        response: { 200: Deck, 409: Problem, 412: Problem },
        detail: { summary: 'Restore a deck', description: 'Brings it back from the trash, with all that went along.' },
      },
    )
    .get('/:id/settings', ({ request, params }) => decks.settings(session(request), params.id), {
      params: One,
      response: { 200: DeckSettingsView },
      detail: { summary: 'Get what a deck goes by', description: 'Its own settings, and what it inherits from where.' },
    })
    .get('/:id/counts', ({ request, params }) => decks.counts(session(request), params.id), {
      params: One,
      response: { 200: DeckCounts },
      detail: { summary: 'Count the cards of a deck', description: 'With those of its subdecks.' },
    })
}
