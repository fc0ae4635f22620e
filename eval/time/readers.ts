import { casual, type ParsedResult } from 'chrono-node/en'
import { fromDay } from '../../src/lib/civil/day'
import { civilOf, clockTime, offsetAt } from '../../src/lib/civil/zone'
import { findFirstDate } from '../../src/lib/recurrence/slots'
import { parseQuick } from '../../src/tasks/quick/parse'
import type { Reading, Utterance } from './score'

/** When and where a text is read. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly time_zone: string
}

export type Reader = (utterance: Utterance, moment: Moment) => Reading

/** Quick add's parser, in a workspace without projects. */
export const readQuick: Reader = ({ text, language, date_order }, { now, time_zone }) => {
  const context = {
    time_zone,
    now,
    ...(language && { language }),
    dateOrder: date_order ?? null,
    projectId: null,
    createMissing: false,
    findProject: () => null,
    findSection: () => null,
    firstOccurrence: findFirstDate,
  }
  const { title, draft, warnings } = parseQuick(text, context)
  return {
    title,
    due: draft.due ?? null,
    start: draft.start ?? null,
    recurrence: draft.recurrence ?? null,
    duration_minutes: draft.duration_minutes ?? null,
    reminders: (draft.reminders ?? []).map(({ offset_minutes }) => offset_minutes),
    warned: warnings.map((warning) => warning.text),
  }
}

/** chrono-node as it comes, forward only: its first result. It reads English here, and neither repeats nor warns. */
export const readChrono: Reader = ({ text, language }, { now, time_zone }) => {
  const reference = { instant: new Date(now), timezone: offsetAt(now, time_zone) / 60_000 }
  const [found] = language === 'en' ? casual.parse(text, reference, { forwardDate: true }) : []
  const nothing: Reading = {
    title: text,
    due: null,
    start: null,
    recurrence: null,
    duration_minutes: null,
    reminders: [],
    warned: [],
  }
  if (!found) return nothing
  const title = (text.slice(0, found.index) + text.slice(found.index + found.text.length)).replace(/\s+/g, ' ').trim()
  const [start, end] = [timeOf(found.start, time_zone), found.end ? timeOf(found.end, time_zone) : null]
  if (end === null) return { ...nothing, title, due: start }
  if (start.time === null || end.time === null) return { ...nothing, title, due: end, start }
  const minutes = ((found.end?.date().getTime() ?? 0) - found.start.date().getTime()) / 60_000
  return { ...nothing, title, due: start, duration_minutes: minutes }
}

/** Its parts; a time with an offset by the clock of the caller's zone. */
function timeOf(parts: ParsedResult['start'], time_zone: string) {
  if (parts.isCertain('timezoneOffset')) {
    const { day, minutes } = civilOf(parts.date().getTime(), time_zone)
    return { date: fromDay(day), time: parts.isCertain('hour') ? clockTime(minutes) : null, time_zone }
  }
  const two = (name: 'month' | 'day' | 'hour' | 'minute') => String(parts.get(name) ?? 0).padStart(2, '0')
  const date = `${parts.get('year')}-${two('month')}-${two('day')}`
  const time = parts.isCertain('hour') ? `${two('hour')}:${two('minute')}` : null
  return { date, time, time_zone: time === null ? null : time_zone }
}
