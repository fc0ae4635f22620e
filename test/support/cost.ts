const RUNS = 20
/** What the reference took on the machine that the limits were set on, in milliseconds of the processor's time. */
const REFERENCE_MS = 2

/**
 * Milliseconds of the processor's time that `work` took, as the machine that the limits were set on would have taken
 * them: not the clock's, since others are busy on the machine, and in proportion to how slow the machine is just now.
 */
export async function spent<T>(work: () => T | Promise<T>): Promise<{ ms: number; value: T }> {
  const { ms, value } = await spentHere(work)
  return { ms: ms / slowness(), value }
}

/**
 * The same of the quickest run, tried until one is under the limit. A run that is under the limit here would be so there
 * as well, and is not asked how slow the machine is, which takes longer than most work.
 */
export async function cost(limit: number, work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS && best >= limit; run++) {
    const { ms } = await spentHere(work)
    best = Math.min(best, ms < limit ? ms : ms / slowness())
  }
  return best
}

async function spentHere<T>(work: () => T | Promise<T>): Promise<{ ms: number; value: T }> {
  const start = process.cpuUsage()
  const value = await work()
  return { ms: used(start), value }
}

function used(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/** How many times as long as there the reference takes here and now; never less than 1. */
export function slowness(): number {
  const runs = Array.from({ length: 3 }, () => {
    const start = process.cpuUsage()
    reference()
    return used(start)
  })
  return Math.max(1, Math.min(...runs) / REFERENCE_MS)
}

/** A bit of arithmetic, of strings and of memory. */
function reference(): number {
  let state = 1
  const words: string[] = []
  for (let i = 0; i < 400_000; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    if (i % 16 === 0) words.push(state.toString(36))
  }
  return words.join(' ').split(' ').length
}
