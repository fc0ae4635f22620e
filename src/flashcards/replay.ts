import type { Context } from '../db/context'
import type { Session } from '../db/database'
import type { Outcome } from '../http/idempotency'
import { MAX_ROWS_INLINE } from '../imports/run-work'
import type { ImportReport } from '../imports/schema'
import type { Imports } from '../imports/service'
import { runStepsInline, type SteppedChange } from '../imports/stepped-change'
import { countRowsInDecks } from './deck-store'
import type { CardMemory, ReplayOptions } from './memory'
import { readIntervalSettings, storeReschedule } from './reschedule'

/** The cards to replay: those of these decks, by key. Stored as JSON. */
export interface Replay {
  readonly decks: readonly number[]
  /** See ReplayOptions. */
  readonly reschedule: string | null
  /** Those of the decks whose memory stays, so that only due days are recomputed. */
  readonly kept?: readonly number[]
}

/** Where a replay continues: the index of the deck, and the id of the last fact. Stored as JSON. */
export interface ReplayAt {
  readonly deck: number
  readonly after: string
}

/** Creates a step that replays a batch, as CardMemory.replayBatch does. Answers given between steps are included. */
export function createReplayBatch({ replayBatch }: Pick<CardMemory, 'replayBatch'>) {
  return async (session: Session, { decks, reschedule, kept = [] }: Replay, limit: number, from: ReplayAt | null) => {
    const { deck, after } = from ?? { deck: 0, after: '' }
    const key = decks[deck]
    if (key === undefined) return null
    const batch = await replayBatch(session, key, { after, limit }, { reschedule, keepMemory: kept.includes(key) })
    return { changed: batch?.facts ?? 0, cursor: batch ? { deck, after: batch.after } : { deck: deck + 1, after: '' } }
  }
}

interface WeightsReplay extends Replay {
  /** The response of the change that made the replay necessary. */
  readonly outcome: Outcome
}

/** Creates the change that replays cards in steps after their weights changed. */
export function createReplayChange(
  memories: Pick<CardMemory, 'replayBatch'>,
): SteppedChange<WeightsReplay, unknown, ReplayAt> {
  return { name: 'weights', step: createReplayBatch(memories), end: async (_, { outcome }) => outcome }
}

/** Makes a change that may change weights, then replays the cards with changed weights: in steps, if there are many. */
export type ChangeAndReplay = <Body>(
  request: Request,
  session: Session,
  order: {
    readonly body: unknown
    /** Runs in a transaction. Must pass on the options. */
    readonly change: (tx: Session, options: ReplayOptions) => Promise<Outcome<Body>>
    /** Set to recompute due days as well: the deck whose settings change, or null for `deck_defaults`. */
    readonly reschedule?: { readonly deckId: string | null } | undefined
  },
) => Promise<Outcome<Body | ImportReport>>

export function createChangeAndReplay(
  long: ReturnType<typeof createReplayChange>,
  { work, ids }: Pick<Imports, 'work'> & Pick<Context, 'ids'>,
): ChangeAndReplay {
  return <Body>(request: Request, session: Session, { body, change, reschedule }: Parameters<ChangeAndReplay>[2]) =>
    work<Body>(request, session, {
      kind: long.name,
      body,
      async begin(tx) {
        let found: readonly (readonly number[])[] = []
        const before = reschedule && (await readIntervalSettings(tx, reschedule.deckId))
        const outcome = await change(tx, { defer: (...both) => (found = both) })
        const [reweighted = [], retimed = []] = found
        const id = reschedule && retimed.length > 0 ? ids() : null
        if (id !== null && before && reschedule) await storeReschedule(tx, id, { ...reschedule, before })
        const decks = id === null ? reweighted : retimed
        const kept = decks.filter((key) => !reweighted.includes(key))
        const params = { decks, reschedule: id, kept, outcome }
        const isMuch = await hasManyRows(
          tx,
          decks.map((key) => ({ key })),
        )
        return isMuch ? { params } : ((await runStepsInline(long, tx, params)) as Outcome<Body>)
      },
    })
}

/** Whether these decks have more cards and reviews than one transaction may change. */
export async function hasManyRows({ db, workspace }: Session, decks: readonly { readonly key: number }[]) {
  const keys = decks.map(({ key }) => key)
  return (await countRowsInDecks(db, workspace.id, keys, MAX_ROWS_INLINE + 1)) > MAX_ROWS_INLINE
}
