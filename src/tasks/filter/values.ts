import { type TimeLanguage, toDay } from '../../lib/civil/day'
import { addAmount } from '../../lib/civil/words/calendar'
import { isReadDay, readDate } from '../../lib/civil/words/date'
import type { TimeContext } from '../../lib/civil/words/read'
import type { TimeWarning } from '../../lib/civil/words/reading'
import { civilOf } from '../../lib/civil/zone'
import { toCodePoints } from '../../lib/text'
import { clampComparedDay, FilterError, type FilterToken, type NumberField } from './syntax'

/** The values in comparisons of filters. */

export interface DateContext {
  /** The instant that words count from, in milliseconds since 1970. */
  readonly now: number
  /** The zone of today: an IANA name. */
  readonly time_zone: string
  /** The languages of words: the first that understands a date counts. */
  readonly languages: readonly TimeLanguage[]
  readonly dateOrder: TimeContext['dateOrder']
}

const DATES = ['YYYY-MM-DD', 'today', 'mon', 'next friday', 'in 3 days', '+7d', '-2w', '+1m', '+1y']
/** Not in words, where `+1m` is a minute. A plus that was not percent-encoded in a URL arrives as a space. */
const OFFSET = /^([+-]?)(\d{1,4})([dwmy])$/i
const UNITS = { d: 'day', w: 'week', m: 'month', y: 'year' } as const
/** UTF-16 units of the words of a date. Reading more of them takes milliseconds. */
const MAX_DATE_UNITS = 100
const MAX_VALUES = { priority: 4, duration: 43_200 }

export const todayOf = ({ now, time_zone }: DateContext): number => civilOf(now, time_zone).day

/**
 * Returns days since 1970.
 * @param words `first` and what follows it
 * @throws FilterError at the first part that is not understood
 */
export function readDateValue(first: FilterToken, words: readonly FilterToken[], context: DateContext): number {
  if (first.kind !== 'word') throw new FilterError(first, 'missing_value', 'a date is missing here', DATES)
  const text = joinWords(words)
  const [, sign, count, unit] = OFFSET.exec(text) ?? []
  if (unit !== undefined) {
    const today = todayOf(context)
    const amount = { count: Number(count), unit: UNITS[unit.toLowerCase() as keyof typeof UNITS] }
    return clampComparedDay(addAmount(today, amount, sign === '-' ? -1 : 1) ?? today)
  }
  const fault = (start: number, end: number, detail: string) => {
    const [from = 0, to = 0] = toCodePoints(text, [start, end])
    return new FilterError({ column: first.column + from, length: to - from }, 'invalid_date', detail, DATES)
  }
  if (text.length > MAX_DATE_UNITS) throw fault(0, text.length, 'a date has fewer words')
  const read = readWords(text, context)
  if (!isReadDay(read)) {
    const part = text.slice(read.start, read.end)
    const reason = read.code === 'not_understood' ? '' : `: ${read.detail}`
    throw fault(read.start, read.end, `${part} is not a date${reason}`)
  }
  if (read.time !== null) throw fault(0, text.length, `${text} has a time of day, and a filter compares whole days`)
  return clampComparedDay(toDay(read.date))
}

/** Reads words in the first language that understands them; else returns what is wrong in the first of all. */
function readWords(text: string, { languages, ...context }: DateContext) {
  // As in an offset, a plus may have become a blank.
  const texts = /^\d/.test(text) ? [text, `+${text}`] : [text]
  const faults: TimeWarning[] = []
  for (const language of languages)
    for (const words of texts) {
      const read = readDate(words, { ...context, language, past: true })
      if (isReadDay(read)) return read
      faults.push(read)
    }
  return faults[0] ?? NOT_READ
}

const NOT_READ: TimeWarning = { code: 'not_understood', start: 0, end: 0, detail: '' }

/** Joins words with as many blanks as there are characters between them. */
function joinWords(words: readonly FilterToken[]): string {
  let text = ''
  let end = words[0]?.column ?? 0
  for (const word of words) {
    text += ' '.repeat(word.column - end) + (word.kind === 'word' ? word.text : '')
    end = word.column + word.length
  }
  return text
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
