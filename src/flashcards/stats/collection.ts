import type { Session } from '../../db/database'
import { listKeys } from '../decks/store'
import { recall } from '../scheduling/scheduler'
import { studyDay } from '../scheduling/study-day'
import { readInherited, type Study } from '../settings/study'
import { CHANCE_EDGES, DAY_EDGES, DIFFICULTY_EDGES, Histogram } from './bins'
import { listRemembered, type RememberedCard } from './card-store'
import { eachCards } from './parts'

/** The keys of all decks. */
export function allDecks({ db, workspace }: Session): Promise<number[]> {
  return listKeys(db, workspace.id)
}

/** How memory and intervals are spread over the living cards of decks. */
export async function countCollection(session: Session, study: Study, decks: readonly number[] | null) {
  const weights = await weightsByDeck(session, study, decks ?? (await allDecks(session)))
  const stability = new Histogram(DAY_EDGES)
  const difficulty = new Histogram(DIFFICULTY_EDGES)
  const retrievability = new Histogram(CHANCE_EDGES)
  const interval = new Histogram(DAY_EDGES)
  await eachCards(session, decks, async (part) => {
    for (const card of await listRemembered(session.db, session.workspace.id, part)) {
      stability.add(card.stability)
      difficulty.add(card.difficulty)
      const chance = chanceOf(card, study, weights.get(card.deck) ?? null)
      if (chance !== null) retrievability.add(chance)
      if (card.state === 'review') interval.add(card.scheduled_days)
    }
  })
  return {
    stability: stability.shown(),
    difficulty: difficulty.shown(),
    retrievability: retrievability.shown(),
    interval: interval.shown(),
  }
}

async function weightsByDeck(session: Session, study: Study, decks: readonly number[]) {
  const inherited = await readInherited(session, study, decks)
  return new Map([...inherited].map(([deck, { effective }]) => [deck, effective.weights]))
}

/** Null for memory of which nobody knows when it was made. */
function chanceOf(card: RememberedCard, { today, clock }: Study, weights: readonly number[] | null): number | null {
  if (card.last_reviewed_at === null) return null
  return recall(Math.max(0, today - studyDay(card.last_reviewed_at, clock)), card.stability, weights)
}
