import type { Item } from './history.ts'
import type { FromWorker, ToWorker } from './train-worker.ts'

/** The trainer is not installed, or does not load on this platform; `message` is what the runtime said. */
export class OptimizerMissing extends Error {
  override readonly name = 'OptimizerMissing'
}

/** Weights are rounded so: as 32-bit floats they may lie beyond the range that they are trained in. */
const DECIMALS = 10_000

/**
 * Trains the 21 weights of FSRS-6, in a Worker of its own and on a native thread. The same items in the same order give
 * the same weights.
 * @param items oldest first, as itemsOf gives them; of none the default weights are made
 * @param options.relearningSteps how many the deck has: with several, a card that is answered right in all of them must
 * not come out more stable than it was before the lapse
 * @throws OptimizerMissing; RangeError if the steps of an item begin with days before them, or go back in time; the reason of
 * `signal` once that is aborted
 */
export async function optimize(
  items: readonly Item[],
  { relearningSteps = 1, signal }: { readonly relearningSteps?: number; readonly signal?: AbortSignal } = {},
): Promise<number[]> {
  // The trainer would take them, and learn from them.
  const histories = new Set(items.map(({ steps }) => steps))
  for (const steps of histories)
    if (steps.some(({ elapsed }, i) => !(elapsed >= 0) || (i === 0 && elapsed > 0)))
      throw new RangeError('the steps of an item begin at 0 days and never go back')
  signal?.throwIfAborted()
  const reply = await run({ items, relearningSteps }, signal)
  if (reply === 'stopped') throw new Error('training stopped unasked')
  if ('missing' in reply) throw new OptimizerMissing(reply.missing)
  if ('broke' in reply) throw new Error(`the trainer broke: ${reply.broke}`)
  return reply.weights.map((weight) => Math.round(weight * DECIMALS) / DECIMALS)
}

/** Sends a Worker its work and ends it with its answer. After an abort it ends by itself: see train-worker.ts. */
function run(work: ToWorker, signal: AbortSignal | undefined): Promise<FromWorker> {
  const worker = new Worker(new URL('./train-worker.ts', import.meta.url), { ref: false })
  return new Promise<FromWorker>((resolve, reject) => {
    const stop = () => {
      worker.postMessage('stop' satisfies ToWorker)
      reject(signal?.reason)
    }
    const end = () => {
      signal?.removeEventListener('abort', stop)
      worker.terminate()
    }
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      end()
      resolve(data)
    }
    worker.onerror = (event) => {
      event.preventDefault()
      end()
      reject(new Error(`the trainer broke: ${event.message}`))
    }
    signal?.addEventListener('abort', stop, { once: true })
    worker.postMessage(work)
  })
}
