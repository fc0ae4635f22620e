import { write } from 'node:fs'
import type { Log } from '../db/database'

/** The levels of the log and their numbers, those of pino, which collectors read. */
const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Number.POSITIVE_INFINITY }

export interface ServerLog {
  readonly log: Log & { fatal(fields: object, message: string): void }
  /** Returns how many lines could not be written since the start. */
  readonly dropped: () => number
  /** Resolves when every line is written or dropped, after MAX_FLUSH_MS at the latest. It never rejects. */
  flush(): Promise<void>
}

/**
 * Creates a log that writes lines of JSON to stdout, in pino's format. Writes are asynchronous, so neither a slow
 * reader nor a full disk delays a request. Lines that cannot be written are dropped and counted; the count is logged
 * once there is room.
 */
export function createLog(level: keyof typeof LEVELS, now: () => number): ServerLog {
  const lines = new Lines((dropped) => log.warn({ dropped }, 'lines of the log were dropped since the start'))
  const least = LEVELS[level]
  const at = (one: keyof typeof LEVELS) => (fields: object, msg: string) => {
    if (LEVELS[one] < least) return
    // Each request writes a line: only one with an error is written member by member.
    const members = JSON.stringify(fields, 'err' in fields ? writeError : undefined).slice(1, -1)
    lines.write(`{"level":${LEVELS[one]},"time":${now()},${members}${members && ','}"msg":${JSON.stringify(msg)}}\n`)
  }
  const log = { info: at('info'), warn: at('warn'), error: at('error'), fatal: at('fatal') }
  return {
    log,
    dropped: () => lines.dropped,
    flush: () => lines.flush(),
  }
}

/** A log that writes nothing. */
export const SILENT_LOG: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** Errors have no members in JSON. Of theirs these are written, and the causes. */
function writeError(_: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { name: type, message, stack, cause } = value
  const code = 'code' in value ? value.code : undefined
  return { type, message, code, stack, cause: cause instanceof Error ? cause : undefined }
}

const STDOUT = 1
const NEWLINE = 10
/** The time that a line waits for more lines, so that they are written together. */
const FLUSH_DELAY_MS = 20
/** At this many buffered characters they are written without waiting for the timer. */
const FLUSH_AT_CHARS = 64 * 1024
/** Characters that may be buffered during a write, about 5000 lines. Further lines are dropped. */
const MAX_BUFFERED_CHARS = 1024 * 1024
/** The delay before another write to a full non-blocking pipe. */
const RETRY_MS = 100
/** The longest time that `flush` takes; a working reader needs less. */
const MAX_FLUSH_MS = 3000
const TRANSIENT_ERRORS: readonly unknown[] = ['EAGAIN', 'EINTR']

/** Collects lines and writes them together: writing each line by itself took a sixth of the time of a request. */
class Lines {
  readonly #reportDropped: (dropped: number) => void
  #buffer = ''
  #timer: Timer | null = null
  #writing: Promise<void> | null = null
  /** Whether the last byte written is in the middle of a line, whose rest was dropped. */
  #endsInsideLine = false
  #dropped = 0
  #reported = 0

  /** @param reportDropped logs how many lines were dropped; called when a write succeeds again */
  constructor(reportDropped: (dropped: number) => void) {
    this.#reportDropped = reportDropped
  }

  get dropped(): number {
    return this.#dropped
  }

  write(line: string): void {
    if (this.#buffer.length + line.length > MAX_BUFFERED_CHARS) {
      this.#dropped++
      return
    }
    this.#buffer += line
    if (this.#buffer.length > FLUSH_AT_CHARS) this.#startWriting()
    else this.#timer ??= setTimeout(() => this.#startWriting(), FLUSH_DELAY_MS)
  }

  async flush(): Promise<void> {
    const late = Promise.withResolvers<'late'>()
    const timer = setTimeout(() => late.resolve('late'), MAX_FLUSH_MS)
    do this.#startWriting()
    while (this.#writing && (await Promise.race([this.#writing, late.promise])) !== 'late')
    clearTimeout(timer)
  }

  /** Starts to write the buffer. If a write is running, its end starts the next one. */
  #startWriting(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#writing || this.#buffer === '') return
    const bytes = Buffer.from((this.#endsInsideLine ? '\n' : '') + this.#buffer)
    this.#buffer = ''
    this.#writing = this.#writeAll(bytes).then(() => {
      this.#writing = null
      if (!this.#timer) this.#startWriting()
    })
  }

  /** Writes the bytes. If that fails, counts the lines whose ends were not written as dropped. */
  async #writeAll(bytes: Buffer): Promise<void> {
    // A newline in front, which ends a torn line, is not the end of a line of this write.
    const firstOwnByte = +this.#endsInsideLine
    let written = 0
    try {
      while (written < bytes.length) written += await writeSome(bytes.subarray(written))
    } catch {
      // The error cannot be logged: this is the log.
      for (const byte of bytes.subarray(Math.max(written, firstOwnByte))) if (byte === NEWLINE) this.#dropped++
    }
    if (written > 0) this.#endsInsideLine = bytes[written - 1] !== NEWLINE
    if (written < bytes.length || this.#reported === this.#dropped) return
    this.#reported = this.#dropped
    this.#reportDropped(this.#dropped)
  }
}

/** Writes some of the bytes. Returns how many; 0 if the pipe is full. Rejects with any other error of the system. */
function writeSome(bytes: Buffer): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  write(STDOUT, bytes, (error, written) => {
    if (!error) resolve(written)
    else if (TRANSIENT_ERRORS.includes(error.code)) setTimeout(resolve, RETRY_MS, 0)
    else reject(error)
  })
  return promise
}
