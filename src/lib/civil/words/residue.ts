import { type Amount, isBefore, type Moment, readAmount, WordCursor, type WordLine } from './cursor'
import { readSuffix } from './dates'
import type { WordKind } from './lexicon'
import { type FoundPhrase, readDayOrRange } from './phrases'
import {
  amountBefore,
  conditionBefore,
  isClock,
  isDayOfMonth,
  isHourBefore,
  isMove,
  isOddWeekday,
  isOfNoun,
  isPart,
  isPossessive,
  numberJoined,
  periodBefore,
  weekdayJoined,
} from './unread'
import { readZoneWords } from './zones'

/** Finds words of time that touch a phrase without being part of it: then the phrase was not fully understood. */

/** The tokens that were not understood, end exclusive. */
interface Residue {
  /**
   * `unsupported_recurrence` for an exception such as `except sunday`; `unclear_time` for `8 tonight`, where 8 may be a
   * time or part of the title, so that the date is set anyway.
   */
  readonly code: 'not_understood' | 'unsupported_recurrence' | 'unclear_time'
  readonly start: number
  readonly end: number
}

/** Words of time only if a number or another word of time follows. */
const LINKS: readonly WordKind[] = [
  'at',
  'of',
  'until',
  'starting',
  'from',
  'every',
  'after',
  'before',
  'next',
  'coming',
  'past',
  'this',
  'after_next',
  'between',
]
const AND: readonly WordKind[] = ['and', 'or', 'to']
/** Words before a day that leave open which one is meant: `sometime next week`, `about friday`. */
const LOOSE: readonly WordKind[] = ['sometime', 'around']
const TIMELY: readonly WordKind[] = [
  ...(['weekday', 'weekdays', 'month', 'unit', 'day', 'today_part', 'clock', 'adverb', 'holiday', 'vague'] as const),
  ...(['next', 'coming', 'end_unit', 'weekday_part', 'to_hour'] as const),
]
/** Words that always belong to the time that they touch. */
const LOUD: readonly WordKind[] = ['same_time', 'weekdays', 'unit', 'adverb', 'clock', 'ago', 'from_now']

/** Finds words of time directly after or before a phrase; `taken` tells which tokens belong to other phrases. */
export function residueOf(
  line: WordLine,
  moment: Moment,
  phrase: FoundPhrase,
  taken: (at: number) => boolean,
): Residue | null {
  const { start, end } = phrase
  const exception = phrase.read.kind === 'repeat' ? endOfException(line, moment, end) : null
  if (exception !== null) return { code: 'unsupported_recurrence', start, end: exception }
  if (isOddWeekday(line, phrase) || isMove(line, phrase)) return { code: 'not_understood', start, end }
  const condition = conditionBefore(line, phrase)
  if (condition !== null) return { code: 'not_understood', start: condition, end }
  const after = behind(line, moment, phrase, taken)
  if (after !== null) return { code: 'not_understood', start, end: after }
  if (isHourBefore(line, phrase) && !taken(start - 1)) return { code: 'unclear_time', start: start - 1, end: start }
  const before = ahead(line, moment, phrase, taken)
  return before === null ? null : { code: 'not_understood', start: before, end }
}

/** Returns the end of `except sunday`, or null. */
function endOfException(line: WordLine, moment: Moment, from: number): number | null {
  const c = new WordCursor(line, moment, from)
  c.sign(',')
  if (!c.has('except')) return null
  c.has('by')
  c.has('article')
  return Math.min(c.at + 1, line.tokens.length)
}

/** Returns the end of the words of time directly after a phrase, or null. */
function behind(line: WordLine, moment: Moment, phrase: FoundPhrase, taken: (at: number) => boolean): number | null {
  const at = phrase.end
  const token = line.tokens[at]
  // `every day before friday`
  if (phrase.read.kind === 'repeat' && taken(at)) {
    const c = new WordCursor(line, moment, at)
    return c.has('before') && readDayOrRange(c) !== null ? c.at : null
  }
  // `in 2 weeks from friday`
  const from = phrase.read.kind === 'day' ? line.hit(at, 'from') : null
  if (from && (line.hit(from.end, 'weekday') || line.hit(from.end, 'day'))) return from.end + 1
  if (!token || taken(at) || token.kind === 'covered' || token.kind === 'sealed') return null
  const c = new WordCursor(line, moment, at)
  if (token.kind === 'sign') return behindSign(c, phrase, taken)
  if (c.attempt(() => readOrdinal(c)) !== null) return c.at
  if (c.attempt(() => readLongAmount(c)) !== null) return c.at
  // `demain 9 heures` may be a time or a length.
  if (line.hit(at + 1, 'oclock') && token.kind === 'number' && phrase.read.kind === 'day') return at + 2
  if (token.kind === 'number') return isPart(line, phrase) || isClock(line, at) ? at + 1 : null
  if (zoneBehind(c, phrase)) return c.at
  for (const kind of LOUD) {
    const hit = isLetter(line, at) ? null : line.hit(at, kind)
    if (hit && !taken(hit.end - 1)) return hit.end
  }
  if (isPastBehind(line, phrase)) return at + 1
  // `friday ten thirty`
  const spoken = phrase.read.kind === 'day' ? line.hit(at, 'number') : null
  if (spoken && (spoken.end === line.tokens.length || endOfNumber(line, spoken.end))) return line.tokens.length
  if (phrase.read.kind === 'time') {
    const hit = line.hit(at, 'past_hour') ?? endOfNumber(line, at)
    if (hit) return hit.end
  }
  const half = phrase.read.kind === 'day' ? line.hit(at, 'half') : null
  if (half && (half.value === 12 || half.end === line.tokens.length)) return half.end
  const month = line.hit(at, 'month')
  if (month && (line.tokens[month.end]?.kind === 'number' || month.end === line.tokens.length)) return month.end
  const relative = endOfRelative(c, phrase, taken)
  if (relative !== null) return relative
  for (const kind of LINKS) {
    const hit = line.hit(at, kind)
    const end = hit && !isLetter(line, at) ? timely(line, moment, hit.end, taken) : null
    if (end !== null) return end
  }
  for (const kind of AND) {
    const hit = line.hit(at, kind)
    const joined = hit && new WordCursor(line, moment, hit.end)
    if (joined) joined.has('article')
    if (joined && goesOn(joined, phrase, taken)) return joined.at
  }
  return phrase.read.kind === 'repeat' ? endOfTail(c, taken) : null
}

/** Reads what tells which of several days is meant: `tuesday before last`, `wednesday of the following week`. */
function endOfRelative(c: WordCursor, { read }: FoundPhrase, taken: (at: number) => boolean): number | null {
  const { line, at } = c
  // `tuesday before last`
  const beside = line.hit(at, 'before') ?? line.hit(at, 'after')
  const which = beside && (line.hit(beside.end, 'past') ?? line.hit(beside.end, 'this'))
  if (which?.end === line.tokens.length) return which.end
  // `the weekend after`
  if (beside?.end === line.tokens.length && read.kind === 'day') return beside.end
  // `next tuesday but one`
  const except = read.kind === 'day' ? line.hit(at, 'except') : null
  const one = except && endOfNumber(line, except.end)
  if (one) return one.end
  // `wednesday of the following week`
  if (c.attempt(() => (c.has('of') && c.has('article') ? true : null)))
    for (const unit of [c.at, c.at + 1]) {
      const hit = line.hit(unit, 'unit')
      if (hit && !taken(unit)) return hit.end
    }
  return null
}

/** Reads what limits a rule: `until it is done`, `eine Woche lang`, `x5`. */
function endOfTail(c: WordCursor, taken: (at: number) => boolean): number | null {
  const { line, at } = c
  const until = line.hit(at, 'until') ?? line.hit(at, 'starting')
  if (until && until.end < line.tokens.length && !taken(until.end)) return until.end
  if (c.attempt(() => readWholeDays(c)) !== null) return c.at
  return line.hit(at, 'times') && line.tokens[at + 1]?.kind === 'number' ? at + 2 : null
}

/** Returns whether `last friday` is said as `vendredi dernier`, or at the end of a text as `friday last`. */
function isPastBehind(line: WordLine, { read, end }: FoundPhrase): boolean {
  if (read.kind !== 'day' || read.day.weekday === null) return false
  const past = line.hit(end, 'past')
  return past !== null && (line.lexicon.articleDays || past.end === line.tokens.length)
}

/** Returns a number in words at the end of a text, as in `à 8 heures dix`. */
function endOfNumber(line: WordLine, at: number): { readonly end: number } | null {
  const hit = line.hit(at, 'number')
  return hit?.end === line.tokens.length ? hit : null
}

/** Returns the end of the list that a time begins, as in `at 10, 12 and 17`, or null; in `at 9am, 3 eggs` 3 is no time. */
export function endOfTimes(line: WordLine, moment: Moment, { read, end }: FoundPhrase): number | null {
  if (read.kind !== 'time') return null
  const c = new WordCursor(line, moment, end)
  let more = 0
  while (c.attempt(() => readListedTime(c)) !== null) more += 1
  return more > 1 || (more === 1 && c.token?.kind !== 'word') ? c.at : null
}

/** Reads `, 12`, `and 5pm`, `/ 17:30`. */
function readListedTime(c: WordCursor): true | null {
  if (!(c.sign(',/&') || c.has('and') || c.has('or')) || c.digits(2) === null) return null
  if (c.sign(':', { glued: true })) c.digits(2, { glued: true })
  c.has('half') || c.has('oclock')
  return c.clean ? true : null
}

/** Returns whether `and` joins something to the phrase: `and the 15th`, `and 3 hours`; to a rule, any other day. */
function goesOn(c: WordCursor, { read, end }: FoundPhrase, taken: (at: number) => boolean): boolean {
  const amount = c.attempt(() => readAmount(c))
  if (amount && isBefore(c.line, end, ['unit'])) return true
  if (taken(c.at)) {
    if (read.kind !== 'repeat') return false
    c.at += 1
    return true
  }
  if (read.kind === 'time' && c.has('clock')) return true
  // `mañana o pasado`, `this sunday or next`
  if (read.kind === 'day' && (c.has('past') || c.has('next'))) return c.token?.kind !== 'word'
  const listed =
    (read.kind === 'day' && read.day.open) || (read.kind === 'repeat' && read.repeat.by.includes('MONTHDAY'))
  if (listed && c.attempt(() => readListedDay(c)) !== null) return true
  // `from april to june`
  if (read.kind !== 'time' && c.attempt(() => (c.has('month') && c.token?.kind !== 'word' ? true : null))) return true
  if ((read.kind === 'repeat' || (read.kind === 'day' && read.day.vague)) && c.has('part')) return c.clean
  return c.attempt(() => readOrdinal(c)) !== null || c.has('weekdays') || amount !== null
}

/** `2pm Eastern`, without `time`. */
const COASTS = /^(?:Eastern|Central|Mountain|Pacific)$/

/** Returns whether a zone follows; two letters such as `PT` are one only after a time. */
function zoneBehind(c: WordCursor, { read }: FoundPhrase): boolean {
  if (read.kind === 'time' && COASTS.test(c.line.raw(c.at))) {
    c.at += 1
    return true
  }
  const letters = c.line.raw(c.at).length
  return (read.kind === 'time' || letters > 2) && c.attempt(() => readZoneWords(c)) !== null
}

/** Returns the end of a list such as `the 1st, 2nd`, or of an offset such as `9am +0200`, or null. */
function behindSign(c: WordCursor, { read }: FoundPhrase, taken: (at: number) => boolean): number | null {
  // `8:10 - 12.32`
  if (read.kind === 'time' && c.attempt(() => (c.sign('-–') ? c.digits(2) : null)) !== null) return c.at
  if (
    read.kind === 'time' &&
    c.attempt(() => (c.sign('+-') ? c.digits(4, { shortest: 2, glued: true }) : null)) !== null
  )
    return c.at
  // `today + 3 days`
  if (read.kind === 'day' && c.attempt(() => (c.sign('+') ? readAmount(c) : null)) !== null) return c.at
  // `tomorrow, or the day after`
  const or = read.kind === 'day' && c.attempt(() => (c.sign(',') && c.has('or') ? c.at : null))
  if (or) return timely(c.line, c.moment, or, taken)
  if (read.kind !== 'day' || !read.day.open || !c.sign(',&/') || taken(c.at)) return null
  return (c.attempt(() => readOrdinal(c)) ?? c.attempt(() => readListedDay(c))) === null ? null : c.at
}

/** Reads the 15 in `march 14 and 15`; in `5 may, 3 people` it is another number. */
function readListedDay(c: WordCursor): true | null {
  const day = c.digits(2)
  if (day === null || day < 1 || day > 31 || !c.clean) return null
  return c.token?.kind !== 'word' || c.sees('and') || c.sees('or') ? true : null
}

/** Returns whether a token is a single letter, which is not a unit here. */
function isLetter(line: WordLine, at: number): boolean {
  return line.tokens[at]?.key.length === 1
}

/** Reads `two days`; `a day` and `30 min` may belong to the title. */
function readLongAmount(c: WordCursor): Amount | null {
  const amount = readAmount(c)
  return amount && amount.count > 1 && amount.unit !== 'hour' && amount.unit !== 'minute' ? amount : null
}

/** Reads `a week`. */
function readWholeDays(c: WordCursor): Amount | null {
  const amount = readAmount(c)
  return amount && amount.unit !== 'hour' && amount.unit !== 'minute' && amount.unit !== 'second' ? amount : null
}

/** Reads `3rd`. */
function readOrdinal(c: WordCursor): true | null {
  return c.digits(2) !== null && readSuffix(c) && c.clean ? true : null
}

function timely(line: WordLine, moment: Moment, from: number, taken: (at: number) => boolean): number | null {
  const c = new WordCursor(line, moment, from)
  c.has('article')
  if (c.at >= line.tokens.length || taken(c.at)) return null
  if (c.token?.kind === 'number') return c.at + 1
  for (const kind of TIMELY) {
    const hit = isLetter(line, c.at) ? null : line.hit(c.at, kind)
    if (hit) return hit.end
  }
  return null
}

/** Returns the start of the words of time directly before a phrase, or null. */
function ahead(line: WordLine, moment: Moment, phrase: FoundPhrase, taken: (at: number) => boolean): number | null {
  const { start, read } = phrase
  const before = line.tokens[start - 1]
  if (!before || before.kind === 'covered' || taken(start - 1) || line.tokens[start]?.gap === false) return null
  for (let from = start - 1; from >= Math.max(0, start - 3); from--) {
    if (taken(from)) break
    const c = new WordCursor(line, moment, from)
    if (c.attempt(() => readOrdinal(c)) !== null && c.at === start) return from
  }
  if (read.kind === 'time' && (line.hit(start, 'before') ?? line.hit(start, 'after'))) {
    const amount = amountBefore(line, moment, start)
    if (amount !== null) return amount
  }
  // `10 minutes before the 3pm meeting`
  const the = read.kind === 'time' && isBefore(line, start, ['article']) ? start - 1 : start
  if (the < start && isBefore(line, the, ['before', 'after'])) return the - 1
  if (read.kind === 'time' && isBefore(line, start, ['holiday'])) return start - 1
  if (read.kind === 'day' && read.day.place === 'end' && isBefore(line, start, ['at'])) return start - 1
  if (read.kind === 'time' && isBefore(line, start, ['after', 'not_due', 'every', 'past'])) return start - 1
  if (read.kind === 'repeat' && isBefore(line, start, ['times', 'often', 'every', 'ordinal', 'sometime']))
    return start - 1
  // `the last workday of every quarter`
  if (read.kind === 'repeat' && line.hit(start, 'every') && isBefore(line, start, ['of'])) return start - 1
  // `in 2 fridays`
  if ((before.kind === 'number' || isBefore(line, start, ['number'])) && line.hit(start, 'weekdays')) return start - 1
  if (isBefore(line, start, ['not', 'same_time'])) return start - 1
  if (read.kind === 'day' && !read.led && isBefore(line, start, LOOSE)) return start - 1
  if (isOfNoun(line, phrase, taken)) return start - 1
  // `at 9 or at 10`
  const or = read.kind === 'time' && isBefore(line, start, ['or', 'and'])
  if (or && line.tokens[start - 2]?.kind === 'number') return start - 2
  // `la mañana del 15 de mayo`
  if (read.kind === 'day' && line.lexicon.articleDays && isBefore(line, start, ['part'])) return start - 1
  // `15 till noon`
  if (read.kind === 'time' && read.time.until && before.kind === 'number') return start - 1
  // `move the call to friday`
  if (read.kind === 'day' && !read.led && isBefore(line, start, ['to'])) return start - 1
  // `at dawn tomorrow`
  if (isBefore(line, start, ['vague']) && isBefore(line, start - 1, ['at', 'before', 'after'])) return start - 1
  // `daily except weekends`
  if (isBefore(line, start, ['except'])) return start - 1
  // `mon-fri at 9am`
  if (read.kind !== 'day') return isBefore(line, start, ['weekday', 'shaky']) ? start - 1 : null
  return aheadOfDay(line, moment, start, read)
}

/** The same for a day: what it is joined to, or counted from. */
function aheadOfDay(
  line: WordLine,
  moment: Moment,
  start: number,
  read: Extract<FoundPhrase['read'], { kind: 'day' }>,
): number | null {
  // `last friday before christmas`, `evening before 5 may`
  if (line.hit(start, 'before') && isBefore(line, start, ['weekday', 'shaky', 'part'])) return start - 1
  const onWeekday = read.day.weekday !== null || line.hit(start, 'weekday') || line.hit(start, 'shaky')
  const listed = onWeekday ? weekdayJoined(line, start) : null
  if (listed !== null) return listed
  // `the second and fourth thursday`
  if (isBefore(line, start, ['and', 'or']) && isBefore(line, start - 1, ['ordinal', 'this', 'unit'])) return start - 2
  // `within the next month`
  for (const at of [start - 1, start - 2]) {
    const within = line.hit(at, 'in')
    if (within?.value === 2 && (within.end === start || isBefore(line, start, ['article']))) return at
  }
  // `before or on friday`
  if (isBefore(line, start, ['or']) && isBefore(line, start - 1, ['by', 'before', 'after'])) return start - 2
  const numbered = [start, start + 1].some((at) => line.tokens[at]?.kind === 'number')
  const list = numbered ? numberJoined(line, start) : null
  if (list !== null) return list
  if (isBefore(line, start, ['adverb', 'weekdays']) && !isBefore(line, start - 1, ['no_day'])) return start - 1
  const isNext = line.hit(start, 'next') !== null
  // `may next year`; in `prepare for May next week` it is a name.
  const nextUnit = isNext ? line.hit(start + 1, 'unit') : null
  const isNextYear = nextUnit?.value === 'year'
  if (
    !read.led &&
    isBefore(line, start, ['month', 'holiday']) &&
    (read.day.weekday !== null || isNextYear || line.tokens[start]?.kind === 'number')
  )
    return start - 1
  // `end next month`
  if (nextUnit && (isDayOfMonth(line, start - 1) || isBefore(line, start, ['end', 'unit_end', 'middle', 'late'])))
    return start - 1
  if (isPossessive(line, start - 1)) return start - 1
  if (!isBefore(line, start, ['unit'])) return null
  return amountBefore(line, moment, start) ?? periodBefore(line, start)
}
