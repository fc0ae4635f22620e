import { answering } from '../../http/in-worker'
import { ItemFault } from '../../http/item-fault'
import { Refusal } from '../../http/problem'
import type { ProblemCode } from '../../http/problem-codes'
import { fieldToMarkdown } from '../anki/field-markdown'
import { readCsv } from './csv'
import { readJson } from './json'
import { readMarkdown } from './markdown'
import type { ParsedItem } from './parsed'
import type { Format } from './schema'

/** Reads one file of text in a thread of its own, no further than it is asked. */

/** What the Worker is told: a file at first, then `next` for each batch. */
export type ToWorker = { readonly bytes: Uint8Array; readonly format: TextFormat } | 'next'
export type TextFormat = Exclude<Format, 'apkg'>

/** A batch, the last one empty, or why the file is not read (further). */
export type FromWorker =
  | { readonly items: readonly ParsedItem[] }
  | { readonly refusal: Pick<Refusal, 'detail' | 'extra'> & { readonly code: ProblemCode } }

const BATCH_ITEMS = 50

declare const self: Worker

let items: Iterator<ParsedItem> | null = null

const answer = answering((message: ToWorker): FromWorker => {
  try {
    if (message !== 'next') items = read(message.bytes, message.format)
    return { items: nextBatch() }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { refusal: { code: error.code, detail: error.detail, extra: error.extra } }
  }
})

self.onmessage = (event: MessageEvent<ToWorker>) => self.postMessage(answer(event))

function read(bytes: Uint8Array, format: TextFormat): Iterator<ParsedItem> {
  if (format === 'json') return readJson(bytes)
  if (format === 'markdown') return readMarkdown(bytes)
  return readCsv(bytes, format, htmlToMarkdown)
}

function htmlToMarkdown(html: string): string | null {
  try {
    return fieldToMarkdown(html)
  } catch (error) {
    if (error instanceof ItemFault) return null
    throw error
  }
}

function nextBatch(): ParsedItem[] {
  const batch: ParsedItem[] = []
  while (batch.length < BATCH_ITEMS) {
    const next = items?.next()
    if (!next || next.done) break
    batch.push(next.value)
  }
  return batch
}
