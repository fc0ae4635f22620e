import { partsOf } from '../day'
import { isBefore, type Moment, readAmount, readCount, WordCursor, type WordLine } from './cursor'
import { readSuffix, readYear } from './dates'
import type { WordKind } from './lexicon'
import type { FoundPhrase } from './phrases'

/** Finds words of time that no phrase was read from, and that are hardly anything else: so that a warning names them. */

/** The tokens that were not understood, end exclusive. */
interface Unread {
  readonly code: 'not_understood' | 'unsupported_recurrence' | 'past_date'
  readonly start: number
  readonly end: number
  /** Whether no date may be set beside it. */
  readonly breaks: boolean
}

export function unreadAt(line: WordLine, moment: Moment, at: number): Unread | null {
  if (!(line.knows(at) || line.tokens[at]?.kind === 'number') || !line.startsClean(at)) return null
  for (const { read, code = 'not_understood', breaks = false } of UNREAD) {
    const c = new WordCursor(line, moment, at)
    if (read(c) && c.clean && c.at > at) return { code, start: at, end: c.at, breaks }
  }
  return null
}

interface UnreadKind {
  /** Consumes the words; where it returns false it may have consumed some. */
  read(c: WordCursor): boolean
  readonly code?: Unread['code']
  readonly breaks?: boolean
}

const UNREAD: readonly UnreadKind[] = [
  { read: readEvery, breaks: true },
  { read: readOften, code: 'unsupported_recurrence', breaks: true },
  { read: readSomeUnits },
  { read: readAfterDay },
  { read: readMonth },
  { read: readWeekOf },
  { read: readPeriodNumber },
  { read: readThisPeriod },
  { read: readVague },
  { read: readBareOrdinal },
  { read: readHour },
  { read: readNextUnits },
  { read: readYearOnly },
  { read: readWeekdays },
  { read: readNumbers },
  { read: readPastDay, code: 'past_date' },
]

/** Whether a text ends at the cursor, or goes on behind a stop or a part that was read. */
function atEnd({ token }: WordCursor): boolean {
  return !token || token.kind === 'covered' || (token.kind === 'sign' && ',.;:!?)'.includes(token.key))
}

const REPEATED: readonly WordKind[] = [
  ...(['unit', 'weekday', 'weekdays', 'month', 'adverb', 'day', 'clock', 'half', 'holiday'] as const),
  ...(['vague', 'occasion'] as const),
]

/** Reads `every 0 days`, `every few weeks`, `every 2-3 days`, `every full moon`. */
function readEvery(c: WordCursor): boolean {
  if (!c.has('every')) return false
  const from = c.at
  c.sign('!', { glued: true })
  c.sign('-')
  c.has('other') || c.has('some')
  const counted = readCount(c) !== null
  readSuffix(c)
  if (counted && (c.sign('-–') || c.has('to') || c.has('or'))) readCount(c)
  if (REPEATED.some((kind) => c.token?.key.length !== 1 && c.has(kind)) && c.clean) return true
  if (!counted) return false
  return c.sees('of') || (c.token?.kind !== 'word' && c.at > from)
}

/** Reads `twice a week`, `3 times per day`: no rule expresses it. */
function readOften(c: WordCursor): boolean {
  if (!c.has('often') && !(readCount(c) !== null && c.has('times'))) return false
  c.has('per')
  const unit = c.value('unit') ?? c.value('adverb')
  return unit !== null
}

/** Reads `in a few days`, `within several weeks`, `in 15` at the end. */
function readSomeUnits(c: WordCursor): boolean {
  if (!c.has('in')) return false
  c.has('around') || c.has('article')
  c.has('next')
  if (c.has('some')) return c.value('unit') !== null
  return c.digits(2) !== null && c.token === undefined
}

const DAYS: readonly WordKind[] = ['weekday', 'day', 'holiday']

/** Reads `after friday` at the end: some day, but which? */
function readAfterDay(c: WordCursor): boolean {
  if (!c.has('after')) return false
  c.has('article')
  return DAYS.some((kind) => c.has(kind)) && atEnd(c)
}

const MONTH_LEADS: readonly WordKind[] = [
  'in',
  'of',
  'by',
  'until',
  'starting',
  'before',
  'after',
  'next',
  'this',
  'late',
]

/** Reads `by may`, `in early june`, `may 2027`, `march 14/15`. */
function readMonth(c: WordCursor): boolean {
  const lead = !isBefore(c.line, c.at, ['ordinal', 'unit']) && MONTH_LEADS.some((kind) => c.has(kind))
  c.has('begin') || c.has('late') || c.has('next') || c.has('this')
  const numbered = c.digits(2) !== null && c.token?.gap === true
  if (c.value('month') === null) return false
  // `june-july`
  if (c.attempt(() => ((c.sign('-–') || c.has('to')) && c.has('month') ? true : null))) return atEnd(c)
  c.sign('-/', { glued: true })
  if (c.token?.kind === 'number' && c.digits(2) !== null) {
    if (c.sign('-/', { glued: true })) c.digits(2)
    return true
  }
  return readYear(c) !== null ? atEnd(c) : (lead || numbered) && atEnd(c)
}

/** Reads `week of april 5`, `first week of may`. */
function readWeekOf(c: WordCursor): boolean {
  c.has('ordinal')
  const unit = c.value('unit')
  if ((unit !== 'week' && unit !== 'weekend') || !c.has('of')) return false
  c.has('article')
  return c.has('month') || c.has('holiday') || c.value('unit') === 'month' || (c.digits(2) !== null && readSuffix(c))
}

/** Reads `week 20`, `KW 20`, `by q3`, `Q3 2026` at the end. */
function readPeriodNumber(c: WordCursor): boolean {
  const lead = MONTH_LEADS.some((kind) => c.has(kind)) || c.has('end') || c.has('begin')
  c.has('of')
  const quarter = c.has('quarter_number')
  if (!quarter && c.value('unit') !== 'week' && !c.has('week_number')) return false
  if (c.digits(2, { glued: quarter }) === null) return false
  const year = readYear(c)
  return (!quarter || lead || year !== null) && atEnd(c)
}

/** Reads `this week`, `over the month`, `el fin de semana` at the end. */
function readThisPeriod(c: WordCursor): boolean {
  const led = c.has('by') || c.has('in')
  c.attempt(() => (led && c.has('article') ? true : null))
  if (led && c.sees('unit')) return String(c.value('unit')).startsWith('weekend') && atEnd(c)
  return c.has('this') && ['week', 'month', 'quarter', 'year'].includes(String(c.value('unit'))) && atEnd(c)
}

const VAGUE_LEADS: readonly WordKind[] = ['due', 'after', 'before', 'next', 'this', 'at', 'by', 'in', 'of', 'until']

/** Reads `after lunch`, `next summer`, `end of spring` at the end. */
function readVague(c: WordCursor): boolean {
  const edge = c.has('end') || c.has('begin') || c.has('middle') || c.has('late')
  if (edge) c.has('of')
  const lead = VAGUE_LEADS.some((kind) => c.has(kind))
  c.has('article') || c.has('this')
  return (lead || edge) && (c.has('vague') || c.has('holiday')) && atEnd(c)
}

/** Reads `on the first`, `on the 32nd`, `los días 1 y 15` at the end. */
function readBareOrdinal(c: WordCursor): boolean {
  if (!c.has('on')) return false
  const article = c.has('article')
  if (c.has('ordinal')) return article && atEnd(c)
  if (c.lexicon.articleDays && c.has('number')) return atEnd(c)
  const day = c.digits(2) !== null
  if (day && c.has('and')) c.digits(2)
  return day && (readSuffix(c) || c.lexicon.articleDays) && atEnd(c)
}

/** Reads `5ish`, `in two fridays from now`, `3 days after completion`, `0815` behind `at`. */
function readHour(c: WordCursor): boolean {
  const at = c.has('at')
  if (!at) c.has('around') || c.has('by')
  if (c.attempt(() => (c.digits(2) !== null && c.sign(':', { glued: true }) ? true : null))) {
    return c.digits(2) !== null && c.sign(':', { glued: true }) && c.digits(2) !== null
  }
  // `at 9.15`
  const dotted =
    at &&
    c.attempt(() =>
      c.digits(2) !== null && c.sign('.', { glued: true }) ? c.digits(2, { glued: true, shortest: 2 }) : null,
    )
  if (typeof dotted === 'number') return c.token === undefined
  if (readCount(c) === null) return false
  if (c.token?.gap === false && c.has('ish')) return true
  if (c.attempt(() => (c.has('weekdays') ? true : null))) return c.has('from_now')
  return c.value('unit') !== null && c.has('after_completion')
}

/** Reads `next 3 days`, `next few weeks`: a time, or its end? */
function readNextUnits(c: WordCursor): boolean {
  return c.has('next') && (c.has('some') || readCount(c) !== null) && c.value('unit') !== null && atEnd(c)
}

/** Reads `in 2027`, `by 2030` at the end. */
function readYearOnly(c: WordCursor): boolean {
  const lead = c.has('in') || c.has('of') || c.has('by') || c.has('until')
  const year = lead && c.token?.kind === 'number' ? readYear(c) : null
  return year !== null && year >= partsOf(c.moment.today).year && atEnd(c)
}

/** Reads `tue/thu`. */
function readWeekdays(c: WordCursor): boolean {
  const weekday = () => c.has('weekday') || c.has('shaky')
  return weekday() && c.sign('/&', { glued: true }) && weekday() && atEnd(c)
}

/** Reads `del 28 al 3` at the end: days of which month? */
function readNumbers(c: WordCursor): boolean {
  if (!c.lexicon.articleDays || !c.has('from') || c.digits(2) === null || !c.has('to')) return false
  return c.digits(2) !== null && atEnd(c)
}

/** Reads `last friday` at the end; in `photos of last friday` it is part of the title. */
function readPastDay(c: WordCursor): boolean {
  if (isBefore(c.line, c.at, ['of', 'from', 'not_due'])) return false
  if (!c.lexicon.articleDays && isBefore(c.line, c.at, ['article', 'no_day'])) return false
  return c.has('past') && c.has('weekday') && atEnd(c)
}

/** Tells from the words around a phrase that it is not, or not all of, when a task is due. */

/** Returns whether a range tells from when to when something is moved: `move the call from monday to friday`. */
export function isMove(line: WordLine, { start, end, read }: FoundPhrase): boolean {
  const range = read.kind === 'day' ? read.day.last : read.kind === 'time' ? read.time.duration : null
  if (range === null) return false
  for (let at = Math.max(0, start - MAX_CONDITION_TOKENS); at < end + MAX_CONDITION_TOKENS; at++)
    if (line.hit(at, 'moving')) return true
  return false
}

/** Returns the start of the condition that a day or a time belongs to, as in `if it rains tomorrow`, or null. */
export function conditionBefore(line: WordLine, { start, read }: FoundPhrase): number | null {
  if (read.kind !== 'day' && read.kind !== 'time') return null
  for (let at = start - 1; at >= 0 && at >= start - MAX_CONDITION_TOKENS; at--) {
    const token = line.tokens[at]
    if (token?.kind === 'covered' || (token?.kind === 'sign' && ',;.:!?)'.includes(token.key))) return null
    // `sí` is no condition in Spanish.
    if (line.hit(at, 'if')?.value === 1 && line.raw(at).toLowerCase() !== 'sí') return at
  }
  return null
}

/** A condition or a verb is looked for in so many tokens. */
const MAX_CONDITION_TOKENS = 12

/** Returns whether a weekday belongs to what follows it: `the friday report`, `our monday meeting`. */
export function isOfNoun(line: WordLine, { start, end, read }: FoundPhrase, taken: (at: number) => boolean): boolean {
  const next = line.tokens[end]
  if (read.kind !== 'day' || read.day.weekday === null || read.led || line.lexicon.articleDays) return false
  return next?.kind === 'word' && next.gap && !taken(end) && isBefore(line, start, ['article', 'no_day'])
}

/** Returns whether an hour is before a day: `8 tonight`, `0815 tomorrow`, `9-5 friday`, `5p tomorrow`. */
export function isHourBefore(line: WordLine, { start, read }: FoundPhrase): boolean {
  const [before, sign] = [line.tokens[start - 1], line.tokens[start - 2]]
  if (read.kind !== 'day' || line.tokens[start]?.gap !== true) return false
  // `at 25:00 tomorrow`
  if (sign?.key === ':' && before?.kind === 'number') return line.tokens[start - 3]?.kind === 'number'
  if (read.led) return isJoinedHour(line, start)
  if (before?.kind === 'word') return /^[ap]$/.test(before.key) && sign?.kind === 'number' && !before.gap
  if (before?.kind !== 'number') return false
  if (isJoinedHour(line, start)) return true
  if (!line.startsClean(start - 1)) return false
  return read.day.vague ? Number(before.key) <= 12 : /^(?:[01]\d|2[0-3])[0-5]\d$/.test(before.key)
}

/** Returns whether the end of a range of hours is before a day: `from 2 till 4 on friday`, `9-5 friday`. */
function isJoinedHour(line: WordLine, start: number): boolean {
  const [before, sign] = [line.tokens[start - 1], line.tokens[start - 2]]
  const joined = isBefore(line, start - 1, ['to']) || (start > 3 && line.hit(start - 4, 'between') !== null)
  if (!joined && !'-–'.includes(sign?.key ?? ' ')) return false
  return before?.kind === 'number' && line.tokens[start - 3]?.kind === 'number' && Number(before.key) <= 24
}

/** Returns whether a weekday follows a month or a year, as in `every month on friday`: which one is not said. */
export function isOddWeekday(line: WordLine, { start, read }: FoundPhrase): boolean {
  if (read.kind !== 'day' || read.day.weekday === null || line.hit(start, 'on') === null) return false
  return ['month', 'quarter', 'year'].includes(String(line.hit(start - 1, 'unit')?.value))
}

/** Returns whether a number after a phrase belongs to it: after weekdays, months and units. */
export function isPart(line: WordLine, { end, read }: FoundPhrase): boolean {
  const next = line.tokens[end + 1]
  const counts = next?.kind === 'word' && next.gap
  if (read.kind === 'repeat') return true
  if (read.kind !== 'day') return false
  // In `5 May 20 people` the number counts people.
  const weekday = isBefore(line, end, ['weekday', 'shaky'])
  const unit = isBefore(line, end, ['unit'])
  return weekday || unit || (read.day.open && !counts)
}

/** Returns whether a number may be a time: `15h`; `3` or `1500` at the end of a text. */
export function isClock(line: WordLine, at: number): boolean {
  const [digits, next] = [line.tokens[at]?.key ?? '', line.tokens[at + 1]]
  // `tomorrow 9-11`
  const last = line.tokens[at + 2]
  // `morgen 9 bis 17`
  if (line.hit(at + 1, 'to')) return last?.kind === 'number' && at + 3 === line.tokens.length
  if (next && !next.gap && '-–'.includes(next.key)) return last?.kind === 'number' && at + 3 === line.tokens.length
  if (next && !next.gap) return next.key === 'h'
  return !next && (digits.length <= 2 || /^(?:[01]\d|2[0-3])[0-5]\d$/.test(digits))
}

/** Returns whether a number may be a day of the month behind it, as in `15 next month`. */
export function isDayOfMonth(line: WordLine, at: number): boolean {
  const token = line.tokens[at]
  const unit = line.hit(at + 2, 'unit')?.value
  return token?.kind === 'number' && line.startsClean(at) && Number(token.key) <= 31 && unit === 'month'
}

const PERIODS: readonly unknown[] = ['week', 'fortnight', 'month', 'quarter', 'year', 'weekend', 'workday']

/** Returns the start of `week` in `week friday`, or null; `the weekend friday` and `moving day friday` are titles. */
export function periodBefore(line: WordLine, start: number): number | null {
  const unit = line.hit(start - 1, 'unit')
  if (unit?.end !== start || !PERIODS.includes(unit.value)) return null
  return isBefore(line, start - 1, ['article', 'no_day']) || line.tokens[start - 2]?.kind === 'number'
    ? null
    : start - 1
}

/** Returns the start of `2 weeks` in `2 weeks friday`, or null; `for 3 days` and `1 hour` belong to the title. */
export function amountBefore(line: WordLine, moment: Moment, start: number): number | null {
  for (let from = start - 2; from >= Math.max(0, start - 4); from--) {
    if (isBefore(line, from, ['for'])) continue
    const c = new WordCursor(line, moment, from)
    const amount = readAmount(c)
    const short = amount?.unit === 'hour' || amount?.unit === 'minute'
    if (amount && c.at === start) return short && !c.sees('before') && !c.sees('after') ? null : from
    for (const kind of ['next', 'coming', 'this', 'past', 'ordinal', 'every', 'other'] as const) {
      const hit = line.hit(from, kind)
      if (hit && line.hit(hit.end, 'unit')?.end === start) return from
    }
  }
  return null
}

const OWNERS: readonly WordKind[] = ['unit', 'month', 'weekday', 'day']

/** Returns whether a word of time owns what follows it: `next week's friday`. */
export function isPossessive(line: WordLine, at: number): boolean {
  const [, owner] = /^(.+)['’]s$/.exec(line.tokens[at]?.key ?? '') ?? []
  return OWNERS.some((kind) => line.lexicon.phrases.get(owner ?? '')?.some(({ kinds }) => kinds.has(kind)))
}

/** Returns the start of the number that is joined to the one at `start`, as in `5 and 7 may`, or null. */
export function numberJoined(line: WordLine, start: number): number | null {
  const sign = ',&/'.includes(line.tokens[start - 1]?.key ?? ' ')
  if (!sign && !isBefore(line, start, ['and', 'or'])) return null
  for (const at of [start - 2, start - 3]) if (line.tokens[at]?.kind === 'number') return at
  return null
}

/** Returns the start of the weekday that is joined to the one at `start`, as in `mon, wed and fri`, or null. */
export function weekdayJoined(line: WordLine, start: number): number | null {
  const sign = ',&/'.includes(line.tokens[start - 1]?.key ?? ' ')
  if (!sign && !isBefore(line, start, ['and', 'or'])) return null
  return isBefore(line, start - 1, ['weekday', 'shaky']) ? start - 2 : null
}
