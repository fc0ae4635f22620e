import type { Chrono, ParsedResult } from 'chrono-node/en'
import { addDays, dateOf, nextMonthDay, nextWeekday, weekdayOfNextWeek } from './quick-days'

/** The only file that knows chrono-node: docs/decisions/0011 says why it is held so short. */

/** Its parsers and refiners that speak of absolute days and weekdays, in their order there. */
export const PARSERS = [
  'ENYearMonthDayParser',
  'ISOFormatParser',
  'SlashDateFormatParser',
  'ENMonthNameLittleEndianParser',
  'ENMonthNameMiddleEndianParser',
  'ENWeekdayParser',
]
export const REFINERS = ['OverlapRemovalRefiner', 'MergeWeekdayComponentRefiner', 'ENExtractYearSuffixRefiner']

let chrono: Chrono | null = null

/** Loaded when the first text with a date comes: its fifty modules would be a tenth of the server's start. */
function loadChrono(): Chrono {
  const { Chrono, configuration } = require('chrono-node/en') as typeof import('chrono-node/en')
  const all = configuration.createCasualConfiguration()
  return new Chrono({
    parsers: all.parsers.filter((parser) => PARSERS.includes(parser.constructor.name)),
    refiners: all.refiners.filter((refiner) => REFINERS.includes(refiner.constructor.name)),
  })
}

type Components = ParsedResult['start']

/** Without one of these there is no date, and nothing is run. */
const CANDIDATE = /\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|weekend/i
const NUMERIC = /(?:^|[\s,])(\d{1,2})([/.-])(\d{1,2})(?:\2(\d{4}|\d{2}))?$/

export interface QuickToday {
  readonly today: string
  readonly dateOrder: 'dmy' | 'mdy' | null
}

/** A day found in a text; positions are UTF-16 units. */
export interface ChronoDay {
  readonly start: number
  readonly end: number
  /** As it stands there, in lower case, without the commas and brackets around it. */
  readonly words: string
  /** Null if it is no date or one that cannot be told: `problem` says which of the two. */
  readonly date: string | null
  readonly problem: 'ambiguous_date' | 'past_date' | null
  /** Minutes since midnight, of `2026-03-05T09:00` alone. */
  readonly minutes: number | null
  /** The weekday if nothing else was said: 0 Sunday to 6 Saturday. */
  readonly weekday: number | null
  /** The last day of `5-7 May`. */
  readonly last: string | null
}

/** Every day that chrono-node finds, in order, with the years and weekdays that were not written worked out forward. */
export function findChronoDays(text: string, moment: QuickToday): ChronoDay[] {
  if (!CANDIDATE.test(text)) return []
  const [year = 0, month = 1, day = 1] = moment.today.split('-').map(Number)
  // What it works out from this day by the process's clock is never read: only what was written.
  const noon = new Date(year, month - 1, day, 12)
  noon.setFullYear(year)
  // It does not know these two abbreviations.
  const known = text.replace(/\b(tue|wed)s(?!\w)/gi, '$1 ')
  chrono ??= loadChrono()
  return chrono.parse(known, noon).flatMap((result) => readResult(result, text, moment) ?? [])
}

function readResult(result: ParsedResult, text: string, moment: QuickToday): ChronoDay | null {
  const [, before = '', inside = ''] = result.text.match(/^([\s,(（]*)(.*?)[\s,)）]*$/s) ?? []
  const words = yearless(inside).toLowerCase()
  const start = result.index + before.length
  const hasYear = words.length === inside.length
  const end =
    start + words.length + (/(?:tue|wed)$/.test(words) && /s/i.test(text.charAt(start + words.length)) ? 1 : 0)
  if (!standsAlone(text, start, end) || /last|past|weekday|^\d{4}\s/.test(words)) return null
  return { start, end, words, minutes: null, weekday: null, last: null, ...meaning(result, words, hasYear, moment) }
}

/** Two digits after a day are no year but how many of something: `5 May 20 people`. */
function yearless(text: string): string {
  const shorter = text.replace(/[\s,]+\d\d$/, '')
  return /[a-z]/i.test(text) && /\d/.test(shorter) ? shorter : text
}

/** Neither `Monday.com` nor `Friday's` nor `mon-fri` is a day. */
function standsAlone(text: string, start: number, end: number): boolean {
  return !/[^\s(\uFFFC]/.test(text.charAt(start - 1)) && /^(?:[,.;:!?)]*(?:[\s\uFFFC]|$))/.test(text.slice(end))
}

type Meaning = Pick<ChronoDay, 'date' | 'problem'> & Partial<ChronoDay>

function meaning({ start, end }: ParsedResult, words: string, hasYear: boolean, moment: QuickToday): Meaning {
  const numeric = words.match(NUMERIC)
  if (numeric) return numericDay(numeric, moment)
  if (!start.isCertain('day')) return weekdayOnly(start, words, moment.today)
  const date = civil(start, hasYear, moment.today)
  const minutes = start.isCertain('hour') ? (start.get('hour') ?? 0) * 60 + (start.get('minute') ?? 0) : null
  // An offset would need the zone's: such an instant is left alone.
  if (start.isCertain('timezoneOffset') || (minutes ?? 0) >= 1440) return { date: null, problem: null }
  const last = end && date !== null ? civil(end, hasYear, date) : null
  return { ...forward(date, moment.today), minutes, last: last !== null && date !== null && last > date ? last : null }
}

function weekdayOnly(start: Components, words: string, today: string): Meaning {
  const weekday = start.isCertain('weekday') ? start.get('weekday') : null
  if (weekday === null) return { date: null, problem: null }
  if (/next/.test(words)) return { date: weekdayOfNextWeek(today, weekday), problem: null }
  return { date: nextWeekday(today, weekday), problem: null, weekday }
}

/** The parts as they were written; a year that was not is the next one that has such a day. */
function civil(parts: Components, hasYear: boolean, from: string): string | null {
  const [month = 0, day = 0] = [parts.get('month') ?? 0, parts.get('day') ?? 0]
  if (hasYear && parts.isCertain('year')) return dateOf(parts.get('year') ?? 0, month, day)
  return nextMonthDay(from, month, day)
}

function forward(date: string | null, today: string): Meaning {
  if (date !== null && date < today) return { date: null, problem: 'past_date' }
  return { date, problem: null }
}

/**
 * `03/04` is a date only if the order is known; with a year it is also one if only one order can be meant. `24/7` never
 * is.
 */
function numericDay([, first = '', , second = '', year]: RegExpMatchArray, { today, dateOrder }: QuickToday): Meaning {
  if (first === '24' && second === '7') return { date: null, problem: null }
  const read = (day: string, month: string) =>
    year === undefined
      ? nextMonthDay(today, Number(month), Number(day))
      : dateOf(Number(year) + (year.length === 2 ? 2000 : 0), Number(month), Number(day))
  const dmy = read(first, second)
  const mdy = read(second, first)
  if (dateOrder) return forward(dateOrder === 'dmy' ? (dmy ?? mdy) : (mdy ?? dmy), today)
  const certain = year?.length === 4 && (dmy === null || mdy === null || dmy === mdy)
  if (certain) return forward(dmy ?? mdy, today)
  return { date: null, problem: dmy === null && mdy === null ? null : 'ambiguous_date' }
}

/** The last day of a range of weekdays: the first such day after its first. */
export function weekdayAfter(date: string, weekday: number): string {
  return nextWeekday(addDays(date, 1), weekday)
}
