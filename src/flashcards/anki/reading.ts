import { FileFault, inOwnBuffer, startWorker } from '../../http/in-worker'
import type { ParsedItem } from '../transfer/parsed'
import { PackageFault, tooLarge } from './fault'
import type { PackageLimits } from './limits'
import type { FromWorker, ToWorker } from './worker'

/** How long a package may keep its Worker busy in all, in milliseconds. */
const DEADLINE_MS = 30_000

/** A package that is being read in a Worker of its own. */
export interface PackageReading {
  /** The next items, none at the end. Throws PackageFault. */
  next(): Promise<readonly ParsedItem[]>
  /** Ends the Worker. Must be called, however the reading went. */
  close(): void
}

/**
 * Begins to read an .apkg or .colpkg. The bytes go over to the Worker: the caller has them no longer.
 * @param now milliseconds since 1970
 */
export function openAnkiPackage(
  bytes: Uint8Array,
  limits: PackageLimits,
  now: () => number,
  deadline = DEADLINE_MS,
): PackageReading {
  const file = startWorker<ToWorker, FromWorker>(new URL('./worker.ts', import.meta.url), now, deadline)
  let whole: Uint8Array<ArrayBuffer> | null = inOwnBuffer(bytes)
  return {
    async next() {
      const first = whole
      whole = null
      const answer = await asked(() => (first ? file.ask({ bytes: first, limits }, [first.buffer]) : file.ask('next')))
      if ('fault' in answer) throw new PackageFault(answer.fault.code, answer.fault.detail)
      return answer.items
    },
    close: file.close,
  }
}

async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof FileFault) throw tooLarge('The package takes too long to read.')
    throw error
  }
}
