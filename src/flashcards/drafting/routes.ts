import { Elysia } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas } from '../../http/schema'
import { DraftFacts, Drafts } from './schema'
import type { Drafting } from './service'

interface Deps {
  readonly drafting: Drafting
  readonly api: RequestPlugin
}

nameSchemas({ DraftFacts, FactDrafts: Drafts })

export function draftsRoutes({ drafting, api }: Deps) {
  return new Elysia({ prefix: '/api/flashcards/drafts', tags: ['Flashcards in and out'] }).use(api).post(
    '',
    ({ once, body }) =>
      once(async (session) => {
        return { status: 200, headers: {}, body: await drafting.draft(session, body) }
      }),
    {
      idempotent: true,
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
