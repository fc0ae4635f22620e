import { stepsByTime } from '../../recurrence/rule'
import { fromDay, LAST_DAY, toDay } from '../day'
import { civilOf, clockTime, instantOf, parseTimeOfDay } from '../zone'
import { addAmount } from './calendar'
import type { Chosen } from './choose'
import type { Amount, Moment } from './cursor'
import type { ReadDay, ReadRecurrence } from './reading'
import { inPart } from './times'
import { agrees } from './zones'

/**
 * Returns the first date of the rule on or after `from`, for a series anchored at `from`; null if there is none. Both are
 * `YYYY-MM-DD`; where the rule has hours or minutes, with the time: `2026-03-01T08:00`. The rule has no INTERVAL and no
 * COUNT: the returned date becomes the anchor, from which they count. If a month lacks the day, its last day counts
 * (`skip: backward`).
 */
export type FirstOccurrence = (rrule: string, from: string) => string | null

interface WorkedOut {
  readonly due: ReadDay | null
  readonly start: ReadDay | null
  readonly recurrence: ReadRecurrence | null
  readonly problem: 'recurrence_never_occurs' | 'not_understood' | null
}

const NOTHING: WorkedOut = { due: null, start: null, recurrence: null, problem: null }

export function workOut(chosen: Chosen, moment: Moment, firstOccurrence: FirstOccurrence): WorkedOut {
  const { day, time, repeat, starting } = chosen
  if (time?.zone && time.zone.name === null) return { ...NOTHING, problem: 'not_understood' }
  if (!repeat && !day && (!time || starting !== null)) {
    // `starting tomorrow at 9am`: the time is that of the start.
    return starting === null ? NOTHING : { ...NOTHING, start: startOf(starting, chosen, moment) }
  }
  const recurrence = repeat ? workOutRule(chosen, moment, firstOccurrence) : null
  if (repeat && !recurrence) return { ...NOTHING, problem: 'recurrence_never_occurs' }
  const date = recurrence ? toDay(recurrence.anchor.slice(0, 10)) : plainDate(chosen, moment)
  if (date > LAST_DAY) return { ...NOTHING, problem: 'not_understood' }
  const due = dueOf(chosen, date, moment, recurrence?.anchor.slice(11) || null)
  if (time?.zone && !agrees(time.zone, instantOfDue(due))) return { ...NOTHING, problem: 'not_understood' }
  const first = day?.last != null && day.day !== null && date === day.last ? day.day : null
  const start = first ?? (repeat ? null : starting)
  return { due, start: start !== null && start <= date ? allDay(start) : null, recurrence, problem: null }
}

function allDay(day: number): ReadDay {
  return { date: fromDay(day), time: null, time_zone: null }
}

function startOf(day: number, { time }: Chosen, { time_zone }: Moment): ReadDay {
  if (!time) return allDay(day)
  return { date: fromDay(day), time: clockTime(time.minutes), time_zone: time.zone?.name ?? time_zone }
}

function instantOfDue({ date, time, time_zone }: ReadDay): number {
  return instantOf(toDay(date), parseTimeOfDay(time ?? '00:00'), time_zone ?? 'UTC')
}

/** The current date and time in the zone that the text names, or in that of the context. */
function clockOfZone({ time }: Chosen, moment: Moment): { readonly day: number; readonly minutes: number } {
  const zone = time?.zone?.name
  return zone ? civilOf(moment.now, zone) : { day: moment.today, minutes: moment.minutes }
}

/** Null if there is none; `at 8` with an evening is 20:00. */
function wantedMinutes({ time, day, repeat }: Chosen): number | null {
  const part = repeat?.minutes ?? (day?.vague === true ? day.minutes : null)
  if (time) return time.halfKnown || part === null ? time.minutes : inPart(time.minutes, part)
  return part ?? day?.minutes ?? null
}

/** Returns the day in the text, or today. If the time is past, today becomes tomorrow, and a weekday the next one. */
function plainDate(chosen: Chosen, moment: Moment): number {
  const { day, time } = chosen
  const wanted = wantedMinutes(chosen)
  const here = clockOfZone(chosen, moment)
  const past = wanted !== null && wanted <= here.minutes
  if (!day || day.day === null) return past ? here.day + 1 : here.day
  if (day.last !== null) return day.last
  // `tonight at 1` is tomorrow.
  if (time && day.vague && (day.minutes ?? 0) >= 1260 && wanted !== null && wanted < 300) return day.day + 1
  return past && day.weekday !== null && day.day === here.day ? day.day + 7 : day.day
}

/** @param slot the time of the first date of a rule whose dates have times */
function dueOf(chosen: Chosen, date: number, moment: Moment, slot: string | null): ReadDay {
  const { today, minutes, time_zone, now } = moment
  const { time, repeat, day } = chosen
  if (slot !== null) return { date: fromDay(date), time: slot, time_zone: time?.zone?.name ?? time_zone }
  const wanted = wantedMinutes(chosen)
  // If e.g. this morning is over, the task is due today without a time.
  const over = !time && repeat?.minutes == null && day?.vague === true && date === today && (wanted ?? 0) <= minutes
  if (wanted === null || over) return allDay(date)
  const zone = time?.zone?.name ?? time_zone
  const due = { date: fromDay(date), time: clockTime(wanted), time_zone: zone }
  return secondOfTwo(chosen, due, now) ?? due
}

/** A repeated hour always means the first one, so the second is returned in UTC; only `in 2 hours` can mean it. */
function secondOfTwo({ day, time }: Chosen, due: ReadDay, now: number): ReadDay | null {
  if (time || !day || day.instant === null || due.time_zone === null || instantOfDue(due) === day.instant) return null
  const { day: date, minutes } = civilOf(day.instant, 'UTC')
  return now < day.instant ? { date: fromDay(date), time: clockTime(minutes), time_zone: 'UTC' } : null
}

function workOutRule(chosen: Chosen, moment: Moment, firstOccurrence: FirstOccurrence): ReadRecurrence | null {
  const { repeat, until, count, length, completion, day, starting } = chosen
  if (!repeat) return null
  const end = until === null ? '' : untilPart(until)
  const rule = [`FREQ=${repeat.freq}`, repeat.by, end].filter((part) => part !== '').join(';')
  const named = starting ?? day?.day ?? null
  const first = firstDay(chosen, rule, named, moment, firstOccurrence)
  if (first === null) return null
  const amount = length?.read.kind === 'length' ? length.read.amount : null
  const last = amount && until === null ? lastOfLength(toDay(first.slice(0, 10)), amount) : null
  const rrule = [
    `FREQ=${repeat.freq}`,
    repeat.interval > 1 ? `INTERVAL=${repeat.interval}` : '',
    repeat.by,
    last === null ? end : untilPart(last),
    count === null ? '' : `COUNT=${count}`,
  ]
  const mode = completion || repeat.completion ? 'completion' : 'schedule'
  return { rrule: rrule.filter((part) => part !== '').join(';'), mode, skip: 'backward', anchor: first, exdates: [] }
}

/** Finds the first day on or after the day in the text, or today; after today if the time is past. */
function firstDay(
  chosen: Chosen,
  rule: string,
  named: number | null,
  moment: Moment,
  firstOccurrence: FirstOccurrence,
): string | null {
  const here = clockOfZone(chosen, moment)
  const from = earliestSlot(chosen, named, here)
  if (from !== null) return firstOccurrence(rule, from)
  const first = firstOccurrence(rule, fromDay(named ?? here.day))
  const minutes = wantedMinutes(chosen)
  const past = named === null && first === fromDay(here.day) && minutes !== null && minutes <= here.minutes
  return past ? firstOccurrence(rule, fromDay(here.day + 1)) : first
}

/**
 * Returns the slot from which a rule with hours or minutes is looked for: the time that is named on the day that is
 * named, else from now on. Null for rules by date.
 */
function earliestSlot(chosen: Chosen, named: number | null, here: ReturnType<typeof clockOfZone>): string | null {
  const { repeat } = chosen
  const slotOf = (day: number, minutes: number) => `${fromDay(day)}T${clockTime(minutes)}`
  if (!repeat || !(stepsByTime(repeat) || repeat.by.includes('BYHOUR'))) return null
  const steps = stepsByTime(repeat)
  const wanted = steps ? wantedMinutes(chosen) : null
  if (named !== null && named !== here.day) return slotOf(named, wanted ?? 0)
  // What is at a time of its own is past in the minute of that time; what only counts begins in it.
  const minutes = wanted ?? (steps ? here.minutes : here.minutes + 1)
  const later = minutes >= 1440 || (wanted !== null && wanted < here.minutes && named === null)
  return slotOf(later ? here.day + 1 : here.day, minutes % 1440)
}

function untilPart(day: number): string {
  return `UNTIL=${fromDay(day).replaceAll('-', '')}`
}

/** Returns the last day of a length: `for 3 weeks` from a Monday ends on the third Sunday. */
function lastOfLength(first: number, amount: Amount): number | null {
  const next = amount.count < 1 || amount.unit === 'workday' ? null : addAmount(first, amount, 1)
  return next === null ? null : next - 1
}
