import { locale, say } from '../words/say'
import { dateOf } from './clock'

const relativeDay = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long' })
const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })

/** The time of day, such as “09:00”. */
export const clockTime = (moment: Date): string => clock.format(moment)

/** A moment as one speaks of it: “tomorrow at 09:00”, within a week “Friday at 09:00”, else with its date. */
export function momentInWords(moment: Date, now: Date): string {
  const days = (Date.parse(dateOf(moment)) - Date.parse(dateOf(now))) / 86_400_000
  const isNear = Math.abs(days) <= 1
  const day = isNear ? relativeDay.format(days, 'day') : (days > 0 && days < 7 ? weekday : date).format(moment)
  return say`${day} at ${clockTime(moment)}`
}
