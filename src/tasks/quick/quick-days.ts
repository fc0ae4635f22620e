/** Arithmetic on civil dates written `YYYY-MM-DD`, which sort as text. */

const DAY_MS = 86_400_000

/** The date so many days later; negative is earlier. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** 0 Sunday to 6 Saturday. */
export function weekdayOfDate(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay()
}

/** The date of these parts; null if there is no such day or its year is beyond those a task may have (1900 to 2200). */
export function dateOf(year: number, month: number, day: number): string | null {
  if (!(year >= 1900 && year <= 2200)) return null
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.toISOString().slice(0, 10) : null
}

/** The first such day of a month on or after `from`; null if the month never has it. 29 February may be eight years off. */
export function nextMonthDay(from: string, month: number, day: number): string | null {
  const year = Number(from.slice(0, 4))
  for (let ahead = 0; ahead <= 8; ahead++) {
    const date = dateOf(year + ahead, month, day)
    if (date !== null && date >= from) return date
  }
  return null
}

/** The first such day of any month on or after `from`; null for a day that no month has. */
export function nextDayOfMonth(from: string, day: number): string | null {
  const [year = 0, month = 1] = from.split('-').map(Number)
  for (let ahead = 0; ahead <= 2; ahead++) {
    const date = dateOf(year + Math.floor((month + ahead - 1) / 12), ((month + ahead - 1) % 12) + 1, day)
    if (date !== null && date >= from) return date
  }
  return null
}

/** The first such weekday on or after `from`. */
export function nextWeekday(from: string, weekday: number): string {
  return addDays(from, (weekday - weekdayOfDate(from) + 7) % 7)
}

/** That weekday of the week after the one of `from`; weeks begin on Monday. */
export function weekdayOfNextWeek(from: string, weekday: number): string {
  const sinceMonday = (weekdayOfDate(from) + 6) % 7
  return addDays(from, 7 - sinceMonday + ((weekday + 6) % 7))
}

/** The same day so many months later, or the last one of a month that is too short. */
export function addMonths(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const last = lengthOfMonth(year, month + months)
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))).toISOString().slice(0, 10)
}

/** The last day of the date's month. */
export function lastOfMonth(date: string): string {
  const [year = 0, month = 1] = date.split('-').map(Number)
  return `${date.slice(0, 8)}${lengthOfMonth(year, month)}`
}

/** Months are counted from 1 and may run on beyond 12. */
function lengthOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}
