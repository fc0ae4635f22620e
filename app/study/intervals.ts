/** Times until a card comes again, in words. */
import { say } from '../words/say'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Mean lengths of the Gregorian calendar. */
const MONTH = 30.44 * DAY
const YEAR = 365.25 * DAY

/** The units of intervals, each with the seconds from which it is used. */
const UNITS = [
  { from: 0.95 * YEAR, unit: YEAR, digits: 1, words: (n: number) => [say`${n} y`, say`${n} {year|years}`] },
  { from: 31 * DAY, unit: MONTH, digits: 1, words: (n: number) => [say`${n} mo`, say`${n} {month|months}`] },
  { from: DAY, unit: DAY, digits: 0, words: (n: number) => [say`${n} d`, say`${n} {day|days}`] },
  { from: 59.5 * MINUTE, unit: HOUR, digits: 1, words: (n: number) => [say`${n} h`, say`${n} {hour|hours}`] },
  { from: MINUTE, unit: MINUTE, digits: 0, words: (n: number) => [say`${n} min`, say`${n} {minute|minutes}`] },
] as const

interface Outcome {
  readonly scheduled_days: number
  /** Seconds; null in review. */
  readonly interval_seconds: number | null
}

/** When a card comes again: short for a button (“10 min”, “2.3 mo”), and in whole words (“10 minutes”, “2.3 months”). */
export function intervalInWords({ scheduled_days, interval_seconds }: Outcome): { short: string; long: string } {
  const seconds = interval_seconds ?? scheduled_days * DAY
  const found = UNITS.find(({ from }) => seconds >= from)
  if (!found) return { short: say`<1 min`, long: say`less than a minute` }
  const [short = '', long = ''] = found.words(Number((seconds / found.unit).toFixed(found.digits)))
  return { short, long }
}

/** A length of study in words: “6 min”, “1 h 20 min”. */
export function studyTimeInWords(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 60) return minutes === 0 ? say`less than a minute` : say`${minutes} min`
  return minutes % 60 === 0 ? say`${minutes / 60} h` : say`${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
