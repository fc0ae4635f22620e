import {
  type HistoryStep,
  listItems,
  logLoss,
  type PredictedAnswer,
  predictAnswers,
  rmseBins,
  type TrainingItem,
} from './history.ts'

/** The messages of optimizer.ts: first the data, in parts, then the options, then perhaps the request to stop. */
export type TrainingMessage =
  | { readonly histories: readonly (readonly HistoryStep[])[] }
  | { readonly relearningSteps: number; readonly weights: readonly number[] | null }
  | 'stop'

/** The metrics of weights; 0 without items. */
interface Fit {
  readonly log_loss: number
  readonly rmse_bins: number
}

/** The new weights, and the metrics of the old and the new ones on the same items. */
export interface Trained {
  readonly items: number
  readonly current: Fit
  /** On the items that they were trained on. */
  readonly proposed: Fit & { readonly weights: number[] }
  /** On the later five sixths of the items: of the old weights, and of weights trained only on items before each. */
  readonly held_out: { readonly before: Fit; readonly after: Fit }
}

/** The one answer to optimizer.ts: `missing` if the trainer does not load here, `broke` why training failed. */
export type TrainingResult = Trained | { readonly broke: string } | 'missing' | 'stopped'

/** How often training checks whether to stop. By default it does so only each half second. */
const POLL_MS = 20

/** Items with more answers are left out, as in py-fsrs: years of daily answers would take quadratic memory. */
const MAX_ANSWERS_PER_ITEM = 64

/** Parts of the items by time, as in fsrs-rs. Each after the first is predicted by weights of those before it. */
const PARTS = 6

/** Weights are rounded to four decimals: as 32-bit floats they may be slightly out of their range. */
const ROUNDING_FACTOR = 10_000

const histories: (readonly HistoryStep[])[] = []
let stopped = false

self.addEventListener('message', ({ data }: MessageEvent<TrainingMessage>) => {
  if (data === 'stop') stopped = true
  else if ('histories' in data) histories.push(...data.histories)
  else void answer(data)
})

async function answer(given: Extract<TrainingMessage, { relearningSteps: number }>): Promise<void> {
  self.postMessage(await train(given))
}

async function train({
  relearningSteps,
  weights,
}: Extract<TrainingMessage, { relearningSteps: number }>): Promise<TrainingResult> {
  const trainer = await load()
  if (!trainer) return 'missing'
  try {
    const items = listItems(histories)
    const given = toTrainer(items, trainer)
    const learn = async (count: number) => {
      const made = await trainer.computeParameters(given.slice(0, count).flat(), {
        enableShortTerm: true,
        numRelearningSteps: relearningSteps,
        timeout: POLL_MS,
        progress: () => !stopped,
      })
      return made.map((weight) => Math.round(weight * ROUNDING_FACTOR) / ROUNDING_FACTOR)
    }
    const current = predictAnswers(histories, weights)
    const after = await predictHeldOut(items.length, learn)
    const proposed = await learn(items.length)
    return {
      items: items.length,
      current: fitOf(current),
      proposed: { ...fitOf(predictAnswers(histories, proposed)), weights: proposed },
      held_out: { before: fitOf(current.slice(items.length - after.length)), after: fitOf(after) },
    }
  } catch (error) {
    return stopped ? 'stopped' : { broke: String(error) }
  }
}

/** Predicts all items but those of the first part. @param learn trains weights on so many of the oldest items */
async function predictHeldOut(items: number, learn: (count: number) => Promise<number[]>): Promise<PredictedAnswer[]> {
  const size = Math.floor(items / PARTS)
  const found: PredictedAnswer[] = []
  for (let part = 1; part < PARTS && size > 0; part++) {
    const end = part === PARTS - 1 ? items : (part + 1) * size
    found.push(...predictAnswers(histories, await learn(part * size)).slice(part * size, end))
  }
  return found
}

function fitOf(judged: readonly PredictedAnswer[]): Fit {
  return { log_loss: logLoss(judged) ?? 0, rmse_bins: rmseBins(judged) ?? 0 }
}

type Trainer = typeof import('@open-spaced-repetition/binding')

/** Loads the trainer, an optional dependency with native code that does not exist for every platform. */
function load(): Promise<Trainer | null> {
  return import('@open-spaced-repetition/binding').catch(() => null)
}

/** Those with too many answers become none. Equal answers share one object, since the trainer's are large. */
function toTrainer(items: readonly TrainingItem[], { FSRSBindingItem, FSRSBindingReview }: Trainer) {
  const made = new Map<string, InstanceType<typeof FSRSBindingReview>>()
  const reviewOf = ({ rating, elapsed }: HistoryStep) => {
    const key = `${rating} ${elapsed}`
    const review = made.get(key) ?? new FSRSBindingReview(rating, elapsed)
    made.set(key, review)
    return review
  }
  return items.map(({ steps, length }) =>
    length > MAX_ANSWERS_PER_ITEM ? [] : [new FSRSBindingItem(steps.slice(0, length).map(reviewOf))],
  )
}
