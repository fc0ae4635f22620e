import { answering } from '../../http/in-worker'
import type { ParsedItem } from '../transfer/parsed'
import { PackageFault } from './fault'
import { readPackage } from './import'
import type { PackageLimits } from './limits'

/** Reads one package in a thread of its own, no further than it is asked: what is in memory is bounded. */

/** What the Worker is told: a package at first, then `next` for each batch. */
export type ToWorker = { readonly bytes: Uint8Array; readonly limits: PackageLimits } | 'next'

/** A batch, the last one empty, or why the package is not read (further). */
export type FromWorker =
  | { readonly items: readonly ParsedItem[] }
  | { readonly fault: Pick<PackageFault, 'code' | 'detail'> }

/** Items of one batch, and characters or bytes after which one ends early. */
const BATCH_ITEMS = 50
const BATCH_SIZE = 1024 * 1024

declare const self: Worker

let items: Iterator<ParsedItem> | null = null

const answer = answering((message: ToWorker): FromWorker => {
  if (message !== 'next') items = readPackage(message.bytes, message.limits)
  try {
    return { items: nextBatch() }
  } catch (error) {
    if (error instanceof PackageFault) return { fault: { code: error.code, detail: error.detail } }
    throw error
  }
})

self.onmessage = (event: MessageEvent<ToWorker>) => self.postMessage(answer(event))

function nextBatch(): ParsedItem[] {
  const batch: ParsedItem[] = []
  for (let size = 0; batch.length < BATCH_ITEMS && size < BATCH_SIZE; ) {
    const next = items?.next()
    if (!next || next.done) break
    batch.push(next.value)
    size += sizeOf(next.value)
  }
  return batch
}

function sizeOf(item: ParsedItem): number {
  if (item.kind === 'media') return item.bytes?.length ?? 0
  if (item.kind !== 'fact') return 0
  const { front, back, text, extra } = item.fact
  return [front, back, text, extra].reduce((sum, side) => sum + (side?.length ?? 0), 100 * item.log.length)
}
