import { fromDay } from '../../lib/civil/day'
import type { Streak } from './schema'

/** The most runs that are shown, the latest. */
const MAX_RUNS = 100

interface Run {
  readonly from: number
  to: number
}

/** Computes runs of study days. A run that ended yesterday is still the current one: today is not over. */
export function streakOf(studied: ReadonlySet<number>, today: number): Streak {
  const runs: Run[] = []
  for (const day of [...studied].sort((one, other) => one - other)) {
    const last = runs.at(-1)
    if (last?.to === day - 1) last.to = day
    else runs.push({ from: day, to: day })
  }
  const last = runs.at(-1)
  return {
    study_day: fromDay(today),
    studied_today: studied.has(today),
    days_studied: studied.size,
    current: last && last.to >= today - 1 ? lengthOf(last) : 0,
    longest: runs.reduce((longest, run) => Math.max(longest, lengthOf(run)), 0),
    runs: runs.slice(-MAX_RUNS).map((run) => ({ from: fromDay(run.from), to: fromDay(run.to), days: lengthOf(run) })),
  }
}

function lengthOf({ from, to }: Run): number {
  return to - from + 1
}
