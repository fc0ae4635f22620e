import { TAKEN } from './text'

/** Arithmetic on civil dates written `YYYY-MM-DD`, which sort as text. */

const DAY_MS = 86_400_000

/** Returns the date some days later; negative is earlier. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Returns 0 for Sunday to 6 for Saturday. */
export function getWeekday(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay()
}

/** Returns the date of these parts; null if there is no such day, or its year is not from 1900 to 2200. */
export function toDateInRange(year: number, month: number, day: number): string | null {
  if (!(year >= 1900 && year <= 2200)) return null
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.toISOString().slice(0, 10) : null
}

/**
 * Returns the first such date on or after `from`; null if there is none. The next 29 February can be eight years later.
 */
export function findNextMonthDay(from: string, month: number, day: number): string | null {
  const year = Number(from.slice(0, 4))
  for (let ahead = 0; ahead <= 8; ahead++) {
    const date = toDateInRange(year + ahead, month, day)
    if (date !== null && date >= from) return date
  }
  return null
}

/** Returns the first such day of any month on or after `from`; null for a day that no month has. */
function findNextDayOfMonth(from: string, day: number): string | null {
  const [year = 0, month = 1] = from.split('-').map(Number)
  for (let ahead = 0; ahead <= 2; ahead++) {
    const date = toDateInRange(year + Math.floor((month + ahead - 1) / 12), ((month + ahead - 1) % 12) + 1, day)
    if (date !== null && date >= from) return date
  }
  return null
}

/** Returns the first such weekday on or after `from`. */
export function findNextWeekday(from: string, weekday: number): string {
  return addDays(from, (weekday - getWeekday(from) + 7) % 7)
}

/** Returns that weekday in the week after that of `from`; weeks begin on Monday. */
export function findWeekdayNextWeek(from: string, weekday: number): string {
  const sinceMonday = (getWeekday(from) + 6) % 7
  return addDays(from, 7 - sinceMonday + ((weekday + 6) % 7))
}

/** Returns the same day some months later, or the last day of a shorter month. */
function addMonths(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const last = getDaysInMonth(year, month + months)
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))).toISOString().slice(0, 10)
}

/** Returns the last day of the date's month. */
function getLastDateOfMonth(date: string): string {
  const [year = 0, month = 1] = date.split('-').map(Number)
  return `${date.slice(0, 8)}${getDaysInMonth(year, month)}`
}

/** Returns the number of days in a month, counted from 1; months beyond 12 are in later years. */
function getDaysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** A day relative to now, found in a text; positions are UTF-16 units, `minutes` since midnight or null. */
interface RelativeDay {
  readonly start: number
  readonly end: number
  readonly date: string
  readonly minutes: number | null
  /** The text in lower case, with single spaces. */
  readonly words: string
}

const COUNT = String.raw`(?<count>\d{1,4}|an?|(?:a\s)?couple\sof|half\san|one|two|three|four|five|six|seven|eight|nine|ten|twelve)`
const UNIT = '(?<unit>minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|fortnights?|months?|mo|years?|y)'
const AMOUNT = String.raw`${COUNT}\s?${UNIT}`
const FIXED = String.raw`(?<fixed>next\s+week|(?:the\s+)?day\s+after\s+tomorrow|today|tonight|tomorrow|tmrw?|overmorrow|(?:end|last\s+day)\s+of\s+(?:the\s+)?month)`
const RELATIVE = new RegExp(
  String.raw`(?<![^\s(${TAKEN}])(?:in\s+${AMOUNT}|${AMOUNT}\s+from\s+(?:now|today)|${FIXED})(?=[,.;:!?)]*(?:[\s${TAKEN}]|$))`,
  'gi',
)
/** `on the 5th`, but not `on the 5th floor`. */
const NTH = new RegExp(
  String.raw`(?<=(?<![^\s(${TAKEN}])(?:on|by|due)\s+the\s+)(?<day>\d{1,2})(?:st|nd|rd|th)(?=[,.;:!?)]*\s*(?:${TAKEN}|$))`,
  'gi',
)
const NUMBERS = ['half', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', '', 'twelve']
const MINUTES_OF: Record<string, number> = { m: 1, h: 60 }
const DAYS_OF: Record<string, number> = { d: 1, w: 7, f: 14 }

/** Finds days such as `tomorrow`, `in 3 days`, `2 weeks from now`, `in half an hour`, `next week` and `on the 5th`. */
export function findRelativeDays(text: string, today: string, now: number): RelativeDay[] {
  return [...findCounted(text, today, now), ...findDaysOfMonth(text, today)]
}

function findCounted(text: string, today: string, now: number): RelativeDay[] {
  return [...text.matchAll(RELATIVE)].flatMap((match) => {
    const { count = '', unit = '', fixed } = match.groups ?? {}
    const words = match[0].toLowerCase().replace(/\s+/g, ' ')
    const moment =
      fixed === undefined
        ? resolveAmount(count, unit, today, now)
        : { date: resolveFixedDay(words, today), minutes: null }
    return moment ? [{ start: match.index, end: match.index + match[0].length, words, ...moment }] : []
  })
}

function findDaysOfMonth(text: string, today: string): RelativeDay[] {
  return [...text.matchAll(NTH)].flatMap((match) => {
    const date = findNextDayOfMonth(today, Number(match.groups?.day))
    const [words] = match
    return date === null ? [] : [{ start: match.index, end: match.index + words.length, words, date, minutes: null }]
  })
}

function resolveFixedDay(words: string, today: string): string {
  if (words.endsWith('month')) return getLastDateOfMonth(today)
  if (words === 'next week') return addDays(today, 7)
  if (words === 'today' || words === 'tonight') return today
  return addDays(today, /after|over/.test(words) ? 2 : 1)
}

/** Returns the day and time after an amount of time. Hours are added to the clock time: clock changes are ignored. */
function resolveAmount(
  word: string,
  unit: string,
  today: string,
  now: number,
): Pick<RelativeDay, 'date' | 'minutes'> | null {
  const count = parseNumber(word)
  const key = unit.toLowerCase().startsWith('mo') ? 'months' : unit.charAt(0).toLowerCase()
  const date = addUnits(key, count, today)
  const minutes = now + count * (MINUTES_OF[key] ?? 0)
  if (date === null || !Number.isInteger(minutes)) return null
  if (key in MINUTES_OF) return { date: addDays(today, Math.floor(minutes / 1440)), minutes: minutes % 1440 }
  return { date, minutes: null }
}

function addUnits(key: string, count: number, today: string): string | null {
  if (key in MINUTES_OF) return today
  if (!Number.isInteger(count)) return null
  if (key in DAYS_OF) return addDays(today, count * (DAYS_OF[key] ?? 0))
  return addMonths(today, key === 'y' ? count * 12 : count)
}

function parseNumber(word: string): number {
  const plain = word.toLowerCase()
  if (plain.includes('couple')) return 2
  if (plain.startsWith('half')) return 0.5
  if (plain === 'a' || plain === 'an') return 1
  return NUMBERS.includes(plain) ? NUMBERS.indexOf(plain) : Number(plain)
}
