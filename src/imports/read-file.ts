import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ErrorCode } from '../http/api-error'
import { FileFault } from '../lib/file-fault'
import { FULL_DISK_DETAIL, isFullDisk } from './folder'
import type { FileFacts, ReadImportFile, ReadItem, SourceFile } from './kind'
import { SideWriter } from './side-file.sqlite'

/** A file is read in a Worker of its own, into the side file of its run: memory holds one item at a time. */

/** Bytes of a file that `whole` gives at most, unless its reader asks for fewer: text that a parser needs at once. */
export const MAX_TEXT_FILE_BYTES = 64 * 1024 * 1024
/** After so many items, or bytes of items, what was read goes to the disk and is reported. */
const BATCH = { items: 500, bytes: 4 * 1024 * 1024 }

export interface ReadingLimits {
  readonly items: number
  /** Of all items together: what a file unpacks to. */
  readonly bytes: number
}

/** What the Worker gets. */
interface Ask {
  readonly file: string
  readonly side: string
  readonly params: unknown
  readonly limits: ReadingLimits
}

/** What the Worker sends: how far it is, and at last how it ended. */
type Answer =
  | { readonly read: number; readonly bytes: number }
  | { readonly done: number }
  | { readonly refused: { readonly code: ErrorCode; readonly detail: string } }
  | { readonly broke: string }

/** In the Worker of a kind: reads one file. It is all that the script of a Worker has to call. */
export function serveReader<Params>(read: ReadImportFile<Params>): void {
  self.onmessage = async ({ data }: MessageEvent<Ask>) => {
    postMessage(await readInto(read as ReadImportFile<unknown>, data))
  }
}

async function readInto(read: ReadImportFile<unknown>, { file, side, params, limits }: Ask): Promise<Answer> {
  const handle = openSync(file, 'r')
  const writer = new SideWriter(side)
  try {
    let facts: FileFacts = { format: '' }
    const batch = { items: 0, bytes: 0 }
    let bytes = 0
    for await (const part of read(createSourceFile(file, handle), params)) {
      if (!isItem(part)) {
        facts = part
        continue
      }
      const size = writer.add(part)
      bytes += size
      batch.items++
      batch.bytes += size
      refuseAbove(limits, writer.count, bytes)
      if (batch.items < BATCH.items && batch.bytes < BATCH.bytes) continue
      writer.flush()
      postMessage({ read: writer.count, bytes: batch.bytes } satisfies Answer)
      batch.items = batch.bytes = 0
    }
    writer.finish(facts)
    return { done: writer.count }
  } catch (error) {
    writer.close()
    if (error instanceof FileFault) return { refused: { code: error.code as ErrorCode, detail: error.detail } }
    if (isFullDisk(error)) return { refused: { code: 'storage_full', detail: FULL_DISK_DETAIL } }
    return { broke: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  } finally {
    closeSync(handle)
  }
}

const isItem = (part: FileFacts | ReadItem): part is ReadItem => 'where' in part

function refuseAbove(limits: ReadingLimits, items: number, bytes: number): void {
  if (items > limits.items)
    throw new FileFault('too_large', `The file holds more than ${limits.items} items. Import it in parts.`)
  if (bytes > limits.bytes)
    throw new FileFault('too_large', `The file unpacks to more than ${limits.bytes} bytes. Import it in parts.`)
}

/** A file as its reader sees it. */
export function createSourceFile(path: string, handle: number): SourceFile {
  const { size } = fstatSync(handle)
  const read = (offset: number, length: number) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
    let filled = 0
    while (filled < bytes.length) {
      const got = readSync(handle, bytes, filled, bytes.length - filled, offset + filled)
      if (got === 0) break
      filled += got
    }
    return bytes.subarray(0, filled)
  }
  return {
    path,
    size,
    read,
    whole(limit = MAX_TEXT_FILE_BYTES) {
      if (size > limit) throw new FileFault('too_large', `A file of this kind may have at most ${limit} bytes.`)
      return read(0, size)
    },
  }
}

export interface ReadFileOptions {
  /** The script of the Worker; see ImportKind. */
  readonly reader: URL
  /** Paths of the file, and of the side file to be made. */
  readonly file: string
  readonly side: string
  readonly params: unknown
  readonly limits: ReadingLimits
  /** How long it may take, in milliseconds. */
  readonly deadline: number
  /** Ends the reading, which then fails with the signal's reason. */
  readonly signal: AbortSignal
  /** Called with the items read so far, and the bytes since the last call; what it throws ends the reading. */
  readonly progress: (items: number, bytes: number) => void
}

/**
 * Reads a file in a Worker; the answer is how many items it has.
 * @throws FileFault, or what `signal` or `progress` give
 */
export async function readFile({ reader, deadline, signal, progress, ...ask }: ReadFileOptions): Promise<number> {
  signal.throwIfAborted()
  const worker = new Worker(reader)
  let late: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise<number>((resolve, reject) => {
      late = setTimeout(() => reject(new FileFault('archive_refused', 'The file takes too long to read.')), deadline)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.onerror = ({ message }) => reject(new Error(`the reader broke: ${message}`))
      worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        try {
          if ('done' in data) resolve(data.done)
          else if ('read' in data) progress(data.read, data.bytes)
          else reject('refused' in data ? faultOf(data.refused) : new Error(`the reader broke: ${data.broke}`))
        } catch (error) {
          reject(error)
        }
      }
      worker.postMessage(ask satisfies Ask)
    })
  } finally {
    clearTimeout(late)
    worker.terminate()
  }
}

const faultOf = ({ code, detail }: { code: ErrorCode; detail: string }) => new FileFault(code, detail)
