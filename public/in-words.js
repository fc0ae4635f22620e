/** Lengths, moments and sizes as a person says them. The page speaks English; the clock is the one of the reader. */

const DAY_SECONDS = 86_400
const inMinutes = new Intl.NumberFormat('en', { style: 'unit', unit: 'minute', unitDisplay: 'long' })
const relativeDay = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/**
 * A time to wait, in minutes rounded up: who waits that long has waited long enough.
 * @param {number} seconds not negative
 * @returns {string} such as "27 minutes", from more than an hour on "1 h 5 min"
 */
export function lengthInWords(seconds) {
  if (seconds < 60) return 'less than a minute'
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 60 ? inMinutes.format(minutes) : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/**
 * @param {Date} moment
 * @param {{ locale?: string, timeZone?: string }} [reader] left out: those of the browser
 * @returns {string} the time of day, such as "09:00"
 */
export function clockTime(moment, { locale, timeZone } = {}) {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }).format(moment)
}

/**
 * A moment by its day, as far as one speaks of it by its distance, and its time.
 * @param {Date} moment
 * @param {Date} now
 * @param {{ locale?: string, timeZone?: string }} [reader] left out: those of the browser
 * @returns {string} such as "tomorrow at 09:00"; within a week "Friday at 09:00"; else the date with the time
 */
export function momentInWords(moment, now, reader = {}) {
  return `${dayInWords(moment, now, reader)} at ${clockTime(moment, reader)}`
}

/**
 * The day of a moment, as far as one speaks of it by its distance.
 * @param {Date} moment
 * @param {Date} now
 * @param {{ locale?: string, timeZone?: string }} [reader] left out: those of the browser
 * @returns {string} such as "tomorrow"; within a week "Friday"; else the date
 */
export function dayInWords(moment, now, { locale, timeZone } = {}) {
  const days = dayNumber(moment, timeZone) - dayNumber(now, timeZone)
  if (Math.abs(days) <= 1) return relativeDay.format(days, 'day')
  const format = (/** @type {Intl.DateTimeFormatOptions} */ options, /** @type {string | undefined} */ language) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone }).format(moment)
  return days > 0 && days < 7 ? format({ weekday: 'long' }, 'en') : format({ dateStyle: 'medium' }, locale)
}

/**
 * Days since 1970 of the day that the calendar on the reader's wall shows.
 * @param {Date} moment
 * @param {string | undefined} timeZone
 */
function dayNumber(moment, timeZone) {
  const parts = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone })
  return Date.parse(parts.format(moment)) / (1000 * DAY_SECONDS)
}

const count = new Intl.NumberFormat()

/**
 * @param {number} size in bytes
 * @returns {string} such as "1.5 MiB"
 */
export function sizeInWords(size) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB']
  const power = size < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(size) / 10))
  const value = size / 1024 ** power
  return `${count.format(value < 10 && power > 0 ? Math.round(value * 10) / 10 : Math.round(value))} ${units[power]}`
}
