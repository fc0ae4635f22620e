import type { Chrono, ParsedResult } from 'chrono-node/en'
import {
  addDays,
  findNextMonthDay,
  findNextWeekday,
  findRelativeDays,
  findWeekdayNextWeek,
  toDateInRange,
} from './days'
import { TAKEN } from './text'

/** The only file that uses chrono-node; docs/decisions/0011 explains why it uses so little of it. */

/** The parsers of chrono-node for absolute days and weekdays, in their order there. */
export const PARSERS = [
  'ENYearMonthDayParser',
  'ISOFormatParser',
  'SlashDateFormatParser',
  'ENMonthNameLittleEndianParser',
  'ENMonthNameMiddleEndianParser',
  'ENWeekdayParser',
]
/** The refiners of chrono-node that go with these parsers. */
export const REFINERS = ['OverlapRemovalRefiner', 'MergeWeekdayComponentRefiner', 'ENExtractYearSuffixRefiner']

let chrono: Chrono | null = null

/** Loads chrono-node, at the first text with a date: its fifty modules take a tenth of the server's start time. */
function loadChrono(): Chrono {
  const { Chrono, configuration } = require('chrono-node/en') as typeof import('chrono-node/en')
  const all = configuration.createCasualConfiguration()
  return new Chrono({
    parsers: all.parsers.filter((parser) => PARSERS.includes(parser.constructor.name)),
    refiners: all.refiners.filter((refiner) => REFINERS.includes(refiner.constructor.name)),
  })
}

type Components = ParsedResult['start']

/** A text without a match has no date, and is not parsed. */
const CANDIDATE = /\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|weekend/i
const NUMERIC = /(?:^|[\s,])(\d{1,2})([/.-])(\d{1,2})(?:\2(\d{4}|\d{2}))?$/

interface QuickToday {
  readonly today: string
  readonly dateOrder: 'dmy' | 'mdy' | null
}

/** A day found in a text; positions are UTF-16 units. */
interface ChronoDay {
  readonly start: number
  readonly end: number
  /** The text in lower case, without commas and brackets around it. */
  readonly words: string
  /** Null if it is not a date (`problem` is null), or has a problem. */
  readonly date: string | null
  readonly problem: 'ambiguous_date' | 'past_date' | null
  /** Minutes since midnight; only for dates like `2026-03-05T09:00`. */
  readonly minutes: number | null
  /** The weekday if the text has nothing else: 0 Sunday to 6 Saturday. */
  readonly weekday: number | null
  /** The last day of `5-7 May`. */
  readonly last: string | null
}

/** Finds every day that chrono-node recognizes, in order. A missing year, or a weekday, means the next such day. */
function findChronoDays(text: string, moment: QuickToday): ChronoDay[] {
  if (!CANDIDATE.test(text)) return []
  const [year = 0, month = 1, day = 1] = moment.today.split('-').map(Number)
  // Only parts that are in the text are read, never those that chrono-node derives from this day.
  const noon = new Date(year, month - 1, day, 12)
  noon.setFullYear(year)
  // chrono-node does not know the abbreviations `tues` and `weds`.
  const known = text.replace(/\b(tue|wed)s(?!\w)/gi, '$1 ')
  chrono ??= loadChrono()
  return chrono.parse(known, noon).flatMap((result) => readResult(result, text, moment) ?? [])
}

function readResult(result: ParsedResult, text: string, moment: QuickToday): ChronoDay | null {
  const [, before = '', inside = ''] = result.text.match(/^([\s,(（]*)(.*?)[\s,)）]*$/s) ?? []
  const words = stripCount(inside).toLowerCase()
  const start = result.index + before.length
  const hasYear = words.length === inside.length
  const end =
    start + words.length + (/(?:tue|wed)$/.test(words) && /s/i.test(text.charAt(start + words.length)) ? 1 : 0)
  if (!isWholeWord(text, start, end) || /last|past|weekday|^\d{4}\s/.test(words)) return null
  return { start, end, words, minutes: null, weekday: null, last: null, ...readMeaning(result, words, hasYear, moment) }
}

/** Removes two digits after a day, which are a number of something and not a year: `5 May 20 people`. */
function stripCount(text: string): string {
  const shorter = text.replace(/[\s,]+\d\d$/, '')
  return /[a-z]/i.test(text) && /\d/.test(shorter) ? shorter : text
}

/** Whether a range is a word by itself: `Monday.com`, `Friday's` and `mon-fri` are not days. */
function isWholeWord(text: string, start: number, end: number): boolean {
  return !/[^\s(\uFFFC]/.test(text.charAt(start - 1)) && /^(?:[,.;:!?)]*(?:[\s\uFFFC]|$))/.test(text.slice(end))
}

type Meaning = Pick<ChronoDay, 'date' | 'problem'> & Partial<ChronoDay>

function readMeaning({ start, end }: ParsedResult, words: string, hasYear: boolean, moment: QuickToday): Meaning {
  const numeric = words.match(NUMERIC)
  if (numeric) return readNumericDay(numeric, moment)
  if (!start.isCertain('day')) return readWeekday(start, words, moment.today)
  const date = toCivilDate(start, hasYear, moment.today)
  const minutes = start.isCertain('hour') ? (start.get('hour') ?? 0) * 60 + (start.get('minute') ?? 0) : null
  // A time with an offset from UTC would need the offset of the zone, so it is ignored.
  if (start.isCertain('timezoneOffset') || (minutes ?? 0) >= 1440) return { date: null, problem: null }
  const last = end && date !== null ? toCivilDate(end, hasYear, date) : null
  return {
    ...refusePast(date, moment.today),
    minutes,
    last: last !== null && date !== null && last > date ? last : null,
  }
}

function readWeekday(start: Components, words: string, today: string): Meaning {
  const weekday = start.isCertain('weekday') ? start.get('weekday') : null
  if (weekday === null) return { date: null, problem: null }
  if (/next/.test(words)) return { date: findWeekdayNextWeek(today, weekday), problem: null }
  return { date: findNextWeekday(today, weekday), problem: null, weekday }
}

/** Returns the date of the parts in the text. A missing year is the next one that has such a day. */
function toCivilDate(parts: Components, hasYear: boolean, from: string): string | null {
  const [month = 0, day = 0] = [parts.get('month') ?? 0, parts.get('day') ?? 0]
  if (hasYear && parts.isCertain('year')) return toDateInRange(parts.get('year') ?? 0, month, day)
  return findNextMonthDay(from, month, day)
}

function refusePast(date: string | null, today: string): Meaning {
  if (date !== null && date < today) return { date: null, problem: 'past_date' }
  return { date, problem: null }
}

/**
 * Reads a date like `03/04`. It needs a known order of day and month, or a year and only one possible order. `24/7` is
 * never a date.
 */
function readNumericDay(
  [, first = '', , second = '', year]: RegExpMatchArray,
  { today, dateOrder }: QuickToday,
): Meaning {
  if (first === '24' && second === '7') return { date: null, problem: null }
  const read = (day: string, month: string) =>
    year === undefined
      ? findNextMonthDay(today, Number(month), Number(day))
      : toDateInRange(Number(year) + (year.length === 2 ? 2000 : 0), Number(month), Number(day))
  const dmy = read(first, second)
  const mdy = read(second, first)
  if (dateOrder) return refusePast(dateOrder === 'dmy' ? (dmy ?? mdy) : (mdy ?? dmy), today)
  const certain = year?.length === 4 && (dmy === null || mdy === null || dmy === mdy)
  if (certain) return refusePast(dmy ?? mdy, today)
  return { date: null, problem: dmy === null && mdy === null ? null : 'ambiguous_date' }
}

/** Returns the last day of a range of weekdays: the first such weekday after its first day. */
function findWeekdayAfter(date: string, weekday: number): string {
  return findNextWeekday(addDays(date, 1), weekday)
}

/** A day found in a text, to be taken, or to be left there with a problem; positions are UTF-16 units. */
export interface FoundDay {
  readonly start: number
  readonly end: number
  /** Null if there is a problem. */
  readonly date: string | null
  readonly problem: 'ambiguous_date' | 'past_date' | null
  /** Minutes since midnight, if the day includes a time. */
  readonly minutes: number | null
  /** Whether the minutes come from a word such as `morning`, not from a clock time. */
  readonly vague: boolean
  /** The weekday if the text has nothing else: if its time today is past, it means next week. */
  readonly weekday: number | null
  /** The last day of a range. */
  readonly last: string | null
}

/** The current date and time for reading days. */
export interface QuickMoment extends QuickToday {
  readonly minutes: number
  /** The position at which the time of day was taken; null without one. */
  readonly timeStart: number | null
}

type Day = ChronoDay

/** The last day that a task may have. */
const LAST = '2200-12-31'
/** Minutes since midnight of parts of the day, as in other programs. */
const PARTS: Record<string, number> = {
  morning: 540,
  noon: 720,
  afternoon: 900,
  evening: 1140,
  night: 1260,
  tonight: 1260,
}
const PART = /^,?\s+(?:(?:in\s+the|at)\s+)?(morning|noon|afternoon|evening|night)(?![\w'’-])/i
const THIS_PART = /(?<![\w'’-])this\s+(morning|afternoon|evening)(?![\w'’-])/gi
const BETWEEN = /^\s*(?:-|–|to|until|till|through)\s*$/i
/** Words before a date that are taken with it. */
const PREFIX = /(?<![^\s(\uFFFC])(?:due\s+)?(?:(?:on|by|before|until|till|for)\s+)?$/i
/** Words before a date that make it something other than a due date: past, a beginning, an exception, a possessive. */
const NOT_DUE =
  /(?<![\w'’-])(?:after|since|from|of|than|except|but|unless|starting|last|past|every!?|each|the\s+other)\s+(?:the\s+)?$/i
const NAMED = /(?<!\w)(?:black|good|ash|cyber|easter|palm|casual|freaky)\s+$/i
/** The rest of a text that has only taken ranges and punctuation. */
const END = new RegExp(`^[\\s${TAKEN}.,;:!?)]*$`)
/** Words that often mean something else: taken only where they must be a day. */
const SHAKY = /^(?:sun|sat|mon|wed|weekend|(?:end|last day) of (?:the )?month)\.?$/
const NO_DAY_AFTER =
  /(?<!\w)(?:the|an?|my|our|his|her|their|your|in|under|i|we|he|she|they|you|who|that|morning|evening)\s+$/i

/** Finds the days in a text, in order, each with the words around it that belong to it. */
export function findDays(text: string, moment: QuickMoment): FoundDay[] {
  const days = [...findChronoDays(text, moment), ...findOtherDays(text, moment)]
  return joinRanges(text, dropOverlaps(days)).flatMap((day) => toFoundDay(text, day, moment) ?? [])
}

/** Sorts days. Of two that overlap, e.g. `friday next week` and `next week`, keeps the one that begins first. */
function dropOverlaps(days: readonly Day[]): Day[] {
  let end = 0
  return days
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter((day) => {
      if (day.start < end) return false
      end = day.end
      return true
    })
}

function findOtherDays(text: string, { today, minutes }: QuickMoment): Day[] {
  const plain = { problem: null, weekday: null, last: null }
  const relative = findRelativeDays(text, today, minutes).map((day) => ({ ...plain, ...day }))
  const parts = [...text.matchAll(THIS_PART)].map((match): Day => {
    const words = (match[1] ?? '').toLowerCase()
    return { ...plain, start: match.index, end: match.index + match[0].length, date: today, minutes: null, words }
  })
  return [...relative, ...parts]
}

/** Joins ranges such as `monday to friday` and `5 May - 7 May` into one day. */
function joinRanges(text: string, days: readonly Day[]): Day[] {
  const joined: Day[] = []
  for (const day of days) {
    const first = joined.at(-1)
    const date = first && BETWEEN.test(text.slice(first.end, day.start)) ? findLastDay(first, day) : null
    if (!first || date === null) joined.push(day)
    else joined[joined.length - 1] = { ...first, end: day.end, last: date, weekday: null, words: 'range' }
  }
  return joined
}

function findLastDay(first: Day, day: Day): string | null {
  if (first.date === null || first.last !== null || day.date === null) return null
  const date = day.weekday === null ? day.date : findWeekdayAfter(first.date, day.weekday)
  return date > first.date ? date : null
}

/** Decides by the surrounding text whether a day is a due date, and includes the words that belong to it. */
function toFoundDay(text: string, day: Day, moment: QuickMoment): FoundDay | null {
  const before = getWordsBefore(text, day)
  const the = /^(?:\d|end|last|range)/.test(day.words) ? (before.match(/(?<!\w)the\s+$/i)?.[0] ?? '') : ''
  const from = day.last === null ? '' : (before.match(/(?<!\w)from\s+$/i)?.[0] ?? '')
  const lead = before.slice(0, before.length - the.length - from.length)
  const prefix = lead.match(PREFIX)?.[0] ?? ''
  const part = text.slice(day.end).match(PART)
  if (NOT_DUE.test(lead) || (day.weekday !== null && NAMED.test(lead))) return null
  const anchored = prefix !== '' || part !== null || isBeforeTime(text, day.end, moment.timeStart)
  if (SHAKY.test(day.words) && !anchored && !isAtEnd(text, day)) return null
  const word = part?.[1]?.toLowerCase() ?? day.words
  const minutes = day.minutes ?? PARTS[word] ?? null
  const start = day.start - (before.length - lead.length) - prefix.length
  const { date, problem, weekday, last } = day
  if (date === null ? problem === null : (last ?? date) > LAST) return null
  return { start, end: day.end + (part?.[0].length ?? 0), date, problem, minutes, vague: word in PARTS, weekday, last }
}

/** Returns the 40 characters before a day: a text of only days would take quadratic time otherwise. */
function getWordsBefore(text: string, { start }: Day): string {
  return text.slice(Math.max(0, start - 40), start)
}

function isBeforeTime(text: string, end: number, timeStart: number | null): boolean {
  return timeStart !== null && timeStart >= end && /^[\s,]*$/.test(text.slice(end, timeStart))
}

function isAtEnd(text: string, day: Day): boolean {
  return END.test(text.slice(day.end)) && !NO_DAY_AFTER.test(getWordsBefore(text, day))
}
