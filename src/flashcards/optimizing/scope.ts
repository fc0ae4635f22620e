import type { Session } from '../../db/database'
import { listKeys } from '../decks/store'
import { requireLivingDeck } from '../decks/tree'
import { keysBelow } from '../filter/filter'
import { DEFAULT_WEIGHTS, type DeckSettings } from '../scheduling/settings'
import { readInherited, type Study } from '../settings/study'

/** What is trained: the weights of a deck, or those of `deck_defaults`. */
export interface TrainedDecks {
  /** The keys of the decks that go by them. */
  readonly decks: ReadonlySet<number>
  readonly weights: readonly number[]
  readonly relearningSteps: number
}

/**
 * Which decks go by the weights of this deck: it, and those below it without other ones; null: of `deck_defaults`.
 * Throws invalid_request for a deck that there is not.
 */
export async function readTrainedDecks(session: Session, study: Study, deckId: string | null): Promise<TrainedDecks> {
  const deck = deckId === null ? null : await requireLivingDeck(session, deckId, '/deck_id')
  const keys = deck === null ? await listKeys(session.db, session.workspace.id) : await keysBelow(session, deck.id)
  const inherited = await readInherited(session, study, keys)
  const own = deck && inherited.get(deck.key)
  const holder = own?.from.weights ?? 'deck_defaults'
  const alike = keys.filter((key) => inherited.get(key)?.from.weights === holder)
  return { decks: new Set(alike), ...trained(own?.effective ?? study.defaults) }
}

function trained({ weights, relearning_steps_minutes }: DeckSettings) {
  return { weights: weights ?? DEFAULT_WEIGHTS, relearningSteps: relearning_steps_minutes.length }
}
