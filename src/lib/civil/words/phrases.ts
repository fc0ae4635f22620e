import { modulo, partsOf, weekdayOf } from '../day'
import { addMonths, nextWeekday } from './calendar'
import { type Amount, isBefore, type Moment, readAmount, readUnit, WordCursor, type WordLine } from './cursor'
import { type DayRead, dayRead, readDayAndMonth } from './dates'
import { readAmountLater, readOneDay } from './days'
import type { WordKind } from './lexicon'
import { readNamedPeriod } from './periods'
import { type RepeatRead, readRepeatWords } from './repeats'
import { readTimeList, readTimeOfDay, type TimeRead } from './times'

/** The role of a day by the preposition before it; `until`, `starting` and `from` limit a recurrence. */
type DayLead = 'due' | 'until' | 'starting' | 'from'

export type PhraseRead =
  | { readonly kind: 'day'; readonly lead: DayLead; readonly led: boolean; readonly day: DayRead }
  | { readonly kind: 'time'; readonly time: TimeRead }
  | { readonly kind: 'repeat'; readonly repeat: RepeatRead }
  | { readonly kind: 'length'; readonly amount: Amount; readonly bare: boolean }
  | { readonly kind: 'count'; readonly count: number; readonly clear: boolean }
  | { readonly kind: 'completion' }
  | { readonly kind: 'reminder'; readonly amount: Amount; readonly before: boolean }
  /** A reminder at the due time, or at a time of the day that is due; `link` is the second part of its words. */
  | { readonly kind: 'ring'; readonly time: TimeRead | null; readonly link?: true }

/** A phrase in a line; `start` and `end` are token numbers, end exclusive. */
export interface FoundPhrase {
  readonly start: number
  readonly end: number
  readonly read: PhraseRead
}

/** What follows a phrase: the end of the text, an accepted phrase, a stop or a word. */
export type Behind = 'end' | 'phrase' | 'stop' | 'word'

type Reader = (c: WordCursor) => PhraseRead | null

function timeOf(read: (c: WordCursor) => TimeRead | null): Reader {
  return (c) => {
    const time = read(c)
    return time && { kind: 'time', time }
  }
}

function dueOf(read: (c: WordCursor) => DayRead | null, led: boolean): Reader {
  return (c) => {
    const day = read(c)
    return day && { kind: 'day', lead: 'due', led, day }
  }
}

const READERS: readonly Reader[] = [
  readReminder,
  readRing,
  readShortReminder,
  (c) => (c.behindTime || c.sees('for') ? readLength(c) : null),
  (c) => {
    const repeat = readRepeatWords(c)
    return repeat && { kind: 'repeat', repeat }
  },
  timeOf(readTimeOfDay),
  (c) => readLedDay(c, 'starting'),
  (c) => readLedDay(c, 'until'),
  // `el fin de semana` is a preposition and a day, not an article.
  (c) => {
    const due = readDueDay(c)
    return due?.kind === 'day' && due.day.place === 'preposition' ? due : null
  },
  dueOf(readDayOrRange, false),
  readDueDay,
  // `a las 18:15 del viernes`
  dueOf((c) => (c.behindTime && c.has('of') ? readDayOrRange(c) : null), true),
  dueOf(readFromRange, true),
  (c) => readLedDay(c, 'from'),
  readTimes,
  (c) => (c.has('after_completion') ? { kind: 'completion' } : null),
  readLength,
]

const LIST_READERS: readonly Reader[] = [...READERS, timeOf(readTimeList)]

/** Reads `for 30 min`, `10 Tage lang`, and beside a time `90m`. */
function readLength(c: WordCursor): PhraseRead | null {
  const led = c.has('for')
  const amount = readAmount(c) ?? (led ? null : c.attempt(() => readOneUnit(c)))
  const long = c.has('long') || led
  const isShort = amount?.unit === 'minute' || amount?.unit === 'hour'
  return amount && (long || isShort) ? { kind: 'length', amount, bare: !long } : null
}

/**
 * Finds all phrases of a line from left to right; the longest where several begin at the same word.
 * @param lists whether several times such as `9am and 9pm` are one phrase
 */
export function findPhrases(line: WordLine, moment: Moment, lists: boolean): FoundPhrase[] {
  const readers = lists ? LIST_READERS : READERS
  const found: FoundPhrase[] = []
  const count = line.tokens.length
  for (let start = 0; start < count; ) {
    const name = line.hit(start, 'proper')
    if (name) {
      start = name.end
      continue
    }
    const read = line.startsClean(start) ? readPhrase(line, moment, start, readers, found.at(-1)) : null
    // Of `war heute Morgen` nothing is read, not `Morgen` either.
    const isPast = read !== null && passedOver(line, read.read, start)
    if (read && !isPast) found.push(read)
    start = read && !(isPast && !isBefore(line, start, ['not_due'])) ? read.end : start + 1
  }
  return found
}

function readPhrase(
  line: WordLine,
  moment: Moment,
  start: number,
  readers: readonly Reader[],
  last: FoundPhrase | undefined,
): FoundPhrase | null {
  const c = new WordCursor(line, moment, start)
  c.behindTime = last?.end === start && last.read.kind === 'time'
  const read = c.longest<PhraseRead>(
    readers.map((reader) => (each: WordCursor) => {
      const phrase = reader(each)
      if (phrase?.kind === 'day' || phrase?.kind === 'time') each.has('tail')
      if (phrase?.kind === 'time') each.has('time_tail')
      return phrase && each.clean && each.at > start && !hasName(line, start, each.at) ? phrase : null
    }),
  )
  return read && { start, end: c.at, read }
}

/** Returns whether the name of a day, such as `mardi gras`, begins among these tokens. */
function hasName(line: WordLine, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (line.hit(at, 'proper')) return true
  return false
}

/** Words before a day that mean that it is not the due date: `last friday`, `since friday`, `report of friday`. */
const NOT_DUE: readonly WordKind[] = ['not_due', 'after', 'of', 'except', 'past', 'every', 'from']

function passedOver(line: WordLine, phrase: PhraseRead, start: number): boolean {
  if (phrase.kind !== 'day' || phrase.led) return false
  const article = isBefore(line, start, ['article']) ? 1 : 0
  // `look at sun`
  if (phrase.day.place === 'anchored' && phrase.day.weekday !== null && isBefore(line, start, ['at'])) return true
  // `la mañana` is the morning.
  if (article > 0 && line.hit(start, 'day')) return true
  // `log in tomorrow`
  if (line.hit(start - 1, 'of')?.value === 2 && !line.hit(start, 'article')) return false
  return isBefore(line, start, NOT_DUE) || (article > 0 && isBefore(line, start - article, NOT_DUE))
}

function readLedDay(c: WordCursor, lead: 'starting' | 'until' | 'from'): PhraseRead | null {
  if (!c.has(lead)) return null
  c.has('by')
  // `tous les vendredis de mars` are not those from March on.
  const isOf = lead === 'from' && c.lexicon.articleDays
  const day = readDayOrRange(c) ?? (lead === 'until' || isOf ? null : readMonthStart(c))
  return day && { kind: 'day', lead, led: true, day }
}

/** Reads `starting april` */
function readMonthStart(c: WordCursor): DayRead | null {
  const period = readNamedPeriod(c)
  return period?.unit === 'month' && period.next === 0 ? dayRead(Math.max(period.first, c.moment.today)) : null
}

function readDueDay(c: WordCursor): PhraseRead | null {
  const due = c.has('due')
  if (due) c.sign(':')
  const by = c.has('by')
  // `le jeu` may mean the game or Thursday.
  const sure = due || (by && !isBefore(c.line, c.at, ['no_day']))
  const at = !due && !by && c.has('at')
  // `due 3wks`
  const day = due || by || at ? (readDayOrRange(c) ?? (due ? readAmountLater(c) : null)) : null
  // `at 5th` may be a street.
  if (at && day?.place === 'end') return null
  if (!day || (day.place === 'anchored' && day.weekday !== null && !sure)) return null
  return { kind: 'day', lead: 'due', led: true, day }
}

/** Reads `10 times`, and unclear `10x`, `x 10`, `twice`; not `3 times a week`. */
function readTimes(c: WordCursor): PhraseRead | null {
  c.has('for')
  const unclear = c.has('often') || c.attempt(() => (c.has('times') ? c.digits(5) : null)) !== null
  const count = unclear ? 1 : (c.digits(5) ?? c.number('number'))
  const x = c.token?.key === 'x'
  if (count === null || !Number.isInteger(count) || !(unclear || c.has('times'))) return null
  return isPerUnit(c) ? null : { kind: 'count', count, clear: !unclear && !x }
}

function isPerUnit({ line, moment, at }: WordCursor): boolean {
  const c = new WordCursor(line, moment, at)
  c.has('number') || c.has('article') || c.has('every') || c.has('of') || c.has('per')
  return c.at < line.tokens.length && c.value('unit') !== null
}

/** Reads `remind me 1 h before`, `remind me the day before`, `1 Stunde vorher erinnern`. */
function readReminder(c: WordCursor): PhraseRead | null {
  const first = c.has('remind')
  const found = readAmountBefore(c, first)
  if (!found || !(first || (found.before && c.has('remind')))) return null
  return { kind: 'reminder', ...found }
}

/** Reads `remind me to` at the beginning, and `remind me at 8am`. */
function readRing(c: WordCursor): PhraseRead | null {
  const isFirst = c.at === 0
  if (isFirst && c.has('remind_to') && c.token !== undefined) return { kind: 'ring', time: null }
  if (!c.has('remind')) return null
  const time = readTimeOfDay(c)
  // The time of `remind me at 5pm to call Ann` is that of the task.
  return time && !(isFirst && c.sees('remind_what')) ? { kind: 'ring', time } : null
}

/** Reads `!30min`. */
function readShortReminder(c: WordCursor): PhraseRead | null {
  if (!c.sign('!') || c.token?.gap) return null
  const amount = readAmount(c)
  return amount && { kind: 'reminder', amount, before: true }
}

/**
 * Reads `1 h before`, `the day before`, or an amount alone.
 * @param led whether words before it say that it is an amount of time before
 */
export function readAmountBefore(c: WordCursor, led: boolean): { amount: Amount; before: boolean } | null {
  const counted = readAmount(c)
  const amount = counted ?? (led ? c.attempt(() => readOneUnit(c)) : null)
  if (!amount) return null
  const before = c.has('before')
  return counted || before ? { amount, before } : null
}

function readOneUnit(c: WordCursor): Amount | null {
  const unit = c.has('article') ? readUnit(c) : null
  return unit && { count: 1, unit }
}

/** Reads a day or a range of days, without a preposition before it; null if there is none. */
export function readDayOrRange(c: WordCursor): DayRead | null {
  const first = c.attempt(() => readOneDay(c))
  if (!first) return c.attempt(() => readGluedRange(c))
  return c.attempt(() => readLastDay(c, first, false)) ?? first
}

/** Reads `mon-fri`, `5.5.-7.5.`; the weekdays at the end, since `Monday-Friday schedule` is no date. */
function readGluedRange(c: WordCursor): DayRead | null {
  const weekday = c.number('weekday') ?? c.number('shaky')
  const first = weekday === null ? readDayAndMonth(c) : dayRead(nextWeekday(c.moment.today, weekday), { weekday })
  if (first === null || c.token?.gap !== false) return null
  const range = readLastDay(c, first, false)
  return range && (weekday === null ? range : { ...range, place: 'end' })
}

/** Reads a range of days after `from` or `between`. */
export function readFromRange(c: WordCursor): DayRead | null {
  const between = c.has('between')
  if (!between && !c.has('from')) return null
  const first = readOneDay(c)
  return first && c.attempt(() => readLastDay(c, first, between))
}

/** Reads the last day of a range; `and` joins one only after `between`. */
function readLastDay(c: WordCursor, first: DayRead, between: boolean): DayRead | null {
  if (first.day === null || first.last !== null) return null
  const clock = c.sees('at')
  if (!(between ? c.has('and') : c.sign('-–') || c.has('to'))) return null
  c.has('by')
  const second = readOneDay(c)
  // `el sábado a las 10` is a day and a time.
  if (clock && second?.place === 'end') return null
  if (!second || second.day === null || second.last !== null || !c.clean) return null
  // Of `from today morning to tomorrow` one part of the day would be dropped.
  if (first.minutes !== null || second.minutes !== null) return dayRead(null)
  const last = second.weekday === null ? second.day : nextWeekday(first.day + 1, second.weekday)
  // In `monday to wednesday next week` both days are next week.
  const shared = first.weekday !== null && c.line.hit(c.at - 1, 'unit')?.end === c.at
  // In `monday 13 to friday 17 july` the month is that of both.
  if (first.place === 'whole' || first.place === 'end') return sameMonth(first.day, last)
  const day = shared ? last - modulo(weekdayOf(last) - (first.weekday ?? 0), 7) : first.day
  const weekday = second.weekday === null ? null : first.weekday
  // The year of `14.10. - 15.10.2027` is that of both.
  const years = Math.floor(Math.max(0, last - day) / 366)
  return last > day ? { ...first, day: addMonths(day, 12 * years), last, weekday, place: 'any' } : null
}

/** Returns the range from the last day of this number before another day; without a day if its weekday differs. */
function sameMonth(first: number, last: number): DayRead {
  for (let day = last - 1; day >= last - 31; day--)
    if (partsOf(day).day === partsOf(first).day)
      return weekdayOf(day) === weekdayOf(first) ? dayRead(day, { last }) : dayRead(null)
  return dayRead(null)
}
