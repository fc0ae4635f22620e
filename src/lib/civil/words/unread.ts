import { partsOf } from '../day'
import { isBefore, type Moment, readCount, WordCursor, type WordLine } from './cursor'
import { readSuffix, readYear } from './dates'
import type { WordKind } from './lexicon'

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
