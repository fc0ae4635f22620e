/** Which facts have a card that was answered today or stands in the queue: their other cards stay out of it. */
export class Siblings {
  /** By the key of a fact: the key of its card, or null for several. */
  readonly #cards: Map<number, number | null>

  constructor(cards: Iterable<readonly [number, number | null]> = []) {
    this.#cards = new Map(cards)
  }

  add({ fact, key }: { readonly fact: number; readonly key: number }): void {
    const known = this.#cards.get(fact)
    this.#cards.set(fact, known === undefined || known === key ? key : null)
  }

  /** Whether another card of its fact is there. */
  hide({ fact, key }: { readonly fact: number; readonly key: number }): boolean {
    const known = this.#cards.get(fact)
    return known !== undefined && known !== key
  }

  copy(): Siblings {
    return new Siblings(this.#cards)
  }
}
