import { inOwnBuffer, startWorker } from '../../http/in-worker'
import type { CalendarItem, FromWorker, Opened, ToWorker } from './parse-worker'

/** How long a file may keep its Worker busy in all, in milliseconds: ten thousand ordinary tasks take two seconds. */
const DEADLINE_MS = 60_000

/** A calendar file that is being read. */
export interface Reading extends Opened {
  /** The next items, at most 100; none at the end. Throws FileFault. */
  next(): Promise<readonly CalendarItem[]>
  /** Ends the Worker. Must be called, however the reading went. */
  close(): void
}

/**
 * Begins to read a calendar file in a Worker of its own. The bytes go over to the Worker: the caller has them no longer.
 * @param now milliseconds since 1970
 * @throws FileFault if the file is not read at all
 */
export async function openCalendar(file: Uint8Array, now: () => number): Promise<Reading> {
  const worker = startWorker<ToWorker, FromWorker>(new URL('./parse-worker.ts', import.meta.url), now, DEADLINE_MS)
  try {
    const bytes = inOwnBuffer(file)
    const opened = await worker.ask({ bytes }, [bytes.buffer])
    return {
      ignored: 'ignored' in opened ? opened.ignored : [],
      warnings: 'ignored' in opened ? opened.warnings : [],
      async next() {
        const batch = await worker.ask('next')
        return 'items' in batch ? batch.items : []
      },
      close: worker.close,
    }
  } catch (error) {
    worker.close()
    throw error
  }
}
