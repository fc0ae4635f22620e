import type { QueueDecks } from './scope'
import type { AnsweredCard } from './store'

/** What a deck may still bring today. */
interface Room {
  readonly reviews: number
  readonly fresh: number
}

export type Kind = 'reviews' | 'fresh'

const NOTHING: Room = { reviews: 0, fresh: 0 }

/**
 * What is left of the limits of a day. A card must fit those of every deck from its own up to the selected one, and
 * takes up room in each.
 */
export class DailyLimits {
  /** By the key of a deck, what is taken up of its limits. */
  readonly #taken: Map<number, Room>

  constructor(
    readonly scope: QueueDecks,
    taken: Iterable<readonly [number, Room]> = [],
  ) {
    this.#taken = new Map(taken)
  }

  copy(): DailyLimits {
    return new DailyLimits(this.scope, this.#taken)
  }

  /** What an answer of today has taken up. */
  count({ deck, first_seen, reviewed }: Pick<AnsweredCard, 'deck' | 'first_seen' | 'reviewed'>): void {
    for (const key of this.scope.chain(deck)) this.#add(key, { reviews: reviewed, fresh: first_seen })
  }

  /** Takes up the room of a card in the queue. */
  take(deck: number, kind: Kind): void {
    for (const key of this.scope.chain(deck)) {
      const counts = kind === 'reviews' || !this.scope.settings(key).new_ignores_review_limit
      this.#add(key, { reviews: Number(counts), fresh: Number(kind === 'fresh') })
    }
  }

  /** How many cards of a deck fit at most; 0 for one that is not in scope. */
  left(deck: number, kind: Kind): number {
    let least = Number.POSITIVE_INFINITY
    for (const key of this.scope.chain(deck)) {
      const counts = kind === 'reviews' || !this.scope.settings(key).new_ignores_review_limit
      least = Math.min(least, this.own(key, kind), counts ? this.own(key, 'reviews') : least)
    }
    return least === Number.POSITIVE_INFINITY ? 0 : least
  }

  /** What is left of a deck's own limit, whatever those above it say. */
  own(deck: number, kind: Kind): number {
    const { review_limit_per_day, new_limit_per_day } = this.scope.settings(deck)
    const limit = kind === 'reviews' ? review_limit_per_day : new_limit_per_day
    return Math.max(0, limit - (this.#taken.get(deck) ?? NOTHING)[kind])
  }

  #add(deck: number, more: Room): void {
    const { reviews, fresh } = this.#taken.get(deck) ?? NOTHING
    this.#taken.set(deck, { reviews: reviews + more.reviews, fresh: fresh + more.fresh })
  }
}
