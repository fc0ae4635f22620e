/** A run of `*`, `_` or `~` that may begin or end emphasis. Offsets are UTF-16. */
export interface EmphasisRun {
  readonly code: number
  start: number
  end: number
  readonly canOpen: boolean
  readonly canClose: boolean
  /** The length before any mark was paired. */
  readonly length: number
}

const TILDE = 126

/**
 * Pairs the runs as CommonMark's `process emphasis` does, and calls `cut` with every range of marks that is markup.
 * For each kind of closer the stack is never searched twice below the same position, so the time is linear.
 */
export function pairEmphasis(runs: readonly EmphasisRun[], cut: (start: number, end: number) => void): void {
  const openers: EmphasisRun[] = []
  const bottoms = new Map<number, number>()
  for (const run of runs) {
    while (run.canClose && run.start < run.end) {
      const opener = findOpener(openers, run, bottoms)
      if (opener < 0) break
      takePair(openers, opener, run, cut)
      for (const [kind, bottom] of bottoms) if (bottom > openers.length) bottoms.set(kind, openers.length)
    }
    if (run.canOpen && run.start < run.end) openers.push(run)
  }
}

/**
 * Returns a number that is equal for closers that pair with the same openers: by mark, rule of three, and tilde count.
 */
function getCloserKind(run: EmphasisRun): number {
  const detail = run.code === TILDE ? Math.min(run.length, 3) : run.length % 3
  return run.code * 8 + detail * 2 + (run.canOpen ? 1 : 0)
}

function findOpener(openers: readonly EmphasisRun[], closer: EmphasisRun, bottoms: Map<number, number>): number {
  const kind = getCloserKind(closer)
  const bottom = bottoms.get(kind) ?? 0
  for (let index = openers.length - 1; index >= bottom; index -= 1) {
    const opener = openers[index]
    if (opener && canPair(opener, closer)) return index
  }
  bottoms.set(kind, openers.length)
  return -1
}

function canPair(opener: EmphasisRun, closer: EmphasisRun): boolean {
  if (opener.code !== closer.code) return false
  if (closer.code === TILDE) return opener.length === closer.length && closer.length < 3
  const both = opener.canClose || closer.canOpen
  return !both || (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0)
}

function takePair(
  openers: EmphasisRun[],
  index: number,
  closer: EmphasisRun,
  cut: (start: number, end: number) => void,
): void {
  const opener = openers[index]
  if (!opener) return
  const count = Math.min(2, opener.end - opener.start, closer.end - closer.start)
  cut(opener.end - count, opener.end)
  cut(closer.start, closer.start + count)
  opener.end -= count
  closer.start += count
  openers.length = opener.end > opener.start ? index + 1 : index
}
