import { FIRST_DAY, LAST_DAY, partsOf } from '../day'
import { civilOf } from '../zone'
import { addAmount, addWorkdays, dayOfParts, nextWeekday, periodOf, weekdayOfNextWeek } from './calendar'
import {
  type Amount,
  isBefore,
  type Moment,
  minutesOfAmount,
  readAmount,
  readCount,
  readUnit,
  type WordCursor,
} from './cursor'
import {
  type DayRead,
  dayRead,
  forward,
  readDayNumber,
  readDottedDate,
  readIsoDate,
  readMonthDate,
  readSlashedDate,
  weekdayDate,
  weekdayNumber,
} from './dates'
import { edgeOf, type NamedPeriod, nextOf, readHoliday, readNamedPeriod, readNth, readNumberDay } from './periods'

/** Reads one day, without a preposition before it; null if there is none. */
export function readOneDay(c: WordCursor): DayRead | null {
  const early = c.has('first_thing')
  const found = c.longest([
    readIsoDate,
    readDottedDate,
    readSlashedDate,
    readMonthDate,
    readNamedDay,
    readWeekday,
    readRelative,
    readNextPeriod,
    readPeriodEdge,
    readNth,
    readNumberDay,
    readHoliday,
    readPartOfToday,
  ])
  if (!found) return null
  const part = found.minutes === null ? (c.attempt(() => readPart(c)) ?? (early ? MORNING : null)) : null
  if (part !== null) c.has('first_thing')
  if (found.day !== null && (found.day < FIRST_DAY || (found.last ?? found.day) > LAST_DAY)) return null
  const day =
    part === null ? found : { ...found, minutes: part === 'end' ? null : part, vague: true, place: anchor(found) }
  return c.clean ? day : null
}

/** Minutes after midnight. */
const MORNING = 540

/** With a part of the day after it, a word such as `sun` is certainly a day. */
function anchor({ place }: DayRead): DayRead['place'] {
  return place === 'anchored' ? 'any' : place
}

/** Reads `morning` or `in the morning` after a day; `eod` adds nothing. */
function readPart(c: WordCursor): number | 'end' | null {
  // `heute, morgen` are two days.
  if (c.sign(',') && c.sees('day')) return null
  if (!c.sees('part')) c.has('part_lead')
  // Noon is a time.
  const minutes = c.sees('clock') ? null : c.number('part')
  if (minutes !== null) return c.clean ? minutes : null
  return c.value('end_unit') === 'day' && c.clean ? 'end' : null
}

function readNamedDay(c: WordCursor): DayRead | null {
  const { today } = c.moment
  const raw = c.line.raw(c.at)
  // In `el mañana` it is no day.
  const isNoun = c.lexicon.articleDays && isBefore(c.line, c.at, ['article'])
  const named = isNoun ? null : c.number('day')
  if (named !== null) return c.attempt(() => weekdayLater(c, today + named)) ?? forward(today + named, c.moment)
  const shaky = raw === raw.toLowerCase() ? c.number('shaky_day') : null
  if (shaky !== null) return dayRead(today + shaky, { place: 'end' })
  const part = c.number('today_part')
  return part === null ? null : dayRead(today, { minutes: part, vague: true })
}

/** Reads `this evening`; `in the morning` at the end of a text. */
function readPartOfToday(c: WordCursor): DayRead | null {
  const { today, minutes } = c.moment
  if (c.has('this')) {
    const part = c.number('part')
    return part === null ? null : dayRead(today, { minutes: part, vague: true })
  }
  if (c.number('part_lead') !== 2) return null
  const part = c.number('part')
  return part === null
    ? null
    : dayRead(part > minutes ? today : today + 1, { minutes: part, vague: true, place: 'end' })
}

/** Reads `friday`, `next friday`, `friday next week`, `friday week`, `friday 13`, `friday, 6 march`, `Freitag in 2 Wochen`. */
function readWeekday(c: WordCursor): DayRead | null {
  const compound = c.number('weekday_part')
  if (compound !== null) return weekdayWithPart(c.moment, compound)
  const before = readWhich(c)
  const article = before === null && c.has('article')
  const sure = c.number('weekday')
  const weekday = sure ?? c.number('shaky')
  if (weekday === null) return null
  const day = nextWeekday(c.moment.today, weekday)
  const place = sure === null && before === null ? 'anchored' : 'any'
  if (before !== null) return dayRead(whichWeekday(c, before, weekday), { open: true })
  const plain = dayRead(day, { weekday, place, open: true })
  const tails = c.longest<DayRead>([
    (each) => weekdayDate(each, weekday, readAnyDate),
    (each) => weekdayNumber(each, weekday),
    (each) => weekdayOfPeriod(each, weekday),
    (each) => weekdayLater(each, day),
    (each) => afterWhich(each, weekday),
    (each) => (article ? weekdayBeside(each, weekday) : null),
  ])
  // An article belongs to a day only as in `the friday after next`.
  return tails ?? (article ? null : plain)
}

/** Reads `after christmas` in `the monday after christmas`. */
function weekdayBeside(c: WordCursor, weekday: number): DayRead | null {
  const before = c.has('before')
  if (!before && !c.has('after')) return null
  const base = readBase(c)
  return base === null ? null : forward(nextWeekday(before ? base - 7 : base + 1, weekday), c.moment)
}

function weekdayWithPart({ today, minutes }: Moment, compound: number): DayRead {
  const [weekday, part] = [Math.floor(compound / 1440), compound % 1440]
  const day = nextWeekday(today, weekday)
  return dayRead(day === today && part <= minutes ? day + 7 : day, { minutes: part, vague: true })
}

type Which = 'next' | 'after_next' | 'coming' | 'this'

function readWhich(c: WordCursor): Which | null {
  return c.attempt(() => {
    c.has('article')
    if (c.has('coming')) return 'coming'
    if (c.has('next')) return 'next'
    if (c.has('after_next')) return 'after_next'
    return c.has('this') ? 'this' : null
  })
}

/** Reads the word after a weekday in `vendredi prochain`, `viernes que viene`. */
function afterWhich(c: WordCursor, weekday: number): DayRead | null {
  const which = (['coming', 'after_next', 'next'] as const).find((kind) => c.has(kind)) ?? null
  return which === null || !c.clean ? null : dayRead(whichWeekday(c, which, weekday))
}

function whichWeekday(c: WordCursor, which: Which, weekday: number): number {
  const { today } = c.moment
  if (which === 'after_next') return weekdayOfNextWeek(today, weekday) + 7
  if (which === 'next' && c.lexicon.nextIsNextWeek) return weekdayOfNextWeek(today, weekday)
  return which === 'this' ? nextWeekday(today, weekday) : nextWeekday(today + 1, weekday)
}

function readAnyDate(c: WordCursor): DayRead | null {
  return c.longest([readIsoDate, readDottedDate, readSlashedDate, readMonthDate])
}

/** Reads `friday next week`, `friday of next week`; `friday week` is a week after the coming one. */
function weekdayOfPeriod(c: WordCursor, weekday: number): DayRead | null {
  const bare = c.attempt(() => (c.value('unit') === 'week' && c.clean ? true : null))
  if (bare) return dayRead(nextWeekday(c.moment.today, weekday) + 7, { place: 'whole' })
  const later = c.number('days_later')
  if (later !== null) return dayRead(nextWeekday(c.moment.today, weekday) + later)
  c.has('of')
  const period = readNamedPeriod(c)
  if (period?.unit !== 'week' || !c.clean) return null
  return forward(period.first + weekday, c.moment)
}

/** Reads `Freitag in einer Woche`, `friday in 2 weeks`. */
function weekdayLater(c: WordCursor, day: number): DayRead | null {
  if (!c.has('in')) return null
  const amount = readAmount(c)
  if (!amount) return null
  // `Freitag in 14 Tagen`; `in acht Tagen` is a week to some, and other days are no Friday.
  const days = amount.unit === 'week' ? amount.count * 7 : amount.unit === 'day' ? amount.count : 0.5
  return dayRead(days % 7 === 0 && days <= 7000 ? day + days : null)
}

/** Reads `in 3 days`, `+3 days`, `3 days from now`, `a week from friday`, `the day before christmas`, `3 days ago`. */
function readRelative(c: WordCursor): DayRead | null {
  return c.longest([readInAmount, readPlusAmount, readAmountFrom, readUnitBeside, readDayBeside, readAgo])
}

/** Reads `the day after christmas`; `the week before` it is no single day, but is no longer due before it either. */
function readUnitBeside(c: WordCursor): DayRead | null {
  const bare = !c.has('article') && !isBefore(c.line, c.at, ['by', 'article'])
  const counted = c.line.tokens[c.at - 1]?.kind === 'number' || isBefore(c.line, c.at, ['number', 'every', 'other'])
  if (bare && (counted || c.line.hit(c.at, 'unit')?.value !== 'day')) return null
  // In `el día después de Navidad` the unit is already taken with its article.
  const taken = c.line.hit(c.at - 1, 'unit')
  const unit = c.value('unit') ?? (c.has('part') ? 'part' : taken?.end === c.at ? taken.value : null)
  const sign = c.has('after') ? 1 : c.has('before') ? -1 : 0
  if (unit === null || sign === 0) return null
  const base = readBase(c)
  if (base === null) return null
  // `sports day before friday` and `buy gifts day before christmas` mean different days.
  return unit === 'day' && !bare ? forward(base + sign, c.moment) : dayRead(null)
}

/** Reads `la veille de Noël`. */
function readDayBeside(c: WordCursor): DayRead | null {
  const days = c.number('day_beside')
  const base = days === null ? null : readBase(c)
  return days === null || base === null ? null : forward(base + days, c.moment)
}

/** Reads the day from which another is counted. */
function readBase(c: WordCursor): number | null {
  c.has('by')
  const base = readOneDay(c)
  return !base || base.last !== null || base.minutes !== null ? null : base.day
}

function readInAmount(c: WordCursor): DayRead | null {
  if (!c.has('in')) return null
  c.has('around')
  const day = c.attempt(() => readAmountLater(c)) ?? c.attempt(() => readNextAmount(c))
  if (day) c.has('from_now')
  return day
}

/** Reads `3 days` as the time from now on. */
export function readAmountLater(c: WordCursor): DayRead | null {
  const amount = readAmount(c)
  return amount && later(c.moment, amount)
}

/** Reads `the next 3 days`, `les 3 prochains jours`: what is to be done in them is due at their end. */
function readNextAmount(c: WordCursor): DayRead | null {
  c.has('article')
  const before = c.has('next') || c.has('coming')
  const count = readCount(c)
  const next = before || c.has('next') || c.has('coming')
  const unit = next && count !== null ? readUnit(c) : null
  return unit === null || count === null || count < 2 ? null : later(c.moment, { count, unit })
}

function readPlusAmount(c: WordCursor): DayRead | null {
  if (!c.sign('+') || c.token?.gap) return null
  const amount = readAmount(c)
  return amount && later(c.moment, amount)
}

function readAmountFrom(c: WordCursor): DayRead | null {
  const isLength = isBefore(c.line, c.at, ['for'])
  const amount = readAmount(c)
  if (!amount) return null
  if (c.has('from_now')) return later(c.moment, amount)
  if (c.has('ago')) return earlier(c.moment, amount)
  const from = c.at
  // `a week on tuesday`, `a fortnight today`
  const isOn = amount.unit === 'week' || amount.unit === 'fortnight'
  const sign = c.has('from') || c.has('after') || (isOn && c.has('on')) ? 1 : c.has('before') ? -1 : 0
  if (sign === 0 && !(isOn && c.sees('day'))) return null
  const base = readBase(c)
  if (base === null) return null
  // Said on a Monday, `a week on monday` is in one week or in two.
  if (isOn && base === c.moment.today && c.line.hit(from, 'on')) return dayRead(null)
  // `for 2 weeks from 5 may` begins then; `for 2 weeks from today` may be in two weeks.
  if (isLength) return c.line.hit(from, 'from') ? dayRead(null) : null
  const day = addAmount(base, amount, sign === -1 ? -1 : 1)
  return day === null ? null : forward(day, c.moment)
}

function readAgo(c: WordCursor): DayRead | null {
  if (!c.has('ago_lead')) return null
  const amount = readAmount(c)
  return amount && earlier(c.moment, amount)
}

function earlier(moment: Moment, amount: Amount): DayRead | null {
  return forward(addAmount(moment.today, amount, -1), moment)
}

/** Adds an amount to the current time. Hours and minutes are added to the instant, since the clocks may change. */
function later(moment: Moment, amount: Amount): DayRead | null {
  const { now, today, time_zone } = moment
  if (amount.unit === 'hour' || amount.unit === 'minute') {
    const minutes = minutesOfAmount(amount) ?? 0
    if (!Number.isInteger(minutes)) return null
    const instant = now + minutes * 60_000
    const civil = civilOf(instant, time_zone ?? 'UTC')
    return dayRead(civil.day, { minutes: civil.minutes, instant: instant - (instant % 60_000) })
  }
  const day = addAmount(today, amount, 1)
  return day === null ? null : dayRead(day)
}

/** Reads `next week` is in seven days; `next month`, `next quarter` and `next year` are their first day; weekends their Saturday. */
function readNextPeriod(c: WordCursor): DayRead | null {
  const other = c.attempt(() => readWeekend(c)) ?? c.attempt(() => readNextWorkday(c))
  if (other) return other
  const period = readNamedPeriod(c)
  if (!period?.next) return null
  const inside = c.attempt(() => insidePeriod(c, period))
  if (inside) return inside
  return dayRead(period.unit === 'week' ? c.moment.today + 7 * period.next : period.first, { place: 'anchored' })
}

function readNextWorkday(c: WordCursor): DayRead | null {
  c.has('article')
  const next = c.has('next')
  if (c.value('unit') !== 'workday' || !(next || c.has('next'))) return null
  return dayRead(addWorkdays(c.moment.today, 1), { place: 'anchored' })
}

function readWeekend(c: WordCursor): DayRead | null {
  const { today } = c.moment
  const at = c.has('at')
  const which = readWhich(c)
  if (which === null) c.has('article')
  if (c.value('unit') !== 'weekend') return null
  const behind = which === null && c.has('next')
  const saturday = which === 'next' || behind ? weekdayOfNextWeek(today, 5) : nextWeekday(today, 5)
  // `the weekend` is a day only after a preposition.
  if (which === null && !behind) return dayRead(saturday, { place: at ? 'anchored' : 'preposition' })
  return dayRead(saturday, { place: 'anchored' })
}

/** Reads `next month on the 5th`, `next week friday`. */
function insidePeriod(c: WordCursor, period: NamedPeriod): DayRead | null {
  c.has('by')
  c.has('article')
  if (period.unit === 'week') {
    const weekday = c.number('weekday') ?? c.number('shaky')
    return weekday === null || !c.clean ? null : dayRead(period.first + weekday)
  }
  if (period.unit === 'year') {
    const date = readMonthDate(c)
    if (!date || date.day === null || date.last !== null) return null
    const { month, day } = partsOf(date.day)
    return dayRead(dayOfParts(partsOf(period.first).year, month, day))
  }
  const number = period.unit === 'month' ? readDayNumber(c) : null
  if (!number || !c.clean) return null
  const day = period.first + number.day - 1
  return day > period.last ? dayRead(null) : dayRead(day, { open: true })
}

/** Reads `end of month`, `eom`, `mid january`, `beginning of next week`. */
function readPeriodEdge(c: WordCursor): DayRead | null {
  const { today } = c.moment
  const whole = c.value('end_unit')
  if (whole === 'day') return c.attempt(() => readEndedDay(c)) ?? dayRead(today, { place: 'end' })
  if (whole !== null) return dayRead(periodOf(whole as NamedPeriod['unit'], today).last, { place: 'anchored' })
  const late = c.has('late')
  const edge = late || c.has('end') ? 'end' : c.has('middle') ? 'middle' : c.has('begin') ? 'begin' : null
  if (edge === null) return null
  c.sign('-', { glued: true })
  c.has('of')
  const period = readNamedPeriod(c)
  // `late next week` is neither its end nor its middle.
  if (late) return period && dayRead(null)
  if (!period || (edge === 'middle' && period.unit === 'quarter')) return null
  const day = nextOf(period, today, (each) => edgeOf(each, edge))
  return day === null ? null : dayRead(day, { place: 'anchored' })
}

/** Reads the day in `end of day friday`. */
function readEndedDay(c: WordCursor): DayRead | null {
  const day = readOneDay(c)
  return day?.minutes === null ? day : null
}
