import { inOwnBuffer, startWorker } from '../../http/in-worker'
import type { Upload } from './parse'
import type { FromWorker, ToWorker } from './parse-worker'
import type { Format, ParsedItem } from './parsed'

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
  const file = startWorker<ToWorker, FromWorker>(new URL('./parse-worker.ts', import.meta.url), now, deadline)
  try {
    const bytes = inOwnBuffer(upload.bytes)
    const answer = await file.ask({ ...upload, bytes }, [bytes.buffer])
    return {
      format: 'format' in answer ? answer.format : 'markdown',
      async next() {
        const batch = await file.ask('next')
        return 'items' in batch ? batch.items : []
      },
      close: file.close,
    }
  } catch (error) {
    file.close()
    throw error
  }
}
