import { clockTime } from '../../lib/civil/zone'
import { type FoundDay, findDays, type QuickMoment } from './quick-day-choice'
import { addDays } from './quick-days'
import { type FoundRecurrence, findRecurrence } from './quick-recurrence'
import { type QuickText, TAKEN } from './quick-text'
import { type FoundTime, takeTime } from './quick-times'
import type { QuickContext, QuickDraft, QuickRecurrence } from './quick-types'

/** `at 5` beside something taken: 5 in the morning or 17:00? */
const BARE_TIME = new RegExp(
  String.raw`(?<=${TAKEN}\s+)at\s+\d{1,2}(?![\w:.-])|(?<!\S)at\s+\d{1,2}(?=\s+${TAKEN})`,
  'gi',
)

/** Takes time, recurrence and date, and fills the draft with due, start, duration and recurrence. */
export function takeWhen(text: QuickText, context: QuickContext, draft: QuickDraft): void {
  const time = takeTime(text)
  const moment: QuickMoment = { ...context, timeStart: time?.start ?? null }
  const recurrence = findRecurrence(text, moment)
  const day = takeDay(text, moment, recurrence)
  const date = dueDate(text, context, { time, recurrence, day }, draft)
  if (date !== null) {
    const minutes = timeOf({ time, recurrence, day }, date, context)
    draft.due = { date, time: minutes === null ? null : clockTime(minutes), tz: minutes === null ? null : context.tz }
    if (day?.last && day.date !== null && date === day.last) draft.start = { date: day.date, time: null, tz: null }
  }
  if (time?.duration) draft.duration_minutes ??= time.duration
  if (draft.due && !time) warnBareTime(text)
}

interface When {
  readonly time: FoundTime | null
  readonly recurrence: FoundRecurrence | null
  readonly day: FoundDay | null
}

/**
 * Takes the first day; a second one, a past one and one that cannot be told stay in the title with a warning. So does a
 * weekday beside a recurrence that has its own days: `every monday at 9am and thursday`.
 */
function takeDay(text: QuickText, moment: QuickMoment, recurrence: FoundRecurrence | null): FoundDay | null {
  const hasDays = recurrence !== null && recurrence.every.by !== ''
  let taken: FoundDay | null = null
  for (const day of findDays(text.rest, moment)) {
    if (day.problem !== null) text.keep(day.start, day.end, day.problem)
    else if (taken || (hasDays && day.weekday !== null)) text.keep(day.start, day.end, 'more_dates')
    else {
      taken = day
      text.take(day.start, day.end, 'date', dayValue(day))
    }
  }
  return taken
}

function dayValue({ date, last, minutes, vague }: FoundDay): string | null {
  return minutes === null || vague ? (last ?? date) : `${date}T${clockTime(minutes)}`
}

function dueDate(text: QuickText, context: QuickContext, when: When, draft: QuickDraft): string | null {
  const { time, recurrence, day } = when
  if (recurrence) return takeRecurrence(text, context, recurrence, when, draft) ?? plainDate(when, context)
  return day || time ? plainDate(when, context) : null
}

/** The day that was named, else today; forward only, so a time that is past means tomorrow or a weekday the next one. */
function plainDate({ time, day }: When, { today, minutes }: QuickContext): string | null {
  const wanted = time?.minutes ?? day?.minutes ?? null
  const past = wanted !== null && wanted <= minutes
  if (day) return day.last ?? (past && day.weekday !== null && day.date === today ? addDays(today, 7) : day.date)
  if (!time) return null
  return past ? addDays(today, 1) : today
}

function timeOf({ time, recurrence, day }: When, date: string, { today, minutes }: QuickContext): number | null {
  if (time) return time.minutes
  if (recurrence?.every.minutes != null) return recurrence.every.minutes
  if (day?.minutes == null) return null
  // The morning of today may be over; the day is not.
  return day.vague && date === today && day.minutes <= minutes ? null : day.minutes
}

/** Works out the first day and takes the ranges; null, and all left in the title with a warning, if there is none. */
function takeRecurrence(
  text: QuickText,
  context: QuickContext,
  found: FoundRecurrence,
  when: When,
  draft: QuickDraft,
): string | null {
  const first = firstDay(context, found, when)
  const [head] = found.ranges
  if (first === null) {
    if (head) text.keep(head.start, head.end, 'recurrence_never_occurs')
    return null
  }
  const mode = found.completion ? 'completion' : 'schedule'
  const recurrence: QuickRecurrence = { rrule: ruleOf(found, true), mode, skip: 'backward', anchor: first, exdates: [] }
  draft.recurrence = recurrence
  for (const { start, end } of found.ranges) text.take(start, end, 'recurrence', recurrence)
  return first
}

/** On or after the day named, else today; if today's time is past, after today. */
function firstDay(context: QuickContext, found: FoundRecurrence, { time, day }: When): string | null {
  const rule = ruleOf(found, false)
  const named = found.starting ?? day?.date ?? null
  const first = context.firstOccurrence(rule, named ?? context.today)
  const minutes = time?.minutes ?? found.every.minutes
  const past = named === null && first === context.today && minutes !== null && minutes <= context.minutes
  return past ? context.firstOccurrence(rule, addDays(context.today, 1)) : first
}

function ruleOf({ every, until }: FoundRecurrence, withInterval: boolean): string {
  const interval = withInterval && every.interval > 1 ? `INTERVAL=${every.interval}` : ''
  const end = until === null ? '' : `UNTIL=${until.replaceAll('-', '')}`
  return [`FREQ=${every.freq}`, interval, every.by, end].filter((part) => part !== '').join(';')
}

function warnBareTime(text: QuickText): void {
  for (const match of text.rest.matchAll(BARE_TIME)) {
    text.keep(match.index, match.index + match[0].length, 'unclear_time')
  }
}
