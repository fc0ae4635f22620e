import { fromDay, toDay } from '../../src/lib/civil/day'
import { civilOf, instantOf } from '../../src/lib/civil/zone'

/** One utterance of eval/data/time and what it means; its README says how each member is written. */
export interface Utterance {
  readonly text: string
  /** The language that the request names; null: none. */
  readonly language: 'en' | 'de' | 'fr' | 'es' | null
  /** The language of the text, where it is another. */
  readonly text_language?: string
  readonly source: string
  /** The title that is left; absent: the whole text. */
  readonly title?: string
  /** `2026-03-12`, `2026-03-12 09:00` in the caller's zone, or with a zone after it; of several any one is right. */
  readonly due?: string | readonly string[]
  /** The first day of a range, `2026-03-12`; `due` is the last. */
  readonly start?: string
  /** Of several any one is right. */
  readonly rrule?: string | readonly string[]
  readonly mode?: 'completion'
  readonly duration_minutes?: number
  /** When it rings for the first date: `2026-03-13 14:30` in the caller's zone, or `2026-03-13` at any time. */
  readonly reminders?: readonly string[]
  /**
   * `refused`: a warning is right, silence is wrong; what `due` and `rrule` say may be set beside the warning. `either`:
   * the reading is right, and so is a warning with nothing wrong set.
   */
  readonly expect?: 'refused' | 'either'
  /** Nothing may be set and nothing may leave the title; beside `either` that is right, too. */
  readonly whole?: true
  /** Instead of the file's. */
  readonly now?: string
  readonly time_zone?: string
  readonly date_order?: 'dmy' | 'mdy'
}

interface Due {
  readonly date: string
  readonly time: string | null
  readonly time_zone: string | null
}

/** What a reader made of a text. Null is not set. */
export interface Reading {
  readonly title: string
  readonly due: Due | null
  readonly start: { readonly date: string; readonly time: string | null } | null
  readonly recurrence: { readonly rrule: string; readonly mode: 'schedule' | 'completion' } | null
  readonly duration_minutes: number | null
  /** Minutes from `due` to each reminder. */
  readonly reminders: readonly number[]
  /** The pieces of the text that the warnings name. */
  readonly warned: readonly string[]
}

export type Verdict = 'right' | 'warned' | 'silently wrong'

/** How one member was read. */
type Match = 'same' | 'unset' | 'other'

/**
 * Right: title and every member as expected. Warned: what is set is right, what is not set is named by a warning and may
 * still be in the title. Anything else is silently wrong, also a rule that lacks a part of what was said.
 * `zone` is the caller's.
 */
export function judge(utterance: Utterance, reading: Reading, zone: string): Verdict {
  const title = utterance.title ?? utterance.text
  const matches = [
    matchDue(utterance, reading, zone),
    matchStart(utterance, reading),
    matchRule(utterance, reading),
    matchDuration(utterance, reading),
    matchReminders(utterance, reading, zone),
  ]
  if (matches.includes('other')) return 'silently wrong'
  if (utterance.expect === 'refused') return namesPart(reading, '') ? 'right' : 'silently wrong'
  if (!matches.includes('unset') && reading.title === title) return 'right'
  if (utterance.expect === 'either' && utterance.whole && isUntouched(utterance, reading)) return 'right'
  if (!keepsTitle(reading, title) || !namesPart(reading, title)) return 'silently wrong'
  return utterance.expect === 'either' ? 'right' : 'warned'
}

function isUntouched({ text }: Utterance, { title, due, start, recurrence, duration_minutes }: Reading): boolean {
  return title === text && [due, start, recurrence, duration_minutes].every((member) => member === null)
}

/** Whether every word of the title is still in the title that was read, in order; more may be there. */
function keepsTitle(reading: Reading, title: string): boolean {
  const words = wordsOf(title)
  let next = 0
  for (const word of wordsOf(reading.title)) if (word === words[next]) next++
  return next === words.length
}

/** Whether a warning names a word that is not of the title, so that it is about what was not set. */
function namesPart({ warned }: Reading, title: string): boolean {
  const words = new Set(wordsOf(title))
  return warned.some((piece) => wordsOf(piece).some((word) => !words.has(word)))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function oneOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value as T]
}

/** What `due` of the data says. */
export function readDue(written: string): Due {
  const [date = '', time = null, time_zone = null] = written.split(' ')
  return { date, time, time_zone }
}

function matchDue({ due }: Utterance, reading: Reading, zone: string): Match {
  const expected = oneOf(due).map(readDue)
  const read = reading.due
  if (read === null) return expected.length === 0 ? 'same' : 'unset'
  if (expected.some((one) => isSameTime(one, read, zone))) return 'same'
  // Of a day and a time the day alone may be set.
  return expected.some((one) => one.date === read.date && read.time === null) ? 'unset' : 'other'
}

/** The same clock time in the caller's zone, or the same instant by another zone's clock. A floating time has none. */
function isSameTime(expected: Due, read: Due, zone: string): boolean {
  if (expected.time === null || read.time === null) return expected.date === read.date && expected.time === read.time
  if (read.time_zone === null) return false
  return instantOfDue(expected, zone) === instantOfDue(read, zone)
}

function instantOfDue({ date, time, time_zone }: Due, zone: string): number {
  const [hours = 0, minutes = 0] = (time ?? '').split(':').map(Number)
  return instantOf(toDay(date), hours * 60 + minutes, time_zone ?? zone)
}

function matchStart({ start }: Utterance, reading: Reading): Match {
  if (reading.start === null) return start === undefined ? 'same' : 'unset'
  return reading.start.date === start && reading.start.time === null ? 'same' : 'other'
}

function matchDuration({ duration_minutes }: Utterance, reading: Reading): Match {
  if (reading.duration_minutes === null) return duration_minutes === undefined ? 'same' : 'unset'
  return reading.duration_minutes === duration_minutes ? 'same' : 'other'
}

function matchReminders({ reminders }: Utterance, { reminders: read, due }: Reading, zone: string): Match {
  if (reminders === undefined) return 'same'
  if (read.length === 0 || due === null) return 'unset'
  const instants = read.map((minutes) => instantOfDue(due, due.time_zone ?? zone) + minutes * 60_000)
  const isMeant = (at: number, { date, time }: Due) =>
    time === null ? fromDay(civilOf(at, zone).day) === date : at === instantOfDue({ date, time, time_zone: null }, zone)
  const expected = reminders.map(readDue)
  const isSame = instants.length === expected.length && instants.every((at, i) => isMeant(at, expected[i] ?? due))
  return isSame ? 'same' : 'other'
}

function matchRule({ rrule, mode, due }: Utterance, { recurrence, due: read }: Reading): Match {
  const expected = oneOf(rrule)
  if (recurrence === null) return expected.length === 0 ? 'same' : 'unset'
  const date = read?.date ?? null
  const found = partsOf(recurrence.rrule, date)
  const isSame = expected.some((rule) => partsOf(rule, date ?? readDue(oneOf(due)[0] ?? '').date) === found)
  return isSame && recurrence.mode === (mode ?? 'schedule') ? 'same' : 'other'
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/**
 * A rule as a sorted set of parts that is the same for rules that mean the same: without INTERVAL=1 and WKST, its lists
 * in order, UNTIL by its day, one weekday and its place as `-1FR`, and with the day that the first date says.
 */
export function partsOf(rrule: string, first: string | null): string {
  const parts = new Map<string, string>()
  for (const part of rrule
    .toUpperCase()
    .replace(/^RRULE:/, '')
    .split(';')) {
    const [name = '', value = ''] = part.split('=')
    if (name === '' || name === 'WKST' || (name === 'INTERVAL' && value === '1')) continue
    parts.set(name, name === 'UNTIL' ? value.slice(0, 8) : value.replaceAll('+', '').split(',').toSorted().join(','))
  }
  const [days = '', place = ''] = [parts.get('BYDAY'), parts.get('BYSETPOS')]
  if (parts.get('FREQ') === 'MONTHLY' && /^[A-Z]{2}$/.test(days) && /^-?\d$/.test(place)) {
    parts.delete('BYSETPOS')
    parts.set('BYDAY', `${place}${days}`)
  }
  if (first !== null && ![...parts.keys()].some((name) => /^BY(?!HOUR|MINUTE)/.test(name))) {
    for (const [name, value] of impliedBy(parts.get('FREQ'), first)) parts.set(name, value)
  }
  return [...parts]
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join(';')
}

function impliedBy(freq: string | undefined, first: string): [string, string][] {
  const [, month, day] = first.split('-').map(Number)
  if (freq === 'WEEKLY') return [['BYDAY', WEEKDAYS[(toDay(first) + 3) % 7] ?? '']]
  if (freq === 'MONTHLY') return [['BYMONTHDAY', String(day)]]
  return freq === 'YEARLY'
    ? [
        ['BYMONTH', String(month)],
        ['BYMONTHDAY', String(day)],
      ]
    : []
}
