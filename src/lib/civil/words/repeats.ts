import { type Freq, WEEKDAY_CODES } from '../../recurrence/rule'
import { isBefore, readAmount, readCount, readUnit, type Unit, type WordCursor, type WordLine } from './cursor'
import { atEnd, readNthNumber } from './periods'
import {
  readDayList,
  readDaysOfMonth,
  readMonthDay,
  readMonthDays,
  readNthOfMonth,
  readOfMonth,
  readWeekdayList,
  readYearDay,
  unique,
  WORKDAYS,
} from './repeat-days'

/** A recurrence that was read, without its first day. */
export interface RepeatRead {
  readonly freq: Freq
  /** 1..1,000 */
  readonly interval: number
  /** The BY parts, e.g. `BYDAY=MO`; empty if the first day says it all. */
  readonly by: string
  /** `every!`: counted from the day of completion. */
  readonly completion: boolean
  /** Minutes after midnight of `every morning`; else null. */
  readonly minutes: number | null
  /** Where it counts: `daily` and `after 3 days` only at the `end` or before a time, `mensuel` only `beside` one. */
  readonly place: 'any' | 'end' | 'beside'
  /** Whether no recurrence of a task can express it. */
  readonly unsupported: boolean
}

type Rule = Pick<RepeatRead, 'freq'> & Partial<RepeatRead>

const MAX_INTERVAL = 1000
const WEEKEND = 'BYDAY=SA,SU'
const UNSUPPORTED: Rule = { freq: 'DAILY', unsupported: true }

const FREQ_OF: Readonly<Partial<Record<Unit, readonly [Freq, number]>>> = {
  hour: ['HOURLY', 1],
  day: ['DAILY', 1],
  week: ['WEEKLY', 1],
  fortnight: ['WEEKLY', 2],
  month: ['MONTHLY', 1],
  quarter: ['MONTHLY', 3],
  year: ['YEARLY', 1],
}

/** Reads `every 2 weeks on friday`, `daily`, `mondays`, `on the 1st of every month`; null if there is none. */
export function readRepeatWords(c: WordCursor): RepeatRead | null {
  const rule = c.longest([readEvery, readOneOutOf, readDayOfEvery, readAdverb, readPlurals, readWorkWeek, readAfter])
  return rule && { interval: 1, by: '', completion: false, minutes: null, place: 'any', unsupported: false, ...rule }
}

function readEvery(c: WordCursor): Rule | null {
  if (!c.has('every')) return null
  const completion = c.sign('!', { glued: true })
  const body = c.longest([everyUnit, everyDays, everyNth, everyDates, everyMonthDates, everyPart, everyHoliday])
  if (!body) return null
  const rule = c.attempt(() => readExcept(c, body)) ?? body
  const part = rule.minutes === undefined && /^[DW]/.test(rule.freq) ? c.attempt(() => readPartBehind(c)) : null
  return part === null ? { ...rule, completion } : { ...rule, completion, minutes: part }
}

const ALL_DAYS = [0, 1, 2, 3, 4, 5, 6]

/** Reads `except sundays`, `except on weekends` behind `every day`, `every weekday` or `daily`: the days that are left. */
function readExcept(c: WordCursor, { freq, interval = 1, by = '' }: Rule): Rule | null {
  const from = by === WORKDAYS ? ALL_DAYS.slice(0, 5) : freq === 'DAILY' && by === '' ? ALL_DAYS : []
  c.sign(',')
  if (interval !== 1 || !c.has('except')) return null
  c.has('on') || c.has('by') || c.has('at')
  c.has('article')
  const unit = c.attempt(() => (readUnit(c) ?? '').startsWith('weekend') || c.value('adverb') === 'WEEKENDS 1' || null)
  const out = unit ? WEEKEND : `BYDAY=${readWeekdayList(c)?.slice(6) ?? ''}`
  const left = from.map((day) => WEEKDAY_CODES[day] ?? '').filter((code) => !out.includes(code))
  const some = out !== 'BYDAY=' && left.length > 0 && left.length < from.length
  return some && c.clean ? { freq: 'WEEKLY', by: `BYDAY=${left.join()}`, place: 'any' } : null
}

/** Reads `every sunday night` */
function readPartBehind(c: WordCursor): number | null {
  c.sign(',')
  c.has('part_lead')
  const part = c.number('part')
  return part !== null && c.clean ? part : null
}

/** Reads `2 weeks`, `other month`, `3rd day`, and what it says about its days: `2 weeks on mon, thu`. */
function everyUnit(c: WordCursor): Rule | null {
  const other = c.attempt(() => c.number('other'))
  const nth = other === null ? c.attempt(() => everyOrdinal(c)) : null
  // `tous les quinze jours` are two weeks.
  const count = other ?? nth ?? (c.sees('unit') ? null : c.attempt(() => readCount(c)))
  const unit = readUnit(c)
  const interval = count ?? 1
  // `every half hour`
  if (unit === 'minute' || (unit === 'hour' && interval < 1)) return UNSUPPORTED
  if (unit === 'year' && interval === 0.5) return { freq: 'MONTHLY', interval: 6 }
  if (unit === null) return count === null ? daysOfUnit(c) : null
  if (!Number.isInteger(interval) || interval < 1) return null
  if (unit === 'weekend' && count === null) return { freq: 'WEEKLY', by: 'BYDAY=SA' }
  if (unit === 'weekends' && count === null) return { freq: 'WEEKLY', by: WEEKEND }
  // `every 3rd workday` is the third of each month: see everyNth.
  if (unit === 'workday' && nth === null) return count === null ? { freq: 'WEEKLY', by: WORKDAYS } : UNSUPPORTED
  const [freq, times] = FREQ_OF[unit] ?? []
  if (!freq || !times || interval * times > MAX_INTERVAL) return null
  if (c.has('unit_end')) return unit === 'month' ? { freq, interval, by: 'BYMONTHDAY=-1' } : UNSUPPORTED
  const by = c.attempt(() => readDaysOfUnit(c, freq)) ?? ''
  return { freq, interval: interval * times, by }
}

/** Reads `month's first monday`. */
function daysOfUnit(c: WordCursor): Rule | null {
  const [freq] = FREQ_OF[c.value('unit_of') as Unit] ?? []
  const by = freq ? onDays(c, freq, true) : null
  return freq && by ? { freq, by } : null
}

function everyOrdinal(c: WordCursor): number | null {
  const nth = readNthNumber(c)
  return nth !== null && nth > 0 ? nth : null
}

/** Reads the days after `every week`, `every month` and `every year`. */
function readDaysOfUnit(c: WordCursor, freq: Freq): string | null {
  const on = c.has('on')
  const article = c.has('article')
  // `every month 3rd floor`
  if (freq === 'MONTHLY' && !on && !article) return null
  const by = onDays(c, freq, on)
  return by !== null && c.clean ? by : null
}

function onDays(c: WordCursor, freq: Freq, on: boolean): string | null {
  if (freq === 'WEEKLY') return readWeekdayList(c)
  if (freq === 'MONTHLY') return readDaysOfMonth(c, on)
  return freq === 'YEARLY' ? c.longest([readNthOfMonth, readYearDay]) : null
}

/** Reads `mon, thu`, `monday to thursday`, `other friday`. */
function everyDays(c: WordCursor): Rule | null {
  const other = c.number('other') ?? (c.has('alternate') ? 2 : null)
  // `cada dos sábados`
  const interval = other ?? (c.lexicon.articleDays ? c.attempt(() => readCount(c)) : null) ?? 1
  if (!Number.isInteger(interval) || interval < 1 || interval > MAX_INTERVAL) return null
  const by = readWeekdayList(c)
  return by === null ? null : { freq: 'WEEKLY', interval, by }
}

/** Reads `1st and 15th`, `last day`, `2nd tuesday`, `last friday of the month`, `fourth thursday in november`. */
function everyNth(c: WordCursor): Rule | null {
  c.has('article')
  return c.longest<Rule>([
    (each) => {
      const by = readDaysOfMonth(each, false)
      if (by === null) return null
      each.attempt(() => readOfMonth(each))
      return { freq: 'MONTHLY', by }
    },
    (each) => {
      const by = readNthOfMonth(each)
      return by === null ? null : { freq: 'YEARLY', by }
    },
  ])
}

/** Reads `2, 15, 27`, `15 of the month`, and at the end of a text `27`. */
function everyDates(c: WordCursor): Rule | null {
  const from = c.at
  const by = readMonthDays(c, true)
  const ofMonth = by !== null && c.attempt(() => readOfMonth(c)) !== null
  // No interval alone is longer than 12.
  const isDay = Number(c.line.tokens[from]?.key) > 12 && (atEnd(c) || c.sees('at'))
  if (by === null || !(ofMonth || isDay || by.includes(','))) return null
  // `every 1, 2 or 3` means something else.
  return c.sees('or') || c.at === from ? null : { freq: 'MONTHLY', by }
}

/** Reads `14 jan, 14 apr`; unsupported if no single rule has these dates. */
function everyMonthDates(c: WordCursor): Rule | null {
  const dates = readDayList(c, (each) => readMonthDay(each) ?? readNthOf(each))
  const [first] = dates ?? []
  if (!dates || !first) return null
  const known = dates.flatMap((date) => (date === 'nth' ? [] : [date]))
  if (known.length < dates.length) return dates.length > 1 ? UNSUPPORTED : null
  const months = unique(known.map(({ month }) => month))
  const days = unique(known.map(({ day }) => day))
  if (months.includes(',') && days.includes(',')) return UNSUPPORTED
  return { freq: 'YEARLY', by: `BYMONTH=${months};BYMONTHDAY=${days}` }
}

/** Reads `1st wed jan`: in a list, no single rule has such dates. */
function readNthOf(c: WordCursor): 'nth' | null {
  return c.attempt(() => (readNthOfMonth(c) === null ? null : 'nth'))
}

function everyPart(c: WordCursor): Rule | null {
  const minutes = c.number('part')
  return minutes === null ? null : { freq: 'DAILY', minutes }
}

function everyHoliday(c: WordCursor): Rule | null {
  const date = c.number('holiday')
  return date === null ? null : { freq: 'YEARLY', by: `BYMONTH=${Math.floor(date / 100)};BYMONTHDAY=${date % 100}` }
}

/** Reads `on the 1st of every month`, `the last friday of each month`, `am 1. jeden Monats`. */
function readDayOfEvery(c: WordCursor): Rule | null {
  c.has('on') || c.has('at')
  const article = c.has('article') || c.lexicon.articleDays
  const by = readDaysOfMonth(c, article && c.lexicon.articleDays)
  if (by === null) return null
  c.has('of')
  if (!c.has('every')) return null
  const count = c.number('other') ?? c.attempt(() => readCount(c)) ?? 1
  if (c.value('unit') !== 'month' || !Number.isInteger(count) || count < 1 || count > MAX_INTERVAL) return null
  return { freq: 'MONTHLY', interval: count, by }
}

/** Reads `un lundi sur deux`, `une semaine sur trois`, `un lunes sí y otro no`. */
function readOneOutOf(c: WordCursor): Rule | null {
  c.has('article')
  const one = c.number('number')
  const weekday = c.number('weekday')
  const unit = weekday === null ? readUnit(c) : 'week'
  const count = c.has('out_of') && one === 1 ? readCount(c) : c.number('yes_no')
  if (unit === 'weekend' && count === 2) return { freq: 'WEEKLY', interval: 2, by: WEEKEND }
  const [freq, times] = (unit && FREQ_OF[unit]) ?? []
  if (!freq || !times || count === null || !Number.isInteger(count) || count < 2) return null
  if (count * times > MAX_INTERVAL || freq === 'HOURLY') return null
  return { freq, interval: count * times, by: weekday === null ? '' : `BYDAY=${WEEKDAY_CODES[weekday]}` }
}

/** Reads `daily`, `weekly on friday`. */
function readAdverb(c: WordCursor): Rule | null {
  const adjective = c.value('frequency')
  const value = adjective ?? c.value('adverb')
  if (value === null) return null
  const [name = '', count] = String(value).split(' ')
  if (name === 'WEEKDAYS') return { freq: 'WEEKLY', by: WORKDAYS, place: 'end' }
  // `biweekly` means twice a week or every two weeks.
  if (name === 'SEVERAL') return { ...UNSUPPORTED, place: adjective ? 'beside' : 'end' }
  if (name === 'WEEKENDS') return { freq: 'WEEKLY', by: WEEKEND, place: 'end' }
  const freq = name as Freq
  if (adjective) return { freq, interval: Number(count), place: 'beside' }
  const by = c.attempt(() => (c.sees('on') ? readDaysOfUnit(c, freq) : null))
  const left = c.attempt(() => readExcept(c, { freq, interval: Number(count) }))
  if (left) return left
  return {
    freq,
    interval: Number(count),
    by: by ?? '',
    place: by === null && c.lexicon.dateOrder === null ? 'end' : 'any',
  }
}

/** Reads `mondays`, `on tuesdays and thursdays`, `friday nights`. */
function readPlurals(c: WordCursor): Rule | null {
  const on = c.attempt(() => (c.has('on') && (c.sees('weekdays') || c.sees('alternate')) ? true : null)) !== null
  const before = c.has('alternate')
  const from = c.at
  if (!c.sees('weekdays')) c.has('article')
  if (!c.sees('weekdays') && !c.sees('weekday')) return null
  const named = c.sees('weekday')
  const by = readWeekdayList(c)
  const interval = before || c.has('alternate') ? 2 : 1
  const minutes = by === null ? null : (c.number('parts') ?? (named ? null : c.attempt(() => readPartBehind(c))))
  // `friday` alone is a day, `friday nights` are a rule.
  if (by === null || (named && minutes === null && interval === 1)) return null
  return {
    freq: 'WEEKLY',
    interval,
    by,
    place: on || interval > 1 || isClearPlural(c.line, from, c.at) ? 'any' : 'end',
    ...(minutes !== null && { minutes }),
  }
}

/** `montags`, `les lundis` and `los lunes` are said of nothing else; `Mondays` and `die Montags Demo` may be a title. */
function isClearPlural(line: WordLine, start: number, end: number): boolean {
  const { capitals, articleDays } = line.lexicon
  if (capitals) return !isBefore(line, start, ['article'])
  const raw = line.raw(start)
  return articleDays && end - start > 1 && (start === 0 || raw === raw.toLowerCase())
}

/** Reads `de lunes a viernes`, `du lundi au vendredi` before a time: every week, where `mon-fri at 9am` may be one. */
function readWorkWeek(c: WordCursor): Rule | null {
  const by = c.number('from') === 2 ? readWeekdayList(c) : null
  return by?.includes(',') && c.sees('at') ? { freq: 'WEEKLY', by } : null
}

/** Reads `after 3 days`, counted from completion. */
function readAfter(c: WordCursor): Rule | null {
  if (!c.has('after')) return null
  const amount = readAmount(c)
  const [freq, times] = (amount && FREQ_OF[amount.unit]) ?? []
  // `après 10h` is a time of day.
  if (freq === 'HOURLY') return null
  if (!amount || !freq || !times || !c.clean || amount.count < 1) return null
  const interval = amount.count * times
  if (!Number.isInteger(interval) || interval > MAX_INTERVAL) return null
  return { freq, interval, completion: true, place: 'end' }
}
