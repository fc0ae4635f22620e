import { FileFault } from '../lib/file-fault'
import type { CopyOrder } from './copy.sqlite'
import { FULL_DISK } from './full-disk'

/** Copies a workspace for a dry run without holding up anybody; see copyWorkspace. @param signal ends it */
export async function copyInWorker(order: CopyOrder, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./copy-worker.ts', import.meta.url))
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.onerror = ({ message }) => reject(new Error(`the copy broke: ${message}`))
      worker.onmessage = ({ data }: MessageEvent<string | null>) => {
        if (data === null) resolve()
        else reject(data === 'full' ? new FileFault('storage_full', FULL_DISK) : new Error(`the copy broke: ${data}`))
      }
      worker.postMessage(order)
    })
  } finally {
    worker.terminate()
  }
}
