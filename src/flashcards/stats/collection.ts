import type { Session } from '../../db/database'
import { listKeys } from '../decks/store'
import { retrievability } from '../scheduling/scheduler'
import { readInherited, type Study } from '../settings/study'
import { BinnedValues, CHANCE_EDGES, DAY_EDGES, DIFFICULTY_EDGES } from './bins'
import { listRemembered } from './card-store'
import { eachCards } from './parts'

/** The keys of all decks. */
export function allDecks({ db, workspace }: Session): Promise<number[]> {
  return listKeys(db, workspace.id)
}

/** How memory and intervals are spread over the living cards of decks. */
export async function countCollection(session: Session, study: Study, decks: readonly number[] | null) {
  const weights = await weightsByDeck(session, study, decks ?? (await allDecks(session)))
  const stability = new BinnedValues(DAY_EDGES)
  const difficulty = new BinnedValues(DIFFICULTY_EDGES)
  const chances = new BinnedValues(CHANCE_EDGES)
  const interval = new BinnedValues(DAY_EDGES)
  await eachCards(session, decks, async (part) => {
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
