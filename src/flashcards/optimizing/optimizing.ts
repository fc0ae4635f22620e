import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Context, Session, WorkspaceId } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, busy, invalid, refuses } from '../../http/api-error'
import type { FindOutcome, Outcome, RunOnce } from '../../http/responses'
import { closed, Id, nameSchemas, nullable } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import { requireUntrashedDeck } from '../decks/deck'
import { listKeysOfDecks } from '../decks/deck-store'
import { readInherited, readStudy, type Study } from '../decks/study'
import { requireDeckKeys } from '../filter/filter'
import { type ChangeSchedule, type ChangeSettings, ReschedulePreview } from '../rescheduling'
import type { DeferReplay } from '../reviews/memory'
import { DEFAULT_WEIGHTS, type DeckSettings } from '../scheduling/settings'
import { type HistoryStep, isTrainingItem } from './history'
import { readHistories } from './log-store'
import { optimize } from './optimizer'

const Optimize = t.Object(
  {
    deck_id: t.Optional(
      nullable(
        t.String({
          ...Id,
          description: 'The deck whose weights are trained, on its cards and those of subdecks that inherit them.',
        }),
      ),
    ),
    apply: t.Optional(t.Boolean({ description: 'Whether to use the new weights if they are better.' })),
    reschedule: t.Optional(
      t.Boolean({ description: 'With `apply`: whether to recompute due days under the new weights. Else they stay.' }),
    ),
    dry_run: t.Optional(
      t.Boolean({ description: 'With `reschedule`: counts the cards that would move, and changes nothing.' }),
    ),
  },
  {
    ...closed,
    description: 'Without `deck_id`: the weights of `deck_defaults`.',
    examples: [{ deck_id: null, apply: false }],
  },
)

const weights = t.Array(Type.Number(), { minItems: 21, maxItems: 21, description: 'The weights of FSRS-6.' })
const metrics = {
  log_loss: Type.Number({ minimum: 0, description: 'How far predictions are off; lower is better.' }),
  rmse_bins: Type.Number({
    minimum: 0,
    description: 'RMSE(bins): between predicted and observed recall of items alike in interval, items and lapses.',
  }),
}
const fit = { weights, ...metrics }

const Optimized = t.Object(
  {
    reviews: Type.Integer({ minimum: 0, description: 'Answers that were read: at most the newest 200,000.' }),
    items: Type.Integer({
      minimum: 400,
      description: 'Those of them that came a day or more after the one before, on cards whose whole log is known.',
    }),
    current: t.Object(fit, { ...closed, description: 'The weights in use.' }),
    proposed: t.Object(fit, { ...closed, description: 'The trained weights, on the items that they learnt from.' }),
    held_out: t.Object(
      {
        before: t.Object(metrics, { ...closed, description: 'The weights in use.' }),
        after: t.Object(metrics, { ...closed, description: 'Weights that learnt only from the items before.' }),
      },
      {
        ...closed,
        description:
          'On answers that were not learnt from: of six parts by time, each after the first is predicted from those before it.',
      },
    ),
    improved: t.Boolean({ description: 'Whether the log-loss of `held_out` fell.' }),
    applied: t.Boolean(),
    preview: t.Optional(ReschedulePreview),
  },
  {
    ...closed,
    examples: [
      {
        reviews: 12_580,
        items: 6032,
        current: {
          weights: [
            0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629,
            1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
          ],
          log_loss: 0.4667,
          rmse_bins: 0.0855,
        },
        proposed: {
          weights: [
            0.1659, 0.8197, 2.488, 6.406, 6.5646, 0.4961, 3.2013, 0.0354, 1.6375, 0.2537, 0.5868, 1.5975, 0.0306,
            0.3912, 1.8249, 0.6, 1.8729, 0.821, 0.0983, 0.1623, 0.2237,
          ],
          log_loss: 0.4551,
          rmse_bins: 0.0577,
        },
        held_out: {
          before: { log_loss: 0.4619, rmse_bins: 0.0816 },
          after: { log_loss: 0.4601, rmse_bins: 0.0632 },
        },
        improved: true,
        applied: false,
      },
    ],
  },
)

type Optimize = Static<typeof Optimize>
type Optimized = Static<typeof Optimized>

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

type Optimizer = ReturnType<typeof createOptimizer>

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
    defer: DeferReplay,
  ): Promise<Outcome<Optimized>> {
    const present = await readTrainedDecks(session, await readStudy(session, now()), deckId)
    if (present.weights.join() !== result.current.weights.join())
      throw new ApiError('conflict', 'The weights were changed while others were trained.')
    await changeSettings(session, { deckId, settings: { weights: result.proposed.weights } }, defer)
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
        const trained = await optimize(histories, { ...scope, signal })
        const { before, after } = trained.held_out
        const improved = after.log_loss < before.log_loss
        const result = { reviews, ...trained, current: { weights: [...scope.weights], ...trained.current }, improved }
        if (!improved || !body.apply)
          return runOnce(request, session, body, async () => {
            return { status: 200, headers: {}, body: { ...result, applied: false } }
          })
        const change = (tx: Session, defer: DeferReplay) =>
          applyWeights(tx, { deckId: body.deck_id ?? null, result }, defer)
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

const unavailableNow = (reason: string) => busy(`${reason} Try again in a moment; nothing was changed.`)

interface TrainedDecks {
  readonly decks: ReadonlySet<number>
  readonly weights: readonly number[]
  readonly relearningSteps: number
}

/** The decks that use the weights of this one; null: of `deck_defaults`. Throws invalid_request. */
async function readTrainedDecks(session: Session, study: Study, deckId: string | null): Promise<TrainedDecks> {
  const deck = deckId === null ? null : await requireUntrashedDeck(session, deckId, '/deck_id')
  const keys = deck === null ? await listKeysOfDecks(session) : await requireDeckKeys(session, deck.id)
  const inherited = await readInherited(session, study, keys)
  const own = deck && inherited.get(deck.key)
  const holder = own?.from.weights ?? 'deck_defaults'
  const alike = keys.filter((key) => inherited.get(key)?.from.weights === holder)
  return { decks: new Set(alike), ...trained(own?.effective ?? study.defaults) }
}

function trained({ weights, relearning_steps_minutes }: DeckSettings) {
  return { weights: weights ?? DEFAULT_WEIGHTS, relearningSteps: relearning_steps_minutes.length }
}

nameSchemas({ OptimizeWeights: Optimize, OptimizedWeights: Optimized })

export function optimizeRoutes({ optimizer, api }: { optimizer: Optimizer; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Scheduling'] })
    .use(api)
    .post(
      '/optimize',
      async ({ session, request, body, reply }) => reply.send(await optimizer.optimize(request, session, body)),
      {
        body: Optimize,
        response: { 200: Optimized, 202: ImportReport },
        detail: {
          operationId: 'optimizeWeights',
          ...refuses('busy', 'not_enough_reviews', 'optimizer_missing'),
          summary: 'Train the weights of the schedule',
          description:
            'On the log, for a deck or for all that goes by `deck_defaults`; it takes seconds. Cards of decks with weights of their own are left out. Nothing is changed unless `apply` asks for it and training predicts answers better that it did not learn from. Then memory is replayed. ' +
            IN_STEPS,
        },
      },
    )
}
