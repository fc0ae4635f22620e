/** Where the days of a heatmap lie: a column for each week, Monday at the top. */
import { locale } from '../words/say'

export interface HeatmapDay {
  /** A civil date. */
  readonly day: string
  readonly count: number
}

export interface HeatmapCell extends HeatmapDay {
  readonly column: number
  /** 0: Monday. */
  readonly row: number
  /** 0: nothing; 1 to 4: the quarter of the days with answers that it is in, the busiest last. */
  readonly level: number
}

export interface HeatmapLayout {
  readonly cells: readonly HeatmapCell[]
  readonly columns: number
  /** The columns in which months begin. */
  readonly months: readonly { readonly column: number; readonly name: string }[]
}

/** Columns that the name of a month takes. */
const MONTH_COLUMNS = 3
const monthName = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' })

/** Lays out days that follow one another, the oldest first. */
export function layOutHeatmap(days: readonly HeatmapDay[]): HeatmapLayout {
  const [first] = days
  if (!first) return { cells: [], columns: 0, months: [] }
  const offset = weekday(first.day)
  const levelOf = levels(days)
  const cells = days.map(({ day, count }, index) => ({
    day,
    count,
    column: Math.floor((index + offset) / 7),
    row: (index + offset) % 7,
    level: levelOf(count),
  }))
  const columns = (cells.at(-1)?.column ?? 0) + 1
  const starts = cells
    .filter(({ day }, index) => day.endsWith('-01') || index === 0)
    .map(({ day, column }) => ({ column, name: monthName.format(new Date(`${day}T00:00:00Z`)) }))
  // A name that would lie on the next one is left out, as one that would reach over the edge is.
  const months = starts.filter(({ column }, index) => (starts[index + 1]?.column ?? columns) - column >= MONTH_COLUMNS)
  return { cells, columns, months }
}

/** 0: Monday. */
const weekday = (day: string) => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7

/** By quarters of the days with answers: one day of many answers does not make all others pale. */
function levels(days: readonly HeatmapDay[]): (count: number) => number {
  const counts = days.flatMap(({ count }) => (count > 0 ? [count] : [])).sort((a, b) => a - b)
  const quarters = [0.25, 0.5, 0.75].map((part) => counts[Math.floor(part * counts.length)] ?? 0)
  return (count) => (count === 0 ? 0 : 1 + quarters.filter((quarter) => count > quarter).length)
}
