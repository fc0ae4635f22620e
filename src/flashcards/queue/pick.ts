import type { DailyLimits, Kind } from './rooms'
import type { Siblings } from './siblings'
import type { QueueCard } from './store'

/** What was picked so far, and what it leaves. */
export interface Picked {
  readonly cards: readonly QueueCard[]
  readonly rooms: DailyLimits
  readonly siblings: Siblings
}

/** The first candidates of a deck in their order, `limit` at most. */
export type ReadFirst = (deck: number, limit: number) => Promise<QueueCard[]>

/** Read beyond the limit of a deck, since some will be siblings of others. */
const SPARE = 16

/** Cards by rank, then by id. */
export function byRank(one: QueueCard, other: QueueCard): number {
  return one.rank - other.rank || (one.id < other.id ? -1 : 1)
}

/**
 * Picks what fits of the cards, in their order. A card is left out if a sibling stands earlier or was answered today,
 * and where a limit is reached.
 */
export function pick(cards: readonly QueueCard[], kind: Kind, before: Picked): Picked {
  return pickUnlessShort(cards, kind, before, new Set()) ?? before
}

/**
 * The same for the candidates of whole decks, without reading all of them: of each deck as many as may fit, and more
 * where that was not enough because siblings were among them.
 */
export async function pickFirst(
  decks: readonly number[],
  kind: Kind,
  before: Picked,
  read: ReadFirst,
): Promise<Picked> {
  const open = decks.filter((deck) => before.rooms.left(deck, kind) > 0)
  for (let times = 1; ; times *= 4) {
    const cards: QueueCard[] = []
    const cut = new Set<QueueCard>()
    for (const deck of open) {
      const limit = before.rooms.left(deck, kind) * times + SPARE
      const first = await read(deck, limit)
      const last = first.at(-1)
      if (last && first.length === limit) cut.add(last)
      for (const card of first) cards.push(card)
    }
    const picked = pickUnlessShort(cards.sort(byRank), kind, before, cut)
    if (picked) return picked
  }
}

/** Null if behind one of `cut`, the last that was read of its deck, another card of the deck might fit. */
function pickUnlessShort(
  cards: readonly QueueCard[],
  kind: Kind,
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
