import { fullGC, heapSize } from 'bun:jsc'

/**
 * How much the heap may grow, in bytes, before all of it is collected, and how often that is looked at, in milliseconds.
 * Left to itself it grows to several times what is in use while an import or the index works through hundreds of MiB:
 * what lives for more than a turn of the event loop is old by then, and rarely looked at.
 */
const GROWN_BYTES = 24 * 1024 * 1024
const LOOK_MS = 500

/**
 * Keeps the heap small while `isBusy`: each collection stops everybody for some tens of milliseconds, and short requests
 * leave little behind. The process ends in spite of it.
 */
export function keepHeapSmall(isBusy: () => boolean): void {
  let left = heapSize()
  const look = () => {
    const size = heapSize()
    if (isBusy() && size > left + GROWN_BYTES) {
      fullGC()
      left = heapSize()
    } else left = Math.min(left, size)
  }
  setInterval(look, LOOK_MS).unref()
}
