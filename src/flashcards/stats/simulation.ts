import { DailyLimits, type LimitedDecks, type LimitKind } from '../queue/limits'
import { Siblings } from '../queue/order'
import type { AnsweredCard } from '../queue/store'
import { createMemoryModel, isLeechLapse, type MemoryModel, recallChance } from '../scheduling/scheduler'
import type { DeckSettings } from '../scheduling/settings'
import type { CardState, Memory, Rating } from '../scheduling/snapshot'
import { type AnswerPhase, returnsAfter, type StudyHabits } from './habits'

/**
 * Studies a collection day by day as its person would: all that the queue gives within the limits of each day, new cards
 * in their order, the steps of learning and the repeats of what is forgotten. Whether a card is recalled is drawn by its
 * chance of recall. The draws depend on the seed, the card and the number of its answer alone: the same simulation
 * gives the same, and those of two retentions differ by the retention.
 */

export interface SimulatedCard {
  /** Among all cards: the draws depend on it. */
  readonly place: number
  /** Keys, of which none decides what is drawn: they tell how much other workspaces have stored. */
  readonly key: number
  readonly fact: number
  readonly deck: number
  state: CardState
  /** The study day on which it comes up: its due day, or later if it is buried. New: from which day it may come. */
  due: number
  memory: Memory | null
  /** The study day of its last answer; null while new. */
  answered: number | null
  step: number
  lapses: number
  /** How many numbers were drawn for this card. */
  draws: number
}

export interface SimulationSetup {
  readonly today: number
  readonly days: number
  readonly habits: StudyHabits
  readonly seed: number
  readonly decks: LimitedDecks
  /** The order of reviews over all decks. */
  readonly reviewOrder: DeckSettings['review_order']
  /** The part of the collection that is simulated, above 0 and up to 1: limits are that much lower. */
  readonly share: number
  /** Replaces the desired retention of all decks. */
  readonly retention?: number
  /** A card that is shown again within so many minutes is answered in the same sitting. */
  readonly learnAhead: number
  /** What was answered today already. */
  readonly answered: readonly AnsweredCard[]
}

/** What was answered on one day. */
export interface SimulatedDay {
  /** Answers to cards in review. */
  reviews: number
  /** First answers to cards. */
  new: number
  /** Answers in the steps of learning and relearning. */
  learning: number
  duration_ms: number
}

interface DeckModel {
  readonly memory: MemoryModel
  readonly settings: DeckSettings
}

/** The most answers to one card in its steps on one day. */
const MAX_SESSION = 20
/** The answers after which a simulation lets others have their turn: some milliseconds. */
const ANSWERS_PER_TURN = 1000
/** What was answered today counts by fractions in a part: a card fits if more than half of a place is left. */
const LAST_PLACE = 0.5

export class Simulation {
  readonly results: SimulatedDay[]
  readonly #setup: SimulationSetup
  readonly #roots: readonly number[]
  readonly #models = new Map<number, DeckModel>()
  /** By the days from today on: the cards that come up then. */
  readonly #coming: SimulatedCard[][]
  /** Reviews that have come up and were not answered yet, the earliest first. */
  #waiting: SimulatedCard[] = []
  #fresh: SimulatedCard[]
  #answers = 0

  /** @param cards those that are not suspended, changed by the simulation; new ones in the order in which they come */
  constructor(
    setup: SimulationSetup,
    readonly cards: readonly SimulatedCard[],
  ) {
    this.#setup = setup
    this.#roots = setup.decks.roots
    this.results = Array.from({ length: setup.days }, () => ({ reviews: 0, new: 0, learning: 0, duration_ms: 0 }))
    this.#coming = Array.from({ length: setup.days }, () => [])
    this.#fresh = cards.filter(({ state }) => state === 'new')
    const studied = cards.filter(({ state }) => state !== 'new').toSorted((one, other) => one.due - other.due)
    for (const card of studied) this.#plan(card)
  }

  /** Simulates all days. Yields whenever others should have their turn. */
  *run(): Generator<void> {
    for (let day = 0; day < this.#setup.days; day++) {
      yield* this.#simulateDay(day)
      yield
    }
  }

  /** Returns how many of the cards are remembered on the day after the last: the sum of their chances of recall. */
  countMemorized(): number {
    const end = this.#setup.today + this.#setup.days
    return this.cards.reduce((sum, card) => sum + (this.#recall(card, end) ?? 0), 0)
  }

  *#simulateDay(day: number): Generator<void> {
    const limits = this.#limitsOf(day)
    const siblings = new Siblings()
    if (day === 0) for (const card of this.#setup.answered) siblings.add(card)
    const steps: SimulatedCard[] = []
    for (const card of this.#coming[day] ?? []) (card.state === 'review' ? this.#waiting : steps).push(card)
    for (const card of steps) siblings.add(card)
    if (this.#setup.reviewOrder !== 'due') this.#sortWaiting(day)
    const reviews = this.#pick('reviews', this.#waiting, day, limits, siblings)
    this.#waiting = reviews.rest
    const fresh = this.#pick('fresh', this.#fresh, day, limits, siblings)
    this.#fresh = fresh.rest
    for (const card of [...steps, ...reviews.picked, ...fresh.picked]) {
      this.#study(card, day)
      if (this.#answers >= ANSWERS_PER_TURN) {
        this.#answers = 0
        yield
      }
    }
  }

  #pick(kind: LimitKind, cards: readonly SimulatedCard[], day: number, limits: DailyLimits, siblings: Siblings) {
    const [picked, rest]: [SimulatedCard[], SimulatedCard[]] = [[], []]
    const on = this.#setup.today + day
    for (const [i, card] of cards.entries()) {
      const fits = limits.left(card.deck, kind) >= LAST_PLACE
      if (!fits && this.#roots.every((root) => limits.left(root, kind) < LAST_PLACE))
        return { picked, rest: rest.concat(cards.slice(i)) }
      const hidden = this.#modelOf(card.deck).settings.bury_siblings && siblings.hide(card)
      if (fits && !hidden && card.due <= on) {
        // As an answer: the queue that is read after it lets more new cards in beside the reviews.
        limits.count({ deck: card.deck, first_seen: Number(kind === 'fresh'), reviewed: Number(kind === 'reviews') })
        siblings.add(card)
        picked.push(card)
      } else rest.push(card)
    }
    return { picked, rest }
  }

  /** Answers a card, and again until its steps of the day are done. */
  #study(card: SimulatedCard, day: number): void {
    const on = this.#setup.today + day
    const result = this.results[day]
    if (!result) return
    for (let answers = 0; answers < MAX_SESSION; answers++) {
      const phase = phaseOf(card)
      const rating = this.#rate(card, phase, on)
      result[phase === 'first' ? 'new' : phase === 'review' ? 'reviews' : 'learning']++
      result.duration_ms += this.#setup.habits.durations[phase][rating - 1] ?? 0
      this.#answers++
      const wait = this.#answer(card, rating, on)
      if (wait === null) break
      if (answers === MAX_SESSION - 1 || !this.#comesBack(card, wait)) {
        card.due = on + 1
        break
      }
    }
    this.#plan(card)
  }

  /** Whether a card that is shown again in so many minutes is answered then, and not on the next day. */
  #comesBack(card: SimulatedCard, minutes: number): boolean {
    const { habits, learnAhead } = this.#setup
    return minutes <= learnAhead || this.#draw(card) < returnsAfter(habits, minutes)
  }

  /** Changes a card by an answer. Returns the minutes until it is shown again on this day; null if it is done. */
  #answer(card: SimulatedCard, rating: Rating, on: number): number | null {
    const { memory, settings } = this.#modelOf(card.deck)
    const elapsed = card.answered === null ? 0 : Math.max(0, on - card.answered)
    const before = card.memory
    const inReview = card.state === 'review'
    card.memory = memory.next(before, elapsed, rating)
    card.answered = on
    if (inReview && rating === 1) {
      card.lapses++
      if (settings.leech_action === 'suspend' && isLeechLapse(card.lapses, settings.leech_threshold)) {
        card.due = Number.POSITIVE_INFINITY
        return null
      }
    }
    const next = inReview && rating > 1 ? null : memory.step(card, rating)
    if (next) {
      card.step = next.step
      if (card.state !== 'relearning') card.state = inReview ? 'relearning' : 'learning'
      return next.minutes
    }
    card.state = 'review'
    card.step = 0
    const draw = this.#draw(card)
    card.due =
      inReview && rating > 1 && before
        ? on + memory.reviewInterval(before, elapsed, rating, draw)
        : on + memory.interval(card.memory.stability, draw)
    return null
  }

  #rate(card: SimulatedCard, phase: AnswerPhase, on: number): Rating {
    let draw = this.#draw(card)
    const { shares } = this.#setup.habits
    const recall = phase === 'review' ? this.#recall(card, on) : null
    if (recall !== null) {
      if (draw >= recall) return 1
      draw /= recall
    }
    const given = shares[recall === null && phase === 'review' ? 'first' : phase]
    for (let i = 0; i < 3; i++) {
      draw -= given[i] ?? 0
      if (draw < 0) return (i + 1) as Rating
    }
    return 4
  }

  /** The chance of recall on a study day as it is predicted, 0..1; null for a card without memory. */
  #predict(card: SimulatedCard, on: number): number | null {
    if (card.memory === null || card.answered === null) return null
    const { weights } = this.#modelOf(card.deck).settings
    return recallChance(Math.max(0, on - card.answered), card.memory.stability, weights)
  }

  /** The chance of recall as this person forgets. */
  #recall(card: SimulatedCard, on: number): number | null {
    const predicted = this.#predict(card, on)
    return predicted === null ? null : Math.max(0, 1 - (1 - predicted) * this.#setup.habits.forgetting)
  }

  #sortWaiting(day: number): void {
    const on = this.#setup.today + day
    const random = this.#setup.reviewOrder === 'random'
    const keyed = this.#waiting.map((card) => ({
      card,
      at: random ? drawOf(this.#setup.seed + day, card.place, 0) : (this.#predict(card, on) ?? 0),
    }))
    this.#waiting = keyed.sort((one, other) => one.at - other.at).map(({ card }) => card)
  }

  /** Notes when a card comes up, unless that is after the last day. */
  #plan(card: SimulatedCard): void {
    this.#coming[Math.max(0, card.due - this.#setup.today)]?.push(card)
  }

  #limitsOf(day: number): DailyLimits {
    const { decks, share, answered } = this.#setup
    const limits = new DailyLimits(share === 1 ? decks : partOf(decks, share, day))
    for (const { deck, first_seen, reviewed } of day === 0 ? answered : [])
      limits.count({ deck, first_seen: first_seen * share, reviewed: reviewed * share })
    return limits
  }

  #modelOf(deck: number): DeckModel {
    const found = this.#models.get(deck)
    if (found) return found
    const own = this.#setup.decks.settings(deck)
    const settings = { ...own, desired_retention: this.#setup.retention ?? own.desired_retention }
    const model = { memory: createMemoryModel(settings), settings }
    this.#models.set(deck, model)
    return model
  }

  #draw(card: SimulatedCard): number {
    return drawOf(this.#setup.seed, card.place, ++card.draws)
  }
}

/**
 * Returns decks with that part of their limits. What a day lacks of a whole card goes to a later one: 20 cards a day at
 * a share of 0.01 are one card in five days.
 */
function partOf(decks: LimitedDecks, share: number, day: number): LimitedDecks {
  const known = new Map<number, DeckSettings>()
  const partial = (limit: number) => Math.round(limit * share * (day + 1)) - Math.round(limit * share * day)
  const settings = (deck: number): DeckSettings => {
    const found = known.get(deck)
    if (found) return found
    const own = decks.settings(deck)
    const limits = {
      new_limit_per_day: partial(own.new_limit_per_day),
      review_limit_per_day: partial(own.review_limit_per_day),
    }
    known.set(deck, { ...own, ...limits })
    return { ...own, ...limits }
  }
  return { roots: decks.roots, chain: (deck) => decks.chain(deck), settings }
}

function phaseOf({ state, answered }: SimulatedCard): AnswerPhase {
  if (state === 'new' || (state === 'learning' && answered === null)) return 'first'
  return state
}

/** Returns a number from 0 to 1, exclusive: the n-th of a card (SplitMix32, of which each card begins elsewhere). */
function drawOf(seed: number, card: number, n: number): number {
  return mix(mix(seed ^ Math.imul(card, 0x85ebca6b)) + Math.imul(n, 0x9e3779b9)) / 2 ** 32
}

/** Spreads what two numbers differ in over all 32 bits. */
function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x21f0aaad)
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97)
  return (hash ^ (hash >>> 15)) >>> 0
}
