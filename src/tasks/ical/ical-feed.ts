import { fromDay, toDay } from '../../lib/civil/day'
import { escapeText } from './ical-text'
import { icsDate, icsDuration, icsInstant } from './ical-values'
import { foldAll, textLine } from './ical-write'
import type { ItemMembers } from './item'
import { WRITTEN_STATUSES } from './read-status'

/** Feeds: single items in UTC or by date, repeats already expanded, so that no client computes rules or zones. */

const FEED_PRODID = '-//Satchel//Feed//EN'
/** How often a calendar should come back; a feed's token has 60 requests an hour. */
const REFRESH = 'PT1H'

/** One date of one task. */
export interface FeedItem {
  readonly uid: string
  /** The civil date of the occurrence if the task repeats: each has a UID of its own. */
  readonly occurrence: string | null
  readonly title: string
  readonly notes: string | null
  /** An instant (RFC 3339, UTC), or a civil date for what is all day or floating. */
  readonly when: { readonly at: string } | { readonly date: string }
  readonly duration_minutes: number | null
  readonly status: ItemMembers['status']
  readonly completed_at: string | null
  /** RFC 3339, UTC. */
  readonly updated_at: string
}

/** The beginning of a feed; `name` is what calendars show for it. */
export function feedHead(name: string): string {
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

export function feedEnd(): string {
  return foldAll(['END:VCALENDAR'])
}

/** An item as an event that takes up no time in a calendar's free and busy hours. */
export function feedEvent(item: FeedItem): string {
  const { when, duration_minutes } = item
  const timed = 'at' in when
  const length = duration_minutes === null ? [] : [`DURATION:${icsDuration(duration_minutes)}`]
  return foldAll([
    'BEGIN:VEVENT',
    ...commonLines(item),
    timed ? `DTSTART:${icsInstant(when.at)}` : `DTSTART;VALUE=DATE:${icsDate(when.date)}`,
    ...(timed ? length : [`DTEND;VALUE=DATE:${icsDate(fromDay(toDay(when.date) + 1))}`]),
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ])
}

/** An item as a to-do, for the calendars that show them. */
export function feedTodo(item: FeedItem): string {
  const { when, status, completed_at } = item
  return foldAll([
    'BEGIN:VTODO',
    ...commonLines(item),
    'at' in when ? `DUE:${icsInstant(when.at)}` : `DUE;VALUE=DATE:${icsDate(when.date)}`,
    `STATUS:${WRITTEN_STATUSES[status]}`,
    ...(status === 'done' && completed_at ? [`COMPLETED:${icsInstant(completed_at)}`] : []),
    'END:VTODO',
  ])
}

function commonLines({ uid, occurrence, title, notes, updated_at }: FeedItem): string[] {
  return [
    ...textLine('UID', occurrence === null ? uid : `${uid}-${icsDate(occurrence)}`),
    `DTSTAMP:${icsInstant(updated_at)}`,
    ...textLine('SUMMARY', title),
    ...textLine('DESCRIPTION', notes),
  ]
}
