import type { LinkedDeck } from '../decks/store'
import { type DeckSettings, inherit, type Overrides } from '../scheduling/settings'

/** The decks that a queue is made of: the selected one with all below it, or all of them. */
export class QueueDecks {
  readonly #known: ReadonlyMap<number, LinkedDeck>
  readonly #settings = new Map<number, DeckSettings>()
  readonly #chains = new Map<number, readonly number[]>()

  /**
   * @param decks all that live in the workspace
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

  /** The keys of those whose limits hold for nothing above them: the selected deck, or the topmost ones. */
  get roots(): number[] {
    return this.decks.filter((key) => this.chain(key).length === 1)
  }

  holds(deck: number): boolean {
    return this.chain(deck).length > 0
  }

  /** A deck and those above it, up to the selected one or to the top; empty if it is not in scope. */
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

  /** What a deck goes by. */
  settings(deck: number): DeckSettings {
    const found = this.#settings.get(deck)
    if (found) return found
    const above = []
    for (let at = this.#known.get(deck); at; at = this.#known.get(at.parent ?? 0))
      above.push({ id: at.id, overrides: JSON.parse(at.settings) as Overrides })
    const { effective } = inherit(above, this.defaults)
    this.#settings.set(deck, effective)
    return effective
  }

  /** What the queue as a whole goes by: the order of cards. */
  get order(): DeckSettings {
    return this.selected === null ? this.defaults : this.settings(this.selected)
  }
}
