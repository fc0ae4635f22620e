import type { HistoryStep, Item } from './history.ts'

/** What optimizer.ts sends: first what to learn from, then perhaps word to stop. */
export type ToWorker = { readonly items: readonly Item[]; readonly relearningSteps: number } | 'stop'

/** What it gets, once: `missing` is why the trainer does not load, `broke` why training failed. */
export type FromWorker =
  | { readonly weights: readonly number[] }
  | { readonly missing: string }
  | { readonly broke: string }
  | 'stopped'

/** How often training asks whether to go on, in milliseconds. By itself it does so, and ends, each half second only. */
const POLL_MS = 20

/**
 * Items with more answers are left out, as py-fsrs leaves them out: each holds all its answers, so that a card answered
 * every day for decades would take memory by the square.
 */
const MOST_ANSWERS = 64

let stopped = false

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data === 'stop') stopped = true
  else void answer(data)
})

async function answer(given: Exclude<ToWorker, 'stop'>): Promise<void> {
  self.postMessage(await train(given))
}

async function train({ items, relearningSteps }: Exclude<ToWorker, 'stop'>): Promise<FromWorker> {
  const trainer = await load()
  if (trainer instanceof Error) return { missing: trainer.message }
  try {
    const weights = await trainer.computeParameters(toTrainer(items, trainer), {
      enableShortTerm: true,
      numRelearningSteps: relearningSteps,
      timeout: POLL_MS,
      progress: () => !stopped,
    })
    return { weights }
  } catch (error) {
    return stopped ? 'stopped' : { broke: String(error) }
  }
}

type Trainer = typeof import('@open-spaced-repetition/binding')

/** An optional dependency: native code, which is not there for every platform. */
async function load(): Promise<Trainer | Error> {
  try {
    return await import('@open-spaced-repetition/binding')
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** A message keeps what items share: each card's answers are made once. */
function toTrainer(items: readonly Item[], { FSRSBindingItem, FSRSBindingReview }: Trainer) {
  const made = new Map<readonly HistoryStep[], InstanceType<typeof FSRSBindingReview>[]>()
  const short = items.filter(({ length }) => length <= MOST_ANSWERS)
  return short.map(({ steps, length }) => {
    const reviews =
      made.get(steps) ??
      steps.slice(0, MOST_ANSWERS).map(({ rating, elapsed }) => new FSRSBindingReview(rating, elapsed))
    made.set(steps, reviews)
    return new FSRSBindingItem(reviews.slice(0, length))
  })
}
