import type { Session } from '../db/database'
import type { Outcome } from '../http/idempotency'
import { MAX_ROWS_INLINE } from '../imports/run-work'
import type { ImportReport } from '../imports/schema'
import type { Imports } from '../imports/service'
import { runStepsInline, type SteppedChange } from '../imports/stepped-change'
import { countRowsInDecks } from './deck-store'
import type { CardMemory, ReplayOptions } from './memory'

/** Cards to be replayed: those of these decks, by their keys. JSON. */
export interface Replay {
  readonly decks: readonly number[]
  readonly reschedule: boolean
}

/** Where a replay goes on: behind a fact of the deck at this place. JSON. */
export interface ReplayAt {
  readonly deck: number
  readonly after: string
}

/** Replays some of the cards, as Memories.replaySome does. A card that is answered meanwhile is replayed with that answer. */
export function createReplaySome({ replaySome }: Pick<CardMemory, 'replaySome'>) {
  return async (session: Session, { decks, reschedule }: Replay, limit: number, from: ReplayAt | null) => {
    const { deck, after } = from ?? { deck: 0, after: '' }
    const key = decks[deck]
    if (key === undefined) return null
    const some = await replaySome(session, key, { after, limit }, { reschedule })
    return { changed: some?.facts ?? 0, cursor: some ? { deck, after: some.after } : { deck: deck + 1, after: '' } }
  }
}

interface WeightsReplay extends Replay {
  /** What the change came to that made it necessary. */
  readonly outcome: Outcome
}

/** Memory follows weights that were changed. */
export function replayChange(
  memories: Pick<CardMemory, 'replaySome'>,
): SteppedChange<WeightsReplay, unknown, ReplayAt> {
  return { name: 'weights', step: createReplaySome(memories), end: async (_, { outcome }) => outcome }
}

/** Makes a change after which other weights may hold, then replays the cards that they hold for: in steps, if these are many. */
export type ReplayAfter = <Body>(
  request: Request,
  session: Session,
  order: {
    /** Of the request. */
    readonly body: unknown
    /** Within a transaction; it must hand on the options. */
    readonly change: (within: Session, options: ReplayOptions) => Promise<Outcome<Body>>
    /** See ReplayOptions. */
    readonly reschedule?: boolean
  },
) => Promise<Outcome<Body | ImportReport>>

export function createReplayAfter(long: ReturnType<typeof replayChange>, { work }: Pick<Imports, 'work'>): ReplayAfter {
  return <Body>(request: Request, session: Session, { body, change, reschedule = false }: Parameters<ReplayAfter>[2]) =>
    work<Body>(request, session, {
      kind: long.name,
      body,
      async begin(within) {
        let decks: readonly number[] = []
        const outcome = await change(within, { later: (those) => (decks = those) })
        const params = { decks, reschedule, outcome }
        const isMuch = await hasManyRows(
          within,
          decks.map((key) => ({ key })),
        )
        return isMuch ? { params } : ((await runStepsInline(long, within, params)) as Outcome<Body>)
      },
    })
}

/** Whether there are more cards and reviews in these decks than one transaction changes. */
export async function hasManyRows({ db, workspace }: Session, decks: readonly { readonly key: number }[]) {
  const keys = decks.map(({ key }) => key)
  return (await countRowsInDecks(db, workspace.id, keys, MAX_ROWS_INLINE + 1)) > MAX_ROWS_INLINE
}
