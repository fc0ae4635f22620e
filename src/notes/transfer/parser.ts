import type { Upload } from './parse'
import type { FromWorker, ToWorker } from './parse-worker'
import { ArchiveFault, type Format, type ParsedItem } from './parsed'

/** How long a file may keep its Worker busy in all, in milliseconds: ten thousand ordinary notes take two seconds. */
const DEADLINE_MS = 60_000

/** A file that is being read. */
export interface Reading {
  readonly format: Format
  /** The next items, at most 100; none at the end. Throws ArchiveFault. */
  next(): Promise<readonly ParsedItem[]>
  /** Ends the Worker. Must be called, however the reading went. */
  close(): void
}

/**
 * Begins to read a file in a Worker of its own. The bytes go over to the Worker: the caller has them no longer.
 * @throws ArchiveFault if the file is not read at all
 */
export async function openUpload(upload: Upload, now: () => number, deadline = DEADLINE_MS): Promise<Reading> {
  const worker = new Worker(new URL('./parse-worker.ts', import.meta.url))
  let left = deadline
  const ask = async (message: ToWorker, transfer: ArrayBuffer[]): Promise<FromWorker> => {
    if (left <= 0) throw new ArchiveFault('The file takes too long to read.')
    const started = now()
    const answer = await reply(worker, message, transfer, left)
    left -= now() - started
    if ('refused' in answer) throw new ArchiveFault(answer.refused)
    if ('broke' in answer) throw new Error(`the parser broke: ${answer.broke}`)
    return answer
  }
  try {
    const bytes = inOwnBuffer(upload.bytes)
    const answer = await ask({ ...upload, bytes }, [bytes.buffer])
    return {
      format: 'format' in answer ? answer.format : 'markdown',
      async next() {
        const batch = await ask('next', [])
        return 'items' in batch ? batch.items : []
      },
      close: () => worker.terminate(),
    }
  } catch (error) {
    worker.terminate()
    throw error
  }
}

/** What the Worker says to a message, or an ArchiveFault when `limit` milliseconds have passed without a word. */
function reply(worker: Worker, message: ToWorker, transfer: ArrayBuffer[], limit: number): Promise<FromWorker> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new ArchiveFault('The file takes too long to read.')), limit)
    const settle = (act: () => void) => {
      clearTimeout(timer)
      act()
    }
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => settle(() => resolve(data))
    worker.onerror = ({ message: text }) => settle(() => reject(new Error(`the parser broke: ${text}`)))
    worker.postMessage(message, transfer)
  })
}

/** A small array may lie in a buffer with others, which must not go along. */
function inOwnBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength
  return isWhole ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
}
