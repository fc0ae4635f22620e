import { FileFault, inOwnBuffer, startWorker } from '../../http/in-worker'
import { Refusal } from '../../http/problem'
import { PackageFault } from '../anki/fault'
import type { PackageLimits } from '../anki/limits'
import { openAnkiPackage } from '../anki/reading'
import type { FromWorker, TextFormat, ToWorker } from './parse-worker'
import type { ParsedItem, ParsedMedia } from './parsed'
import type { Format } from './schema'

/** How long a file may keep its Worker busy in all, in milliseconds. */
const DEADLINE_MS = 30_000
/** More than all facts of the largest file can have: beyond that it is no file of flashcards. */
const LINES_PER_ENTRY = 20

interface Reading {
  /** The next items, none at the end. */
  next(): Promise<readonly ParsedItem[]>
  /** Ends the Worker. */
  close(): void
}

/**
 * Reads a file to its end, in a Worker, before anything is written: those who wait to write do not wait for this. Of
 * media, no more bytes are kept than a workspace may have.
 * @param mediaBytes what those may be
 * @param now milliseconds since 1970
 * @throws Refusal for a file that is refused as a whole: invalid_package, unsupported_package, invalid_request,
 * invalid_json, too_large
 */
export async function readUpload(
  { format, bytes }: { readonly format: Format; readonly bytes: Uint8Array },
  limits: PackageLimits,
  mediaBytes: number,
  now: () => number,
): Promise<ParsedItem[]> {
  const reading = format === 'apkg' ? openAnkiPackage(bytes, limits, now, DEADLINE_MS) : openText(bytes, format, now)
  try {
    return await collected(reading, limits, mediaBytes)
  } catch (error) {
    if (error instanceof PackageFault) throw new Refusal(error.code, error.detail)
    if (error instanceof FileFault) throw new Refusal('too_large', error.message)
    throw error
  } finally {
    reading.close()
  }
}

async function collected(reading: Reading, limits: PackageLimits, mediaBytes: number): Promise<ParsedItem[]> {
  const items: ParsedItem[] = []
  const count = counter(limits)
  let bytes = 0
  for (let batch = await reading.next(); batch.length > 0; batch = await reading.next())
    for (const item of batch) {
      count(item)
      const size = item.kind === 'media' ? (item.bytes?.length ?? 0) : 0
      const isOver = size > 0 && bytes + size > mediaBytes
      if (!isOver) bytes += size
      items.push(item.kind === 'media' && isOver ? noRoom(item) : item)
    }
  return items
}

/** Throws too_large at the first item that is more than a file may hold: all of them are kept, and written in one go. */
function counter({ facts, cards, reviews, entries }: PackageLimits): (item: ParsedItem) => void {
  const limits = { facts, cards, reviews, decks: entries, media: entries, faults: LINES_PER_ENTRY * entries }
  const total = { facts: 0, cards: 0, reviews: 0, decks: 0, media: 0, faults: 0 }
  const add = (what: keyof typeof limits, count: number) => {
    total[what] += count
    if (total[what] > limits[what]) throw new Refusal('too_large', `A file may hold at most ${limits[what]} ${what}.`)
  }
  return (item) => {
    if (item.kind === 'deck') add('decks', 1)
    else if (item.kind === 'media') add('media', 1)
    else if (item.kind === 'line') add('faults', 1)
    else if (item.kind === 'fact') {
      add('facts', 1)
      add('cards', item.cards.length)
      add('reviews', item.log.length)
    }
  }
}

/** The names of media that a package brings can be told. */
function noRoom({ name }: ParsedMedia): ParsedItem {
  const detail = 'There is no room for further media.'
  return { kind: 'line', where: `media ${name}`, code: 'media_quota', detail }
}

function openText(bytes: Uint8Array, format: TextFormat, now: () => number): Reading {
  const file = startWorker<ToWorker, FromWorker>(new URL('./parse-worker.ts', import.meta.url), now, DEADLINE_MS)
  let whole: Uint8Array<ArrayBuffer> | null = inOwnBuffer(bytes)
  return {
    async next() {
      const first = whole
      whole = null
      const answer = await (first ? file.ask({ bytes: first, format }, [first.buffer]) : file.ask('next'))
      if ('refusal' in answer) throw new Refusal(answer.refusal.code, answer.refusal.detail, answer.refusal.extra)
      return answer.items
    },
    close: file.close,
  }
}
