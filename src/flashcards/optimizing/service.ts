import type { Context } from '../../db/context'
import type { Session, WorkspaceId } from '../../db/database'
import { ApiError, busy, invalid } from '../../http/api-error'
import type { FindOutcome, Outcome, RunOnce } from '../../http/idempotency'
import type { ImportReport } from '../../imports/schema'
import { listKeysOfDecks } from '../deck-store'
import { requireUntrashedDeck } from '../deck-tree'
import { requireDeckKeys } from '../filter/filter'
import type { ReplayOptions } from '../memory'
import type { ChangeSchedule } from '../rescheduling/change'
import type { ChangeSettings } from '../rescheduling/undo'
import { DEFAULT_WEIGHTS, type DeckSettings } from '../scheduling/settings'
import { readInherited, readStudy, type Study } from '../study'
import { type HistoryStep, isTrainingItem } from './history'
import { OptimizerMissing, optimize } from './optimizer'
import { readHistories } from './read-log'
import type { Optimize, Optimized } from './schema'
import type { Trained } from './train-worker'

/** The fewest items for a training. */
const MIN_ITEMS = 400
/** The most answers of a training, the newest ones. */
const MAX_REVIEWS = 200_000
/** Trainings that run at the same time, in all workspaces. Each holds a thread, and its data in memory. */
const MAX_RUNNING = 2

interface Deps extends Pick<Context, 'now'> {
  readonly runOnce: RunOnce
  readonly findOutcome: FindOutcome
  readonly changeSettings: ChangeSettings
  readonly changeSchedule: ChangeSchedule
}

interface WeightsToApply {
  readonly deckId: string | null
  readonly result: Omit<Optimized, 'applied'>
}

export type Optimizer = ReturnType<typeof createOptimizer>

interface Running {
  readonly ending: AbortController
  readonly settled: Promise<unknown>
}

/** Creates the service that trains weights, one training at a time in each workspace. */
export function createOptimizer({ now, runOnce, findOutcome, changeSettings, changeSchedule }: Deps) {
  const running = new Map<WorkspaceId, Running>()

  /** Runs `work` alone in its workspace. Throws busy, unavailable, and what `work` throws. */
  async function runAlone<T>(
    workspace: WorkspaceId,
    deadline: Session['deadline'],
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (running.has(workspace)) throw new ApiError('busy', 'Weights are trained in this workspace already.')
    if (running.size >= MAX_RUNNING) throw unavailableNow('Other trainings are running.')
    const ending = new AbortController()
    const signal = deadline ? AbortSignal.any([ending.signal, deadline.signal]) : ending.signal
    const done = work(signal).finally(() => running.delete(workspace))
    running.set(workspace, { ending, settled: done.catch(() => {}) })
    return done
  }

  /**
   * Stores the trained weights.
   * @throws ApiError conflict if the weights in use changed since the comparison
   */
  async function applyWeights(
    session: Session,
    { deckId, result }: WeightsToApply,
    options: ReplayOptions,
  ): Promise<Outcome<Optimized>> {
    const present = await readTrainedDecks(session, await readStudy(session, now()), deckId)
    if (present.weights.join() !== result.current.weights.join())
      throw new ApiError('conflict', 'The weights were changed while others were trained.')
    await changeSettings(session, { deckId, settings: { weights: result.proposed.weights } }, options)
    return { status: 200, headers: {}, body: { ...result, applied: true } }
  }

  return {
    /**
     * Trains weights on the log, and applies them if they are better and the request says so.
     * @throws ApiError invalid_request, busy, not_enough_reviews, optimizer_missing, unavailable, conflict
     */
    async optimize(request: Request, session: Session, body: Optimize): Promise<Outcome<Optimized | ImportReport>> {
      if (body.reschedule && !body.apply)
        throw invalid('/reschedule', 'contradiction', 'reschedule must go with apply: nothing else moves a due day')
      if (body.dry_run && !body.reschedule)
        throw invalid('/dry_run', 'contradiction', 'dry_run must go with reschedule: it counts the cards that move')
      const stored = await findOutcome<Optimized>(request, session, body)
      if (stored) return stored
      const scope = await readTrainedDecks(session, await readStudy(session, now()), body.deck_id ?? null)
      return runAlone(session.workspace.id, session.deadline, async (signal) => {
        const { reviews, histories } = await readHistories(session, scope.decks, { most: MAX_REVIEWS, signal })
        requireEnough(histories)
        const trained = await train(histories, { ...scope, signal })
        const { before, after } = trained.held_out
        const improved = after.log_loss < before.log_loss
        const result = { reviews, ...trained, current: { weights: [...scope.weights], ...trained.current }, improved }
        if (!improved || !body.apply)
          return runOnce(request, session, body, async () => {
            return { status: 200, headers: {}, body: { ...result, applied: false } }
          })
        const change = (tx: Session, options: ReplayOptions) =>
          applyWeights(tx, { deckId: body.deck_id ?? null, result }, options)
        const deckId = body.deck_id ?? null
        const query = { reschedule: toFlag(body.reschedule), dry_run: toFlag(body.dry_run) }
        const outcome = await changeSchedule<Optimized>(request, session, { deckId, query, body, change })
        if (!('moved_earlier' in outcome.body)) return outcome as Outcome<Optimized | ImportReport>
        return { ...outcome, body: { ...result, applied: false, preview: outcome.body } }
      })
    },

    /** Aborts the running trainings, when the server stops. */
    async close(): Promise<void> {
      const all = [...running.values()]
      for (const { ending } of all) ending.abort(unavailableNow('The server stops.'))
      await Promise.all(all.map(({ settled }) => settled))
    },
  }
}

function toFlag(value: boolean | undefined): 'true' | 'false' {
  return value ? 'true' : 'false'
}

/** Throws not_enough_reviews below MIN_ITEMS. */
function requireEnough(histories: readonly (readonly HistoryStep[])[]): void {
  const items = histories.reduce((sum, steps) => sum + steps.filter(isTrainingItem).length, 0)
  if (items >= MIN_ITEMS) return
  const detail = `There are ${items} answers to learn from, and ${MIN_ITEMS} are needed.`
  throw new ApiError('not_enough_reviews', detail, { items })
}

/** Trains weights. Throws optimizer_missing. */
async function train(
  histories: readonly (readonly HistoryStep[])[],
  options: Pick<TrainedDecks, 'weights' | 'relearningSteps'> & { readonly signal: AbortSignal },
): Promise<Trained> {
  try {
    return await optimize(histories, options)
  } catch (error) {
    if (!(error instanceof OptimizerMissing)) throw error
    throw new ApiError(
      'optimizer_missing',
      'Weights cannot be trained on this server: its optional package @open-spaced-repetition/binding is not installed.',
    )
  }
}

const unavailableNow = (reason: string) => busy(`${reason} Try again in a moment; nothing was changed.`)

/** The weights to train, those of a deck or of `deck_defaults`, and the decks that use them. */
interface TrainedDecks {
  /** The keys of the decks that use them. */
  readonly decks: ReadonlySet<number>
  readonly weights: readonly number[]
  readonly relearningSteps: number
}

/**
 * Finds the decks that use the weights of this deck: it, and descendants without other ones; null: of `deck_defaults`.
 * Throws invalid_request for an unknown deck.
 */
async function readTrainedDecks(session: Session, study: Study, deckId: string | null): Promise<TrainedDecks> {
  const deck = deckId === null ? null : await requireUntrashedDeck(session, deckId, '/deck_id')
  const keys =
    deck === null ? await listKeysOfDecks(session.db, session.workspace.id) : await requireDeckKeys(session, deck.id)
  const inherited = await readInherited(session, study, keys)
  const own = deck && inherited.get(deck.key)
  const holder = own?.from.weights ?? 'deck_defaults'
  const alike = keys.filter((key) => inherited.get(key)?.from.weights === holder)
  return { decks: new Set(alike), ...trained(own?.effective ?? study.defaults) }
}

function trained({ weights, relearning_steps_minutes }: DeckSettings) {
  return { weights: weights ?? DEFAULT_WEIGHTS, relearningSteps: relearning_steps_minutes.length }
}
