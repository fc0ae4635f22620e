/** A file that is read in a Worker of its own, so that others need not wait: it is asked for one part after the other. */

/** Why a file is not read (further). The detail is for the caller. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
}

/** What a Worker answers instead, if it cannot go on: the file is refused, or the Worker itself is at fault. */
export type Failing = { readonly refused: string } | { readonly broke: string }

export interface WorkerFile<Ask, Part> {
  /** Throws FileFault. */
  ask(message: Ask, transfer?: ArrayBuffer[]): Promise<Exclude<Part, Failing>>
  /** Ends the Worker. Must be called, however the reading went. */
  close(): void
}

/**
 * Starts a Worker.
 * @param now milliseconds since 1970
 * @param deadline how long it may be busy in all, in milliseconds
 */
export function startWorker<Ask, Part>(script: URL, now: () => number, deadline: number): WorkerFile<Ask, Part> {
  const worker = new Worker(script)
  let left = deadline
  return {
    async ask(message, transfer = []) {
      if (left <= 0) throw tooLong()
      const started = now()
      const answer = await reply<Part | Failing>(worker, message, transfer, left)
      left -= now() - started
      if (typeof answer === 'object' && answer !== null) {
        if ('refused' in answer) throw new FileFault(answer.refused)
        if ('broke' in answer) throw new Error(`the parser broke: ${answer.broke}`)
      }
      return answer as Exclude<Part, Failing>
    },
    close: () => worker.terminate(),
  }
}

const tooLong = () => new FileFault('The file takes too long to read.')

/** What the Worker says to a message, or a FileFault when `limit` milliseconds have passed without a word. */
function reply<Answer>(worker: Worker, message: unknown, transfer: ArrayBuffer[], limit: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLong()), limit)
    const settle = (act: () => void) => {
      clearTimeout(timer)
      act()
    }
    worker.onmessage = ({ data }: MessageEvent<Answer>) => settle(() => resolve(data))
    worker.onerror = ({ message: text }) => settle(() => reject(new Error(`the parser broke: ${text}`)))
    worker.postMessage(message, transfer)
  })
}

/** Answers messages in a Worker. What `answer` throws becomes a Failing: a FileFault is the file's, all else ours. */
export function answering<Ask>(answer: (message: Ask) => unknown): (event: MessageEvent<Ask>) => unknown {
  return ({ data }) => {
    try {
      return answer(data)
    } catch (error) {
      if (error instanceof FileFault) return { refused: error.message }
      return { broke: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
  }
}

/** The bytes in a buffer of their own, which can go over whole: a small array may lie in one with others. */
export function inOwnBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength
  return isWhole ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
}
