import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import { toLogEntries } from '../review'
import { type LoggedRow, listLogOfCards } from '../review-store'
import { type HistoryStep, splitHistories } from './history'
import { listCardsStartedSince, listReviewsBefore } from './store'

/** How many reviews are read in one turn: between two, other requests are served. */
const REVIEWS_PER_TURN = 2000

/** What is to be learnt from, and how many answers were read for it. */
export interface ReadLog {
  readonly reviews: number
  readonly histories: readonly (readonly HistoryStep[])[]
}

/**
 * The histories in the newest answers to the cards of decks. Of a card whose log begins before them nothing is taken,
 * since its memory came from what is left out. What is written meanwhile counts or not.
 * @param options.most answers; more are in no history
 * @throws the reason of `signal` once that is aborted
 */
export async function readHistories(
  session: Session,
  decks: ReadonlySet<number>,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<ReadLog> {
  const { db, workspace } = session
  const turn = async () => {
    await setImmediate()
    signal.throwIfAborted()
  }
  const { reviews, from, counts } = await findNewestAnswers(session, decks, most, turn)
  const found: HistoryStep[][] = []
  for (const cards of inTurns(counts)) {
    const rows = await listLogOfCards(db, workspace.id, await listCardsStartedSince(db, workspace.id, cards, from))
    for (const log of Map.groupBy(rows, ({ card }: LoggedRow) => card).values())
      found.push(...splitHistories(toLogEntries(log)))
    await turn()
  }
  return { reviews, histories: found }
}

/** Where the newest answers begin in the log, and how many reviews of which cards are among them. */
async function findNewestAnswers(
  { db, workspace }: Session,
  decks: ReadonlySet<number>,
  most: number,
  turn: () => Promise<void>,
) {
  const counts = new Map<number, number>()
  let [reviews, from] = [0, Number.MAX_SAFE_INTEGER]
  for (;;) {
    const rows = await listReviewsBefore(db, workspace.id, from, REVIEWS_PER_TURN)
    for (const { key, card, rating, deck } of rows) {
      if (reviews === most) return { reviews, from, counts }
      from = key
      if (!decks.has(deck)) continue
      counts.set(card, (counts.get(card) ?? 0) + 1)
      if (rating !== null) reviews++
    }
    if (rows.length < REVIEWS_PER_TURN) return { reviews, from, counts }
    await turn()
  }
}

/** The cards in groups whose logs are read in one turn, in the order of their keys. */
function* inTurns(counts: ReadonlyMap<number, number>): Generator<number[]> {
  let [cards, size]: [number[], number] = [[], 0]
  for (const [card, count] of [...counts].toSorted(([one], [other]) => one - other)) {
    cards.push(card)
    size += count
    if (size < REVIEWS_PER_TURN) continue
    yield cards
    cards = []
    size = 0
  }
  if (cards.length > 0) yield cards
}
