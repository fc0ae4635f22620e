import { stepsByTime, WEEKDAY_CODES } from '../../recurrence/rule'
import type { Accepted } from './accept'
import type { DayRead } from './dates'
import type { FoundPhrase } from './phrases'
import type { TimeWarningCode } from './reading'
import type { RepeatRead } from './repeats'
import type { TimeRead } from './times'

export interface Chosen {
  day: DayRead | null
  time: TimeRead | null
  repeat: RepeatRead | null
  /** Of `starting …` and `until …`, in whole days since 1970-01-01. */
  starting: number | null
  until: number | null
  /** `10 times` */
  count: number | null
  length: FoundPhrase | null
  completion: boolean
  /** An hour that is taken to be in the afternoon, as nothing says which half of the day is meant. */
  assumed: FoundPhrase | null
  /** The kind of span of each phrase that counts. */
  readonly kinds: Map<FoundPhrase, 'date' | 'time' | 'recurrence'>
  readonly warned: Warned[]
  /** Whether a part was not understood, so that no date is set. */
  broken: boolean
}

export interface Warned {
  readonly code: TimeWarningCode
  readonly start: number
  readonly end: number
}

/**
 * Picks the first phrase of each kind, and adds warnings for further ones and for those with a problem.
 * @param past whether a day may be past
 */
export function choose(accepted: Accepted, past: boolean): Chosen {
  const chosen: Chosen = {
    ...{ day: null, time: null, repeat: null, starting: null, until: null, count: null, length: null },
    ...{ completion: false, assumed: null, kinds: new Map(), warned: [], broken: false },
  }
  for (const phrase of accepted.phrases) if (phrase.read.kind === 'repeat') chooseRepeat(chosen, phrase)
  for (const phrase of accepted.phrases) if (phrase.read.kind === 'day') chooseDay(chosen, phrase, past)
  const unread = chosen.warned.some(({ code }) => code === 'ambiguous_date' || code === 'past_date')
  for (const phrase of accepted.phrases) if (phrase.read.kind === 'time') chooseTime(chosen, phrase)
  // `mon-fri at 9am` may be five times, or every week.
  if (chosen.day?.last != null && chosen.day.weekday !== null && chosen.time) breakDay(chosen)
  // `3/4 at 5pm` is not today.
  if (unread && chosen.time && !chosen.day && !chosen.repeat && chosen.starting === null) chosen.broken = true
  for (const phrase of accepted.phrases) chooseTail(chosen, phrase, accepted)
  if (chosen.repeat) chooseTimesOfRule(chosen, chosen.repeat, accepted)
  const bounds = [chosen.until, chosen.count, chosen.length].filter((bound) => bound !== null)
  // With two ends, one would be dropped.
  if (bounds.length > 1) breakAll(chosen)
  for (const phrase of accepted.torn) {
    chosen.broken = true
    warn(chosen, 'not_understood', phrase)
  }
  for (const phrase of accepted.unled) warn(chosen, 'not_understood', phrase)
  for (const { start, end } of accepted.names) chosen.warned.push({ code: 'looks_like_a_name', start, end })
  return chosen
}

function warn(chosen: Chosen, code: TimeWarningCode, { start, end }: FoundPhrase): void {
  chosen.warned.push({ code, start, end })
}

function breakDay(chosen: Chosen): void {
  chosen.broken = true
  for (const [phrase, kind] of chosen.kinds) if (kind === 'date') warn(chosen, 'not_understood', phrase)
}

function breakAll(chosen: Chosen): void {
  chosen.broken = true
  const phrases = [...chosen.kinds].flatMap(([phrase, kind]) => (kind === 'recurrence' ? [phrase] : []))
  for (const phrase of phrases) warn(chosen, 'not_understood', phrase)
}

function chooseRepeat(chosen: Chosen, phrase: FoundPhrase): void {
  if (phrase.read.kind !== 'repeat') return
  const { repeat } = phrase.read
  if (repeat.unsupported) {
    chosen.broken = true
    warn(chosen, 'unsupported_recurrence', phrase)
  } else if (chosen.repeat) {
    const both = onDays(chosen.repeat, repeat) ?? onDays(repeat, chosen.repeat)
    if (both) {
      chosen.repeat = both
      chosen.kinds.set(phrase, 'recurrence')
      return
    }
    chosen.broken = true
    warn(chosen, 'not_understood', phrase)
  } else {
    chosen.repeat = repeat
    chosen.kinds.set(phrase, 'recurrence')
  }
}

function chooseDay(chosen: Chosen, phrase: FoundPhrase, past: boolean): void {
  if (phrase.read.kind !== 'day') return
  const { lead, led, day: read } = phrase.read
  const day = past && read.problem === 'past_date' ? { ...read, problem: null } : read
  if (day.problem !== null || day.day === null) {
    const inside = lead !== 'due' && chosen.repeat !== null
    // Without its end or its beginning a rule would be wrong.
    if (inside || day.problem === 'not_understood') chosen.broken = true
    warn(chosen, inside ? 'not_understood' : (day.problem ?? 'not_understood'), phrase)
  } else if (chosen.repeat && lead === 'due' && isOfRule(chosen.repeat, day, led)) {
    chosen.broken = true
    warn(chosen, 'not_understood', phrase)
  } else if (chosen.repeat && (lead !== 'due' || day.last !== null)) chooseBound(chosen, phrase, day, lead)
  else if (lead === 'starting' && day.last !== null && chosen.day === null) {
    // `desde el lunes hasta el viernes`
    chosen.day = day
    chosen.kinds.set(phrase, 'date')
  } else if (lead === 'from') {
    // `from june 1`; `notes from monday` is a title.
    if (day.weekday === null) warn(chosen, 'not_understood', phrase)
  } else if (chosen.repeat?.place === 'beside' && chosen.repeat.freq === 'WEEKLY' && day.weekday !== null) {
    chosen.repeat = { ...chosen.repeat, by: `BYDAY=${WEEKDAY_CODES[day.weekday]}` }
    chosen.kinds.set(phrase, 'recurrence')
  } else if (chosen.day !== null) chooseSameDay(chosen, phrase, day)
  else if (chosen.repeat && chosen.repeat.by !== '' && day.weekday !== null) warn(chosen, 'more_dates', phrase)
  else if (lead === 'starting') {
    if (chosen.starting === null) chosen.kinds.set(phrase, 'date')
    else warn(chosen, 'more_dates', phrase)
    chosen.starting ??= day.day
  } else {
    chosen.day = day
    chosen.kinds.set(phrase, 'date')
  }
}

/** Returns whether a day such as `the 15th` seems to belong to a rule that has days already: `every friday and the 15th`. */
function isOfRule({ by }: RepeatRead, { place, weekday }: DayRead, led: boolean): boolean {
  // `every day next week` ends with it.
  if (place === 'anchored' && weekday === null && !led) return true
  return place === 'whole' || (place === 'end' && by !== '')
}

/** Accepts the same day twice, as in `on new year's eve, 31 december`. */
function chooseSameDay(chosen: Chosen, phrase: FoundPhrase, day: DayRead): void {
  const { day: first } = chosen
  const isOther = first?.day !== day.day || first.last !== day.last
  // `le week-end du 21`, `this weekend sunday`, `5 may next year`
  const isPeriod = [first, day].some((one) => one?.weekday === null && /anchored|preposition/.test(one.place))
  if (isOther && isPeriod && isBehind(chosen, phrase)) breakBy(chosen, phrase)
  else if (isOther) warn(chosen, 'more_dates', phrase)
  else {
    if (first.minutes === null) chosen.day = day
    chosen.kinds.set(phrase, 'date')
  }
}

/** Takes the first or the last day of a recurrence. */
function chooseBound(chosen: Chosen, phrase: FoundPhrase, { day, last, minutes, weekday }: DayRead, lead: string) {
  const range = last !== null && lead !== 'until'
  const [starting, until] = range ? [day, last] : lead === 'until' ? [null, day] : [day, null]
  const twice = (starting !== null && chosen.starting !== null) || (until !== null && chosen.until !== null)
  // `every day from monday to friday` may mean one week or each week.
  if (twice || minutes !== null || (last !== null && (!range || weekday !== null))) {
    chosen.broken = true
    warn(chosen, 'not_understood', phrase)
  } else {
    chosen.starting ??= starting
    chosen.until ??= until
    chosen.kinds.set(phrase, 'recurrence')
  }
}

function chooseTime(chosen: Chosen, phrase: FoundPhrase): void {
  if (phrase.read.kind !== 'time') return
  const { time } = phrase.read
  const part = (chosen.day?.vague === true && chosen.day.minutes !== null) || (chosen.repeat?.minutes ?? null) !== null
  // `Mittag um halb eins`
  if (chosen.time?.place === 'beside' && isBehind(chosen, phrase)) breakBy(chosen, phrase)
  else if (chosen.time) warn(chosen, 'more_dates', phrase)
  else {
    const assumed = part || time.duration !== null ? null : time.assumed
    chosen.time = assumed === null ? time : { ...time, minutes: assumed }
    chosen.kinds.set(phrase, 'time')
    // `this evening at 12` is no noon.
    const said = chosen.repeat?.minutes ?? (chosen.day?.vague ? chosen.day.minutes : null) ?? time.minutes
    if (time.minutes === 720 && !time.halfKnown && (said < 720 || said >= 1080)) breakBy(chosen, phrase)
    if (assumed !== null) chosen.assumed = phrase
  }
}

/** Returns whether a phrase directly follows one that counts. */
function isBehind({ kinds }: Chosen, { start }: FoundPhrase): boolean {
  return [...kinds.keys()].some(({ end }) => end === start)
}

function breakBy(chosen: Chosen, phrase: FoundPhrase): void {
  chosen.broken = true
  warn(chosen, 'not_understood', phrase)
}

/** Gives the rule the times of day that the text names, unless one time is that of the due date. */
function chooseTimesOfRule(chosen: Chosen, repeat: RepeatRead, { phrases }: Accepted): void {
  const { time } = chosen
  const steps = stepsByTime(repeat)
  const list = time && timesWithin(repeat, time)
  const byTime = list && byTimes(list)
  // `every 2 hours for 12 hours`
  const short = steps ? phrases.find((phrase) => phrase.read.kind === 'length' && !isLong(phrase)) : undefined
  const [timed] = [...chosen.kinds].find(([, kind]) => kind === 'time') ?? []
  const unsupported = byTime === null && (list !== null || (steps && time?.duration != null))
  // `every day until 5pm`
  const phrase = short ?? (unsupported || time?.until ? timed : undefined)
  if (phrase) {
    chosen.broken = true
    warn(chosen, unsupported && !short ? 'unsupported_recurrence' : 'not_understood', phrase)
  } else if (byTime !== null && time) {
    const by = repeat.by === '' ? byTime : `${repeat.by};${byTime}`
    chosen.repeat = steps ? { ...repeat, freq: 'DAILY', interval: 1, by } : { ...repeat, by }
    chosen.time = { ...time, duration: null }
  }
}

/** Joins `every 2 hours` and `on weekdays`, `alle 14 Tage` and `dienstags`; null if that is not what they are. */
function onDays(hours: RepeatRead, days: RepeatRead): RepeatRead | null {
  const weeks = hours.freq === 'DAILY' && hours.interval % 7 === 0 ? hours.interval / 7 : hours.interval
  const weekly = hours.freq === 'WEEKLY' || weeks !== hours.interval
  if (weekly && hours.by === '' && days.freq === 'WEEKLY' && days.by !== '' && days.interval === 1)
    return { ...days, interval: weeks, completion: hours.completion }
  const plain = days.interval === 1 && days.minutes === null && !days.completion && /^(BYDAY=[A-Z,]+)?$/.test(days.by)
  const often = days.freq === 'DAILY' || (days.freq === 'WEEKLY' && days.by !== '')
  return stepsByTime(hours) && hours.by === '' && plain && often ? { ...hours, by: days.by } : null
}

/** Returns the times of a rule on each of its days; null if there is one, or if they go on through the night. */
function timesWithin(repeat: RepeatRead, { minutes, duration, list }: TimeRead): readonly number[] | null {
  if (!stepsByTime(repeat)) return list.length > 1 ? list : null
  const step = repeat.interval * 60
  if (list.length > 1) return []
  // `every 2 hours from 8am to 8pm`; another day begins with the first time again.
  if (duration === null || minutes + duration >= 1440) return null
  return Array.from({ length: Math.floor(duration / step) + 1 }, (_, i) => minutes + i * step)
}

/** Returns BYHOUR and BYMINUTE for these times; null unless every hour has the same minutes. */
function byTimes(list: readonly number[]): string | null {
  const hours = [...new Set(list.map((time) => Math.floor(time / 60)))]
  const minutes = [...new Set(list.map((time) => time % 60))]
  if (list.length === 0 || hours.length * minutes.length !== list.length) return null
  return `BYHOUR=${hours.join()};BYMINUTE=${minutes.join()}`
}

/** Takes what limits a recurrence: `10 times`, `for 3 weeks`, `after completion`. */
function chooseTail(chosen: Chosen, phrase: FoundPhrase, accepted: Accepted): void {
  const { read } = phrase
  if (!chosen.repeat) return
  if (read.kind === 'completion') chosen.completion = true
  else if (read.kind === 'count' && !read.clear) {
    // `fridays twice`, `daily 2x`: how often in all, or each time?
    chosen.broken = true
    warn(chosen, 'not_understood', phrase)
    return
  } else if (read.kind === 'count' && chosen.count === null) chosen.count = read.count
  else if (read.kind === 'length' && isLong(phrase) && !chosen.length && accepted.beside(phrase)) chosen.length = phrase
  else return
  chosen.kinds.set(phrase, 'recurrence')
}

/** Returns whether a length is in days or longer; hours and minutes are how long a task takes. */
export function isLong({ read }: FoundPhrase): boolean {
  return read.kind === 'length' && !['second', 'minute', 'hour'].includes(read.amount.unit)
}
