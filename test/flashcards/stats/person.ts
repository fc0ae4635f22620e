import { createMemoryModel, recallChance } from '../../../src/flashcards/scheduling/scheduler'
import { DEFAULT_SETTINGS, DEFAULT_WEIGHTS } from '../../../src/flashcards/scheduling/settings'
import type { Memory, Rating } from '../../../src/flashcards/scheduling/snapshot'
import type { As } from '../../support/world'
import { makeStudyWorld, type Shown } from '../support'

const MINUTE = 60_000
const DAY = 86_400_000
/** Forgets somewhat faster than the scheduler takes it to. */
const TRUE_WEIGHTS = DEFAULT_WEIGHTS.map((weight, i) => (i < 4 ? weight * 0.8 : i === 8 ? weight * 0.97 : weight))
const MODEL = createMemoryModel({ ...DEFAULT_SETTINGS, weights: TRUE_WEIGHTS })
/** The shares of the ratings 1, 2 and 3, the rest is 4. */
const FIRST = [0.3, 0.1, 0.5]
const STEPS = [0.15, 0.08, 0.72]
const RECALLED = [0, 0.12, 0.8]

interface Counts {
  reviews: number
  new: number
  learning: number
  total: number
}

/** A person who studies through the API, and answers by a memory that the scheduler does not see. */
export class Person {
  readonly #memories = new Map<string, { readonly memory: Memory; readonly day: number }>()
  #seed: number
  #ids = 0

  constructor(
    readonly world: Awaited<ReturnType<typeof makeStudyWorld>>,
    readonly me: As,
    seed: number,
  ) {
    this.#seed = seed
  }

  /** Answers all that the queue gives from now on, with the repeats of its steps, and adds what that came to. */
  async study(counts: Counts = { reviews: 0, new: 0, learning: 0, total: 0 }): Promise<Counts> {
    const { world, me } = this
    while (true) {
      const queue = await world.read(me, '/queue?limit=200')
      if (queue.items.length === 0) return counts
      const items = queue.items.map(({ card }: Shown) => {
        counts[card.state === 'review' ? 'reviews' : card.state === 'new' ? 'new' : 'learning']++
        counts.total++
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
    const known = this.#memories.get(card.id)
    const elapsed = known ? day - known.day : 0
    const rating = this.#drawRating(card, known ? recallChance(elapsed, known.memory.stability, TRUE_WEIGHTS) : 0)
    this.#memories.set(card.id, { memory: MODEL.next(known?.memory ?? null, elapsed, rating), day })
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

  /** Another generator than that of the simulation: xorshift. */
  #draw(): number {
    this.#seed ^= this.#seed << 13
    this.#seed ^= this.#seed >>> 17
    this.#seed ^= this.#seed << 5
    return (this.#seed >>> 0) / 2 ** 32
  }
}

interface StudyPlan {
  readonly days: number
  readonly facts: number
  /** The days on which the next 14 are forecast, counted from 0. */
  readonly checks: readonly number[]
  readonly seed?: number
  /** Of the decks. */
  readonly settings?: object
  /** New settings of the decks from a day on, before its forecast. */
  readonly changed?: { readonly day: number; readonly settings: object }
  /** Days, the last not included, on which nothing is studied. */
  readonly pause?: readonly [from: number, to: number]
  /** Of how many facts one has a sibling. */
  readonly siblings?: number
  /** At which hours of each day, after its first, one comes back for what has come up since. */
  readonly returns?: readonly number[]
}

/** Studies for days. Returns the forecasts by what came then: 1 is a forecast that came true. */
export async function compareForecasts(plan: StudyPlan) {
  const { days, facts, checks, seed = 7, settings, changed, pause = [0, 0], siblings = 3, returns = [] } = plan
  const world = await makeStudyWorld()
  const me = world.stranger()
  const limits = { new_limit_per_day: 8, review_limit_per_day: 200, ...settings }
  const decks = [await world.deck(me, { settings: limits }), await world.deck(me, { settings: limits })]
  const made = Array.from({ length: facts }, (_, i) => ({
    deck_id: decks[i % 2].id,
    type: i % siblings === 0 ? 'reversed' : 'basic',
    front: `f${i}`,
    back: `b${i}`,
  }))
  for (let i = 0; i < made.length; i += 200)
    await world.call(me, 'POST', '/facts/batch', { items: made.slice(i, i + 200) })
  // Spread over all bits: the first numbers of small seeds would all be small.
  const person = new Person(world, me, Math.imul(seed + 1, 0x9e3779b1))
  const start = world.clock.now
  const came: Shown[] = []
  const forecasts = new Map<number, Shown>()
  for (let day = 0; day < days; day++) {
    world.clock.now = start + day * DAY
    if (day === changed?.day)
      for (const { id } of decks) await world.call(me, 'PATCH', `/decks/${id}`, { settings: changed.settings })
    if (checks.includes(day)) {
      const to = new Date(start + (day + 13) * DAY).toISOString().slice(0, 10)
      forecasts.set(day, await world.read(me, `/stats/forecast?to=${to}`))
    }
    const isPaused = day >= pause[0] && day < pause[1]
    const counts = { reviews: 0, new: 0, learning: 0, total: 0 }
    for (const hours of isPaused ? [] : [0, ...returns]) {
      world.clock.now = Math.max(world.clock.now, start + day * DAY + hours * 60 * MINUTE)
      await person.study(counts)
    }
    came.push(counts)
  }
  await world.close()
  const sum = (rows: readonly Shown[], name: string) => rows.reduce((total, row) => total + row[name], 0)
  return [...forecasts].map(([day, forecast]) => {
    const of = (name: string) => sum(forecast.days, name) / sum(came.slice(day, day + 14), name)
    return { day, total: of('total'), reviews: of('reviews'), new: of('new'), learning: of('learning') }
  })
}
