/** Lengths, moments and sizes as a person says them: in English, unless the caller has a tag for another language. */

/**
 * Makes the sentence of a template, in some language.
 * @typedef {(english: TemplateStringsArray, ...values: (string | number)[]) => string} Say
 */
/** Left out: English, and the locale and the time zone of the browser. @typedef {{ say?: Say, locale?: string, timeZone?: string }} Reader */

const DAY_SECONDS = 86_400
const count = new Intl.NumberFormat('en')

/** The sentence as it is written. @type {Say} */
export const english = (texts, ...values) => {
  const told = values.map((value) => (typeof value === 'number' ? count.format(value) : value))
  return String.raw({ raw: texts }, ...told)
}

/**
 * A time to wait, in minutes rounded up: who waits that long has waited long enough.
 * @param {number} seconds not negative
 * @param {Reader} [reader]
 * @returns {string} such as "27 minutes", from more than an hour on "1 h 5 min"
 */
export function lengthInWords(seconds, { say = english, locale = 'en' } = {}) {
  if (seconds < 60) return say`less than a minute`
  const minutes = Math.ceil(seconds / 60)
  if (minutes > 60) return say`${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(minutes)
}

/**
 * @param {Date} moment
 * @param {Reader} [reader]
 * @returns {string} the time of day, such as "09:00"
 */
export function clockTime(moment, { locale, timeZone } = {}) {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }).format(moment)
}

/**
 * A moment by its day, as far as one speaks of it by its distance, and its time.
 * @param {Date} moment
 * @param {Date} now
 * @param {Reader} [reader]
 * @returns {string} such as "tomorrow at 09:00"; within a week "Friday at 09:00"; else the date with the time
 */
export function momentInWords(moment, now, reader = {}) {
  const { say = english } = reader
  return say`${dayInWords(moment, now, reader)} at ${clockTime(moment, reader)}`
}

/**
 * The day of a moment, as far as one speaks of it by its distance.
 * @param {Date} moment
 * @param {Date} now
 * @param {Reader} [reader]
 * @returns {string} such as "tomorrow"; within a week "Friday"; else the date
 */
export function dayInWords(moment, now, { locale, timeZone } = {}) {
  const days = dayNumber(moment, timeZone) - dayNumber(now, timeZone)
  if (Math.abs(days) <= 1) return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
  const isNear = days > 0 && days < 7
  const style = isNear ? /** @type {const} */ ({ weekday: 'long' }) : /** @type {const} */ ({ dateStyle: 'medium' })
  return new Intl.DateTimeFormat(locale, { ...style, timeZone }).format(moment)
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

/**
 * @param {number} size in bytes
 * @param {Reader} [reader]
 * @returns {string} such as "1.5 MiB"
 */
export function sizeInWords(size, { say = english } = {}) {
  const power = size < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(size) / 10))
  const exact = size / 1024 ** power
  const value = exact < 10 && power > 0 ? Math.round(exact * 10) / 10 : Math.round(exact)
  if (power === 0) return say`${value} bytes`
  return power === 1 ? say`${value} KiB` : power === 2 ? say`${value} MiB` : say`${value} GiB`
}
