import type { Accepted } from './accept'
import type { DayRead } from './dates'
import type { FoundPhrase } from './phrases'
import type { TimeWarningCode } from './reading'
import type { RepeatRead } from './repeats'
import type { TimeRead } from './times'

/** The day, the time and the recurrence that a text names, before dates are computed. */
export interface Chosen {
  day: DayRead | null
  time: TimeRead | null
  repeat: RepeatRead | null
  /** Of `starting …` and `until …`, in whole days since 1970-01-01. */
  starting: number | null
  until: number | null
  /** `10 times` */
  count: number | null
  /** How long it repeats. */
  length: FoundPhrase | null
  completion: boolean
  /** A time that may be in the morning or in the afternoon. */
  unclear: FoundPhrase | null
  /** The kind of span of each phrase that counts. */
  readonly kinds: Map<FoundPhrase, 'date' | 'time' | 'recurrence'>
  readonly warned: Warned[]
  /** Whether a part was not understood, so that no date is set. */
  broken: boolean
}

/** A range of tokens. */
export interface Warned {
  readonly code: TimeWarningCode
  readonly start: number
  readonly end: number
}

export interface ChooseOptions {
  /** Whether a task may repeat by hours and minutes. */
  readonly subDay: boolean
  /** Whether a day may be past. */
  readonly past: boolean
}

/** Picks the first phrase of each kind, and adds warnings for further ones and for those with a problem. */
export function choose(accepted: Accepted, options: ChooseOptions): Chosen {
  const chosen: Chosen = {
    ...{ day: null, time: null, repeat: null, starting: null, until: null, count: null, length: null },
    ...{ completion: false, unclear: null, kinds: new Map(), warned: [], broken: false },
  }
  for (const phrase of accepted.phrases) if (phrase.read.kind === 'repeat') chooseRepeat(chosen, phrase, options)
  for (const phrase of accepted.phrases) if (phrase.read.kind === 'day') chooseDay(chosen, phrase, options)
  const unread = chosen.warned.some(({ code }) => code === 'ambiguous_date' || code === 'past_date')
  for (const phrase of accepted.phrases) if (phrase.read.kind === 'time') chooseTime(chosen, phrase)
  // `3/4 at 5pm` is not today.
  if (unread && chosen.time && !chosen.day && !chosen.repeat && chosen.starting === null) chosen.broken = true
  for (const phrase of accepted.phrases) chooseTail(chosen, phrase, accepted)
  const bounds = [chosen.until, chosen.count, chosen.length].filter((bound) => bound !== null)
  // With two ends, one would be dropped.
  if (bounds.length > 1) breakAll(chosen)
  for (const phrase of accepted.torn) {
    chosen.broken = true
    warn(chosen, 'not_understood', phrase)
  }
  for (const { start, end } of accepted.names) chosen.warned.push({ code: 'looks_like_a_name', start, end })
  return chosen
}

function warn(chosen: Chosen, code: TimeWarningCode, { start, end }: FoundPhrase): void {
  chosen.warned.push({ code, start, end })
}

function breakAll(chosen: Chosen): void {
  chosen.broken = true
  const phrases = [...chosen.kinds].flatMap(([phrase, kind]) => (kind === 'recurrence' ? [phrase] : []))
  for (const phrase of phrases) warn(chosen, 'not_understood', phrase)
}

function chooseRepeat(chosen: Chosen, phrase: FoundPhrase, { subDay }: ChooseOptions): void {
  if (phrase.read.kind !== 'repeat') return
  const { repeat } = phrase.read
  // This is the only check of whether tasks can repeat within a day.
  const tooOften = !subDay && (repeat.freq === 'HOURLY' || repeat.freq === 'MINUTELY')
  if (repeat.unsupported || tooOften) {
    chosen.broken = true
    warn(chosen, 'unsupported_recurrence', phrase)
  } else if (chosen.repeat) {
    // `alle 14 Tage dienstags`: the days of the rule.
    if (repeat.by !== '' && chosen.repeat.by === '') chosen.broken = true
    warn(chosen, chosen.broken ? 'not_understood' : 'already_set', phrase)
  } else {
    chosen.repeat = repeat
    chosen.kinds.set(phrase, 'recurrence')
  }
}

function chooseDay(chosen: Chosen, phrase: FoundPhrase, { past }: ChooseOptions): void {
  if (phrase.read.kind !== 'day') return
  const { lead, day: read } = phrase.read
  const day = past && read.problem === 'past_date' ? { ...read, problem: null } : read
  if (day.problem !== null || day.day === null) {
    const inside = lead !== 'due' && chosen.repeat !== null
    // Without its end or its beginning a rule would be wrong.
    if (inside || day.problem === 'not_understood') chosen.broken = true
    warn(chosen, inside ? 'not_understood' : (day.problem ?? 'not_understood'), phrase)
  } else if (chosen.repeat && lead === 'due' && isOfRule(chosen.repeat, day)) {
    chosen.broken = true
    warn(chosen, 'not_understood', phrase)
  } else if (chosen.repeat && (lead !== 'due' || day.last !== null)) chooseBound(chosen, phrase, day, lead)
  else if (lead === 'from') return
  else if (chosen.day !== null) chooseSameDay(chosen, phrase, day)
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
function isOfRule({ by }: RepeatRead, { place }: DayRead): boolean {
  return place === 'whole' || (place === 'end' && by !== '')
}

/** Accepts the same day twice, as in `on new year's eve, 31 december`. */
function chooseSameDay(chosen: Chosen, phrase: FoundPhrase, day: DayRead): void {
  const { day: first } = chosen
  if (first?.day !== day.day || first.last !== day.last) warn(chosen, 'more_dates', phrase)
  else {
    if (first.minutes === null) chosen.day = day
    chosen.kinds.set(phrase, 'date')
  }
}

/** Takes the first or the last day of a recurrence. */
function chooseBound(
  chosen: Chosen,
  phrase: FoundPhrase,
  { day, last, minutes, weekday }: DayRead,
  lead: string,
): void {
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
  if (!time.sure && !part) chosen.unclear ??= phrase
  else if (chosen.time) warn(chosen, 'more_dates', phrase)
  else {
    chosen.time = time
    chosen.kinds.set(phrase, 'time')
  }
}

/** Takes what limits a recurrence: `10 times`, `for 3 weeks`, `after completion`. */
function chooseTail(chosen: Chosen, phrase: FoundPhrase, accepted: Accepted): void {
  const { read } = phrase
  if (!chosen.repeat) return
  if (read.kind === 'completion') chosen.completion = true
  else if (read.kind === 'count' && chosen.count === null) chosen.count = read.count
  else if (read.kind === 'length' && isLong(phrase) && !chosen.length && accepted.beside(phrase)) chosen.length = phrase
  else return
  chosen.kinds.set(phrase, 'recurrence')
}

/** Returns whether a length is in days or longer; hours and minutes are how long a task takes. */
export function isLong({ read }: FoundPhrase): boolean {
  return read.kind === 'length' && !['second', 'minute', 'hour'].includes(read.amount.unit)
}
