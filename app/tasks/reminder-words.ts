/** Reminders of tasks in words. */
import type { Reminder } from '../api/types'
import { dateOf } from '../data/clock'
import { locale } from '../words/say'
import { dayMonthYear } from './dates'

/** In minutes. */
const UNITS = [
  { name: 'week', minutes: 10_080 },
  { name: 'day', minutes: 1440 },
  { name: 'hour', minutes: 60 },
  { name: 'minute', minutes: 1 },
]

/** “30 minutes before”, “a day and 2 hours before it starts”, “when it is due” or “3 May 2027, 09:00”. */
export function reminderInWords({ at, offset_minutes, from }: Reminder): string {
  if (at !== null) {
    const moment = new Date(at)
    return `${dayMonthYear(dateOf(moment))}, ${moment.toTimeString().slice(0, 5)}`
  }
  const minutes = offset_minutes ?? 0
  if (minutes === 0) return from === 'start' ? 'when it starts' : 'when it is due'
  const side = minutes < 0 ? 'before' : 'after'
  return `${lengthInWords(Math.abs(minutes))} ${side}${from === 'start' ? ' it starts' : ''}`
}

/** A length in minutes as “1h 30m”. */
export function shortLength(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  const narrow = (count: number, unit: string) =>
    count === 0 ? [] : [count.toLocaleString(locale, { style: 'unit', unit, unitDisplay: 'narrow' })]
  return [...narrow(hours, 'hour'), ...narrow(rest, 'minute')].join(' ')
}

/** A length in minutes as “an hour”, “90 minutes” would be “an hour and 30 minutes”. */
export function lengthInWords(minutes: number): string {
  let left = minutes
  const parts = UNITS.flatMap(({ name, minutes }) => {
    const count = Math.floor(left / minutes)
    left -= count * minutes
    if (count === 0) return []
    return [count === 1 ? `${name === 'hour' ? 'an' : 'a'} ${name}` : `${count} ${name}s`]
  })
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
