import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import type { Once } from '../../http/idempotency'
import { send } from '../../http/responses'
import { DraftFacts, Drafts } from './schema'
import type { Drafting } from './service'

interface Deps {
  readonly drafting: Drafting
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function draftsRoutes({ drafting, once, session }: Deps) {
  return new Elysia({ prefix: '/api/flashcards/drafts', tags: ['Flashcards'] }).post(
    '',
    async ({ request, body, set }) =>
      send(
        set,
        await once(request, session(request), body, async (within) => {
          return { status: 200, headers: {}, body: await drafting.draft(within, body) }
        }),
      ),
    {
      body: DraftFacts,
      response: { 200: Drafts },
      detail: {
        operationId: 'draftFacts',
        summary: 'Draft facts',
        description:
          'Finds what has the form of a fact in a note or a text: `Q:` and `A:`, `term :: meaning`, `term ::: meaning` (reversed), `{{c1::…}}`, `==marked==`, headings that ask, definitions, tables of two columns. Nothing is stored: complete each `fact` with a deck_id and send it to `/facts/batch`.',
      },
    },
  )
}
