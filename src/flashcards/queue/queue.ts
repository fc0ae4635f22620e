import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Context, Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { refuses } from '../../http/api-error'
import { AS_DAY, asInteger, Flag, Id, Instant, Limit, nameSchemas } from '../../http/schema'
import { MAX_LIMIT, writeInstant } from '../../http/values'
import { fromDay } from '../../lib/civil/day'
import { showCards } from '../cards/card'
import { Card, cardExample, RenderForm } from '../cards/card-schema'
import { type CardRow, getCardsByKeys } from '../cards/card-store'
import { loadDeck } from '../decks/deck'
import { readStudy, type Study } from '../decks/study'
import type { CardHtml, ShownCard } from '../rendering/service'
import { CardPreview, previewExample } from '../reviews/review-schema'
import { previewCard } from '../reviews/reviews'
import type { DeckSettings } from '../scheduling/settings'
import { startOfStudyDay } from '../scheduling/study-day'
import { DailyLimits, pickNew, pickReviews, QueueDecks, Siblings } from './order'
import { listAnsweredOn, listLearningCards, listQueueDecks, type QueueCard } from './store'

const whole = Type.Integer({ minimum: 0 })

const QUEUE_LIMIT = 20

const AskQueue = t.Object(
  {
    deck_id: t.Optional(t.String({ ...Id, description: 'This deck with its subdecks; else all decks.' })),
    limit: t.Optional(
      t.String({
        ...Limit,
        ...asInteger({ minimum: 1, maximum: MAX_LIMIT, default: QUEUE_LIMIT }),
        description: `1 to 200, else ${QUEUE_LIMIT}.`,
      }),
    ),
    preview: t.Optional(Flag),
    render: t.Optional(RenderForm),
  },
  { additionalProperties: false },
)

export const Queue = t.Object(
  {
    study_day: t.String({ ...AS_DAY, description: 'Today, a civil date.' }),
    day_ends_at: Instant,
    counts: t.Object(
      { new: whole, learning: whole, review: whole },
      {
        description:
          'What is left to do today: learning cards due before the day ends, and the cards that the limits allow.',
      },
    ),
    remaining: t.Object(
      { new: whole, review: whole },
      { description: 'The remaining limits of the selected deck, or of all topmost decks together.' },
    ),
    next_learning_at: t.Union([Instant, t.Null()], {
      description: 'When the next learning card becomes due.',
    }),
    items: t.Array(
      t.Object({
        card: Card,
        preview: t.Union([CardPreview, t.Null()], { description: 'Null unless `preview=true`.' }),
      }),
    ),
  },
  {
    examples: [
      {
        study_day: '2026-03-05',
        day_ends_at: '2026-03-06T04:00:00.000Z',
        counts: { new: 1, learning: 2, review: 12 },
        remaining: { new: 1, review: 150 },
        next_learning_at: '2026-03-05T15:12:00.000Z',
        items: [{ card: cardExample, preview: previewExample }],
      },
    ],
  },
)

type AskQueue = Static<typeof AskQueue>
export type Queue = Static<typeof Queue>

const MINUTE_MS = 60_000
/** The most bytes of texts in one response, which ends early when they are reached. */
const QUEUE_BYTES = 8 * 1024 * 1024

interface Deps extends Pick<Context, 'now'> {
  readonly html: Pick<CardHtml, 'add'>
}

export type Queues = ReturnType<typeof createQueues>

/** It only reads: nothing is reserved. */
export function createQueues({ now, html }: Deps) {
  return {
    /** Returns the queue of a deck with its subdecks, or of all decks. Throws not_found for an unknown deck. */
    async get(session: Session, { deck_id, limit = String(QUEUE_LIMIT), preview, render }: AskQueue): Promise<Queue> {
      const study = await readStudy(session, now())
      const selected = deck_id === undefined ? null : (await loadDeck(session, deck_id)).key
      const scope = new QueueDecks(await listQueueDecks(session), selected, study.defaults)
      const plan = await planQueue(session, study, scope)
      const dayEndsAt = startOfStudyDay(study.today + 1, study.clock)
      const next = plan.learning.find(({ sort_key }) => sort_key > study.now)
      return {
        study_day: fromDay(study.today),
        day_ends_at: writeInstant(dayEndsAt),
        counts: countsOf(plan, dayEndsAt),
        remaining: plan.remaining,
        next_learning_at: next ? writeInstant(next.sort_key) : null,
        items: await showItems(session, study, scope, {
          cards: plan.queue.slice(0, Number(limit)),
          preview: preview === 'true',
          html: render === 'html' ? html : null,
        }),
      }
    },
  }
}

/** Counts what the queue of a deck, by its key, or of all decks still gives today, without the repeats to come. */
export async function countQueue(session: Session, study: Study, selected: number | null): Promise<Queue['counts']> {
  const scope = new QueueDecks(await listQueueDecks(session), selected, study.defaults)
  return countsOf(await planQueue(session, study, scope), startOfStudyDay(study.today + 1, study.clock))
}

type QueuePlan = Awaited<ReturnType<typeof planQueue>>

function countsOf({ fresh, learning, reviews }: QueuePlan, dayEndsAt: number): Queue['counts'] {
  const today = learning.filter(({ sort_key }) => sort_key < dayEndsAt)
  return { new: fresh.length, learning: today.length, review: reviews.length }
}

async function planQueue(session: Session, study: Study, scope: QueueDecks) {
  const all = await listLearningCards(session, study.today)
  const learning = all.filter(({ deck }) => scope.holds(deck))
  const due = learning.filter(({ sort_key }) => sort_key <= study.now)
  const [rooms, siblings] = [new DailyLimits(scope), new Siblings()]
  for (const card of await listAnsweredOn(session, study.today)) {
    rooms.count(card)
    siblings.add(card)
  }
  for (const card of due) siblings.add(card)
  const remaining = remainingOf(rooms)
  const deps = { reader: session, study, scope }
  const reviews = await pickReviews(deps, { cards: [], rooms, siblings })
  const fresh = await pickNew(deps, reviews)
  const main = mixCards(reviews.cards, fresh.cards, scope.order.new_mix)
  const ahead = study.now + study.learn_ahead_minutes * MINUTE_MS
  const queue = due.length + main.length > 0 ? [...due, ...main] : learning.filter(({ sort_key }) => sort_key <= ahead)
  return { learning, reviews: reviews.cards, fresh: fresh.cards, remaining, queue }
}

function remainingOf(rooms: DailyLimits): Queue['remaining'] {
  const sum = (kind: 'reviews' | 'fresh') => rooms.scope.roots.reduce((total, deck) => total + rooms.own(deck, kind), 0)
  return { new: sum('fresh'), review: sum('reviews') }
}

interface ItemsRequest {
  readonly cards: readonly QueueCard[]
  readonly preview: boolean
  readonly html: Deps['html'] | null
}

/** Converts cards to the API. Ends early at QUEUE_BYTES, or at the limit of HTML, with at least one card. */
async function showItems(
  session: Session,
  study: Study,
  scope: QueueDecks,
  asked: ItemsRequest,
): Promise<Queue['items']> {
  const keys = asked.cards.map(({ key }) => key)
  const known = new Map((await getCardsByKeys(session, keys)).map((row) => [row.key, row]))
  const rows = keys.flatMap((key) => known.get(key) ?? [])
  let bytes = 0
  const cards: (ShownCard & { readonly row: CardRow })[] = []
  for (const [i, shown] of (await showCards(session, study, rows)).entries()) {
    bytes += shown.bytes
    const row = rows[i]
    if (!row || (bytes > QUEUE_BYTES && i > 0)) break
    cards.push({ row, shown })
  }
  const rendered = asked.html ? await asked.html.add(session, cards) : cards.map(({ shown }) => shown)
  return rendered.map(({ resource: card }, i) => {
    const row = asked.preview ? cards[i]?.row : undefined
    return { card, preview: row ? previewCard(row, study, scope.settings(row.deck)) : null }
  })
}

/**
 * Mixes new cards with reviews: before them, after them, or the j-th of N after floor(j · R / (N + 1)) of R reviews.
 */
export function mixCards<Card>(reviews: readonly Card[], fresh: readonly Card[], how: DeckSettings['new_mix']): Card[] {
  if (how !== 'mix') return how === 'before' ? [...fresh, ...reviews] : [...reviews, ...fresh]
  const queue: Card[] = []
  let shown = 0
  for (const [i, card] of fresh.entries()) {
    const before = Math.floor(((i + 1) * reviews.length) / (fresh.length + 1))
    queue.push(...reviews.slice(shown, before), card)
    shown = before
  }
  return queue.concat(reviews.slice(shown))
}

nameSchemas({ Queue })

export function queueRoutes({ queues, api }: { queues: Queues; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Study'] })
    .use(api)
    .get('/queue', ({ session, query }) => queues.get(session, query), {
      query: AskQueue,
      response: { 200: Queue },
      detail: {
        operationId: 'getStudyQueue',
        ...refuses('not_found'),
        summary: 'Get what to study next',
        description:
          'Learning that is due, then reviews and new cards within the limits of the day; where there are none, learning that is due soon. It reserves nothing: ask again after each answer, or after some. With `render=html` the answers of all items fit a page as they are.',
      },
    })
}
