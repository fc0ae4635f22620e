import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { ApiError, refuses } from '../http/api-error'
import type { Page } from '../http/cursor'
import { ifMatch, type Precondition, requireRevision, type Tagged } from '../http/responses'
import { Id, NoContent, nameSchemas, Problem } from '../http/schema'
import { readCivilDate, requireLength } from '../http/values'
import { toDay } from '../lib/civil/day'
import { type CardActions, CardsAction, CardsActionReport } from './card-actions'
import {
  loadCard,
  loadNoteRenderer,
  plainAnswer,
  readTypedAnswer,
  requireUntrashedCard,
  showCard,
  showCards,
} from './cards/card'
import { Card, CardPage, RenderForm, UpdateCard } from './cards/card-schema'
import type { CardRow } from './cards/card-store'
import { compareAnswer, MAX_ANSWER_CHARS } from './cards/compare-answer'
import type { StudyContext } from './context'
import { readStudy } from './decks/study'
import { listTypedTexts, requireCloze } from './facts/cloze'
import { makeCardFaces } from './facts/fact'
import { type FactRow, getFactsByKeys } from './facts/fact-store'
import { loadNoteTypes } from './facts/note-type-store'
import { ListCards, readSortedPage, readStudyFilter, toStudyPage } from './filter/filter'
import type { FindFacts } from './filter/query'
import { listCards } from './filter/store'
import type { CardHtml } from './rendering/service'

const CheckAnswer = t.Object(
  { answer: t.String({ description: 'What was typed, at most 1,000 characters.' }) },
  { additionalProperties: false, examples: [{ answer: 'Lisbom' }] },
)

const CheckedAnswer = t.Object(
  {
    correct: t.Boolean(),
    expected: t.String({ description: 'The nearest of the right answers, without Markdown.' }),
    distance: Type.Integer({ minimum: 0, description: 'Letters to insert, delete, replace or swap.' }),
    diff: t.Array(
      t.Object({ op: t.Union([t.Literal('equal'), t.Literal('insert'), t.Literal('delete')]), text: t.String() }),
      { description: 'From the answer to `expected`: `insert` was missing, `delete` was too much.' },
    ),
    suggested_rating: t.Union([t.Literal(1), t.Literal(2), t.Literal(3)], {
      description: '3 right; 2 right except for accents, or for one edit in five letters or more; else 1.',
    }),
  },
  {
    examples: [
      {
        correct: false,
        expected: 'Lisbon',
        distance: 1,
        diff: [
          { op: 'equal', text: 'Lisbo' },
          { op: 'delete', text: 'm' },
          { op: 'insert', text: 'n' },
        ],
        suggested_rating: 2,
      },
    ],
  },
)

type CheckedAnswer = Static<typeof CheckedAnswer>

/** Checks a typed answer to a card. Writes nothing. Throws not_found, invalid_request. */
async function checkCard(session: Session, id: string, answer: string): Promise<CheckedAnswer> {
  const card = await requireUntrashedCard(session, id)
  const [fact] = await getFactsByKeys(session, [card.fact])
  if (!fact) throw new Error(`card ${id} has no fact`)
  requireLength(answer, MAX_ANSWER_CHARS, '/answer')
  const noteType = (await loadNoteTypes(session, [fact])).get(fact.note_type ?? Number.NaN)
  const typed = await readTypedAnswer(fact, noteType, card.ordinal)
  if (typed) return compareAnswer(answer, typed)
  const right = (await listShownAnswers(session, fact, card.ordinal)).map(plainAnswer)
  return compareAnswer(answer, { right, ignores_accents: false })
}

/** Returns the answer that a card shows; of a cloze card, the hidden texts. In Markdown. */
async function listShownAnswers(session: Session, fact: FactRow, ordinal: number): Promise<readonly string[]> {
  if (fact.type === 'custom') return (await loadNoteRenderer(session, [fact]))(fact, ordinal).right
  if (fact.type !== 'cloze') return [makeCardFaces(fact).find((one) => one.ordinal === ordinal)?.answer ?? '']
  return listTypedTexts(requireCloze(fact.text ?? ''), ordinal + 1)
}

interface Deps extends StudyContext {
  readonly html: Pick<CardHtml, 'add'>
  readonly findFacts: FindFacts
}

export type Cards = ReturnType<typeof createCards>

/** Facts create, move and trash their cards, and reviews schedule them. */
export function createCards({ now, cardWriter, html, findFacts }: Deps) {
  return {
    /** Returns a card, also from the trash, with its sides as HTML if they are wanted. Throws not_found. */
    async get(session: Session, id: string, render?: 'html'): Promise<Tagged<Card>> {
      const row = await loadCard(session, id)
      const shown = await showCard(session, await readStudy(session, now()), row)
      const [rendered] = render === 'html' ? await html.add(session, [{ row, shown }]) : []
      return rendered ?? shown
    },

    /** Returns one page of cards, by id or sorted. Throws invalid_cursor, invalid_request, not_found for a deck. */
    async list(session: Session, query: ListCards): Promise<Page<Card>> {
      const study = await readStudy(session, now())
      const filter = await readStudyFilter(session, query, study, findFacts)
      const { sort, ...page } = readSortedPage(query, study)
      const rows = await listCards(session, { ...page, filter, limit: page.limit + 1 }, sort)
      const values = new Map(rows.map(({ id, sort_value }) => [id, sort_value]))
      const items = await showCards(session, study, rows)
      return toStudyPage(items, page, ({ resource: { id } }) => (sort ? [values.get(id) ?? null, id] : [id]))
    },

    /** Applies a merge patch. Throws conflict if the card is in the trash, precondition_failed if it was changed. */
    update(session: Session, id: string, patch: UpdateCard, precondition: Precondition = null): Promise<Tagged<Card>> {
      return session.db.transaction(async (db) => {
        const tx = { ...session, db }
        const old = await loadCard(tx, id)
        const study = await readStudy(tx, now())
        requireRevision(precondition, (await showCard(tx, study, old)).resource)
        if (old.deleted_at !== null) throw new ApiError('conflict', 'The card is in the trash. Restore its fact first.')
        return showCard(tx, study, await cardWriter.save(tx, old, applyPatch(old, patch)))
      })
    },
  }
}

/** Returns the members after a patch. Throws invalid_request. */
function applyPatch(old: CardRow, { suspended, buried_until, flag, position }: UpdateCard): Partial<CardRow> {
  const until = typeof buried_until === 'string' ? toDay(readCivilDate(buried_until, '/buried_until')) : buried_until
  return {
    suspended: suspended === undefined ? old.suspended : Number(suspended),
    buried_until: until === undefined ? old.buried_until : until,
    flag: flag ?? old.flag,
    position: position ?? old.position,
  }
}

const One = t.Object({ id: Id })
const OneQuery = t.Object({ render: t.Optional(RenderForm) }, { additionalProperties: false })

nameSchemas({ Card, CardPage, UpdateCard, CardsAction, CardsActionReport, CheckAnswer, CheckedAnswer })

export function cardsRoutes({ cards, actions, api }: { cards: Cards; actions: CardActions; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/flashcards/cards', tags: ['Facts and cards'] })
    .use(api)
    .get('', ({ session, query }) => cards.list(session, query), {
      query: ListCards,
      response: { 200: CardPage, 404: Problem },
      detail: {
        operationId: 'listCards',
        ...refuses('invalid_cursor'),
        summary: 'List cards',
        description: 'Lists the cards that match the filters, by id or as `sort` says. The trash is listed separately.',
      },
    })
    .get(
      '/:id',
      async ({ session, params, query, reply }) => reply.read(await cards.get(session, params.id, query.render)),
      {
        params: One,
        query: OneQuery,
        response: { 200: Card, 304: NoContent },
        detail: {
          operationId: 'getCard',
          summary: 'Get a card',
          description:
            'Also from the trash: then `deleted_at` is set. Its ETag changes with the study day and the settings. With `render=html` it has its sides as HTML, too: filled templates of its note type or Markdown, with clozes, maths as MathML, masks, pictures and sounds.',
        },
      },
    )
    .patch(
      '/:id',
      async ({ session, request, params, body, reply }) =>
        reply.changed(await cards.update(session, params.id, body, ifMatch(request))),
      {
        params: One,
        body: UpdateCard,
        response: { 200: Card },
        detail: {
          operationId: 'updateCard',
          ...refuses('conflict'),
          summary: 'Change a card',
          description: 'Suspends, buries, flags or orders it. Its texts and its deck are those of its fact.',
        },
      },
    )
    .post(
      '/actions',
      async ({ once, session, body }) => {
        const found = await actions.findWords(session, body)
        return once(async (tx) => ({ status: 200, headers: {}, body: await actions.run(tx, body, found) }))
      },
      {
        idempotent: true,
        body: CardsAction,
        response: { 200: CardsActionReport },
        detail: {
          operationId: 'updateCards',
          ...refuses('not_found', 'too_many_affected'),
          summary: 'Act on many cards',
          description:
            'Changes up to 500 cards by id, or up to 10,000 that match a filter: all of them or none. A change to a fact also changes its other cards.',
        },
      },
    )
    .post(
      '/:id/check',
      ({ once, params, body }) =>
        once(async (session) => ({ status: 200, headers: {}, body: await checkCard(session, params.id, body.answer) })),
      {
        idempotent: true,
        params: One,
        body: CheckAnswer,
        response: { 200: CheckedAnswer },
        detail: {
          operationId: 'checkAnswer',
          summary: 'Check a typed answer',
          description: 'Compares it with the answer of the card, and suggests a rating. Nothing is written.',
        },
      },
    )
}
