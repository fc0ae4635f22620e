import type { LinkedDeck } from '../deck-store'
import { type DeckSettings, inheritSettings, type Overrides } from '../scheduling/settings'
import type { AnsweredCard } from './store'

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

  /** The keys of the decks that cards come from. */
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
    const above = []
    for (let at = this.#known.get(deck); at; at = this.#known.get(at.parent ?? 0))
      above.push({ id: at.id, overrides: JSON.parse(at.settings) as Overrides })
    const { effective } = inheritSettings(above, this.defaults)
    this.#settings.set(deck, effective)
    return effective
  }

  /** The settings of the whole queue, such as the order of cards. */
  get order(): DeckSettings {
    return this.selected === null ? this.defaults : this.settings(this.selected)
  }
}

/** How many cards of a deck are still allowed today. */
interface RemainingLimits {
  readonly reviews: number
  readonly fresh: number
}

export type LimitKind = 'reviews' | 'fresh'

const NOTHING: RemainingLimits = { reviews: 0, fresh: 0 }

/**
 * The remaining limits of a day. A card must fit the limits of every deck from its own up to the selected one, and
 * counts towards each.
 */
export class DailyLimits {
  /** The used part of the limits, by the key of a deck. */
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
