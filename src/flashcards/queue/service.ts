import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { writeInstant } from '../../http/values'
import { fromDay } from '../../lib/civil/day'
import { showCards } from '../card'
import { type CardRow, getCardsByKeys } from '../card-store'
import { loadDeck } from '../deck-tree'
import type { CardHtml, ShownCard } from '../rendering/service'
import { previewCard } from '../reviews/service'
import type { DeckSettings } from '../scheduling/settings'
import { startOfStudyDay } from '../scheduling/study-day'
import { readStudy, type Study } from '../study'
import { DailyLimits, QueueDecks } from './limits'
import { pickNew, pickReviews, Siblings } from './order'
import { type AskQueue, QUEUE_LIMIT, type Queue } from './schema'
import { listAnsweredOn, listLearningCards, listQueueDecks, type QueueCard } from './store'

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
      const { db, workspace } = session
      const study = await readStudy(session, now())
      const selected = deck_id === undefined ? null : (await loadDeck(session, deck_id)).key
      const scope = new QueueDecks(await listQueueDecks(db, workspace.id), selected, study.defaults)
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
  const scope = new QueueDecks(await listQueueDecks(session.db, session.workspace.id), selected, study.defaults)
  return countsOf(await planQueue(session, study, scope), startOfStudyDay(study.today + 1, study.clock))
}

type QueuePlan = Awaited<ReturnType<typeof planQueue>>

function countsOf({ fresh, learning, reviews }: QueuePlan, dayEndsAt: number): Queue['counts'] {
  const today = learning.filter(({ sort_key }) => sort_key < dayEndsAt)
  return { new: fresh.length, learning: today.length, review: reviews.length }
}

/** Returns all cards to study today, in order. */
async function planQueue({ db, workspace }: Session, study: Study, scope: QueueDecks) {
  const all = await listLearningCards(db, workspace.id, study.today)
  const learning = all.filter(({ deck }) => scope.holds(deck))
  const due = learning.filter(({ sort_key }) => sort_key <= study.now)
  const [rooms, siblings] = [new DailyLimits(scope), new Siblings()]
  for (const card of await listAnsweredOn(db, workspace.id, study.today)) {
    rooms.count(card)
    siblings.add(card)
  }
  for (const card of due) siblings.add(card)
  const remaining = remainingOf(rooms)
  const deps = { db, workspace: workspace.id, study, scope }
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
  /** Adds the sides as HTML; null: they are not wanted. */
  readonly html: Deps['html'] | null
}

/** Converts cards to the API. Ends early at QUEUE_BYTES, or at the limit of HTML, with at least one card. */
async function showItems(
  session: Session,
  study: Study,
  scope: QueueDecks,
  asked: ItemsRequest,
): Promise<Queue['items']> {
  const { db, workspace } = session
  const keys = asked.cards.map(({ key }) => key)
  const known = new Map((await getCardsByKeys(db, workspace.id, keys)).map((row) => [row.key, row]))
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
