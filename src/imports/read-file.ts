import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ErrorCode } from '../http/api-error'
import { FileFault } from '../lib/file-fault'
import { FULL_DISK_DETAIL, isFullDisk } from './folder'
import type { FileFacts, ReadImportFile, ReadItem, SourceFile } from './kind'
import { SideWriter } from './side-file.sqlite'

/** Reads a file in a separate Worker into the side file of its run, with one item in memory at a time. */

/** Bytes that `SourceFile.whole` returns, unless its caller sets another limit: text that a parser needs as a whole. */
const MAX_TEXT_FILE_BYTES = 64 * 1024 * 1024
/** After this many items, or bytes of items, the side file is flushed and progress is reported. */
const BATCH_LIMITS = { items: 500, bytes: 4 * 1024 * 1024 }

export interface ReadingLimits {
  readonly items: number
  /** The unpacked size of all items together. */
  readonly bytes: number
}

interface ReadRequest {
  readonly file: string
  readonly side: string
  readonly params: unknown
  readonly limits: ReadingLimits
}

/** A message of the Worker: its progress or, as the last one, its result. */
type ReadMessage =
  | { readonly read: number; readonly bytes: number }
  | { readonly done: number }
  | { readonly fault: { readonly code: ErrorCode; readonly detail: string } }
  | { readonly crash: string }

/** Reads one file in the Worker of an import kind. The script of a Worker only has to call this. */
export function serveReader<Params>(read: ReadImportFile<Params>): void {
  self.onmessage = async ({ data }: MessageEvent<ReadRequest>) => {
    postMessage(await readInto(read as ReadImportFile<unknown>, data))
  }
}

async function readInto(
  read: ReadImportFile<unknown>,
  { file, side, params, limits }: ReadRequest,
): Promise<ReadMessage> {
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
      requireWithin(limits, writer.count, bytes)
      if (batch.items < BATCH_LIMITS.items && batch.bytes < BATCH_LIMITS.bytes) continue
      writer.flush()
      postMessage({ read: writer.count, bytes: batch.bytes } satisfies ReadMessage)
      batch.items = batch.bytes = 0
    }
    writer.finish(facts)
    return { done: writer.count }
  } catch (error) {
    writer.close()
    if (error instanceof FileFault) return { fault: { code: error.code as ErrorCode, detail: error.detail } }
    if (isFullDisk(error)) return { fault: { code: 'storage_full', detail: FULL_DISK_DETAIL } }
    return { crash: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  } finally {
    closeSync(handle)
  }
}

const isItem = (part: FileFacts | ReadItem): part is ReadItem => 'where' in part

/** @throws FileFault too_large */
function requireWithin(limits: ReadingLimits, items: number, bytes: number): void {
  if (items > limits.items)
    throw new FileFault('too_large', `The file holds more than ${limits.items} items. Import it in parts.`)
  if (bytes > limits.bytes)
    throw new FileFault('too_large', `The file unpacks to more than ${limits.bytes} bytes. Import it in parts.`)
}

/** Makes the SourceFile of an open file. @param handle its file descriptor */
export function createSourceFile(path: string, handle: number): SourceFile {
  const { size } = fstatSync(handle)
  const read = (offset: number, length: number) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
    let filled = 0
    while (filled < bytes.length) {
      const count = readSync(handle, bytes, filled, bytes.length - filled, offset + filled)
      if (count === 0) break
      filled += count
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

interface ReadFileOptions {
  /** The script of the Worker; see ImportKind. */
  readonly reader: URL
  readonly file: string
  /** The path of the side file, which must not exist yet. */
  readonly side: string
  readonly params: unknown
  readonly limits: ReadingLimits
  readonly timeoutMs: number
  /** Stops the reading; the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal
  /** Called with the number of items so far, and of bytes since the last call. An error in it stops the reading. */
  readonly onProgress: (items: number, bytes: number) => void
}

/** An idle Worker of a script is kept this long: its start takes 40 ms of the processor, a small file a few. */
const IDLE_MS = 10_000
/** One for each script. */
const idle = new Map<string, { readonly worker: Worker; readonly timer: Timer }>()

function takeWorker(reader: URL): Worker {
  const kept = idle.get(reader.href)
  // While it reads, the time limit keeps the process alive.
  if (!kept) return new Worker(reader, { ref: false })
  idle.delete(reader.href)
  clearTimeout(kept.timer)
  return kept.worker
}

/** Keeps a Worker that has read its file to the end, unless there is another. */
function keepWorker({ href }: URL, worker: Worker): void {
  if (idle.has(href)) {
    worker.terminate()
    return
  }
  worker.onmessage = worker.onerror = null
  const timer = setTimeout(() => {
    idle.delete(href)
    worker.terminate()
  }, IDLE_MS)
  timer.unref()
  idle.set(href, { worker, timer })
}

/** Returns how many items it has. @throws FileFault, the reason of `signal`, or an error of `onProgress` */
export async function readFile({
  reader,
  timeoutMs,
  signal,
  onProgress,
  ...request
}: ReadFileOptions): Promise<number> {
  signal.throwIfAborted()
  const worker = takeWorker(reader)
  let hasEnded = false
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise<number>((resolve, reject) => {
      timer = setTimeout(() => reject(new FileFault('archive_refused', 'The file takes too long to read.')), timeoutMs)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.onerror = ({ message }) => reject(new Error(`the reader crashed: ${message}`))
      worker.onmessage = ({ data }: MessageEvent<ReadMessage>) => {
        hasEnded = !('read' in data || 'crash' in data)
        try {
          if ('done' in data) resolve(data.done)
          else if ('read' in data) onProgress(data.read, data.bytes)
          else reject('fault' in data ? toFileFault(data.fault) : new Error(`the reader crashed: ${data.crash}`))
        } catch (error) {
          reject(error)
        }
      }
      worker.postMessage(request satisfies ReadRequest)
    })
  } finally {
    clearTimeout(timer)
    if (hasEnded) keepWorker(reader, worker)
    else worker.terminate()
  }
}

const toFileFault = ({ code, detail }: { code: ErrorCode; detail: string }) => new FileFault(code, detail)
