import { answering, type Failing } from '../../http/in-worker'
import { parseUpload, type Upload } from './parse'
import type { Format, ParsedItem } from './parsed'

/**
 * Reads one upload in a thread of its own: however long a file takes, other requests go on. It is asked for one batch
 * after the other and reads no further than that, so what is in memory is bounded.
 */

/** What the Worker is told: an upload at first, then `next` for each batch. */
export type ToWorker = Upload | 'next'

/** What it says: the format, a batch (the last one is empty), or why the file is not read. */
export type FromWorker = { readonly format: Format } | { readonly items: readonly ParsedItem[] } | Failing

/** Items of one batch, and characters of bodies after which one ends early. */
export const BATCH_ITEMS = 50
const BATCH_LENGTH = 256 * 1024

declare const self: Worker

let items: Iterator<ParsedItem> | null = null

const answer = answering((message: ToWorker): FromWorker => {
  if (message === 'next') return { items: nextBatch() }
  const parsed = parseUpload(message)
  items = parsed.items[Symbol.iterator]()
  return { format: parsed.format }
})

self.onmessage = (event: MessageEvent<ToWorker>) => self.postMessage(answer(event))

function nextBatch(): ParsedItem[] {
  const batch: ParsedItem[] = []
  let length = 0
  while (batch.length < BATCH_ITEMS && length < BATCH_LENGTH) {
    const next = items?.next()
    if (!next || next.done) break
    batch.push(next.value)
    length += 'draft' in next.value ? next.value.draft.body.length : 0
  }
  return batch
}
