/** Shows the progress of long work: as one changing line on a terminal, as plain lines elsewhere. */

/** Characters between the brackets of the bar. */
const BAR_WIDTH = 24
/** The percentage between two plain lines. */
const STEP_PERCENT = 10
/** The width of a terminal that does not state it. */
const DEFAULT_COLUMNS = 80

interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export interface ProgressDisplay {
  /** Writes a line that stays. */
  say(text: string): void
  show(phase: string, done: number, total: number | null, words: string): void
  /** Removes the bar. May be called again. */
  end(): void
}

export function createProgressDisplay(output: Output): ProgressDisplay {
  return output.isTTY ? createBar(output) : createLines(output)
}

function createBar(output: Output): ProgressDisplay {
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
      // The last column stays free, since some terminals wrap there.
      const visible = line.slice(0, (output.columns || DEFAULT_COLUMNS) - 1)
      if (visible === shown) return
      output.write(`\r\x1b[K${visible}`)
      shown = visible
    },
    end: clear,
  }
}

function createLines(output: Output): ProgressDisplay {
  let shown = ''
  return {
    say: (text) => void output.write(`${text}\n`),
    show(phase, done, total, words) {
      const step = total ? `${phase} ${Math.floor((100 * done) / total / STEP_PERCENT)}` : phase
      if (step !== shown) output.write(`${words}\n`)
      shown = step
    },
    end() {},
  }
}
