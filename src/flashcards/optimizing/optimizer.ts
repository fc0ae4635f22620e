import { ApiError } from '../../http/api-error'
import { yieldTurn } from '../../lib/steps'
import type { HistoryStep } from './history.ts'
import type { Trained, TrainingMessage, TrainingResult } from './train-worker.ts'

interface Options {
  /** The weights in use, to compare the new ones with; null: the default ones. */
  readonly weights?: readonly number[] | null
  /** With several relearning steps, a card that is right in all of them must not get more stable than before. */
  readonly relearningSteps?: number
  readonly signal?: AbortSignal
}

/** Steps that are sent to the Worker at a time. Copying them blocks the event loop for a few milliseconds. */
const STEPS_PER_TURN = 4000

/**
 * Trains the 21 weights of FSRS-6 on the items of these histories, in a new Worker and on a native thread. The same
 * histories in the same order give the same weights; no histories give the default weights.
 * @throws ApiError optimizer_missing; RangeError if a history begins with days before it, or goes back in time; the reason of
 * `signal` once that is aborted
 */
export async function optimize(
  histories: readonly (readonly HistoryStep[])[],
  { weights = null, relearningSteps = 1, signal }: Options = {},
): Promise<Trained> {
  // The trainer would accept invalid histories and learn from them.
  for (const steps of histories)
    if (steps.some(({ elapsed }, i) => !(elapsed >= 0) || (i === 0 && elapsed > 0)))
      throw new RangeError('histories begin at 0 days and never go back')
  signal?.throwIfAborted()
  const reply = await run(histories, { weights, relearningSteps }, signal)
  if (reply === 'stopped') throw new Error('training stopped unasked')
  if (reply === 'missing')
    throw new ApiError(
      'optimizer_missing',
      'Weights cannot be trained on this server: its optional package @open-spaced-repetition/binding is not installed.',
    )
  if ('broke' in reply) throw new Error(`the trainer broke: ${reply.broke}`)
  return reply
}

/**
 * Sends the Worker its work and terminates it after its answer. After an abort it ends by itself: see train-worker.ts.
 */
function run(
  histories: readonly (readonly HistoryStep[])[],
  work: Extract<TrainingMessage, { relearningSteps: number }>,
  signal: AbortSignal | undefined,
): Promise<TrainingResult> {
  const worker = new Worker(new URL('./train-worker.ts', import.meta.url), { ref: false, smol: true })
  const tell = (message: TrainingMessage) => worker.postMessage(message)
  return new Promise<TrainingResult>((resolve, reject) => {
    const stop = () => {
      tell('stop')
      reject(signal?.reason)
    }
    const end = () => {
      signal?.removeEventListener('abort', stop)
      worker.terminate()
    }
    worker.onmessage = ({ data }: MessageEvent<TrainingResult>) => {
      end()
      resolve(data)
    }
    const fail = (error: unknown) => {
      end()
      reject(error)
    }
    worker.onerror = (event) => {
      event.preventDefault()
      fail(new Error(`the trainer broke: ${event.message}`))
    }
    signal?.addEventListener('abort', stop, { once: true })
    sendParts(histories, tell).then(() => tell(work), fail)
  })
}

async function sendParts(histories: readonly (readonly HistoryStep[])[], tell: (message: TrainingMessage) => void) {
  let part: (readonly HistoryStep[])[] = []
  let steps = 0
  for (const history of histories) {
    part.push(history)
    steps += history.length
    if (steps < STEPS_PER_TURN) continue
    tell({ histories: part })
    part = []
    steps = 0
    await yieldTurn()
  }
  tell({ histories: part })
}
