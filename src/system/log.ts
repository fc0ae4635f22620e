import pino, { type Logger } from 'pino'

/** The line that a request leaves, and all other lines. */
export interface ServerLog {
  readonly log: Logger
  /** Like `log` at the level `info`. pino takes five times as long for a line, and every request leaves one. */
  readonly requestLog: { info(fields: object, message: string): void }
  /** Resolves when all is written: then the process may end. */
  flush(): Promise<void>
}

/** Lines of JSON on stdout, in pino's form. A reader that is slow holds up no request: they are written beside them. */
export function createLog(level: string, now: () => number): ServerLog {
  const lines = new Lines()
  const log = pino({ level, base: null }, lines)
  const info = (fields: object, msg: string) =>
    lines.write(`${JSON.stringify({ level: log.levels.values.info, time: now(), ...fields, msg })}\n`)
  return {
    log,
    requestLog: { info: log.isLevelEnabled('info') ? info : () => {} },
    flush: () => lines.flush(),
  }
}

/** How long a line waits for others, in milliseconds. */
const GATHER_MS = 20
/** Characters that are written at once, so that a flood of lines takes no memory. */
const GATHERED = 64 * 1024

/** Writes what comes within a moment together: to write each line alone took a sixth of a request. */
class Lines {
  readonly #stdout = pino.destination({ sync: false, minLength: 1, fsync: false })
  #waiting = ''
  #timer: Timer | null = null

  write(line: string): void {
    this.#timer ??= setTimeout(() => this.#hand(), GATHER_MS)
    this.#waiting += line
    if (this.#waiting.length > GATHERED) this.#hand()
  }

  flush(): Promise<void> {
    this.#hand()
    // Where nobody reads any more there is nobody to tell, either.
    return new Promise((resolve) => this.#stdout.flush(() => resolve()))
  }

  #hand(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#waiting !== '') this.#stdout.write(this.#waiting)
    this.#waiting = ''
  }
}
