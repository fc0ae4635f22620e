import type { Context } from '../../db/context'
import type { Session, WorkspaceId } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import type { FindOutcome, Outcome, RunOnce } from '../../http/idempotency'
import type { ImportReport } from '../../imports/schema'
import { listKeysOfDecks } from '../deck-store'
import { requireLivingDeck } from '../deck-tree'
import { requireDeckKeys } from '../filter/filter'
import type { ReplayOptions } from '../memory'
import type { ReplayAfter } from '../replay'
import { DEFAULT_WEIGHTS, type DeckSettings } from '../scheduling/settings'
import { readInherited, readStudy, type Study } from '../study'
import { type HistoryStep, isItem } from './history'
import { OptimizerMissing, optimize } from './optimizer'
import { readHistories } from './read-log'
import type { Optimize, Optimized } from './schema'
import type { Trained } from './train-worker'

/** Below so many items nothing is trained. */
const LEAST_ITEMS = 400
/** How many answers are learnt from, the newest ones. */
const MOST_REVIEWS = 200_000
/** How long a training may take, in milliseconds: that many answers take some seconds. */
const MOST_TIME = 120_000
/** Trainings that run at the same time, in all workspaces: each holds a thread, and all that it learns from. */
const MAX_RUNNING = 2

interface Deps extends Pick<Context, 'now'> {
  readonly runOnce: RunOnce
  readonly findOutcome: FindOutcome
  readonly useWeights: UseWeights
  readonly replayAfter: ReplayAfter
}

/** Puts weights into use in the decks of a scope. */
export type UseWeights = (
  session: Session,
  change: { readonly deckId: string | null; readonly weights: number[] },
  options: ReplayOptions,
) => Promise<unknown>

interface Found {
  readonly deckId: string | null
  readonly result: Omit<Optimized, 'applied'>
}

export type Optimizer = ReturnType<typeof createOptimizer>

interface Running {
  readonly ending: AbortController
  readonly settled: Promise<unknown>
}

/** Training of weights, one at a time in each workspace. */
export function createOptimizer({ now, runOnce, findOutcome, useWeights, replayAfter }: Deps) {
  const running = new Map<WorkspaceId, Running>()

  /** Runs `work` alone in its workspace. Throws busy, unavailable, and whatever ends it. */
  async function alone<T>(
    workspace: WorkspaceId,
    request: Request,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (running.has(workspace)) throw new ApiError('busy', 'Weights are trained in this workspace already.')
    if (running.size >= MAX_RUNNING) throw unavailable('Other trainings are running.')
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(unavailable('Training took too long.')), MOST_TIME)
    const left = () => ending.abort(unavailable('Nobody waits for the answer.'))
    request.signal.addEventListener('abort', left, { once: true })
    const done = work(ending.signal).finally(() => {
      running.delete(workspace)
      request.signal.removeEventListener('abort', left)
      clearTimeout(timer)
    })
    running.set(workspace, { ending, settled: done.catch(() => {}) })
    return done
  }

  /** @throws ApiError conflict if other weights are in use than those that were compared */
  async function use(session: Session, { deckId, result }: Found, options: ReplayOptions): Promise<Outcome<Optimized>> {
    const present = await readTrainedDecks(session, await readStudy(session, now()), deckId)
    if (present.weights.join() !== result.current.weights.join())
      throw new ApiError('conflict', 'The weights were changed while others were trained.')
    await useWeights(session, { deckId, weights: result.proposed.weights }, options)
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
      const stored = await findOutcome<Optimized>(request, session, body)
      if (stored) return stored
      const scope = await readTrainedDecks(session, await readStudy(session, now()), body.deck_id ?? null)
      return alone(session.workspace.id, request, async (signal) => {
        const { reviews, histories } = await readHistories(session, scope.decks, { most: MOST_REVIEWS, signal })
        requireEnough(histories)
        const trained = await train(histories, { ...scope, signal })
        const { log_loss } = trained.current
        const improved = trained.proposed.log_loss < log_loss
        const result = { reviews, ...trained, current: { weights: [...scope.weights], ...trained.current }, improved }
        if (!improved || !body.apply)
          return runOnce(request, session, body, async () => {
            return { status: 200, headers: {}, body: { ...result, applied: false } }
          })
        const change = (within: Session, options: ReplayOptions) =>
          use(within, { deckId: body.deck_id ?? null, result }, options)
        return replayAfter<Optimized>(request, session, { body, change, reschedule: body.reschedule ?? false })
      })
    },

    /** Ends what is running, when the server stops. */
    async close(): Promise<void> {
      const all = [...running.values()]
      for (const { ending } of all) ending.abort(unavailable('The server stops.'))
      await Promise.all(all.map(({ settled }) => settled))
    },
  }
}

/** Throws not_enough_reviews. */
function requireEnough(histories: readonly (readonly HistoryStep[])[]): void {
  const items = histories.reduce((sum, steps) => sum + steps.filter(isItem).length, 0)
  if (items >= LEAST_ITEMS) return
  const detail = `There are ${items} answers to learn from, and ${LEAST_ITEMS} are needed.`
  throw new ApiError('not_enough_reviews', detail, { items })
}

/** Throws optimizer_missing. */
async function train(
  histories: readonly (readonly HistoryStep[])[],
  options: Pick<TrainedDecks, 'weights' | 'relearningSteps'> & { readonly signal: AbortSignal },
): Promise<Trained> {
  try {
    return await optimize(histories, options)
  } catch (error) {
    if (!(error instanceof OptimizerMissing)) throw error
    throw new ApiError('optimizer_missing', 'Weights cannot be trained on this server: the optimizer is not installed.')
  }
}

function unavailable(reason: string): ApiError {
  return new ApiError(
    'unavailable',
    `${reason} Try again in a moment; nothing was changed.`,
    {},
    { 'Retry-After': '5' },
  )
}

/** What is trained: the weights of a deck, or those of `deck_defaults`. */
interface TrainedDecks {
  /** The keys of the decks that go by them. */
  readonly decks: ReadonlySet<number>
  readonly weights: readonly number[]
  readonly relearningSteps: number
}

/**
 * Which decks go by the weights of this deck: it, and those below it without other ones; null: of `deck_defaults`.
 * Throws invalid_request for a deck that there is not.
 */
async function readTrainedDecks(session: Session, study: Study, deckId: string | null): Promise<TrainedDecks> {
  const deck = deckId === null ? null : await requireLivingDeck(session, deckId, '/deck_id')
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
