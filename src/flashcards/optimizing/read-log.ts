import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import { toLogEntries } from '../review'
import { type LoggedRow, listLogOfCards } from '../review-store'
import { type HistoryStep, splitHistories } from './history'
import { listCardsStartedSince, listReviewsBefore } from './store'

/** Reviews that are read at a time. Between two batches, other requests are served. */
const REVIEWS_PER_TURN = 2000

/** The data of a training, and how many answers were read for it. */
export interface ReadLog {
  readonly reviews: number
  readonly histories: readonly (readonly HistoryStep[])[]
}

/**
 * Reads the histories in the newest answers to the cards of decks. Cards whose log begins before these answers are left
 * out, since their memory depends on older answers. Reviews that are written during the reading may be included or not.
 * @param options.most the most answers to read
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

/** Finds where the newest answers begin in the log, and how many reviews of each card are among them. */
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

/** Yields the cards by key, in groups whose logs are read at a time. */
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
