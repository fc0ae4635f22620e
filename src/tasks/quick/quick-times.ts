import { clockTime } from '../../lib/civil/zone'
import type { QuickText } from './quick-text'

const AM_PM = String.raw`\s?(?:am|pm|a\.m\.?|p\.m\.?)`
const CLOCK = String.raw`(?:\d{1,2}(?:[:.]\d\d)?${AM_PM}|\d{1,2}:\d\d)`
const BEGIN = String.raw`(?<![^\s(])`
const TIME_END = String.raw`(?![\w%/\\$€£]|[:.'’-]\w)`
/** A range may leave the first am or pm to the second: `9-10am`. */
const RANGE = String.raw`(?:from\s+)?(\d{1,2}(?:[:.]\d\d)?(?:${AM_PM})?)\s*(?:-|–|to|until|till)\s*(${CLOCK})`
const SINGLE = String.raw`(?:(?:at|by|for|before|until|till)\s+|@\s?)?(${CLOCK})`
const TIME = new RegExp(`${BEGIN}(?:${RANGE}|${SINGLE})${TIME_END}`, 'gi')

export interface FoundTime {
  readonly start: number
  readonly end: number
  /** Minutes since midnight, 0..1439. */
  readonly minutes: number
  /** Of a range; null of a single time. */
  readonly duration: number | null
}

/**
 * Takes the first time of day with a colon, am or pm. A second one stays in the title with a warning, and so does what
 * is no time (`13pm`, `25:00`) without one.
 */
export function takeTime(text: QuickText): FoundTime | null {
  const [first, ...more] = [...text.rest.matchAll(TIME)].flatMap((match) => readTime(match) ?? [])
  if (!first) return null
  text.take(first.start, first.end, 'time', clockTime(first.minutes))
  for (const { start, end } of more) text.keep(start, end, 'more_dates')
  return first
}

function readTime(match: RegExpExecArray): FoundTime | null {
  const [whole, from, to, single] = match
  const range = from !== undefined && to !== undefined
  const end = range ? minutesOfClock(to) : null
  const minutes = minutesOfClock(single ?? withHalf(from ?? '', to ?? ''))
  if (minutes === null || (range && end === null)) return null
  const duration = end === null ? null : (end - minutes + 1440) % 1440
  return { start: match.index, end: match.index + whole.length, minutes, duration: duration === 0 ? null : duration }
}

/** The first time of a range, with the am or pm of the second if it has none: `9-10am`, and `11-1pm` is 11 am. */
function withHalf(from: string, to: string): string {
  const half = to.match(/[ap](?=\.?m)/i)?.[0]
  if (half === undefined || /[ap]\.?m/i.test(from)) return from
  const same = minutesOfClock(`${from}${half}m`)
  const last = minutesOfClock(to)
  return same !== null && last !== null && same > last && half.toLowerCase() === 'p' ? `${from}am` : `${from}${half}m`
}

/** Minutes since midnight of a time that is one. */
function minutesOfClock(text: string): number | null {
  const [, hours = '', minutes = '0', half] = text.match(/^(\d+)(?:[:.](\d+))?\s?([ap])?/i) ?? []
  const hour = Number(hours)
  const minute = Number(minutes)
  if (minute > 59 || hour > (half ? 12 : 23) || (half && hour === 0)) return null
  if (!half) return hour * 60 + minute
  return (hour % 12) * 60 + minute + (half.toLowerCase() === 'p' ? 720 : 0)
}
