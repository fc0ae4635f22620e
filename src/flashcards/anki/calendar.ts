import { fromDay, modulo, toDay } from '../../lib/civil/day'
import type { AnkiCalendar } from './collection'

/** Anki counts days from the creation of a collection; here they become civil dates. */
export interface AnkiDays {
  /** The date of Anki's day, or null outside of the years 1970 to 9999. */
  date(day: number): string | null
  /** When Anki's day begins, in milliseconds since 1970. */
  start(day: number): number
  /** Anki's day in which an instant lies. */
  dayOf(ms: number): number
}

const DAY = 86_400
const USUAL_ROLLOVER = 4
/** The least offset of a zone, UTC-10: those beyond it are told apart by Anki itself. */
const LEAST_OFFSET = 10 * 3600

/** Where the offset is not told, the collection is taken to have been created at the hour at which its days begin. */
export function toAnkiDays({ created, creationOffset, rollover }: AnkiCalendar): AnkiDays {
  const hour = isNumber(rollover, 23) ? rollover : USUAL_ROLLOVER
  const offset = isNumber(creationOffset, 24 * 60)
    ? -60 * creationOffset
    : modulo(hour * 3600 - created + LEAST_OFFSET, DAY) - LEAST_OFFSET
  const zero = Math.floor((created + offset) / DAY)
  const [first, last] = [toDay('1970-01-01'), toDay('9999-12-31')]
  return {
    date: (day) => (zero + day >= first && zero + day <= last ? fromDay(zero + day) : null),
    start: (day) => ((zero + day) * DAY - offset + hour * 3600) * 1000,
    dayOf: (ms) => Math.floor((ms / 1000 + offset - hour * 3600) / DAY) - zero,
  }
}

function isNumber(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= limit
}
