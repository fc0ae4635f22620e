import type { Session } from '../../db/database'
import { Refusal } from '../../http/problem'
import type { WorkKind } from '../../imports/kind'
import type { Memories } from '../reviews/memory'
import { readStudy } from '../settings/study'
import type { Optimized } from './schema'
import { readScope } from './scope'

/** Puts weights into use in the decks of a scope; answers the keys of the decks that others hold for since. */
export type UseWeights = (
  session: Session,
  change: { readonly deckId: string | null; readonly weights: number[] },
) => Promise<readonly number[]>

/** What a training asks for: JSON. */
export interface NewWeights {
  readonly deckId: string | null
  readonly reschedule: boolean
  /** What was found, and is answered once it is applied. `current` must be in use yet. */
  readonly result: Omit<Optimized, 'applied'>
}

interface Progress {
  /** The keys of the decks whose cards are to be replayed yet. */
  readonly decks: readonly number[]
  /** The id of the fact of the first of them that was the last one. */
  readonly after: string
  /** Facts that are replayed. */
  readonly done: number
  readonly result: Optimized
}

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly useWeights: UseWeights
  readonly replaySome: Memories['replaySome']
}

export const APPLYING = 'training'

/** Takes trained weights into use, then replays the cards that they hold for, some at a time. */
export function applyingWeights({ now, useWeights, replaySome }: Deps): WorkKind<NewWeights, Progress, Optimized> {
  /** @throws Refusal conflict */
  async function begin(session: Session, { deckId, result }: NewWeights): Promise<Progress> {
    const present = await readScope(session, await readStudy(session, now()), deckId)
    if (present.weights.join() !== result.current.weights.join())
      throw new Refusal('conflict', 'The weights were changed while others were trained.')
    const decks = await useWeights(session, { deckId, weights: result.proposed.weights })
    return { decks, after: '', done: 0, result: { ...result, applied: true } }
  }

  /** A card that is answered meanwhile is replayed with that answer. */
  async function goOn(session: Session, params: NewWeights, state: Progress, limit: number): Promise<Progress> {
    const [deck, ...rest] = state.decks
    if (deck === undefined) return state
    const { after } = state
    const some = await replaySome(session, deck, { after, limit }, { reschedule: params.reschedule })
    if (some === null) return { ...state, decks: rest, after: '' }
    return { ...state, after: some.after, done: state.done + some.facts }
  }

  return {
    name: APPLYING,
    async step(session, params, from, size) {
      const state = from ? await goOn(session, params, from, size) : await begin(session, params)
      return { state, done: state.done, total: null, more: state.decks.length > 0 }
    },
    result: ({ result }) => result,
  }
}
