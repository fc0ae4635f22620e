import { fromDay, toDay } from '../civil/day'
import { isMomentAfter, toItemInstant, writeItemInstant } from './dates'
import type { ItemMoment } from './item'
import {
  escapeText,
  foldAll,
  writeIcsDate,
  writeIcsDuration,
  writeIcsInstant,
  writeIcsMoment,
  writeTextLine,
} from './text'

// Feeds of events: recurrences are expanded and zones are UTC, so that no client needs rules or zones.

const FEED_PRODID = '-//Satchel//Feed//EN'
/** The interval at which calendars should fetch the feed; its token has 60 requests an hour. */
const REFRESH = 'PT1H'

export interface FeedEvent {
  readonly uid: string
  /** The name of the occurrence if the task repeats; it makes the UID unique. */
  readonly occurrence: string | null
  readonly title: string
  readonly notes: string | null
  /** The due date; of a task without one, the start. */
  readonly when: ItemMoment
  readonly start: ItemMoment | null
  readonly duration_minutes: number | null
  /** RFC 3339, UTC. */
  readonly updated_at: string
}

/** `name` is shown by calendars. */
export function writeFeedHead(name: string): string {
  return foldAll([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:${FEED_PRODID}`,
    'CALSCALE:GREGORIAN',
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
  ])
}

export function writeFeedEnd(): string {
  return foldAll(['END:VCALENDAR'])
}

/** Writes an event that does not count as busy time. One with a start lasts from it to the due date. */
export function writeFeedEvent(event: FeedEvent): string {
  const { uid, occurrence, title, notes, updated_at } = event
  return foldAll([
    'BEGIN:VEVENT',
    ...writeTextLine('UID', occurrence === null ? uid : `${uid}-${writeIcsDate(occurrence)}`),
    `DTSTAMP:${writeIcsInstant(updated_at)}`,
    ...writeTextLine('SUMMARY', title),
    ...writeTextLine('DESCRIPTION', notes),
    ...writeSpanLines(event),
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ])
}

function writeSpanLines({ when, start, duration_minutes }: FeedEvent): string[] {
  const span = start && toSpan(start, when)
  if (span) return [`DTSTART${writeMoment(span.begin)}`, `DTEND${writeMoment(span.end)}`]
  const begin = `DTSTART${writeMoment(when)}`
  if (when.time === null) return [begin, `DTEND${writeMoment(dayAfter(when))}`]
  return duration_minutes === null ? [begin] : [begin, `DURATION:${writeIcsDuration(duration_minutes)}`]
}

/**
 * Returns the begin and the end of a range, both as days or both as times: a whole day begins and ends at 00:00, and a
 * floating time beside one in a zone is of that zone. Null if the end would not be after the begin.
 */
function toSpan(start: ItemMoment, due: ItemMoment): { begin: ItemMoment; end: ItemMoment } | null {
  const last = due.time === null ? dayAfter(due) : due
  const isTimed = start.time !== null || due.time !== null
  const toTime = (moment: ItemMoment, tz: string | null) =>
    isTimed ? { date: moment.date, time: moment.time ?? '00:00', tz: moment.tz ?? tz } : moment
  const [begin, end] = [toTime(start, due.tz), toTime(last, start.tz)]
  return isMomentAfter(end, begin) ? { begin, end } : null
}

function dayAfter({ date }: ItemMoment): ItemMoment {
  return { date: fromDay(toDay(date) + 1), time: null, tz: null }
}

function writeMoment(moment: ItemMoment): string {
  if (moment.time === null || moment.tz === null) return writeIcsMoment(moment)
  return `:${writeIcsInstant(writeItemInstant(toItemInstant(moment)))}`
}
