import { write } from 'node:fs'
import pino, { type Logger } from 'pino'

/** The line that a request leaves, and all other lines. */
export interface ServerLog {
  readonly log: Logger
  /** Like `log` at the level `info`. pino takes five times as long for a line, and every request leaves one. */
  readonly requestLog: { info(fields: object, message: string): void }
  /** How many lines could not be written, since the start. */
  readonly dropped: () => number
  /** Resolves when every line is written or dropped, after FLUSH_MS at the latest. It never rejects. */
  flush(): Promise<void>
}

/**
 * Lines of JSON on stdout, in pino's form. They are written beside the requests: neither a reader that is slow nor a
 * disk that is full holds one up. What cannot be written is dropped, counted, and reported in a line once there is room.
 */
export function createLog(level: string, now: () => number): ServerLog {
  const lines = new Lines((dropped) => log.warn({ dropped }, 'lines of the log were dropped since the start'))
  const log = pino({ level, base: null }, lines)
  const info = (fields: object, msg: string) =>
    lines.write(`${JSON.stringify({ level: log.levels.values.info, time: now(), ...fields, msg })}\n`)
  return {
    log,
    requestLog: { info: log.isLevelEnabled('info') ? info : () => {} },
    dropped: () => lines.dropped,
    flush: () => lines.flush(),
  }
}

const STDOUT = 1
const NEWLINE = 10
/** How long a line waits for others, in milliseconds. */
const GATHER_MS = 20
/** Characters that are written at once, so that a flood of lines is on its way before it is dropped. */
const GATHERED = 64 * 1024
/** Characters that wait while a write is under way; some 5000 lines. What comes beyond is dropped. */
const WAITING = 1024 * 1024
/** How long a pipe that does not block and is full is left alone, in milliseconds. */
const STALLED_MS = 100
/** How long the end of the process waits for the log, in milliseconds: a reader that lives takes it in less. */
const FLUSH_MS = 3000
/** What a write fails with and may be tried again as it was. */
const PASSING: readonly unknown[] = ['EAGAIN', 'EINTR']

/** Writes what comes within a moment together: to write each line alone took a sixth of a request. */
class Lines {
  readonly #tell: (dropped: number) => void
  #waiting = ''
  #timer: Timer | null = null
  #writing: Promise<void> | null = null
  /** Whether the last byte written is within a line, whose rest was dropped. */
  #torn = false
  #dropped = 0
  #reported = 0

  /** @param tell writes a line of how many were dropped; called when a write succeeds again */
  constructor(tell: (dropped: number) => void) {
    this.#tell = tell
  }

  get dropped(): number {
    return this.#dropped
  }

  /** @param line one line with its end */
  write(line: string): void {
    if (this.#waiting.length + line.length > WAITING) {
      this.#dropped++
      return
    }
    this.#waiting += line
    if (this.#waiting.length > GATHERED) this.#hand()
    else this.#timer ??= setTimeout(() => this.#hand(), GATHER_MS)
  }

  async flush(): Promise<void> {
    const late = Promise.withResolvers<'late'>()
    const timer = setTimeout(() => late.resolve('late'), FLUSH_MS)
    do this.#hand()
    while (this.#writing && (await Promise.race([this.#writing, late.promise])) !== 'late')
    clearTimeout(timer)
  }

  /** Begins to write what waits. While a write is under way, its end does. */
  #hand(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#writing || this.#waiting === '') return
    const bytes = Buffer.from((this.#torn ? '\n' : '') + this.#waiting)
    this.#waiting = ''
    this.#writing = this.#writeAll(bytes).then(() => {
      this.#writing = null
      if (!this.#timer) this.#hand()
    })
  }

  /** Writes the bytes, or drops the lines of which the end could not be written. */
  async #writeAll(bytes: Buffer): Promise<void> {
    const ownFrom = +this.#torn
    let written = 0
    try {
      while (written < bytes.length) written += await writeSome(bytes.subarray(written))
    } catch {
      // Whatever it is, there is nowhere else to tell it.
      for (const byte of bytes.subarray(Math.max(written, ownFrom))) if (byte === NEWLINE) this.#dropped++
    }
    if (written > 0) this.#torn = bytes[written - 1] !== NEWLINE
    if (written < bytes.length || this.#reported === this.#dropped) return
    this.#reported = this.#dropped
    this.#tell(this.#dropped)
  }
}

/** How many bytes were written; 0 if the pipe is full. Rejects with what the system says. */
function writeSome(bytes: Buffer): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  write(STDOUT, bytes, (error, written) => {
    if (!error) resolve(written)
    else if (PASSING.includes(error.code)) setTimeout(resolve, STALLED_MS, 0)
    else reject(error)
  })
  return promise
}
