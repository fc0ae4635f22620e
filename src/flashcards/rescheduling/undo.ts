import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { Outcome } from '../../http/idempotency'
import { MAX_ROWS_INLINE } from '../../imports/run-work'
import type { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { runStepsInline, type SteppedChange } from '../../imports/stepped-change'
import type { CardWriter } from '../card-writer'
import type { CardMemory, ReplayOptions } from '../memory'
import { createReplayBatch, hasManyRows, type Replay, type ReplayAt } from '../replay'
import { type IntervalSettings, type Rescheduled, readIntervalSettings } from '../reschedule'
import { countMoves, deleteMoves, deleteReschedule, getReschedule, listMovedCards } from '../reschedule-store'
import type { RescheduleUndone } from './schema'

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
  options: ReplayOptions,
) => Promise<unknown>

/** Parameters of the run, which are stored as JSON. */
interface UndoParams extends Replay {
  readonly id: string
  readonly body: RescheduleUndone
}

export type RescheduleUndoChange = SteppedChange<UndoParams, RescheduleUndone, ReplayAt>

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
    const { db, workspace } = session
    const moved = await listMovedCards(db, workspace.id, id, limit)
    const left = moved.filter((card) => card.due_day === card.moved_to && card.reps === card.old_reps)
    const back = left.map((card) => ({ ...card, due_day: card.old_day, scheduled_days: card.old_days }))
    await cardWriter.saveAll(session, back, 'all')
    const keys = moved.map(({ key }) => key)
    await deleteMoves(db, workspace.id, keys)
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

    async end({ db, workspace }, { id, body }) {
      await deleteReschedule(db, workspace.id, id)
      return { status: 200, headers: {}, body }
    },
  }
}

export type RescheduleUndo = ReturnType<typeof createRescheduleUndo>

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
    await changeSettings(session, { deckId, settings }, { defer: (reweighted) => (decks = reweighted) })
    return decks
  }

  /** @throws ApiError not_found if there is nothing to undo */
  return (request: Request, session: Session, body: unknown): Promise<Outcome<RescheduleUndone | ImportReport>> =>
    work<RescheduleUndone>(request, session, {
      kind: long.name,
      body,
      async begin(tx) {
        const stored = await getReschedule(tx.db, tx.workspace.id)
        if (!stored) throw new ApiError('not_found', 'Nothing was rescheduled since the last undo.')
        const change: Rescheduled = JSON.parse(stored.change)
        const restored = await restoreSettings(tx, change)
        const decks = restored ?? []
        const cards = await countMoves(tx.db, tx.workspace.id, stored.id)
        const undone = { deck_id: change.deckId, settings_restored: restored !== null, cards }
        const params = { id: stored.id, decks, reschedule: null, body: undone }
        const asKeys = decks.map((key) => ({ key }))
        const isMuch = cards > MAX_ROWS_INLINE || (await hasManyRows(tx, asKeys))
        return isMuch ? { params } : runStepsInline(long, tx, params)
      },
    })
}
