import { dayOf, daysInMonth, partsOf, toDay, weekdayOf } from '../../lib/civil/day'
import { type DateValue, FilterError, type NumberField, WEEKDAY_WORDS } from './syntax'
import type { FilterToken } from './tokens'

/** The values in comparisons of filters. */

/** The first and the last date that a task can have. */
const [FIRST, LAST] = ['1900-01-01', '2200-12-31']
const [FIRST_DAY, LAST_DAY] = [toDay(FIRST), toDay(LAST)]

const DATES = ['YYYY-MM-DD', 'today', ...WEEKDAY_WORDS, '+7d', '-2w', '+1m', '+1y']
/** The sign is optional: a plus that was not percent-encoded in a URL arrives as a space. */
const OFFSET = /^([+-]?)(\d{1,4})([dwmy])$/
const MAX_VALUES = { priority: 4, duration: 43_200 }

/** Reads a date in a filter. Throws FilterError. */
export function readDateValue(token: FilterToken): DateValue {
  const word = token.kind === 'word' ? token.text.toLowerCase() : ''
  if (word === 'today') return { kind: 'today' }
  const weekday = WEEKDAY_WORDS.indexOf(word)
  if (weekday >= 0) return { kind: 'weekday', weekday }
  const [, sign, count, unit] = OFFSET.exec(word) ?? []
  if (unit !== undefined)
    return { kind: 'offset', count: Number(count) * (sign === '-' ? -1 : 1), unit: unit as 'd' | 'w' | 'm' | 'y' }
  return { kind: 'date', date: readDate(token, word) }
}

function readDate(token: FilterToken, word: string): string {
  if (word === '') throw new FilterError(token, 'missing_value', 'a date is missing here', DATES)
  if (!/^\d{4}-\d\d-\d\d$/.test(word)) throw new FilterError(token, 'invalid_date', `${word} is not a date`, DATES)
  const [year, month, day] = word.split('-').map(Number)
  if (!month || month > 12 || !day || day > daysInMonth(year ?? 0, month))
    throw new FilterError(token, 'invalid_date', `${word} is not a date`, DATES)
  if (word < FIRST || word > LAST)
    throw new FilterError(token, 'invalid_date', `${word} is not from ${FIRST} to ${LAST}`, DATES)
  return word
}

/** Reads the number that a field is compared with. Throws FilterError. */
export function readNumber(token: FilterToken, field: NumberField): number {
  const expected = [`0..${MAX_VALUES[field]}`]
  if (token.kind !== 'word') throw new FilterError(token, 'missing_value', 'a whole number is missing here', expected)
  if (!/^\d{1,5}$/.test(token.text) || Number(token.text) > MAX_VALUES[field])
    throw new FilterError(
      token,
      'invalid_number',
      `${field} is a whole number from 0 to ${MAX_VALUES[field]}`,
      expected,
    )
  return Number(token.text)
}

/**
 * Returns the day of a value, as days since 1970. A weekday is the next one, which may be today; an offset in months or
 * years keeps the day of the month, or takes the last. The result is clamped, since all days outside those of tasks
 * compare alike.
 */
export function resolveDay(value: DateValue, today: number): number {
  return clampComparedDay(resolveAnyDay(value, today))
}

/** Returns the day, clamped to two days outside those of tasks: another zone can shift a date by one day. */
export function clampComparedDay(day: number): number {
  return Math.min(Math.max(day, FIRST_DAY - 2), LAST_DAY + 2)
}

function resolveAnyDay(value: DateValue, today: number): number {
  switch (value.kind) {
    case 'date':
      return toDay(value.date)
    case 'today':
      return today
    case 'weekday':
      return today + ((value.weekday - weekdayOf(today) + 7) % 7)
    default:
      return addOffset(value.count, value.unit, today)
  }
}

function addOffset(count: number, unit: 'd' | 'w' | 'm' | 'y', today: number): number {
  if (unit === 'd' || unit === 'w') return today + count * (unit === 'w' ? 7 : 1)
  const { year, month, day } = partsOf(today)
  const months = year * 12 + month - 1 + count * (unit === 'y' ? 12 : 1)
  const [toYear, toMonth] = [Math.floor(months / 12), (((months % 12) + 12) % 12) + 1]
  return dayOf(toYear, toMonth, Math.min(day, daysInMonth(toYear, toMonth)))
}
