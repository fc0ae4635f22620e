import { type LogEntry, recallChance, replay } from '../../src/flashcards/scheduling/scheduler'
import { DEFAULT_WEIGHTS } from '../../src/flashcards/scheduling/settings'
import type { Rating } from '../../src/flashcards/scheduling/snapshot'
import type { As } from '../support/world'
import type { makeStudyWorld, Shown } from './support'

const MINUTE = 60_000
const DAY = 86_400_000
/** Forgets somewhat faster than the scheduler takes it to. */
const TRUE_WEIGHTS = DEFAULT_WEIGHTS.map((weight, i) => (i < 4 ? weight * 0.8 : i === 8 ? weight * 0.97 : weight))
/** The shares of the ratings 1, 2 and 3, the rest is 4. */
const FIRST = [0.3, 0.1, 0.5]
const STEPS = [0.15, 0.08, 0.72]
const RECALLED = [0, 0.12, 0.8]

/** A person who studies through the API, and answers by a memory that the scheduler does not see. */
export class Person {
  readonly #logs = new Map<string, LogEntry[]>()
  #seed: number
  #ids = 0

  constructor(
    readonly world: Awaited<ReturnType<typeof makeStudyWorld>>,
    readonly me: As,
    seed: number,
  ) {
    this.#seed = seed
  }

  /** Answers all that the queue gives from now on, with the repeats of its steps. */
  async study(): Promise<void> {
    const { world, me } = this
    while (true) {
      const queue = await world.read(me, '/queue?limit=200')
      if (queue.items.length === 0) return
      const items = queue.items.map(({ card }: Shown) => {
        world.clock.now += 10_000
        const id = `018f0000-0000-7000-9000-${(++this.#ids).toString(16).padStart(12, '0')}`
        const reviewed_at = new Date(world.clock.now).toISOString()
        return { id, card_id: card.id, rating: this.#rate(card), reviewed_at, duration_ms: 8000 }
      })
      const sent = await world.call(me, 'POST', '/reviews/batch', { items })
      const failed = sent.body.items.find(({ status }: Shown) => status !== 201)
      if (failed) throw new Error(JSON.stringify(failed))
      world.clock.now += MINUTE
    }
  }

  #rate(card: Shown): Rating {
    const day = Math.floor(this.world.clock.now / DAY)
    const log = this.#logs.get(card.id) ?? []
    const memory = replay(log, TRUE_WEIGHTS)
    const elapsed = day - (log.at(-1)?.day ?? day)
    const rating = this.#drawRating(card, memory ? recallChance(elapsed, memory.stability, TRUE_WEIGHTS) : 0)
    this.#logs.set(card.id, [...log, { day, rating }])
    return rating
  }

  #drawRating({ state }: Shown, recall: number): Rating {
    if (state === 'review' && this.#draw() > recall) return 1
    let draw = this.#draw()
    const shares = state === 'review' ? RECALLED : state === 'new' ? FIRST : STEPS
    for (const [i, share] of shares.entries()) {
      draw -= share
      if (draw < 0) return (i + 1) as Rating
    }
    return 4
  }

  /** Xorshift. */
  #draw(): number {
    this.#seed ^= this.#seed << 13
    this.#seed ^= this.#seed >>> 17
    this.#seed ^= this.#seed << 5
    return (this.#seed >>> 0) / 2 ** 32
  }
}
