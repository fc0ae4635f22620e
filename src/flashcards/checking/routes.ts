import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import type { Once } from '../../http/idempotency'
import { send } from '../../http/responses'
import { Id, Problem } from '../../http/schema'
import { CheckAnswer, CheckedAnswer } from './schema'
import { checkCard } from './service'

interface Deps {
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function checkRoutes({ once, session }: Deps) {
  return new Elysia({ prefix: '/api/flashcards/cards', tags: ['Flashcards'] }).post(
    '/:id/check',
    async ({ request, params, body, set }) =>
      send(
        set,
        await once(request, session(request), body, async (within) => {
          const checked = await checkCard(within, params.id, body.answer)
          return { status: 200, headers: {}, body: checked }
        }),
      ),
    {
      params: t.Object({ id: Id }),
      body: CheckAnswer,
      response: { 200: CheckedAnswer, 404: Problem, 409: Problem },
      detail: {
        operationId: 'checkAnswer',
        summary: 'Check a typed answer',
        description: 'Compares it with the answer of the card, and suggests a rating. Nothing is written.',
      },
    },
  )
}
