import { isBefore, readUnit, WordCursor } from './cursor'
import { readDayNumber } from './dates'
import type { WordKind } from './lexicon'
import { readZoneWords, type ZoneRead } from './zones'

export interface TimeRead {
  /** Minutes after midnight, 0..1,439. */
  readonly minutes: number
  /** The minutes if `at 5` means 17:00, which is assumed unless a part of the day is said; null for any other hour. */
  readonly assumed: number | null
  /** Whether am, pm or a part of the day is included. */
  readonly halfKnown: boolean
  /** The length of a range in minutes; null for a single time. */
  readonly duration: number | null
  readonly zone: ZoneRead | null
  /** Where it counts: in `any` place; at the `end` or next to a day; only `beside` a day. */
  readonly place: 'any' | 'end' | 'beside'
  /** Whether `until` leads it: `until 5pm` is the end of something, unless it is all that is said. */
  readonly until: boolean
  /** All times of a list such as `9am and 9pm`, in minutes after midnight and ascending; empty for a single one. */
  readonly list: readonly number[]
}

/**
 * A clock time; `half` is 0 for am, 12 for pm; `bare` is a number alone, `named` is noon or midnight. `sure` is false
 * for what may be of either half of the day, and `assumed` is that time in the afternoon if it is said of an hour from 1 to 6.
 */
interface Clock extends Pick<TimeRead, 'minutes' | 'assumed'> {
  readonly sure: boolean
  readonly half: number | null
  readonly bare: boolean
  readonly named: boolean
}

/** What most times are: one time of the day, in any place. */
const ALONE = { duration: null, zone: null, place: 'any', until: false, list: [] } as const

/** Reads `at 9am`, `14h30`, `from 2 to 3pm`, `um 9 Uhr`, `a las 9 de la mañana`, `at noon`, with the preposition before it. */
export function readTimeOfDay(c: WordCursor): TimeRead | null {
  return c.longest([readMinutesToHour, readTimeRange, readSingleTime])
}

function readSingleTime(c: WordCursor): TimeRead | null {
  if (!c.has('time_tail')) c.has('tail')
  const from = c.at
  const isStart = (c.line.hit(c.at, 'starting')?.end ?? 0) > (c.line.hit(c.at, 'at')?.end ?? 0)
  const starting = isStart && c.has('starting')
  const lead = c.number('at')
  const at = lead !== null
  const roughly = c.number('around')
  const around = roughly !== null
  // Only one o'clock is `a la una`.
  if (lead === 3 && !(c.token?.key === '1' || c.line.hit(c.at, 'number')?.value === 1)) return null
  const until = !around && !at && !c.sees('by') && c.has('until')
  const led = until || around || at || starting || c.has('by') || c.has('from')
  if (led && !at) {
    c.has('around')
    c.has('at')
  }
  const noon = !led && c.attempt(() => (c.has('part_lead') && c.sees('clock') ? true : null)) !== null
  const clock = c.attempt(() => readFourDigits(c, lead === 2)) ?? readClock(c, at || around, led)
  if (!clock) return null
  const resolved = resolveByPart(c, clock)
  // `15:00Z` is written together.
  const zone = readZoneBehind(c)
  // `vers 18.04` may be a version.
  if (around && c.lexicon.articleDays && c.line.tokens[c.at - 2]?.key === '.') return null
  // `mail Ann about 3pm meeting`
  if (!c.clean || (roughly === 2 && c.token?.kind === 'word')) return null
  // `12 noon` is said of a time alone.
  const beside = clock.named && !led && !noon && zone === null && c.line.tokens[from]?.kind !== 'number'
  const place = clock.bare ? 'end' : beside ? 'beside' : 'any'
  return { ...ALONE, ...resolved, zone, place, until }
}

/** Reads `ten to six pm`, `at 10 to 8 pm`; `from 10 to 6pm` and `5 to 6pm` are ranges. */
function readMinutesToHour(c: WordCursor): TimeRead | null {
  const led = c.has('at')
  const word = c.token?.kind === 'word'
  const count = word ? c.number('number') : c.digits(2)
  if (count === null || ![5, 10, 20, 25].includes(count) || !(word || led) || !c.has('to')) return null
  const hour = c.digits(2) ?? c.number('number')
  if (hour === null || hour > 12 || hour < 1 || !Number.isInteger(hour) || !(count > hour || (word && led))) return null
  const half = c.number('half')
  if (half === null && !led) return null
  const clock = spoken(half === null ? hour : (hour % 12) + half, -count, half)
  const place = half === null ? 'end' : 'any'
  return c.clean ? { ...ALONE, ...clock, halfKnown: half !== null, place } : null
}

const MAX_LISTED = 48

/** Reads `at 9am and 9pm`, `at 10, 12 and 17`, `um 9 und 21 Uhr`: two or more times, for a rule. */
export function readTimeList(c: WordCursor): TimeRead | null {
  const clocks: Clock[] = []
  do {
    const clock = c.attempt(() => readListedClock(c))
    if (clock) clocks.push(clock)
    else break
  } while (clocks.length < MAX_LISTED && c.attempt(() => readComma(c)))
  const list = clocks.length < 2 ? null : minutesOfList(c, clocks)
  if (!list || !c.clean) return null
  const zone = readZoneBehind(c)
  const minutes = list[0] ?? 0
  return { ...ALONE, minutes, assumed: null, halfKnown: true, zone, list }
}

/** Reads what joins two times of a list: `,`, `and`, `, and`. */
function readComma(c: WordCursor): true | null {
  const comma = c.sign(',&')
  return c.has('and') || comma ? true : null
}

/** Words that may follow a number that ends a list of times; others would be counted: `at 9am, 3 eggs`. */
const AFTER_LIST: readonly WordKind[] = ['and', 'every', 'adverb', 'on', 'by', 'starting', 'until', 'for', 'weekdays']

function readListedClock(c: WordCursor): Clock | null {
  c.has('at')
  const clock = readClock(c, true, true)
  if (!clock) return null
  const { minutes, halfKnown } = resolveByPart(c, clock)
  const sure = clock.sure || (halfKnown && !clock.named)
  const counts = clock.bare && !halfKnown && c.token?.kind === 'word'
  return counts && !AFTER_LIST.some((kind) => c.sees(kind))
    ? null
    : { ...clock, minutes, sure, bare: clock.bare && !halfKnown }
}

/** Returns the times of a list, ascending; null if one of them may be in the morning or in the afternoon. */
function minutesOfList(c: WordCursor, clocks: readonly Clock[]): number[] | null {
  // In `10, 12 and 17` all are hours of 24.
  const hours24 = clocks.some(({ minutes, bare }) => minutes >= 780 && (bare || c.lexicon.clock24))
  const times: number[] = []
  let half: number | null = null
  for (const clock of clocks.toReversed()) {
    if (clock.half !== null) half = clock.half
    const inHalf: number | null = clock.bare && half !== null ? (clock.minutes % 720) + half * 60 : null
    if (inHalf !== null && inHalf >= (times.at(-1) ?? 0)) return null
    if (clock.bare && inHalf === null && !clock.sure && !hours24) return null
    times.push(inHalf ?? clock.minutes)
  }
  return [...new Set(times)].sort((a, b) => a - b)
}

/** Reads `1730`, `1730 hours` behind `at`; elsewhere only `1730h`. */
function readFourDigits(c: WordCursor, at: boolean): Clock | null {
  const time = c.digits(4, { shortest: 4 })
  if (time === null || time >= 2400 || time % 100 > 59) return null
  const glued = c.token?.gap === false
  const said = c.has('oclock') || readUnit(c) === 'hour'
  if (!at && !(said && glued)) return null
  return { ...clockOf(Math.floor(time / 100), time % 100, null), bare: !said }
}

function readZoneBehind(c: WordCursor): ZoneRead | null {
  return c.attempt(() => {
    const bracket = c.sign('(')
    const zone = readZoneWords(c)
    return zone && (!bracket || c.sign(')')) && c.clean ? zone : null
  })
}

/** Reads `2-3pm`, `14:00 to 15:30`, `from 9 to 17`, `von 9 bis 11 Uhr`. */
function readTimeRange(c: WordCursor): TimeRead | null {
  c.has('around')
  const from = c.has('from') || c.has('between')
  if (!from) c.has('at')
  const first = readClock(c, true, true)
  if (!first || first.named || !(c.sign('-–') || c.has('to') || (from && c.has('and')))) return null
  // `entre las 14 y las 16` are hours, `del 5 al 7` are days.
  const article = c.lexicon.articleDays ? c.number('article') : null
  const second = readClock(c, true, true)
  if (!second || second.named) return null
  // `9-17` may be something else.
  const hours = !c.lexicon.clock24 || (article === 2 && first.sure)
  if (second.bare && !(from && hours && second.sure)) return null
  const resolved = resolveByPart(c, second)
  const minutes = startOfRange(first, { ...second, ...resolved })
  if (minutes === null) return null
  const whole = (resolved.minutes - minutes + 1440) % 1440
  // `11:30-1:30` ends after noon, not in the night.
  const noon = !c.lexicon.clock24 && !resolved.halfKnown && minutes < 780 && resolved.minutes < minutes
  const duration = noon ? whole - 720 : whole
  const zone = readZoneBehind(c)
  const { halfKnown } = resolved
  return { ...ALONE, minutes, assumed: null, halfKnown, duration: duration === 0 ? null : duration, zone }
}

/** Applies am or pm of the second time of a range to the first; `11-1pm` begins at 11 am. */
function startOfRange(first: Clock, second: Clock): number | null {
  if (first.half !== null || second.half === null || first.minutes >= 780) return first.minutes
  const same = (first.minutes % 720) + second.half * 60
  return same > second.minutes && second.half === 12 ? first.minutes % 720 : same
}

/** Reads the part of the day in `9 in the morning`, `8 du soir`, and applies it to the time. */
function resolveByPart(c: WordCursor, clock: Clock): Pick<TimeRead, 'minutes' | 'assumed' | 'halfKnown'> {
  const { minutes, assumed, half, named } = clock
  if (half !== null || named) return { minutes, assumed, halfKnown: true }
  const part = c.attempt(() => {
    c.has('part_lead')
    const found = c.number('part')
    return found !== null && c.clean && (minutes < 780 || found >= 720) ? found : null
  })
  return part === null
    ? { minutes, assumed, halfKnown: false }
    : { minutes: inPart(minutes, part), assumed: null, halfKnown: true }
}

/** Converts a time of twelve hours by the part of the day: 8 in the evening is 20:00. */
export function inPart(minutes: number, part: number): number {
  if (minutes >= 780) return minutes
  const hour = minutes % 720
  if (part < 720) return hour
  // `12 at night` is midnight, and 1 to 5 at night come after it.
  return part >= 1260 && hour < 360 ? hour : hour + 720
}

function readClock(c: WordCursor, at: boolean, led: boolean): Clock | null {
  return c.longest<Clock>([
    (each) => {
      const named = each.number('clock')
      if (named === null) return null
      const minutes = (named + (readPastHour(each) ?? 0) + 1440) % 1440
      return { minutes, assumed: null, sure: true, half: null, bare: false, named: true }
    },
    (each) => readSpokenHour(each, led),
    (each) => (led ? readSpokenMinutes(each) : null),
    (each) => readDigitalTime(each, at, led),
  ])
}

/** Reads `halb 9`, `viertel nach 8`, `half past 3 pm`, `20 minutes to noon`. */
function readSpokenHour(c: WordCursor, led: boolean): Clock | null {
  const offset = c.number('to_hour') ?? c.attempt(() => readMinutesTo(c, led))
  const named = offset === null ? null : c.number('clock')
  if (offset !== null && named !== null) return clockOf(0, (named + offset + 1440) % 1440, null)
  // `fünf vor halb neun`
  const toHalf = offset === null ? null : c.number('to_hour')
  const hour = offset === null ? null : (c.digits(2) ?? c.number('number'))
  if (offset === null || hour === null || hour > 23 || !Number.isInteger(hour)) return null
  const half = c.number('half')
  if (half === null) c.has('oclock')
  return spoken(half === null ? hour : (hour % 12) + half, offset + (toHalf ?? 0), half)
}

/** An hour in words, or a number alone, and the minutes before or after it. */
function spoken(hour: number, offset: number, half: number | null): Clock {
  const minutes = (hour * 60 + offset + 1440) % 1440
  const assumed = half === null && hour >= 1 && hour <= 6 ? (hour + 12) * 60 + offset : null
  return { minutes, assumed, sure: half !== null || hour > 12, half, bare: false, named: false }
}

/** Reads `twelve thirty`, `five thirty pm`. */
function readSpokenMinutes(c: WordCursor): Clock | null {
  const hour = c.number('number')
  const minute = hour === null || c.lexicon.clock24 ? null : c.number('number')
  if (hour === null || minute === null || hour < 1 || hour > 12 || !Number.isInteger(hour)) return null
  if (minute < 10 || minute > 59 || !Number.isInteger(minute)) return null
  const half = c.attempt(() => c.number('half'))
  return spoken(half === null ? hour : (hour % 12) + half, minute, half)
}

/** Reads `20 minutes to`; without the unit, as in `zehn vor`, only after a preposition. */
function readMinutesTo(c: WordCursor, led: boolean): number | null {
  const count = c.digits(2) ?? c.number('number')
  const from = c.at
  const sign = count === null ? null : c.number('minutes_to')
  if (count === null || sign === null || !Number.isInteger(count) || count > 59) return null
  // `20 past nine` is nothing else, `10 to 9` may be a range.
  return led ||
    c.at - from > 1 ||
    (sign === 1 && [5, 10, 20, 25].includes(count) && !isBefore(c.line, from - 1, ['version']))
    ? sign * count
    : null
}

/** Words that may follow `y diez` in `a las 8 y diez mañana`; any other would be counted: `a las 8 y diez amigos`. */
const AFTER_MINUTES: readonly WordKind[] = ['day', 'weekday', 'by', 'part_lead', 'every', 'for', 'until', 'month']

/** Reads `et demie`, `menos cuarto`, `moins dix`, `y 20`; null if there is none. */
function readPastHour(c: WordCursor): number | null {
  const past = c.number('past_hour')
  if (past !== null) return past
  return c.attempt(() => {
    const sign = c.number('minutes_lead')
    // `8 Uhr dreißig`, `8 heures dix`
    const plain = sign === null && c.lexicon.clock24 ? c.number('number') : null
    if (plain !== null && Number.isInteger(plain) && c.token?.kind !== 'word') return plain
    const count = sign === null ? null : (c.digits(2) ?? c.number('number'))
    if (sign === null || count === null || !Number.isInteger(count) || count > 59) return null
    return c.token?.kind !== 'word' || AFTER_MINUTES.some((kind) => c.sees(kind)) ? sign * count : null
  })
}

/** Reads `eight`, where nothing leads it only before `pm`. */
function readHourWord(c: WordCursor, at: boolean): number | null {
  const hour = c.number('number')
  return at || c.sees('half') || (c.sees('oclock') && !c.sees('unit')) ? hour : null
}

function readDigitalTime(c: WordCursor, at: boolean, led: boolean): Clock | null {
  const digits = c.token?.key ?? ''
  const hour = c.digits(2) ?? readHourWord(c, at)
  if (hour === null || hour > 23 || !Number.isInteger(hour)) return null
  const dot = c.token?.key === '.'
  const minute = c.attempt(() => (c.sign(':.', { glued: true }) ? c.digits(2, { glued: true, shortest: 2 }) : null))
  const half = c.attempt(() => c.number('half')) ?? (at || minute !== null ? c.attempt(() => readHalfLetter(c)) : null)
  if (half !== null)
    return hour < 1 || hour > 12 || (minute ?? 0) > 59 ? null : clockOf((hour % 12) + half, minute, half)
  const oclock = c.attempt(() => readOclock(c, { hour, minute, led }))
  if ((minute ?? oclock ?? 0) > 59) return null
  // `cinq heures moins le quart` is said of twelve hours.
  if (oclock !== null && c.lexicon.clock24 && /\d/.test(digits)) return clockOf(hour, minute ?? oclock, null)
  if (oclock !== null && c.lexicon.clock24) return spoken(hour, oclock, null)
  const later = oclock === null ? null : c.attempt(() => c.number('half'))
  if (later !== null) return hour > 12 ? null : clockOf((hour % 12) + later, oclock, later)
  if (oclock !== null) {
    const sure = hour > 12 || digits.startsWith('0') || oclock > 0
    return sure ? clockOf(hour, oclock, null) : { ...spoken(hour, 0, null), bare: !led }
  }
  if (minute !== null && !dot) {
    // `15:00 hrs`
    c.attempt(() => (readUnit(c) === 'hour' && c.clean ? true : null))
    return clockOf(hour, minute, null)
  }
  // `at 5.50` may be a price.
  if (!at || (dot && minute !== null && !c.lexicon.clock24 && hour < 13)) return null
  const past = readPastHour(c) ?? 0
  if (minute !== null || digits.startsWith('0')) return { ...clockOf(hour, (minute ?? 0) + past, null), bare: true }
  const sure = hour > 12 || (c.lexicon.clock24 && (hour >= 7 || past !== 0))
  return { ...spoken(hour, past, null), sure, bare: true }
}

/** Reads the letter in `3p`, `3:18a`. */
function readHalfLetter(c: WordCursor): number | null {
  const { token, lexicon } = c
  if (lexicon.clock24 || token?.kind !== 'word' || token.gap || !/^[ap]$/.test(token.key)) return null
  c.at += 1
  return token.key === 'p' ? 12 : 0
}

function clockOf(hour: number, minute: number | null, half: number | null): Clock {
  const minutes = (hour * 60 + (minute ?? 0) + 1440) % 1440
  return { minutes, assumed: null, sure: true, half, bare: false, named: false }
}

/** Reads the minutes after the hour in `h30`, `Uhr 30`, `heures et demie`, `o'clock`; 0 if there are none. */
function readOclock(c: WordCursor, { hour, minute, led }: { hour: number; minute: number | null; led: boolean }) {
  const { clock24 } = c.lexicon
  const glued = c.token?.gap === false
  const counts = c.sees('unit')
  const h = c.token?.key === 'h' && (glued || clock24)
  if (h) c.at += 1
  else if (!c.has('oclock')) return null
  if (minute !== null) return minute
  const dated = seesDay(c)
  const behind = dated ? null : (c.attempt(() => c.digits(2, { shortest: 2, glued: h && !clock24 })) ?? readPastHour(c))
  // `16h`, `3 heures` without a preposition may be a number of hours.
  const unclear = counts && !led && behind === null && !dated && !(glued && clock24 && hour >= 7)
  return unclear ? null : (behind ?? 0)
}

/** Returns whether a day follows: in `17 Uhr 20. Juli` the 20 are no minutes, `10 heures vendredi` is a time. */
function seesDay({ line, moment, at }: WordCursor): boolean {
  const c = new WordCursor(line, moment, at)
  const on = c.has('on')
  if (c.sees('weekday') || c.sees('day') || c.sees('today_part') || (on && c.token?.kind === 'number')) return true
  if (readDayNumber(c) === null) return false
  c.has('of')
  return c.has('month')
}
