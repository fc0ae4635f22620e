import { partsOf, weekdayOf } from '../day'
import { civilOf } from '../zone'
import { dayOfParts, nextDayOfMonth, nextMonthDay, nextWeekday } from './calendar'
import { isBefore, type Moment, type WordCursor, type WordLine } from './cursor'

/** Why words that look like a day do not set one. */
type DayProblem = 'ambiguous_date' | 'past_date' | 'not_understood'

/**
 * Where words count as a day: in `any` place; `anchored`, after a preposition, next to a time or at the end; only at the
 * `end` or next to a time; the same for `whole`, but anywhere else a warning says that they were not understood; only
 * after a `preposition`.
 */
type DayPlace = 'any' | 'anchored' | 'end' | 'whole' | 'preposition'

export interface DayRead {
  /** Whole days since 1970-01-01; null if there is none, for the reason in `problem`. */
  readonly day: number | null
  readonly problem: DayProblem | null
  /** The last day of a range; null for a single day. */
  readonly last: number | null
  /** The weekday if only a weekday was named, 0 (Monday) to 6; the first of a range of two. */
  readonly weekday: number | null
  /** Minutes after midnight, if the words include a time; `vague` if that is a part of the day, such as `morning`. */
  readonly minutes: number | null
  readonly vague: boolean
  /** The instant of `in 2 hours`, in milliseconds since 1970; else null. */
  readonly instant: number | null
  readonly place: DayPlace
  /** Whether a number directly after it would belong to it. */
  readonly open: boolean
}

export function dayRead(day: number | null, more: Partial<DayRead> = {}): DayRead {
  return {
    ...{ day, problem: day === null ? 'not_understood' : null, last: null, weekday: null, minutes: null },
    ...{ vague: false, instant: null, place: 'any', open: false },
    ...more,
  }
}

/** Creates a DayRead with the problem `past_date` for a past day. */
export function forward(day: number | null, { today }: Moment, more: Partial<DayRead> = {}): DayRead {
  return day !== null && day < today ? dayRead(day, { ...more, problem: 'past_date' }) : dayRead(day, more)
}

/** A day of the month: 1..31, and whether it was written as an ordinal. */
interface DayNumber {
  readonly day: number
  readonly ordinal: boolean
}

/** Reads `5`, `5th`, `5.`, `1er`. */
export function readDayNumber(c: WordCursor): DayNumber | null {
  return c.attempt(() => {
    const day = c.digits(2)
    if (day === null || day < 1 || day > 31) return null
    return { day, ordinal: readSuffix(c) }
  })
}

/** Reads `first` to `thirty-first` in words. */
export function readDayWord(c: WordCursor): DayNumber | null {
  const day = c.number('ordinal')
  return day === null || day < 1 ? null : { day, ordinal: true }
}

export function readSuffix(c: WordCursor): boolean {
  const token = c.token
  if (!token || token.gap) return false
  if (c.has('suffix')) return true
  // The dot in `5.5.` is part of a date.
  const next = c.line.tokens[c.at + 1]
  if (!c.lexicon.dotOrdinals || token.key !== '.' || (next && !next.gap && next.kind !== 'sign')) return false
  c.at += 1
  return true
}

/** Reads a year of four digits, maybe after a comma or a word such as `de`; or `'27`. */
export function readYear(c: WordCursor): number | null {
  return c.attempt(() => {
    if (c.sign("'’")) return abbreviatedYear(c)
    c.sign(',') || c.has('of')
    const year = c.digits(4, { shortest: 4 })
    return year !== null && year >= 1900 && year <= 2200 && c.clean ? year : null
  })
}

function abbreviatedYear(c: WordCursor): number | null {
  const year = c.digits(2, { shortest: 2, glued: true })
  return year !== null && c.clean ? fullYear(year) : null
}

/** Reads `2026-03-05`, `2026/03/05`, with a time behind T. */
export function readIsoDate(c: WordCursor): DayRead | null {
  const year = c.digits(4, { shortest: 4 })
  const sign = c.token?.key ?? ''
  if (year === null || !c.sign('-/', { glued: true })) return null
  const month = c.digits(2, { glued: true })
  if (month === null || !c.sign(sign, { glued: true })) return null
  const day = c.digits(2, { glued: true })
  if (day === null) return null
  const found = dayOfParts(year, month, day)
  if (!isIsoTime(c)) return c.clean ? forward(found, c.moment) : null
  c.at += 1
  const minutes = readIsoTime(c)
  const offset = minutes === null ? null : c.attempt(() => readIsoOffset(c))
  if (minutes === null || found === null || !c.clean) return unreadIso(c)
  if (offset === null) return forward(found, c.moment, { minutes })
  const instant = found * 86_400_000 + (minutes - offset) * 60_000
  const here = civilOf(instant, c.moment.time_zone ?? 'UTC')
  return forward(here.day, c.moment, { minutes: here.minutes, instant })
}

/** Returns whether `T15:` follows; in `2026-03-20T15-notes.pdf` it is no time. */
function isIsoTime({ token, line, at }: WordCursor): boolean {
  const [digits, colon] = [line.tokens[at + 1], line.tokens[at + 2]]
  return token?.key === 't' && !token.gap && digits?.kind === 'number' && !digits.gap && colon?.key === ':'
}

/** Takes the rest of what looks like a date with its time, but is none, such as `2026-03-20T25:00`. */
function unreadIso(c: WordCursor): DayRead {
  while (!c.clean) c.at += 1
  return dayRead(null)
}

/** Reads the minutes ahead of UTC: `Z`, `+02:00`, `-0800`. */
function readIsoOffset(c: WordCursor): number | null {
  if (c.token?.key === 'z' && !c.token.gap) {
    c.at += 1
    return 0
  }
  const sign = c.token?.key === '-' ? -1 : 1
  if (!c.sign('+-', { glued: true })) return null
  const digits = c.token?.key ?? ''
  const number = c.digits(4, { glued: true, shortest: 2 })
  if (number === null || digits.length === 3) return null
  const hours = digits.length === 4 ? Math.floor(number / 100) : number
  const minutes = digits.length === 4 ? number % 100 : c.sign(':', { glued: true }) ? c.digits(2, { glued: true }) : 0
  return minutes === null || hours > 14 || minutes > 59 ? null : sign * (hours * 60 + minutes)
}

function readIsoTime(c: WordCursor): number | null {
  const hours = c.digits(2, { glued: true })
  if (hours === null || !c.sign(':', { glued: true })) return null
  const minutes = c.digits(2, { glued: true })
  if (c.sign(':', { glued: true }) && c.digits(2, { glued: true }) !== null && c.sign('.,', { glued: true }))
    c.digits(9, { glued: true })
  return minutes !== null && hours < 24 && minutes < 60 ? hours * 60 + minutes : null
}

/** Reads `5.5.`, `12.05.2026`: dots are day and month. */
export function readDottedDate(c: WordCursor): DayRead | null {
  const from = c.at
  const date = readDayAndMonth(c)
  if (!c.clean || isVersion(c.line, from)) return null
  // In English three short numbers are as often a version.
  const year = c.line.tokens[c.at - 1]?.key ?? ''
  const { dotOrdinals, articleDays } = c.lexicon
  return date && !dotOrdinals && !articleDays && c.at - from === 5 && year.length <= 2
    ? { ...date, place: 'preposition' }
    : date
}

/** Returns whether the number that begins with a token is that of a version: `version: 1.1.2030`. */
function isVersion(line: WordLine, at: number): boolean {
  return isBefore(line, at, ['version']) || (line.tokens[at - 1]?.key === ':' && isBefore(line, at - 1, ['version']))
}

/** Reads the same, also directly before a sign. */
export function readDayAndMonth(c: WordCursor): DayRead | null {
  const day = c.digits(2)
  if (day === null || !c.sign('.', { glued: true })) return null
  const month = c.digits(2, { glued: true })
  if (month === null || !c.sign('.', { glued: true })) return null
  const year = c.digits(4, { glued: true }) ?? c.attempt(() => readYear(c))
  return datedDay(c, day, month, year)
}

/** Reads `12/11` by the order of the context, `25/12/2026` if only one order can be meant, `3-4-2026`. `24/7` never is one. */
export function readSlashedDate(c: WordCursor): DayRead | null {
  const isNumbered = isVersion(c.line, c.at) || isBefore(c.line, c.at, ['week_number', 'quarter_number'])
  const first = c.digits(2)
  const sign = c.token?.key ?? ''
  if (first === null || isNumbered || !c.sign('/-', { glued: true })) return null
  const second = c.digits(2, { glued: true })
  if (second === null) return null
  const digits = c.attempt(() => (c.sign(sign, { glued: true }) ? (c.token?.key ?? null) : null))
  const year = digits === null ? null : c.digits(4, { glued: true, shortest: 2 })
  if (!c.clean || (sign === '-' && year === null) || (digits !== null && year === null)) return null
  if (digits?.length === 3 || (first === 24 && second === 7 && year === null)) return null
  const { today } = c.moment
  const dateOrder = c.moment.dateOrder ?? c.lexicon.dateOrder
  const full = fullYear(year)
  const read = (day: number, month: number) =>
    full === null ? nextMonthDay(today, month, day) : dayOfParts(full, month, day)
  const [dmy, mdy] = [read(first, second), read(second, first)]
  if (dmy === null && mdy === null) return null
  // Without a year `1/2` may be a half.
  const place = year === null && first <= 12 && second <= 12 && !c.moment.dateOrder ? 'end' : 'any'
  if (dateOrder) return forward(dateOrder === 'dmy' ? (dmy ?? mdy) : (mdy ?? dmy), c.moment, { place })
  const certain = dmy === null || mdy === null || dmy === mdy
  return certain ? forward(dmy ?? mdy, c.moment) : dayRead(null, { problem: 'ambiguous_date' })
}

/** Two digits from 70 on are of the last century. */
function fullYear(year: number | null): number | null {
  return year === null || year > 99 ? year : year + (year < 70 ? 2000 : 1900)
}

function datedDay(c: WordCursor, day: number, month: number, year: number | null): DayRead | null {
  if (month < 1 || month > 12 || day < 1 || day > 31) return null
  const full = fullYear(year)
  const found = full === null ? nextMonthDay(c.moment.today, month, day) : dayOfParts(full, month, day)
  return forward(found, c.moment)
}

/** Reads `5 may`, `the 5th of may 2027`, `may 5th`, and with a last day `5-7 may`, `may 5 - 7`, `from 5 to 9 may`. */
export function readMonthDate(c: WordCursor): DayRead | null {
  c.has('article')
  return c.longest([dayThenMonth, monthThenDay])
}

interface MonthDate {
  readonly first: number
  readonly last: number | null
  readonly month: number
  readonly year: number | null
}

function dayThenMonth(c: WordCursor): DayRead | null {
  const between = c.has('between')
  if (!between) c.has('from')
  c.has('article')
  const isWord = c.sees('ordinal')
  const first = readMonthDayNumber(c)
  if (first === null) return null
  const last = c.attempt(() => readLastNumber(c, between))
  // `14-mar-2027`, `14/mar/2027`
  if (!c.sign('-/', { glued: true })) c.has('of')
  // `den siebten achten`
  const month = c.number('month') ?? (isWord && c.lexicon.dotOrdinals ? c.attempt(() => readMonthOrdinal(c)) : null)
  if (month === null) return null
  const glued = c.attempt(() => (c.sign('-/', { glued: true }) ? c.digits(4, { glued: true, shortest: 4 }) : null))
  if (!c.clean) return null
  return monthDay(c, { first, last, month, year: glued ?? readYear(c) })
}

function readMonthOrdinal(c: WordCursor): number | null {
  const month = c.number('ordinal')
  return month !== null && month >= 1 && month <= 12 ? month : null
}

function monthThenDay(c: WordCursor): DayRead | null {
  const next = c.has('next')
  const month = c.number('month')
  // `next march 20` in March may be a year away.
  if (month === null || (next && month === partsOf(c.moment.today).month)) return null
  const comma = c.sign(',')
  if (c.token?.kind === 'sign') return null
  const article = c.has('article')
  const word = c.sees('ordinal')
  const first = (readDayNumber(c) ?? readDayWord(c))?.day ?? null
  const number = c.line.hit(c.at, 'number')
  const timed = c.sees('at') || (number !== null && c.line.hit(number.end, 'half') !== null)
  const counts = c.token?.kind === 'word' && !timed
  // `you may first call Ann`; in `in may, 5 people` the number is no day.
  if (first === null || (counts && ((word && !article) || comma))) return null
  const last = c.attempt(() => readLastNumber(c, false))
  if (!c.clean) return null
  return monthDay(c, { first, last, month, year: readYear(c) })
}

/** Reads `5th` or `first`. */
function readMonthDayNumber(c: WordCursor): number | null {
  const day = (readDayNumber(c) ?? c.attempt(() => readDayWord(c)))?.day ?? null
  // `cinco de mayo`, `cinq mai`; in English `five may` is no date.
  const number = day === null && c.lexicon.articleDays ? c.number('number') : null
  return number !== null && Number.isInteger(number) && number < 32 && (number > 1 || c.sees('of')) ? number : day
}

function readLastNumber(c: WordCursor, between: boolean): number | null {
  if (!(between ? c.has('and') : c.sign('-–') || c.has('to'))) return null
  c.has('article')
  const last = readDayNumber(c)?.day ?? null
  return last !== null && c.clean ? last : c.sees('month') || c.sees('of') ? last : null
}

function monthDay(c: WordCursor, { first, last, month, year }: MonthDate): DayRead {
  const read = (day: number, from: number) =>
    year === null ? nextMonthDay(from, month, day) : dayOfParts(year, month, day)
  const day = read(first, c.moment.today)
  if (last === null || day === null) return forward(day, c.moment, { open: year === null })
  const end = read(last, day)
  // `7-5 May` is not a range.
  return end === null || end <= day || end - day > 31 ? dayRead(null) : forward(day, c.moment, { last: end })
}

/** Reads a date after its weekday: `friday, 6 march`. If they disagree, the result has a problem. */
export function weekdayDate(c: WordCursor, weekday: number, read: (c: WordCursor) => DayRead | null): DayRead | null {
  return c.attempt(() => {
    c.sign(',')
    c.has('article')
    const date = read(c)
    if (!date || date.day === null || date.weekday !== null) return null
    return weekdayOf(date.day) === weekday ? date : dayRead(null)
  })
}

/** Days ahead in which a number behind a weekday is certainly its day of the month. */
const MAX_DAYS_AHEAD = 31

/** Reads `friday 13`, `vendredi 13`, `friday the 13th`: the next 13th that is a Friday. */
export function weekdayNumber(c: WordCursor, weekday: number): DayRead | null {
  return c.attempt(() => {
    c.sign(',')
    const article = c.has('article')
    const number = readDayNumber(c) ?? (article ? readDayWord(c) : null)
    const end = c.at
    // `Montag 18 bis 19 Uhr`
    const last = c.attempt(() => (c.sign('-–') || c.has('to') ? c.digits(2) : null))
    const isRange = number !== null && last !== null && last > number.day
    // `samedi 14 à 18h`, where the coming one is the 14th
    const isComing = c.lexicon.articleDays && number?.day === partsOf(nextWeekday(c.moment.today, weekday)).day
    if (isRange && !isComing && (c.sees('oclock') || c.sees('half') || c.token?.key === ':')) return null
    if (last !== null) c.at = end
    // `Freitag 17 Uhr`, `friday 5 pm`, `from friday 10 times`: no day.
    if (!number || !c.clean || c.sees('oclock') || c.sees('half') || c.sees('times') || c.sees('minutes_to'))
      return null
    // `friday 10 in the morning`
    if (!number.ordinal && c.attempt(() => (c.has('part_lead') && c.has('part') ? true : null))) return null
    const day = nextDayOfMonth(c.moment.today, number.day, weekday)
    // `friday 7` in March, when the next Friday the 7th is in August, is rather an hour.
    const isFar = day !== null && !number.ordinal && number.day <= 12 && day > c.moment.today + MAX_DAYS_AHEAD
    return dayRead(isFar ? null : day, { place: 'whole', open: true })
  })
}
