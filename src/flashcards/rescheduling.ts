import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Context, Session } from '../db/database'
import { keysOf } from '../db/table'
import type { RequestPlugin } from '../http/api'
import { ApiError, invalid, refuses } from '../http/api-error'
import type { Outcome } from '../http/responses'
import { AS_FLAG, Flag, Id, nameSchemas } from '../http/schema'
import { MAX_ROWS_INLINE } from '../imports/run-work'
import { ImportReport, IN_STEPS } from '../imports/schema'
import type { Imports } from '../imports/service'
import { runStepsInline, type SteppedChange } from '../imports/stepped-change'
import type { CardWriter } from './cards/card'
import { countRowsInDecks } from './decks/deck-store'
import type { CardMemory, DeferReplay } from './reviews/memory'
import {
  countMoves,
  deleteMoves,
  deleteReschedule,
  getReschedule,
  type IntervalSettings,
  listMovedCards,
  type Rescheduled,
  readIntervalSettings,
  storeReschedule,
} from './reviews/reschedule-store'

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const RescheduleQuery = t.Object(
  {
    reschedule: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description:
          'Whether due days of cards in review move to what the new retention, weights or maximum interval give since the last answer. Suspended cards stay. `POST /api/flashcards/reschedule/undo` undoes it.',
      }),
    ),
    dry_run: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description: 'With `reschedule`: answers how many cards would move, and changes nothing.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const ReschedulePreview = t.Object(
  {
    dry_run: t.Literal(true),
    cards: count('Cards in review that can move.'),
    moved_earlier: count('Those that would be due earlier.'),
    moved_later: count('Those that would be due later.'),
    due_today_before: count('Those that are due today or overdue.'),
    due_today_after: count('Those that would be.'),
  },
  {
    examples: [
      { dry_run: true, cards: 120, moved_earlier: 0, moved_later: 96, due_today_before: 30, due_today_after: 12 },
    ],
  },
)

const RescheduleUndone = t.Object(
  {
    deck_id: t.Union([Id, t.Null()], { description: 'The deck whose settings had changed; null: `deck_defaults`.' }),
    settings_restored: t.Boolean({ description: 'False if they were changed again since, or the deck is gone.' }),
    cards: count('Cards that had moved. Those that were answered or moved again since stay.'),
  },
  { examples: [{ deck_id: null, settings_restored: true, cards: 96 }] },
)

export type ReschedulePreview = Static<typeof ReschedulePreview>
export type RescheduleQuery = Static<typeof RescheduleQuery>
type RescheduleUndone = Static<typeof RescheduleUndone>

/** The cards to replay: those of these decks, by key. Stored as JSON. */
export interface Replay {
  readonly decks: readonly number[]
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

/** Whether these decks have more cards and reviews than one transaction may change. */
export async function hasManyRows(session: Session, decks: readonly number[]) {
  return (await countRowsInDecks(session, decks, MAX_ROWS_INLINE + 1)) > MAX_ROWS_INLINE
}

/**
 * Makes a change of settings, then replays the cards whose weights changed: in steps, if there are many. With
 * `reschedule` recomputes due days as well; with `dry_run` only counts the cards that it would move.
 */
export type ChangeSchedule = <Body>(
  request: Request,
  session: Session,
  order: {
    /** The deck whose settings change; null: `deck_defaults`. */
    readonly deckId: string | null
    readonly query: RescheduleQuery
    readonly body: unknown
    /** Runs in a transaction, which `dry_run` rolls back. Must pass on `defer`. */
    readonly change: (tx: Session, defer: DeferReplay) => Promise<Outcome<Body>>
  },
) => Promise<Outcome<Body | ImportReport | ReschedulePreview>>

export function createChangeSchedule(
  long: ReturnType<typeof createReplayChange>,
  { work, ids, memories }: Pick<Imports, 'work'> & Pick<Context, 'ids'> & { readonly memories: CardMemory },
): ChangeSchedule {
  return async <Body>(
    request: Request,
    session: Session,
    { deckId, query, body, change }: Parameters<ChangeSchedule>[2],
  ) => {
    const isAsked = query.reschedule === 'true'
    if (query.dry_run === 'true') {
      if (!isAsked) throw invalid('/dry_run', 'contradiction', 'dry_run must go with reschedule')
      const preview = await memories.previewReschedule(session, change)
      return { status: 200, headers: {}, body: { dry_run: true, ...preview } }
    }
    return work<Body>(request, session, {
      kind: long.name,
      body,
      async begin(tx) {
        let found: readonly (readonly number[])[] = []
        const before = isAsked ? await readIntervalSettings(tx, deckId) : null
        const outcome = await change(tx, (...both) => (found = both))
        const [reweighted = [], retimed = []] = found
        const id = isAsked && retimed.length > 0 ? ids() : null
        if (id !== null && before) await storeReschedule(tx, id, { deckId, before })
        const decks = id === null ? reweighted : retimed
        const kept = decks.filter((key) => !reweighted.includes(key))
        const params = { decks, reschedule: id, kept, outcome }
        const isMuch = await hasManyRows(tx, decks)
        return isMuch ? { params } : ((await runStepsInline(long, tx, params)) as Outcome<Body>)
      },
    })
  }
}

/** Changes settings of a deck or of `deck_defaults`; null takes one out. */
export type ChangeSettings = (
  session: Session,
  change: {
    readonly deckId: string | null
    readonly settings: {
      desired_retention?: number | null
      maximum_interval_days?: number | null
      weights?: number[] | null
    }
  },
  defer: DeferReplay,
) => Promise<unknown>

interface UndoParams extends Replay {
  readonly id: string
  readonly body: RescheduleUndone
}

type RescheduleUndoChange = SteppedChange<UndoParams, RescheduleUndone, ReplayAt>

/** Creates the change that replays memory under the former weights, then puts back the cards that were moved. */
export function createRescheduleUndoChange({
  memories,
  cardWriter,
}: {
  readonly memories: Pick<CardMemory, 'replayBatch'>
  readonly cardWriter: CardWriter
}): RescheduleUndoChange {
  const replaySome = createReplayBatch(memories)

  async function putBack(session: Session, id: string, limit: number): Promise<number> {
    const moved = await listMovedCards(session, id, limit)
    const left = moved.filter((card) => card.due_day === card.moved_to && card.reps === card.old_reps)
    const back = left.map((card) => ({ ...card, due_day: card.old_day, scheduled_days: card.old_days }))
    await cardWriter.saveAll(session, back, 'all')
    const keys = keysOf(moved)
    await deleteMoves(session, keys)
    return moved.length
  }

  return {
    name: 'reschedule_undo',

    async step(session, params, limit, at) {
      const replayed = await replaySome(session, params, limit, at)
      if (replayed) return replayed
      const changed = await putBack(session, params.id, limit)
      return changed > 0 ? { changed, cursor: at } : null
    },

    async end(session, { id, body }) {
      await deleteReschedule(session, id)
      return { status: 200, headers: {}, body }
    },
  }
}

type RescheduleUndo = ReturnType<typeof createRescheduleUndo>

/** Creates what undoes the last change of settings that moved due days: in one transaction, or in steps. */
export function createRescheduleUndo(
  long: RescheduleUndoChange,
  { work, changeSettings }: Pick<Imports, 'work'> & { readonly changeSettings: ChangeSettings },
) {
  /** Restores the settings that are still as the change left them. Returns the decks to replay; null if none is. */
  async function restoreSettings(session: Session, { deckId, before, after }: Rescheduled) {
    const present = await readIntervalSettings(session, deckId)
    const names = Object.keys(before) as (keyof IntervalSettings)[]
    const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
    const changed = names.filter((name) => !isSame(before[name], after[name]))
    const restorable = present ? changed.filter((name) => isSame(present[name], after[name])) : []
    if (restorable.length === 0) return null
    let decks: readonly number[] = []
    const settings = Object.fromEntries(restorable.map((name) => [name, before[name]]))
    await changeSettings(session, { deckId, settings }, (reweighted) => (decks = reweighted))
    return decks
  }

  /** @throws ApiError not_found if there is nothing to undo */
  return (request: Request, session: Session, body: unknown): Promise<Outcome<RescheduleUndone | ImportReport>> =>
    work<RescheduleUndone>(request, session, {
      kind: long.name,
      body,
      async begin(tx) {
        const stored = await getReschedule(tx)
        if (!stored) throw new ApiError('not_found', 'Nothing was rescheduled since the last undo.')
        const change: Rescheduled = JSON.parse(stored.change)
        const restored = await restoreSettings(tx, change)
        const decks = restored ?? []
        const cards = await countMoves(tx, stored.id)
        const undone = { deck_id: change.deckId, settings_restored: restored !== null, cards }
        const params = { id: stored.id, decks, reschedule: null, body: undone }
        const isMuch = cards > MAX_ROWS_INLINE || (await hasManyRows(tx, decks))
        return isMuch ? { params } : runStepsInline(long, tx, params)
      },
    })
}

nameSchemas({ ReschedulePreview, RescheduleUndone })

export function rescheduleRoutes({ undoReschedule, api }: { undoReschedule: RescheduleUndo; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Scheduling'] })
    .use(api)
    .post(
      '/reschedule/undo',
      async ({ session, request, body, reply }) => reply.send(await undoReschedule(request, session, body)),
      {
        response: { 200: RescheduleUndone, 202: ImportReport },
        detail: {
          operationId: 'undoReschedule',
          ...refuses('not_found'),
          summary: 'Undo the last rescheduling',
          description: `Puts back the settings of the last change with \`reschedule\`, and the due days that it moved. Cards that were answered or moved since stay as they are, and so do settings that were changed again. ${IN_STEPS}`,
        },
      },
    )
}
