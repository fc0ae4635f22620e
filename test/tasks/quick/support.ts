import { fromDay, toDay, weekdayOf } from '../../../src/lib/civil/day'
import { instantOf } from '../../../src/lib/civil/zone'
import type { QuickContext, QuickParse } from '../../../src/tasks/quick/parse'

export interface Utterance {
  readonly text: string
  readonly expected: string
  readonly context: QuickContext
}

/** The table of utterances.txt. */
export function readUtterances(table: string): Utterance[] {
  let context = makeContext()
  return table.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) context = makeContext(JSON.parse(line.match(/\{.*/)?.[0] ?? '{}'))
    const [text, expected] = line.startsWith('# ') ? [] : line.split(' => ')
    return text !== undefined && expected !== undefined ? [{ text, expected, context }] : []
  })
}

/** What the clock shows, and any of the rest. */
type ContextChanges = Partial<QuickContext> & { readonly today?: string; readonly minutes?: number }

/** Monday, 2 March 2026, 10:00 in Berlin, with two projects, one of them with sections. */
export function makeContext({ today = '2026-03-02', minutes = 600, ...changes }: ContextChanges = {}): QuickContext {
  const { time_zone = 'Europe/Berlin' } = changes
  return {
    now: instantOf(toDay(today), minutes, time_zone ?? 'UTC'),
    time_zone,
    dateOrder: null,
    projectId: null,
    createMissing: false,
    findProject: (name) => PROJECTS.find((project) => project.name.toLowerCase() === name.toLowerCase()) ?? null,
    findSection: (projectId, name) => {
      const section = SECTIONS.find(
        (each) => each.project === projectId && each.name.toLowerCase() === name.toLowerCase(),
      )
      return section ? { id: section.id, name: section.name } : null
    },
    firstOccurrence,
    ...changes,
  }
}

const PROJECTS = [
  { id: 'project-home', name: 'Home' },
  { id: 'project-two', name: 'Two words' },
  { id: 'project-cafe', name: 'Café' },
]
const SECTIONS = [
  { id: 'section-garden', project: 'project-home', name: 'Garden' },
  { id: 'section-later', project: 'project-home', name: 'Not now' },
]

const CODES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

const addDays = (date: string, days: number) => fromDay(toDay(date) + days)
const weekdayOfDate = (date: string) => weekdayOf(toDay(date))

/** The first day that fits, looked for day by day: for the rules that quick add makes, skip backward. */
export function firstOccurrence(rrule: string, from: string): string | null {
  const parts = new Map(rrule.split(';').map((part) => part.split('=') as [string, string]))
  if (from.length > 10) return firstSlot(parts, from)
  const until = parts.get('UNTIL')?.replace(/(....)(..)(..)/, '$1-$2-$3') ?? '2200-12-31'
  const last = addDays(from, 366 * 9)
  for (let date = from; date <= until && date <= last; date = addDays(date, 1)) {
    if (fits(parts, date)) return date
  }
  return null
}

/** The first minute that fits, looked for minute by minute. */
function firstSlot(parts: Map<string, string>, from: string): string | null {
  const [date = '', time = ''] = from.split('T')
  const [hours = [], minutes = []] = ['BYHOUR', 'BYMINUTE'].map((name) => parts.get(name)?.split(',').map(Number))
  for (let at = Number(time.slice(0, 2)) * 60 + Number(time.slice(3)); at < 9 * 1440; at++) {
    const day = addDays(date, Math.floor(at / 1440))
    const [hour, minute] = [Math.floor((at % 1440) / 60), at % 60]
    if (hours.length > 0 && !(hours.includes(hour) && minutes.includes(minute))) continue
    if (fits(parts, day)) return `${day}T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
  }
  return null
}

function fits(parts: Map<string, string>, date: string): boolean {
  const [, month, day] = date.split('-').map(Number)
  const list = (name: string) => parts.get(name)?.split(',')
  if (list('BYMONTH') && !list('BYMONTH')?.includes(String(month))) return false
  const days = list('BYDAY')
  if (days && !(parts.has('BYSETPOS') ? fitsPosition(parts, date) : days.some((code) => fitsDay(code, date))))
    return false
  return (
    !list('BYMONTHDAY') ||
    (list('BYMONTHDAY') ?? []).some((number) => fitsMonthDay(Number(number), day ?? 0, lengthOf(date)))
  )
}

function fitsMonthDay(wanted: number, day: number, length: number): boolean {
  return day === (wanted < 0 ? length + 1 + wanted : Math.min(wanted, length))
}

/** `MO`, or `-1FR`: the last one of its month. */
function fitsDay(code: string, date: string): boolean {
  if (CODES[weekdayOfDate(date)] !== code.slice(-2)) return false
  const ordinal = Number(code.slice(0, -2))
  const day = Number(date.slice(8))
  if (ordinal === 0) return true
  return ordinal > 0 ? Math.ceil(day / 7) === ordinal : day + 7 > lengthOf(date)
}

/** The first or last Monday to Friday of its month. */
function fitsPosition(parts: Map<string, string>, date: string): boolean {
  const step = parts.get('BYSETPOS') === '-1' ? 1 : -1
  const workday = (each: string) => weekdayOfDate(each) < 5
  if (!workday(date)) return false
  for (let next = addDays(date, step); next.slice(0, 7) === date.slice(0, 7); next = addDays(next, step)) {
    if (workday(next)) return false
  }
  return true
}

function lengthOf(date: string): number {
  const [year = 0, month = 1] = date.split('-').map(Number)
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** A parse in one line: the title, then each member that the text set, then the warnings. */
export function describeParse({ title, draft, warnings }: QuickParse): string {
  const { due, start, recurrence } = draft
  return [
    title,
    ...(due ? [`due ${[due.date, due.time].filter(Boolean).join(' ')}`] : []),
    ...(start ? [`start ${start.date}`] : []),
    ...(recurrence ? [`${recurrence.mode === 'completion' ? 'completion' : 'rule'} ${recurrence.rrule}`] : []),
    ...(draft.duration_minutes ? [`for ${draft.duration_minutes}`] : []),
    ...(draft.reminders ?? []).map(({ offset_minutes }) => `remind ${offset_minutes}`),
    ...(draft.priority ? [`!${draft.priority}`] : []),
    ...(draft.project ? [`#${draft.project.name}${draft.project.id ? '' : ' (new)'}`] : []),
    ...(draft.section ? [`/${draft.section.name}${draft.section.id ? '' : ' (new)'}`] : []),
    ...(draft.labels ?? []).map((label) => `@${label}`),
    ...warnings.map(({ code, text }) => `warning ${code} ${text}`),
  ].join(' | ')
}
