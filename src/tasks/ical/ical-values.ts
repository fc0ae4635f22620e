import type { ItemMoment } from './item'

/** Dates, times and durations as calendar files spell them. */

/** `2026-03-01` as `20260301`. */
export function icsDate(date: string): string {
  return date.replaceAll('-', '')
}

/** An RFC 3339 instant as `20260301T081500Z`; milliseconds have no place there. */
export function icsInstant(instant: string): string {
  return `${instant.slice(0, 19).replace(/[-:]/g, '')}Z`
}

/** The parameters and the value of a moment, e.g. `;TZID=Europe/Berlin:20260301T090000`. */
export function icsMoment({ date, time, tz }: ItemMoment): string {
  if (time === null) return `;VALUE=DATE:${icsDate(date)}`
  const local = `${icsDate(date)}T${time.replace(':', '')}00`
  if (tz === 'UTC') return `:${local}Z`
  return tz === null ? `:${local}` : `;TZID=${tz}:${local}`
}

/** Minutes as a duration: `-PT15M`, `PT1H30M`, `P1D`. */
export function icsDuration(minutes: number): string {
  const sign = minutes < 0 ? '-' : ''
  const [days, hours, rest] = [
    Math.floor(Math.abs(minutes) / 1440),
    Math.floor((Math.abs(minutes) % 1440) / 60),
    Math.abs(minutes) % 60,
  ]
  const time = `${hours > 0 ? `${hours}H` : ''}${rest > 0 ? `${rest}M` : ''}`
  if (days === 0 && time === '') return 'PT0S'
  return `${sign}P${days > 0 ? `${days}D` : ''}${time === '' ? '' : `T${time}`}`
}
