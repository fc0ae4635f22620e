import { fromDay } from '../../lib/civil/day'
import { civilOf, clockTime } from '../../lib/civil/zone'
import { type FoundTime, findReminders, takeDuration, takeReminders, takeTime } from './amounts'
import { type FoundDay, findDays, type QuickMoment } from './dates'
import { addDays } from './days'
import { type FoundRecurrence, findRecurrence } from './recurrence'
import { QuickText, TAKEN } from './text'
import type { QuickContext, QuickDraft, QuickParse, QuickRecurrence } from './types'

const MAX_NAME_CHARS = 100
const MAX_LABELS = 50
/** Names in quotes, escaped markers, and words with a web or mail address. */
const LEFT_ALONE =
  /(?<![^\s(])(?:"[^"]+"|“[^“”]+”)|(?<!\S)(?:\\[#/@!]\S*|[a-z][a-z\d+.-]*:\/\/\S+|www\.\S+|[^\s@#]+@\S+)/gi
const MARKER = /(?<!\S)([#/@])(?:"([^"]+)"|([^\s"]+))/g
const PRIORITY = /(?<!\S)(?:[!p]([1-4])|!!)(?=[,;:.]?(?:\s|$))/gi

interface Marker {
  readonly start: number
  readonly end: number
  readonly name: string
}

/** Covers the parts that must not be searched. Of an escaped marker only the backslash is taken out of the title. */
function protect(text: QuickText): void {
  for (const { 0: found, index } of text.rest.matchAll(LEFT_ALONE)) {
    const escaped = found.startsWith('\\')
    if (escaped) text.take(index, index + 1, 'escape', found.charAt(1))
    text.keep(escaped ? index + 1 : index, index + found.length)
  }
}

/** Takes `#project`, `/section`, `@label` and the priority, and fills the draft with them. */
function takeMarkers(text: QuickText, context: QuickContext, draft: QuickDraft): void {
  const markers = [...text.rest.matchAll(MARKER)].flatMap((match) => readMarker(text, match) ?? [])
  const of = (sign: string) => markers.filter(({ start }) => text.slice(start, start + 1) === sign)
  for (const marker of of('#')) takeProject(text, context, draft, marker)
  for (const marker of of('/')) takeSection(text, context, draft, marker)
  for (const marker of of('@')) takeLabel(text, draft, marker)
  takePriority(text, draft)
}

/**
 * Reads a marker; null if it is none. A quoted name can be anything. A word needs a letter or a character beyond ASCII
 * (not `#42`), no other slash or at sign (not `/usr/bin` or `@types/node`), and must not be a time (`@3pm`).
 */
function readMarker(text: QuickText, match: RegExpExecArray): Marker | null {
  const [whole, , quoted, word = ''] = match
  const start = match.index
  const plain = word.replace(/[.,;:!?)]+$/, '')
  if (quoted === undefined && (!/[^!-@[-`{-~]/.test(plain) || /[/@]|^\d+(?::\d+)?[ap]m$/i.test(plain))) return null
  const name = (quoted ?? plain).normalize('NFC').replace(/\s+/g, ' ').trim()
  const end = start + (quoted === undefined ? 1 + plain.length : whole.length)
  if (name === '' || [...name].length <= MAX_NAME_CHARS) return name === '' ? null : { start, end, name }
  text.keep(start, end, 'name_too_long')
  return null
}

function takeProject(text: QuickText, context: QuickContext, draft: QuickDraft, { start, end, name }: Marker): void {
  const found = context.findProject(name)
  if (draft.project) text.keep(start, end, 'already_set')
  else if (!found && !context.createMissing) text.keep(start, end, 'unknown_project')
  else {
    draft.project = found ?? { id: null, name }
    text.take(start, end, 'project', draft.project.id)
  }
}

function takeSection(text: QuickText, context: QuickContext, draft: QuickDraft, { start, end, name }: Marker): void {
  const projectId = draft.project ? draft.project.id : context.projectId
  const isNewProject = draft.project?.id === null
  const found = isNewProject ? null : context.findSection(projectId, name)
  // A section belongs to a project: without one it cannot be created.
  const canCreate = context.createMissing && (isNewProject || projectId !== null)
  if (draft.section) text.keep(start, end, 'already_set')
  else if (!found && !canCreate) text.keep(start, end, 'unknown_section')
  else {
    draft.section = found ?? { id: null, name }
    text.take(start, end, 'section', draft.section.id)
  }
}

/** Takes a label. Labels are compared without case, so a name that occurs twice is added once. */
function takeLabel(text: QuickText, draft: QuickDraft, { start, end, name }: Marker): void {
  const labels = draft.labels ?? []
  const known = labels.some((label) => label.toLowerCase() === name.toLowerCase())
  if (!known && labels.length === MAX_LABELS) text.keep(start, end, 'too_many_labels')
  else {
    if (!known) draft.labels = [...labels, name]
    text.take(start, end, 'label', name)
  }
}

function takePriority(text: QuickText, draft: QuickDraft): void {
  for (const { 0: found, 1: digit, index } of text.rest.matchAll(PRIORITY)) {
    const end = index + found.length
    if (draft.priority !== undefined) {
      text.keep(index, end, 'already_set')
      continue
    }
    draft.priority = Number(digit ?? 1)
    text.take(index, end, 'priority', draft.priority)
  }
}

/** A time such as `at 5` next to something taken: it may mean 5 am or 5 pm. */
const BARE_TIME = new RegExp(
  String.raw`(?<=${TAKEN}\s+)at\s+\d{1,2}(?![\w:.-])|(?<!\S)at\s+\d{1,2}(?=\s+${TAKEN})`,
  'gi',
)

/** Takes time, recurrence and date, and sets due, start, duration and recurrence of the draft. */
function takeWhen(text: QuickText, context: QuickContext, draft: QuickDraft): void {
  const time = takeTime(text)
  const moment: QuickMoment = { ...context, timeStart: time?.start ?? null }
  const recurrence = findRecurrence(text, moment)
  const day = takeDay(text, moment, recurrence)
  const date = takeDueDate(text, context, { time, recurrence, day }, draft)
  if (date !== null) {
    const minutes = resolveTime({ time, recurrence, day }, date, context)
    draft.due = {
      date,
      time: minutes === null ? null : clockTime(minutes),
      time_zone: minutes === null ? null : context.time_zone,
    }
    if (day?.last && day.date !== null && date === day.last)
      draft.start = { date: day.date, time: null, time_zone: null }
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
 * Takes the first day. A second, a past or an ambiguous one stays in the title with a warning, and so does a weekday in
 * addition to a recurrence with its own days: `every monday at 9am and thursday`.
 */
function takeDay(text: QuickText, moment: QuickMoment, recurrence: FoundRecurrence | null): FoundDay | null {
  const hasDays = recurrence !== null && recurrence.every.by !== ''
  let taken: FoundDay | null = null
  for (const day of findDays(text.rest, moment)) {
    if (day.problem !== null) text.keep(day.start, day.end, day.problem)
    else if (taken || (hasDays && day.weekday !== null)) text.keep(day.start, day.end, 'more_dates')
    else {
      taken = day
      text.take(day.start, day.end, 'date', toSpanValue(day))
    }
  }
  return taken
}

function toSpanValue({ date, last, minutes, vague }: FoundDay): string | null {
  return minutes === null || vague ? (last ?? date) : `${date}T${clockTime(minutes)}`
}

function takeDueDate(text: QuickText, context: QuickContext, when: When, draft: QuickDraft): string | null {
  const { time, recurrence, day } = when
  if (recurrence) return takeRecurrence(text, context, recurrence, when, draft) ?? resolveDate(when, context)
  return day || time ? resolveDate(when, context) : null
}

/** Returns the day in the text, or today. If the time is past, today becomes tomorrow, and a weekday the next one. */
function resolveDate({ time, day }: When, { today, minutes }: QuickContext): string | null {
  const wanted = time?.minutes ?? day?.minutes ?? null
  const past = wanted !== null && wanted <= minutes
  if (day) return day.last ?? (past && day.weekday !== null && day.date === today ? addDays(today, 7) : day.date)
  if (!time) return null
  return past ? addDays(today, 1) : today
}

function resolveTime({ time, recurrence, day }: When, date: string, { today, minutes }: QuickContext): number | null {
  if (time) return time.minutes
  if (recurrence?.every.minutes != null) return recurrence.every.minutes
  if (day?.minutes == null) return null
  // If e.g. this morning is over, the task is due today without a time.
  return day.vague && date === today && day.minutes <= minutes ? null : day.minutes
}

/**
 * Finds the first day and takes the ranges. If there is none, returns null and leaves them in the title with a warning.
 */
function takeRecurrence(
  text: QuickText,
  context: QuickContext,
  found: FoundRecurrence,
  when: When,
  draft: QuickDraft,
): string | null {
  const first = findFirstDay(context, found, when)
  const [head] = found.ranges
  if (first === null) {
    if (head) text.keep(head.start, head.end, 'recurrence_never_occurs')
    return null
  }
  const mode = found.completion ? 'completion' : 'schedule'
  const recurrence: QuickRecurrence = {
    rrule: writeRule(found, true),
    mode,
    skip: 'backward',
    anchor: first,
    exdates: [],
  }
  draft.recurrence = recurrence
  for (const { start, end } of found.ranges) text.take(start, end, 'recurrence', recurrence)
  return first
}

/** Finds the first day of a recurrence on or after the day in the text, or today; after today if the time is past. */
function findFirstDay(context: QuickContext, found: FoundRecurrence, { time, day }: When): string | null {
  const rule = writeRule(found, false)
  const named = found.starting ?? day?.date ?? null
  const first = context.firstOccurrence(rule, named ?? context.today)
  const minutes = time?.minutes ?? found.every.minutes
  const past = named === null && first === context.today && minutes !== null && minutes <= context.minutes
  return past ? context.firstOccurrence(rule, addDays(context.today, 1)) : first
}

function writeRule({ every, until }: FoundRecurrence, withInterval: boolean): string {
  const interval = withInterval && every.interval > 1 ? `INTERVAL=${every.interval}` : ''
  const end = until === null ? '' : `UNTIL=${until.replaceAll('-', '')}`
  return [`FREQ=${every.freq}`, interval, every.by, end].filter((part) => part !== '').join(';')
}

function warnBareTime(text: QuickText): void {
  for (const match of text.rest.matchAll(BARE_TIME)) {
    text.keep(match.index, match.index + match[0].length, 'unclear_time')
  }
}

/**
 * Reads one line of quick add. Never throws, and depends only on the text and the context, so the same input always
 * gives the same result. Understood parts leave the title and become spans; parts that only look alike stay, with a
 * warning.
 */
export function parseQuick(line: string, context: QuickContext): QuickParse {
  const text = new QuickText(line)
  const draft: QuickDraft = {}
  protect(text)
  takeMarkers(text, context, draft)
  takeDuration(text, draft)
  const reminders = findReminders(text)
  takeWhen(text, context, draft)
  takeReminders(text, draft, reminders)
  return { title: text.title(), draft, spans: text.spans(), warnings: text.warnings() }
}

/**
 * Reads words that only name a day, such as `next friday at 9am`, like quick add. Returns null if they name none, or
 * contain anything else, such as a recurrence. `now` is in milliseconds since 1970, `time_zone` an IANA name.
 */
export function readDateWords(
  words: string,
  now: number,
  time_zone: string,
): { date: string; time: string | null } | null {
  const { day, minutes } = civilOf(now, time_zone)
  const { title, draft } = parseQuick(words.slice(0, 200), {
    today: fromDay(day),
    minutes,
    time_zone,
    dateOrder: null,
    projectId: null,
    createMissing: false,
    findProject: () => null,
    findSection: () => null,
    firstOccurrence: () => null,
  })
  const { due, ...others } = draft
  if (!due || title !== '' || Object.keys(others).length > 0) return null
  return { date: due.date, time: due.time }
}
