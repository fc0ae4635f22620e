import type { Session } from '../../db/database'
import { fromDay } from '../../lib/civil/day'
import { listKeysOfDecks } from '../deck-store'
import { retrievability } from '../scheduling/scheduler'
import { studyDay } from '../scheduling/study-day'
import { readInherited, type Study } from '../study'
import { listDays, type StudyDayRange } from './days'
import { forEachCardPart } from './parts'
import { countDue, type DueCount, listRemembered } from './store'

/** Counts values in bins, and computes their mean. */
class BinnedValues {
  readonly #edges: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #count = 0

  /** @param edges where each bin begins, ascending from the smallest value; the last bin has no end */
  constructor(edges: readonly number[]) {
    this.#edges = edges
    this.#counts = edges.map(() => 0)
  }

  add(value: number): void {
    let bin = 0
    while (bin + 1 < this.#edges.length && value >= (this.#edges[bin + 1] ?? value)) bin++
    this.#counts[bin] = (this.#counts[bin] ?? 0) + 1
    this.#sum += value
    this.#count++
  }

  /** Returns the bins and the mean. `mean` is null without values; `to` of a bin is where the next begins. */
  shown() {
    return {
      count: this.#count,
      mean: this.#count === 0 ? null : this.#sum / this.#count,
      bins: this.#edges.map((from, i) => ({ from, to: this.#edges[i + 1] ?? null, count: this.#counts[i] ?? 0 })),
    }
  }
}

/** In days, for stability and intervals. */
const DAY_EDGES = [0, 1, 2, 4, 7, 14, 21, 30, 60, 90, 180, 365, 730, 1825, 3650]
const DIFFICULTY_EDGES = [1, 2, 3, 4, 5, 6, 7, 8, 9]
/** The same as the bins of the calibration. */
const CHANCE_EDGES = Array.from({ length: 20 }, (_, i) => i / 20)

/** Returns the keys of all decks. */
export function listDeckKeys({ db, workspace }: Session): Promise<number[]> {
  return listKeysOfDecks(db, workspace.id)
}

/** Computes how memory and intervals are distributed over the cards of decks, without the trash. */
export async function countCollection(session: Session, study: Study, decks: readonly number[] | null) {
  const weights = await weightsByDeck(session, study, decks ?? (await listDeckKeys(session)))
  const stability = new BinnedValues(DAY_EDGES)
  const difficulty = new BinnedValues(DIFFICULTY_EDGES)
  const chances = new BinnedValues(CHANCE_EDGES)
  const interval = new BinnedValues(DAY_EDGES)
  await forEachCardPart(session, decks, async (part) => {
    for (const card of await listRemembered(session.db, session.workspace.id, part)) {
      stability.add(card.stability)
      difficulty.add(card.difficulty)
      const chance = retrievability(card, study.today, weights.get(card.deck) ?? null, study.clock)
      if (chance !== null) chances.add(chance)
      if (card.state === 'review') interval.add(card.scheduled_days)
    }
  })
  return {
    stability: stability.shown(),
    difficulty: difficulty.shown(),
    retrievability: chances.shown(),
    interval: interval.shown(),
  }
}

async function weightsByDeck(session: Session, study: Study, decks: readonly number[]) {
  const inherited = await readInherited(session, study, decks)
  return new Map([...inherited].map(([deck, { effective }]) => [deck, effective.weights]))
}

/** Counts when cards become due, without new and suspended ones. Cards due before today are the backlog. */
export async function countForecast(
  session: Session,
  study: Study,
  days: StudyDayRange,
  decks: readonly number[] | null,
) {
  const due = new Map<number, number>()
  let [backlog, daily_load] = [0, 0]
  await forEachCardPart(session, decks, async (part) => {
    for (const found of await countDue(session.db, session.workspace.id, part)) {
      const day = dayOf(found, study)
      daily_load += found.load
      if (day < study.today) backlog += found.count
      else due.set(day, (due.get(day) ?? 0) + found.count)
    }
  })
  return { backlog, daily_load, days: listDays(days).map((day) => ({ day: fromDay(day), count: due.get(day) ?? 0 })) }
}

/** Returns the day on which a card is shown: a buried card is not shown before it is unburied. */
function dayOf({ due_day, due_at, buried_until }: DueCount, { clock, today }: Study): number {
  const day = due_day ?? (due_at === null ? today : studyDay(due_at, clock))
  return Math.max(day, buried_until ?? day)
}
