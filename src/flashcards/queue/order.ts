import type { WorkspaceId } from '../../db/database'
import { retrievability } from '../scheduling/scheduler'
import type { Study } from '../settings/study'
import { byRank, type Picked, pick, pickFirst } from './pick'
import type { QueueDecks } from './scope'
import { allDue, allDueRemembered, allNew, firstDue, firstNew, type QueueCard, type RememberedQueueCard } from './store'

/** Reviews and new cards in the order that the settings ask for. */

interface Deps {
  readonly db: Parameters<typeof allDue>[0]
  readonly workspace: WorkspaceId
  readonly study: Study
  readonly scope: QueueDecks
}

/** A card that is given its rank here. */
type Ranked<Card extends QueueCard> = Omit<Card, 'rank'> & { rank: number }

/** The reviews of today, as far as limits and siblings let them through. */
export async function pickReviews({ db, workspace, study, scope }: Deps, before: Picked): Promise<Picked> {
  const { today } = study
  const order = scope.order.review_order
  const { decks } = scope
  if (order === 'due')
    return pickFirst(decks, 'reviews', before, (deck, limit) => firstDue(db, workspace, today, { deck, limit }))
  const open = decks.filter((deck) => before.rooms.left(deck, 'reviews') > 0)
  const cards =
    order === 'random'
      ? shuffled(await allDue(db, workspace, today, open), seedOf(workspace, study, scope))
      : byRecall(await allDueRemembered(db, workspace, today, open), study, scope)
  return pick(cards, 'reviews', before)
}

/** The new cards of today, as far as limits and siblings let them through. */
export async function pickNew({ db, workspace, study, scope }: Deps, before: Picked): Promise<Picked> {
  const { today } = study
  const { decks } = scope
  if (scope.order.new_order === 'position')
    return pickFirst(decks, 'fresh', before, (deck, limit) => firstNew(db, workspace, today, { deck, limit }))
  const open = decks.filter((deck) => before.rooms.left(deck, 'fresh') > 0)
  const cards = await allNew(db, workspace, today, open)
  return pick(shuffled(cards, seedOf(workspace, study, scope)), 'fresh', before)
}

/** The same all day, for one deck of one workspace. */
function seedOf(workspace: WorkspaceId, { today }: Study, { selected }: QueueDecks): number {
  return Bun.hash.xxHash32(`${workspace} ${selected} ${today}`)
}

// Ten thousand cards are ranked where they stand: copies of them cost more than the order does.

function shuffled(cards: Ranked<QueueCard>[], seed: number): QueueCard[] {
  for (const card of cards) card.rank = Bun.hash.xxHash32(card.id, seed)
  return cards.sort(byRank)
}

/** Those first that are forgotten most likely; what has no memory before them. */
function byRecall(cards: Ranked<RememberedQueueCard>[], { today, clock }: Study, scope: QueueDecks): QueueCard[] {
  for (const card of cards) card.rank = retrievability(card, today, scope.settings(card.deck).weights, clock) ?? 0
  return cards.sort(byRank)
}
