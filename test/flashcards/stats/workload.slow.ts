import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Card, createEmptyCard, type FSRS, fsrs, type Grade, State } from 'ts-fsrs'
import { ANSWER, type CardColumns, fill, NEW_CARD, type ReviewColumns } from '../log-rows'
import { makeStudyWorld } from '../support'

/**
 * The workload against another simulation, which shares no code with it: each card is studied by itself, without a queue,
 * by the scheduler of ts-fsrs as it comes. Who left no log answers as the simulator of fsrs-rs has it: in the steps a
 * rating depends on the one before.
 */

let world: Awaited<ReturnType<typeof makeStudyWorld>>
beforeAll(async () => {
  world = await makeStudyWorld()
})
afterAll(() => world.close())

const DAY = 86_400_000
const DAYS = 365
const NOON = Date.parse('2026-03-02T12:00:00.000Z')
const TODAY = Math.floor(NOON / DAY)

type Four = readonly [number, number, number, number]

/** How a person answers. Ratings in steps by the rating before: again, hard, good. */
interface Manners {
  readonly first: Four
  readonly learning: readonly Four[]
  readonly review: Four
  readonly relearning: readonly Four[]
  /** Seconds by rating. */
  readonly seconds: { readonly learning: Four; readonly review: Four; readonly relearning: Four }
  readonly forgetting: number
}

/** SimulatorConfig::default() of fsrs-rs 6. */
const PEOPLE: Manners = {
  first: [0.24, 0.094, 0.495, 0.171],
  learning: [
    [0.3686, 0.0628, 0.5108, 0.0577],
    [0.0442, 0.4553, 0.4457, 0.0549],
    [0.0519, 0.047, 0.8462, 0.055],
  ],
  review: [0, 0.224, 0.631, 0.145],
  relearning: [
    [0.2157, 0.0643, 0.6595, 0.0604],
    [0.05, 0.4638, 0.4475, 0.0387],
    [0.1057, 0.1434, 0.7266, 0.0244],
  ],
  seconds: {
    learning: [19.58, 18.79, 13.78, 10.71],
    review: [19.38, 17.59, 12.38, 8.94],
    relearning: [16.44, 15.25, 12.32, 8.03],
  },
  forgetting: 1,
}

interface Collection {
  readonly cards: readonly CardColumns[]
  readonly log: readonly ReviewColumns[]
  readonly newPerDay: number
  readonly steps: readonly [learning: readonly number[], relearning: readonly number[]]
  readonly weights: readonly number[] | null
  readonly manners: Manners
}

/** How often each card is studied alone: their mean is much less by chance than what is compared with it. */
const TIMES = 3

/** Studies each card of a collection for a year. */
function studyAlone(collection: Collection, retention: number, dice: Dice) {
  const { cards, newPerDay, steps, weights } = collection
  const [learning_steps, relearning_steps] = steps.map((own) => own.map((minutes) => `${minutes}m` as const))
  const scheduler = fsrs({
    ...(weights === null ? {} : { w: weights }),
    request_retention: retention,
    enable_fuzz: true,
    learning_steps: learning_steps ?? [],
    relearning_steps: relearning_steps ?? [],
  })
  const sum = { answers: 0, seconds: 0, memorized: 0 }
  for (let time = 0; time < TIMES; time++) {
    let fresh = 0
    for (const row of cards) {
      const from = row.state === 'new' ? TODAY + Math.floor(fresh++ / newPerDay) : (row.due_day ?? TODAY)
      studyCard(scheduler, collection.manners, { card: cardOf(row), from, dice }, sum)
    }
  }
  const { answers, seconds, memorized } = sum
  return {
    answers_per_day: answers / TIMES / DAYS,
    minutes_per_day: seconds / 60 / TIMES / DAYS,
    memorized_cards: memorized / TIMES,
    seconds_per_card: seconds / memorized,
  }
}

function cardOf({ state, stability, difficulty, scheduled_days, reps, last_reviewed_at: at }: CardColumns): Card {
  if (state === 'new') return createEmptyCard(new Date(NOON))
  return {
    due: new Date((at ?? 0) + scheduled_days * DAY),
    stability: stability ?? 0,
    difficulty: difficulty ?? 0,
    elapsed_days: 0,
    scheduled_days,
    learning_steps: 0,
    reps,
    lapses: 0,
    state: State.Review,
    last_review: new Date(at ?? 0),
  }
}

interface Sum {
  answers: number
  seconds: number
  memorized: number
}

function studyCard(scheduler: FSRS, manners: Manners, begin: { card: Card; from: number; dice: Dice }, sum: Sum): void {
  const { dice } = begin
  let { card, from: day } = begin
  let before = 0
  while (day < TODAY + DAYS) {
    const now = new Date(Math.max(day * DAY + DAY / 2, card.last_review?.getTime() ?? 0))
    const recall = recallOf(scheduler, manners, card, now)
    const { state } = card
    let rating = 1
    if (state === State.New) rating = dice.draw(manners.first)
    else if (state === State.Learning) rating = dice.draw(manners.learning[before - 1] ?? manners.first)
    else if (state === State.Relearning) rating = dice.draw(manners.relearning[before - 1] ?? manners.first)
    else if (dice.next() < recall) rating = dice.draw(manners.review)
    const { learning, review, relearning } = manners.seconds
    const seconds = state === State.Review ? review : state === State.Relearning ? relearning : learning
    sum.seconds += seconds[rating - 1] ?? 0
    sum.answers++
    card = scheduler.next(card, now, rating as Grade).card
    before = rating
    // Steps are answered at once, on the same day.
    if (card.state === State.Review) day += card.scheduled_days
  }
  const end = new Date((TODAY + DAYS) * DAY + DAY / 2)
  if (card.state !== State.New) sum.memorized += recallOf(scheduler, manners, card, end)
}

function recallOf(scheduler: FSRS, { forgetting }: Manners, card: Card, at: Date): number {
  return card.state === State.New ? 0 : 1 - (1 - scheduler.get_retrievability(card, at, false)) * forgetting
}

/** The same throws in each run of the test: Marsaglia's multiply with carry. */
class Dice {
  #high = 362_436_069
  #low = 521_288_629

  next(): number {
    this.#high = 36_969 * (this.#high & 0xffff) + (this.#high >>> 16)
    this.#low = 18_000 * (this.#low & 0xffff) + (this.#low >>> 16)
    return ((this.#high * 65_536 + (this.#low & 0xffff)) >>> 0) / 2 ** 32
  }

  /** Returns a rating; shares need not add up to 1. */
  draw(shares: Four): number {
    let left = this.next() * shares.reduce((sum, share) => sum + share)
    for (let i = 0; i < 3; i++) {
      left -= shares[i] ?? 0
      if (left < 0) return i + 1
    }
    return 4
  }
}

/** Cards in review that are due in the coming weeks, of many stabilities. */
const studiedCards = (count: number): CardColumns[] =>
  Array.from({ length: count }, (_, i) => {
    const scheduled_days = Math.ceil(1.5 ** (i % 15))
    const due_day = TODAY + (i % scheduled_days)
    return {
      ...NEW_CARD,
      state: 'review',
      due_day,
      stability: scheduled_days * 1.1,
      difficulty: 1 + (i % 90) / 10,
      scheduled_days,
      reps: 4,
      last_reviewed_at: (due_day - scheduled_days) * DAY + DAY / 2,
    }
  })

/** Answers of the last weeks, in which each rating is as frequent as the manners say. */
function logOf(manners: Manners, cards: number): ReviewColumns[] {
  const rows: ReviewColumns[] = []
  const add = (phase: 'first' | 'learning' | 'review' | 'relearning', shares: Four, count: number, more = {}) => {
    const seconds = manners.seconds[phase === 'first' ? 'learning' : phase]
    for (const [i, share] of shares.entries())
      for (let n = 0; n < Math.round(share * count); n++) {
        const study_day = TODAY - 1 - (rows.length % 40)
        const own = { card: rows.length % cards, study_day, reviewed_at: study_day * DAY, rating: i + 1 }
        const duration_ms = Math.round((seconds[i] ?? 0) * 1000)
        rows.push({ ...ANSWER, kind: phase === 'first' ? 'learning' : phase, duration_ms, ...own, ...more })
      }
  }
  const none = { predicted_retrievability: null }
  const [given, lapsed] = [2500, 0.1 * manners.forgetting]
  const [, hard, good, easy] = manners.review
  add('first', manners.first, 2000, { ...none, was_new: 1 })
  add('learning', manners.learning[0] ?? manners.first, 2000, none)
  add('review', [lapsed, hard * (1 - lapsed), good * (1 - lapsed), easy * (1 - lapsed)], given)
  add('relearning', manners.relearning[0] ?? manners.first, 1000, none)
  return rows
}

const STEPS = [[1, 10], [10]] as const
const repeated = (shares: Four) => [shares, shares, shares]
/** One who forgets more, answers quickly, and takes long for what is forgotten. */
const QUICK: Manners = {
  first: [0.4, 0.1, 0.4, 0.1],
  learning: repeated([0.2, 0.1, 0.6, 0.1]),
  review: [0, 0.1, 0.8, 0.1],
  relearning: repeated([0.3, 0.1, 0.6, 0]),
  seconds: { learning: [15, 10, 8, 4], review: [14, 8, 4, 2], relearning: [12, 9, 6, 4] },
  forgetting: 1.4,
}
const WEIGHTS = [
  0.1, 0.8, 1.6, 6, 6.8, 0.7, 2.6, 0.01, 1.5, 0.15, 0.7, 1.6, 0.08, 0.3, 1.5, 0.55, 1.9, 0.4, 0.1, 0.08, 0.2,
]
const PLAIN = { log: [], steps: STEPS, weights: null, manners: PEOPLE, newPerDay: 40 } as const
/** The retentions that are studied one by one, besides the best one. */
const COMPARED = [0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
/** By how much the best retention may cost more than the cheapest of them: near it, costs are alike. */
const NEARLY = 1.03

test.each<[string, Collection]>([
  ['new cards', { ...PLAIN, newPerDay: 60, cards: Array(4000).fill(NEW_CARD) }],
  ['studied cards, without steps', { ...PLAIN, steps: [[], []], cards: studiedCards(4000) }],
  [
    'many cards, of one who answers otherwise',
    {
      ...PLAIN,
      cards: [...studiedCards(2000), ...Array(2000).fill(NEW_CARD)],
      weights: WEIGHTS,
      manners: QUICK,
      log: logOf(QUICK, 4000),
    },
  ],
])(
  'the workload of %s is within 10 %% of cards that are studied one by one, and the best retention costs no more',
  async (_, collection) => {
    const me = world.stranger()
    world.clock.now = NOON
    const { newPerDay, steps, weights, cards, log } = collection
    const { id } = await world.deck(me, {
      settings: {
        new_limit_per_day: newPerDay,
        review_limit_per_day: 9999,
        learning_steps_minutes: steps[0],
        relearning_steps_minutes: steps[1],
        leech_action: 'none',
        weights,
      },
    })
    await fill(world.folder, id, cards, log)
    const { best_retention, retentions } = await world.read(me, '/stats/workload')
    const dice = new Dice()
    const costs = new Map<number, number>()
    for (const retention of [...new Set([...COMPARED, best_retention])]) {
      const alone = studyAlone(collection, retention, dice)
      const row = retentions.find((one: { retention: number }) => one.retention === retention)
      for (const [name, own] of Object.entries(alone))
        expect([retention, name, Math.abs(row[name] / own - 1) < 0.1]).toEqual([retention, name, true])
      costs.set(retention, alone.seconds_per_card)
    }
    expect(costs.get(best_retention)).toBeLessThan(NEARLY * Math.min(...costs.values()))
  },
  600_000,
)
