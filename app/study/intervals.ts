/** Times until a card comes again, in words. */

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Mean lengths of the Gregorian calendar. */
const MONTH = 30.44 * DAY
const YEAR = 365.25 * DAY

/** From so many seconds on, an interval is told in units of so many seconds. */
const UNITS = [
  { from: 0.95 * YEAR, seconds: YEAR, short: 'y', long: 'year', digits: 1 },
  { from: 31 * DAY, seconds: MONTH, short: 'mo', long: 'month', digits: 1 },
  { from: DAY, seconds: DAY, short: 'd', long: 'day', digits: 0 },
  { from: 59.5 * MINUTE, seconds: HOUR, short: 'h', long: 'hour', digits: 1 },
  { from: MINUTE, seconds: MINUTE, short: 'min', long: 'minute', digits: 0 },
] as const

interface Outcome {
  readonly scheduled_days: number
  /** Seconds; null in review. */
  readonly interval_seconds: number | null
}

/** When a card comes again: short for a button (“10 min”, “2.3 mo”), and in whole words (“10 minutes”, “2.3 months”). */
export function intervalInWords({ scheduled_days, interval_seconds }: Outcome): { short: string; long: string } {
  const seconds = interval_seconds ?? scheduled_days * DAY
  const unit = UNITS.find(({ from }) => seconds >= from)
  if (!unit) return { short: '<1 min', long: 'less than a minute' }
  const count = Number((seconds / unit.seconds).toFixed(unit.digits))
  return { short: `${count} ${unit.short}`, long: countOf(count, unit.long) }
}

/** “1 card”, “2 cards”. */
export const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`

/** A length of study in words: “6 min”, “1 h 20 min”. */
export function studyTimeInWords(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 60) return minutes === 0 ? 'less than a minute' : `${minutes} min`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
