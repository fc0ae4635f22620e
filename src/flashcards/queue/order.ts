import type { Reader, WorkspaceId } from '../../db/database'
import type { LinkedDeck } from '../decks/deck-store'
import { listDeckAncestors, type Study } from '../decks/study'
import { retrievability } from '../scheduling/scheduler'
import { type DeckSettings, inheritSettings } from '../scheduling/settings'
import { type AnsweredCard, listAllQueued, listFirstQueued, type QueueCard, type RememberedQueueCard } from './store'

/** The decks of a queue: the selected one with its descendants, or all. */
export class QueueDecks {
  readonly #known: ReadonlyMap<number, LinkedDeck>
  readonly #settings = new Map<number, DeckSettings>()
  readonly #chains = new Map<number, readonly number[]>()

  /**
   * @param decks all decks of the workspace that are not in the trash
   * @param selected a key, or null for all decks
   * @param defaults the settings that decks fall back on
   */
  constructor(
    decks: readonly LinkedDeck[],
    readonly selected: number | null,
    readonly defaults: DeckSettings,
  ) {
    this.#known = new Map(decks.map((deck) => [deck.key, deck]))
  }

  get decks(): number[] {
    return [...this.#known.keys()].filter((key) => this.holds(key))
  }

  /** The keys of the decks whose limits bound the whole queue: the selected deck, or the topmost ones. */
  get roots(): number[] {
    return this.decks.filter((key) => this.chain(key).length === 1)
  }

  holds(deck: number): boolean {
    return this.chain(deck).length > 0
  }

  /** Returns a deck and its ancestors, up to the selected deck or the top; empty if it is not in scope. */
  chain(deck: number): readonly number[] {
    const found = this.#chains.get(deck)
    if (found) return found
    const keys: number[] = []
    let at = this.#known.get(deck)
    while (at) {
      keys.push(at.key)
      if (at.key === this.selected) break
      at = this.#known.get(at.parent ?? 0)
    }
    const chain = this.selected !== null && !at ? [] : keys
    this.#chains.set(deck, chain)
    return chain
  }

  settings(deck: number): DeckSettings {
    const found = this.#settings.get(deck)
    if (found) return found
    const { effective } = inheritSettings(listDeckAncestors(deck, this.#known), this.defaults)
    this.#settings.set(deck, effective)
    return effective
  }

  /** The settings of the whole queue, such as the order of cards. */
  get order(): DeckSettings {
    return this.selected === null ? this.defaults : this.settings(this.selected)
  }
}

interface RemainingLimits {
  readonly reviews: number
  readonly fresh: number
}

type LimitKind = 'reviews' | 'fresh'

const NOTHING: RemainingLimits = { reviews: 0, fresh: 0 }

/** A card must fit the limits of every deck from its own up to the selected one, and counts towards each. */
export class DailyLimits {
  readonly #taken: Map<number, RemainingLimits>

  constructor(
    readonly scope: QueueDecks,
    taken: Iterable<readonly [number, RemainingLimits]> = [],
  ) {
    this.#taken = new Map(taken)
  }

  copy(): DailyLimits {
    return new DailyLimits(this.scope, this.#taken)
  }

  count({ deck, first_seen, reviewed }: Pick<AnsweredCard, 'deck' | 'first_seen' | 'reviewed'>): void {
    for (const key of this.scope.chain(deck)) this.#add(key, { reviews: reviewed, fresh: first_seen })
  }

  take(deck: number, kind: LimitKind): void {
    for (const key of this.scope.chain(deck)) {
      const counts = kind === 'reviews' || !this.scope.settings(key).new_ignores_review_limit
      this.#add(key, { reviews: Number(counts), fresh: Number(kind === 'fresh') })
    }
  }

  /** Returns how many more cards of a deck are allowed; 0 if it is not in scope. */
  left(deck: number, kind: LimitKind): number {
    let least = Number.POSITIVE_INFINITY
    for (const key of this.scope.chain(deck)) {
      const counts = kind === 'reviews' || !this.scope.settings(key).new_ignores_review_limit
      least = Math.min(least, this.own(key, kind), counts ? this.own(key, 'reviews') : least)
    }
    return least === Number.POSITIVE_INFINITY ? 0 : least
  }

  /** Returns the rest of a deck's own limit, without those of its ancestors. */
  own(deck: number, kind: LimitKind): number {
    const { review_limit_per_day, new_limit_per_day } = this.scope.settings(deck)
    const limit = kind === 'reviews' ? review_limit_per_day : new_limit_per_day
    return Math.max(0, limit - (this.#taken.get(deck) ?? NOTHING)[kind])
  }

  #add(deck: number, more: RemainingLimits): void {
    const { reviews, fresh } = this.#taken.get(deck) ?? NOTHING
    this.#taken.set(deck, { reviews: reviews + more.reviews, fresh: fresh + more.fresh })
  }
}

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

interface Picked {
  readonly cards: readonly QueueCard[]
  readonly rooms: DailyLimits
  readonly siblings: Siblings
}

type ReadFirst = (deck: number, limit: number) => Promise<QueueCard[]>

/** Cards that are read beyond the limit of a deck, since some are siblings of others. */
const SPARE_CARDS = 16

function compareSortKeys(one: QueueCard, other: QueueCard): number {
  return one.sort_key - other.sort_key || (one.id < other.id ? -1 : 1)
}

/** Picks cards that fit, in order, unless a sibling comes earlier or was answered today, or a limit is reached. */
function pick(cards: readonly QueueCard[], kind: LimitKind, before: Picked): Picked {
  return pickUnlessShort(cards, kind, before, new Set()) ?? before
}

/** Reads as many cards of each deck as may fit, and more if that was not enough because of siblings. */
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
  readonly reader: Reader
  readonly study: Study
  readonly scope: QueueDecks
}

type SortedCard<Card extends QueueCard> = Omit<Card, 'sort_key'> & { sort_key: number }

export async function pickReviews({ reader, study, scope }: Deps, before: Picked): Promise<Picked> {
  const { today } = study
  const order = scope.order.review_order
  const { decks } = scope
  if (order === 'due')
    return pickFirst(decks, 'reviews', before, (deck, limit) => listFirstQueued(reader, 'due', today, { deck, limit }))
  const open = decks.filter((deck) => before.rooms.left(deck, 'reviews') > 0)
  const due = await listAllQueued(reader, 'due', today, open)
  const isRandom = order === 'random'
  const cards = isRandom ? shuffle(due, seedOf(reader.workspace.id, study, scope)) : sortByRecall(due, study, scope)
  return pick(cards, 'reviews', before)
}

export async function pickNew({ reader, study, scope }: Deps, before: Picked): Promise<Picked> {
  const { today } = study
  const { decks } = scope
  if (scope.order.new_order === 'position')
    return pickFirst(decks, 'fresh', before, (deck, limit) => listFirstQueued(reader, 'new', today, { deck, limit }))
  const open = decks.filter((deck) => before.rooms.left(deck, 'fresh') > 0)
  const cards = await listAllQueued(reader, 'new', today, open)
  return pick(shuffle(cards, seedOf(reader.workspace.id, study, scope)), 'fresh', before)
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
