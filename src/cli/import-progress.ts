/** What a command shows of long work: one line that changes on a terminal, plain lines elsewhere. */

/** Characters between the brackets of the bar. */
const BAR_WIDTH = 24
/** Per cent between two plain lines. */
const STEP = 10
/** Columns of a terminal that does not say. */
const COLUMNS = 80

interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export interface ProgressDisplay {
  /** A line of its own, which stays. */
  say(text: string): void
  /** How far a phase of the work is; without a total it is not known. */
  show(phase: string, done: number, total: number | null, words: string): void
  /** Takes the bar away. May be called again. */
  end(): void
}

/** Shows progress on a stream, e.g. process.stderr. */
export function createProgressDisplay(output: Output): ProgressDisplay {
  return output.isTTY ? bar(output) : lines(output)
}

function bar(output: Output): ProgressDisplay {
  let shown = ''
  const clear = () => {
    if (shown) output.write('\r\x1b[K')
    shown = ''
  }
  return {
    say(text) {
      clear()
      output.write(`${text}\n`)
    },
    show(_phase, done, total, words) {
      const filled = Math.min(BAR_WIDTH, total ? Math.floor((BAR_WIDTH * done) / total) : 0)
      const line = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${words}`
      // The last column stays free: some terminals go to the next line there.
      const fitting = line.slice(0, (output.columns || COLUMNS) - 1)
      if (fitting === shown) return
      output.write(`\r\x1b[K${fitting}`)
      shown = fitting
    },
    end: clear,
  }
}

function lines(output: Output): ProgressDisplay {
  let shown = ''
  return {
    say: (text) => void output.write(`${text}\n`),
    show(phase, done, total, words) {
      const step = total ? `${phase} ${Math.floor((100 * done) / total / STEP)}` : phase
      if (step !== shown) output.write(`${words}\n`)
      shown = step
    },
    end() {},
  }
}
