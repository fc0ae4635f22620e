import { clockTime } from '../../lib/civil/zone'
import type { QuickText } from './text'
import type { QuickDraft, QuickReminder } from './types'

const AM_PM = String.raw`\s?(?:am|pm|a\.m\.?|p\.m\.?)`
const CLOCK = String.raw`(?:\d{1,2}(?:[:.]\d\d)?${AM_PM}|\d{1,2}:\d\d)`
const BEGIN = String.raw`(?<![^\s(])`
const TIME_END = String.raw`(?![\w%/\\$€£]|[:.'’-]\w)`
/** A range may leave the first am or pm to the second: `9-10am`. */
const RANGE = String.raw`(?:from\s+)?(\d{1,2}(?:[:.]\d\d)?(?:${AM_PM})?)\s*(?:-|–|to|until|till)\s*(${CLOCK})`
const SINGLE = String.raw`(?:(?:at|by|for|before|until|till)\s+|@\s?)?(${CLOCK})`
const TIME = new RegExp(`${BEGIN}(?:${RANGE}|${SINGLE})${TIME_END}`, 'gi')

/** A time of day found in a text; positions are UTF-16 units. */
export interface FoundTime {
  readonly start: number
  readonly end: number
  /** Minutes since midnight, 0..1439. */
  readonly minutes: number
  /** Minutes from the first to the second time of a range; null for a single time. */
  readonly duration: number | null
}

/**
 * Takes the first time of day with a colon, am or pm. A second one stays in the title with a warning; an invalid time
 * (`13pm`, `25:00`) stays without one.
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
  const end = range ? parseClock(to) : null
  const minutes = parseClock(single ?? addMeridiem(from ?? '', to ?? ''))
  if (minutes === null || (range && end === null)) return null
  const duration = end === null ? null : (end - minutes + 1440) % 1440
  return { start: match.index, end: match.index + whole.length, minutes, duration: duration === 0 ? null : duration }
}

/** Returns the first time of a range with am or pm. Without its own it takes that of the second: `11-1pm` is 11 am. */
function addMeridiem(from: string, to: string): string {
  const half = to.match(/[ap](?=\.?m)/i)?.[0]
  if (half === undefined || /[ap]\.?m/i.test(from)) return from
  const same = parseClock(`${from}${half}m`)
  const last = parseClock(to)
  return same !== null && last !== null && same > last && half.toLowerCase() === 'p' ? `${from}am` : `${from}${half}m`
}

/** Returns the minutes since midnight of a time; null if it is invalid. */
function parseClock(text: string): number | null {
  const [, hours = '', minutes = '0', half] = text.match(/^(\d+)(?:[:.](\d+))?\s?([ap])?/i) ?? []
  const hour = Number(hours)
  const minute = Number(minutes)
  if (minute > 59 || hour > (half ? 12 : 23) || (half && hour === 0)) return null
  if (!half) return hour * 60 + minute
  return (hour % 12) * 60 + minute + (half.toLowerCase() === 'p' ? 720 : 0)
}

const MAX_DURATION_MINUTES = 43_200
const MAX_REMINDER_MINUTES = 525_600
const MAX_REMINDERS = 10

const COUNT = String.raw`\d{1,6}(?:\.\d{1,2})?|an?|half\s+an|one|two|three`
const MINUTE = 'm|mins?|minutes?'
const HOURS = String.raw`(?<hours>${COUNT})\s?(?:h|hrs?|hours?)(?:\s?(?:and\s)?(?<odd>\d{1,3})\s?(?:${MINUTE})?)?`
const MINUTES = String.raw`(?<minutes>${COUNT})\s?(?:${MINUTE})`
const DAYS = String.raw`(?<days>${COUNT})\s?(?<unit>days?|d|weeks?|w)`
const END = String.raw`(?=[,;.)]?(?:\s|$))`
const FOR = new RegExp(String.raw`(?<!\S)for\s+(?:${HOURS}|${MINUTES})${END}`, 'gi')
const BEFORE = String.raw`(?:${HOURS}|${MINUTES}|${DAYS})\s+before${END}`
const REMIND = new RegExp(String.raw`(?<!\S)remind(?:er)?\s+(?:me\s+)?${BEFORE}`, 'gi')
const WORDS: Record<string, number> = { a: 1, an: 1, one: 1, two: 2, three: 3, half: 0.5 }

function parseCount(word = '0'): number {
  return WORDS[word.toLowerCase().replace(/\s.*/s, '')] ?? Number(word)
}

/** Returns the minutes of the named groups: hours with odd minutes, minutes, days or weeks. */
function parseMinutes({ groups = {} }: RegExpExecArray): number {
  const { hours, odd, minutes, days, unit } = groups
  if (hours !== undefined) return parseCount(hours) * 60 + parseCount(odd)
  if (days !== undefined) return parseCount(days) * 1440 * (unit?.toLowerCase().startsWith('w') ? 7 : 1)
  return parseCount(minutes)
}

/** Takes `for 30 min`. More than 30 days, or a fraction of a minute, stays in the title. */
export function takeDuration(text: QuickText, draft: QuickDraft): void {
  for (const match of text.rest.matchAll(FOR)) {
    const end = match.index + match[0].length
    const minutes = parseMinutes(match)
    if (draft.duration_minutes !== undefined) text.keep(match.index, end, 'already_set')
    else if (!isWholeInRange(minutes, MAX_DURATION_MINUTES)) text.keep(match.index, end, 'out_of_range')
    else {
      draft.duration_minutes = minutes
      text.take(match.index, end, 'duration', minutes)
    }
  }
}

function isWholeInRange(minutes: number, limit: number): boolean {
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= limit
}

interface FoundReminder {
  readonly start: number
  readonly end: number
  readonly minutes: number
}

/** Finds reminders and covers them, so that `1 h before` is not read as something else. */
export function findReminders(text: QuickText): FoundReminder[] {
  return [...text.rest.matchAll(REMIND)].map((match) => {
    const end = match.index + match[0].length
    text.keep(match.index, end)
    return { start: match.index, end, minutes: parseMinutes(match) }
  })
}

/** Takes `remind 1 h before`. Must be called after the due date is read, since reminders are relative to it. */
export function takeReminders(text: QuickText, draft: QuickDraft, found: readonly FoundReminder[]): void {
  for (const { start, end, minutes } of found) {
    const reminders = draft.reminders ?? []
    if (!draft.due) text.keep(start, end, 'reminder_without_date')
    else if (!isWholeInRange(minutes, MAX_REMINDER_MINUTES)) text.keep(start, end, 'out_of_range')
    else if (reminders.length === MAX_REMINDERS) text.keep(start, end, 'too_many_reminders')
    else {
      const reminder: QuickReminder = { at: null, offset_minutes: -minutes, from: 'due' }
      draft.reminders = [...reminders, reminder]
      text.take(start, end, 'reminder', reminder)
    }
  }
}
