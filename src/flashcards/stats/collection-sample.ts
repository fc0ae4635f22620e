import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import { countCards } from '../card-store'
import { QueueDecks } from '../queue/limits'
import { listAnsweredOn, listQueueDecks } from '../queue/store'
import { startOfStudyDay, studyDay } from '../scheduling/study-day'
import type { Study } from '../study'
import { habitsOf } from './habits'
import { forEachCardPart } from './parts'
import { type SimulatedCard, Simulation, type SimulationSetup } from './simulation'
import { countHabits, countReturns, hashPlace, listNewAfter, listStudied, type NewPlace, PLACE_HASHES } from './store'

/** Answers that are read to know how the person answers: some months. */
const HABIT_ANSWERS = 10_000
/** Answers in steps that are read to know whether the person comes back for them. */
const STEP_ANSWERS = 2000
const NEW_CARDS_PER_TURN = 5000

/** What simulations of a deck, or of all decks, begin with. */
export interface CollectionSample {
  readonly setup: Omit<SimulationSetup, 'days' | 'seed'>
  /** Those that are simulated: all, or facts that are sampled by their places with all of their cards. */
  readonly cards: readonly SimulatedCard[]
  /** Cards that are not suspended; new ones as far as they may come within the days. */
  readonly total: number
  readonly seed: number
}

interface SampleRequest {
  /** The key of a deck; null: all. */
  readonly selected: number | null
  readonly days: number
  /** The most cards to simulate, about. */
  readonly size: number
}

/** Reads what the coming days depend on. The same sample is drawn as long as the cards are the same. */
export async function readSample(session: Session, study: Study, asked: SampleRequest): Promise<CollectionSample> {
  const { db, workspace } = session
  const { today, clock, learn_ahead_minutes: learnAhead } = study
  const decks = new QueueDecks(await listQueueDecks(db, workspace.id), asked.selected, study.defaults)
  const counts = await countCards(db, workspace.id, decks.decks, {
    today,
    dayEndsAt: startOfStudyDay(today + 1, clock),
  })
  const fresh = await listComingNew(session, study, decks, asked.days)
  const total = counts.learning + counts.review + fresh.length
  const share = Math.min(1, asked.size / Math.max(1, total))
  const hashes = Math.ceil(share * PLACE_HASHES)
  const cards: SimulatedCard[] = []
  await forEachCardPart(session, asked.selected === null ? null : decks.decks, async (part) => {
    for (const row of await listStudied(db, workspace.id, part, hashes)) {
      const { stability, difficulty, last_reviewed_at: at, due_day, due_at, buried_until, ...rest } = row
      const due = due_day ?? (due_at === null ? today : studyDay(due_at, clock))
      cards.push({
        ...rest,
        place: cards.length,
        due: Math.max(due, buried_until ?? due),
        memory: stability === null || difficulty === null ? null : { stability, difficulty },
        answered: at === null ? null : studyDay(at, clock),
        draws: 0,
      })
    }
  })
  const places = new Map<number, number>()
  for (const card of fresh) {
    const place = places.get(card.fact) ?? places.size + 1
    places.set(card.fact, place)
    if (share === 1 || hashPlace(place) < hashes) cards.push(newCard(card, cards.length, today))
  }
  const setup = {
    today,
    habits: habitsOf(
      await countHabits(db, workspace.id, { today, limit: HABIT_ANSWERS }),
      await countReturns(db, workspace.id, { today, longerThan: learnAhead, limit: STEP_ANSWERS }),
    ),
    learnAhead,
    decks,
    reviewOrder: decks.order.review_order,
    share,
    answered: await listAnsweredOn(db, workspace.id, today),
  }
  return { setup, cards, total, seed: Bun.hash.xxHash32(String(today)) }
}

type NewCard = Awaited<ReturnType<typeof listNewAfter>>[number]

/**
 * Reads the new cards that the limits allow within the days, in their order. Of a random order too the first ones are
 * read: they are as good as others.
 */
async function listComingNew({ db, workspace }: Session, { today }: Study, decks: QueueDecks, days: number) {
  const found: NewCard[] = []
  for (const deck of decks.decks) {
    const daily = Math.min(...decks.chain(deck).map((key) => decks.settings(key).new_limit_per_day))
    let room = daily * days
    // Of those that the limits allow, some hide each other on the last days: others come in their place.
    const others = new Set<number>()
    let after: NewPlace | undefined = { position: Number.MIN_SAFE_INTEGER, id: '' }
    while (after && (room > 0 || others.size < daily)) {
      const limit = Math.min(Math.max(room, daily - others.size), NEW_CARDS_PER_TURN)
      const part: NewCard[] = await listNewAfter(db, workspace.id, { today, deck, after, limit })
      for (const card of part) {
        found.push(card)
        if (room > 0) room--
        else others.add(card.fact)
      }
      after = part.length < limit ? undefined : part.at(-1)
      await setImmediate()
    }
  }
  return found.sort((one, other) => one.position - other.position || (one.id < other.id ? -1 : 1))
}

function newCard({ key, fact, deck }: NewCard, place: number, today: number): SimulatedCard {
  const nothing = { memory: null, answered: null, step: 0, lapses: 0, draws: 0 }
  return { place, key, fact, deck, state: 'new', due: today, ...nothing }
}

/** Simulates the days, letting others have their turn between. */
export async function simulate(
  { setup, cards, seed }: CollectionSample,
  changes: Pick<SimulationSetup, 'days'> & Partial<Pick<SimulationSetup, 'retention' | 'seed'>>,
): Promise<Simulation> {
  const own = cards.map((card) => ({ ...card }))
  const simulation = new Simulation({ ...setup, seed, ...changes }, own)
  for (const _ of simulation.run()) await setImmediate()
  return simulation
}
