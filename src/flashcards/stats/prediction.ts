import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import type { PredictedAnswer } from '../optimizing/history'
import { RmseBins } from '../optimizing/metrics'
import { isRating } from '../scheduling/snapshot'
import { listDeckKeys } from './collection'
import type { StudyDayRange } from './days'
import { forEachPart } from './parts'
import { listPredictedCards, listPredictions, type PredictedRow, sampleCards } from './prediction-store'

/** Of more answers than these, the cards are sampled, since what is judged needs the whole log of each card. */
const MAX_ANSWERS = 20_000
/** The most cards of a sample, about. */
const MAX_SAMPLED_CARDS = 10_000
const CARDS_PER_TURN = 500

interface Asked {
  readonly days: StudyDayRange
  /** Keys; null: all decks. */
  readonly decks: readonly number[] | null
  /** How many answers of these days were predicted. */
  readonly count: number
}

/** Computes RMSE(bins) of what was predicted at the answers of these days; null without data. */
export async function rmseOfAnswers(session: Session, { days, decks, count }: Asked): Promise<number | null> {
  const { db, workspace } = session
  const cards = new Set<number>()
  const addAll = (keys: readonly number[]) => {
    for (const key of keys) cards.add(key)
  }
  if (count > MAX_ANSWERS)
    addAll(await sampleCards(db, workspace.id, decks ?? (await listDeckKeys(session)), MAX_SAMPLED_CARDS))
  else if (count > 0)
    await forEachPart(session, days, decks, async (part) => addAll(await listPredictedCards(db, workspace.id, part)))
  const bins = new RmseBins()
  const keys = [...cards]
  for (let from = 0; from < keys.length; from += CARDS_PER_TURN) {
    const rows = await listPredictions(db, workspace.id, keys.slice(from, from + CARDS_PER_TURN))
    for (const one of predictions(rows)) if (one.day >= days.from && one.day <= days.to) bins.add(one)
    await setImmediate()
  }
  return bins.value()
}

/**
 * Yields the answers that were predicted, with the items and lapses of their cards before them. A first answer starts
 * a new history. Nothing is yielded after imported memory until then: which answers led to it is unknown.
 */
function* predictions(rows: readonly PredictedRow[]): Generator<PredictedAnswer> {
  let [card, items, lapses, known] = [0, 0, 0, true]
  for (const row of rows) {
    const { kind, rating, study_day: day, elapsed_days: elapsed, predicted_retrievability: predicted } = row
    if (row.card !== card || row.was_new === 1) [card, items, lapses, known] = [row.card, 0, 0, true]
    if (kind === 'import' && rating === null) known = false
    if (!known || !isRating(rating) || elapsed < 1) continue
    items++
    const recalled = rating > 1
    if (predicted !== null) yield { predicted, recalled, day, elapsed, items, lapses }
    if (!recalled) lapses++
  }
}
