import type { Session, WorkspaceId } from '../../db/database'
import type { Once, Outcome, Recall } from '../../http/idempotency'
import { invalid, Refusal } from '../../http/problem'
import type { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { readStudy } from '../settings/study'
import { APPLYING, type NewWeights } from './applying'
import { type HistoryStep, isItem } from './history'
import { OptimizerMissing, optimize } from './optimizer'
import { readHistories } from './read-log'
import type { Optimize, Optimized } from './schema'
import { readScope, type Scope } from './scope'
import type { Trained } from './train-worker'

/** Below so many items nothing is trained. */
const LEAST_ITEMS = 400
/** How many answers are learnt from, the newest ones. */
const MOST_REVIEWS = 200_000
/** How long a training may take, in milliseconds: that many answers take some seconds. */
const MOST_TIME = 120_000
/** Trainings that run at the same time, in all workspaces: each holds a thread, and all that it learns from. */
const MAX_RUNNING = 2

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly once: Once
  readonly recall: Recall
  /** Of `applyingWeights`: see Imports.work. */
  readonly work: Imports['work']
}

export type Optimizer = ReturnType<typeof createOptimizer>

interface Running {
  readonly ending: AbortController
  readonly settled: Promise<unknown>
}

/** Training of weights, one at a time in each workspace. */
export function createOptimizer({ now, once, recall, work }: Deps) {
  const running = new Map<WorkspaceId, Running>()

  /** Runs `work` alone in its workspace. Throws busy, unavailable, and whatever ends it. */
  async function alone<T>(
    workspace: WorkspaceId,
    request: Request,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (running.has(workspace)) throw new Refusal('busy', 'Weights are trained in this workspace already.')
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

  return {
    /**
     * Trains weights on the log, and applies them if they are better and the request says so.
     * @throws Refusal invalid_request, busy, not_enough_reviews, optimizer_missing, unavailable, conflict
     */
    async optimize(request: Request, session: Session, body: Optimize): Promise<Outcome<Optimized | ImportReport>> {
      if (body.reschedule && !body.apply)
        throw invalid('/reschedule', 'contradiction', 'reschedule must go with apply: nothing else moves a due day')
      const stored = await recall<Optimized>(request, session, body)
      if (stored) return stored
      const scope = await readScope(session, await readStudy(session, now()), body.deck_id ?? null)
      return alone(session.workspace.id, request, async (signal) => {
        const { reviews, histories } = await readHistories(session, scope.decks, { most: MOST_REVIEWS, signal })
        requireEnough(histories)
        const trained = await train(histories, { ...scope, signal })
        const { log_loss } = trained.current
        const improved = trained.proposed.log_loss < log_loss
        const result = { reviews, ...trained, current: { weights: [...scope.weights], ...trained.current }, improved }
        if (!improved || !body.apply)
          return once(request, session, body, async () => {
            return { status: 200, headers: {}, body: { ...result, applied: false } }
          })
        const { deck_id: deckId = null, reschedule = false } = body
        const params: NewWeights = { deckId, reschedule, result }
        return work<Optimized>(request, session, { kind: APPLYING, params, body })
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
  throw new Refusal('not_enough_reviews', detail, { items })
}

/** Throws optimizer_missing. */
async function train(
  histories: readonly (readonly HistoryStep[])[],
  options: Pick<Scope, 'weights' | 'relearningSteps'> & { readonly signal: AbortSignal },
): Promise<Trained> {
  try {
    return await optimize(histories, options)
  } catch (error) {
    if (!(error instanceof OptimizerMissing)) throw error
    throw new Refusal('optimizer_missing', 'Weights cannot be trained on this server: the optimizer is not installed.')
  }
}

function unavailable(reason: string): Refusal {
  return new Refusal('unavailable', `${reason} Try again in a moment; nothing was changed.`, {}, { 'Retry-After': '5' })
}
