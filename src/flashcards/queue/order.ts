import type { WorkspaceId } from '../../db/database'
import { retrievability } from '../scheduling/scheduler'
import type { Study } from '../study'
import type { DailyLimits, LimitKind, QueueDecks } from './limits'
import {
  listAllDue,
  listAllDueWithMemory,
  listAllNew,
  listFirstDue,
  listFirstNew,
  type QueueCard,
  type RememberedQueueCard,
} from './store'

/** The facts with a card that was answered today or is in the queue. Their other cards are left out. */
export class Siblings {
  /** By the key of a fact: the key of its card, or null for several cards. */
  readonly #cards: Map<number, number | null>

  constructor(cards: Iterable<readonly [number, number | null]> = []) {
    this.#cards = new Map(cards)
  }

  add({ fact, key }: { readonly fact: number; readonly key: number }): void {
    const known = this.#cards.get(fact)
    this.#cards.set(fact, known === undefined || known === key ? key : null)
  }

  /** Whether another card of the fact was answered or picked. */
  hide({ fact, key }: { readonly fact: number; readonly key: number }): boolean {
    const known = this.#cards.get(fact)
    return known !== undefined && known !== key
  }

  copy(): Siblings {
    return new Siblings(this.#cards)
  }
}

/** The cards picked so far, and the remaining limits. */
interface Picked {
  readonly cards: readonly QueueCard[]
  readonly rooms: DailyLimits
  readonly siblings: Siblings
}

/** Reads up to `limit` first candidates of a deck, in order. */
type ReadFirst = (deck: number, limit: number) => Promise<QueueCard[]>

/** Cards that are read beyond the limit of a deck, since some are siblings of others. */
const SPARE_CARDS = 16

/** Compares cards by sort key, then by id. */
function compareSortKeys(one: QueueCard, other: QueueCard): number {
  return one.sort_key - other.sort_key || (one.id < other.id ? -1 : 1)
}

/**
 * Picks the cards that fit, in order. A card is left out if a sibling comes earlier or was answered today, or if a
 * limit is reached.
 */
function pick(cards: readonly QueueCard[], kind: LimitKind, before: Picked): Picked {
  return pickUnlessShort(cards, kind, before, new Set()) ?? before
}

/**
 * Picks from whole decks without reading all of their cards: reads as many of each as may fit, and more if that was not
 * enough because of siblings.
 */
async function pickFirst(decks: readonly number[], kind: LimitKind, before: Picked, read: ReadFirst): Promise<Picked> {
  const open = decks.filter((deck) => before.rooms.left(deck, kind) > 0)
  for (let times = 1; ; times *= 4) {
    const cards: QueueCard[] = []
    const cut = new Set<QueueCard>()
    for (const deck of open) {
      const limit = before.rooms.left(deck, kind) * times + SPARE_CARDS
      const first = await read(deck, limit)
      const last = first.at(-1)
      if (last && first.length === limit) cut.add(last)
      for (const card of first) cards.push(card)
    }
    const picked = pickUnlessShort(cards.sort(compareSortKeys), kind, before, cut)
    if (picked) return picked
  }
}

/** Returns null if more cards must be read: `cut` has the last card read of each deck, and one after it might fit. */
function pickUnlessShort(
  cards: readonly QueueCard[],
  kind: LimitKind,
  before: Picked,
  cut: ReadonlySet<QueueCard>,
): Picked | null {
  const [rooms, siblings] = [before.rooms.copy(), before.siblings.copy()]
  const picked: QueueCard[] = []
  for (const card of cards) {
    const buries = rooms.scope.settings(card.deck).bury_siblings
    if (rooms.left(card.deck, kind) > 0 && !(buries && siblings.hide(card))) {
      rooms.take(card.deck, kind)
      siblings.add(card)
      picked.push(card)
    }
    if (cut.has(card) && rooms.left(card.deck, kind) > 0) return null
  }
  return { cards: picked, rooms, siblings }
}

// Reviews and new cards in the order of the settings.

interface Deps {
  readonly db: Parameters<typeof listAllDue>[0]
  readonly workspace: WorkspaceId
  readonly study: Study
  readonly scope: QueueDecks
}

/** A card whose sort key is set here. */
type SortedCard<Card extends QueueCard> = Omit<Card, 'sort_key'> & { sort_key: number }

/** Picks the reviews of today that limits and siblings allow. */
export async function pickReviews({ db, workspace, study, scope }: Deps, before: Picked): Promise<Picked> {
  const { today } = study
  const order = scope.order.review_order
  const { decks } = scope
  if (order === 'due')
    return pickFirst(decks, 'reviews', before, (deck, limit) => listFirstDue(db, workspace, today, { deck, limit }))
  const open = decks.filter((deck) => before.rooms.left(deck, 'reviews') > 0)
  const cards =
    order === 'random'
      ? shuffle(await listAllDue(db, workspace, today, open), seedOf(workspace, study, scope))
      : sortByRecall(await listAllDueWithMemory(db, workspace, today, open), study, scope)
  return pick(cards, 'reviews', before)
}

/** Picks the new cards of today that limits and siblings allow. */
export async function pickNew({ db, workspace, study, scope }: Deps, before: Picked): Promise<Picked> {
  const { today } = study
  const { decks } = scope
  if (scope.order.new_order === 'position')
    return pickFirst(decks, 'fresh', before, (deck, limit) => listFirstNew(db, workspace, today, { deck, limit }))
  const open = decks.filter((deck) => before.rooms.left(deck, 'fresh') > 0)
  const cards = await listAllNew(db, workspace, today, open)
  return pick(shuffle(cards, seedOf(workspace, study, scope)), 'fresh', before)
}

/** Returns a seed that stays the same all day, for one deck of one workspace. */
function seedOf(workspace: WorkspaceId, { today }: Study, { selected }: QueueDecks): number {
  return Bun.hash.xxHash32(`${workspace} ${selected} ${today}`)
}

// Ten thousand cards are sorted in place, because copying them costs more than sorting.

function shuffle(cards: SortedCard<QueueCard>[], seed: number): QueueCard[] {
  for (const card of cards) card.sort_key = Bun.hash.xxHash32(card.id, seed)
  return cards.sort(compareSortKeys)
}

/** Sorts the cards by chance of recall, the lowest first. Cards without memory come before them. */
function sortByRecall(
  cards: SortedCard<RememberedQueueCard>[],
  { today, clock }: Study,
  scope: QueueDecks,
): QueueCard[] {
  for (const card of cards) card.sort_key = retrievability(card, today, scope.settings(card.deck).weights, clock) ?? 0
  return cards.sort(compareSortKeys)
}
