import { type CutFault, type CutTodo, cutCalendar } from '../../../src/lib/ical/cut'
import type { CalendarItem, CheckRule } from '../../../src/lib/ical/item'
import { readPlace } from '../../../src/lib/ical/members'
import { readTodo } from '../../../src/lib/ical/read'
import { decodeCalendar } from '../../../src/lib/ical/text'
import { createCalendarWriter, type ExportTask } from '../../../src/lib/ical/write'
import { createZones } from '../../../src/lib/ical/zones'
import { parseRule } from '../../../src/lib/recurrence/parse'
import { isTimedRule, RuleError, writeRecurrenceRule } from '../../../src/lib/recurrence/rule'

/** The rule as the service checks it. */
export const check: CheckRule = (text) => {
  try {
    const { rule, skip } = parseRule(text)
    return { rrule: writeRecurrenceRule(rule), skip: skip ?? 'omit', timed: isTimedRule(rule) }
  } catch (error) {
    if (error instanceof RuleError) return { problem: error.message }
    throw error
  }
}

export interface ReadFile {
  readonly items: readonly CalendarItem[]
  readonly faults: readonly CutFault[]
  readonly skipped: Readonly<Record<string, number>>
  readonly truncated: boolean
}

/** A whole file, as the import reads it. */
export function readFile(file: string | Uint8Array): ReadFile {
  const { text } = decodeCalendar(typeof file === 'string' ? new TextEncoder().encode(file) : file)
  const cutting = cutCalendar(text)
  const [todos, faults]: [CutTodo[], CutFault[]] = [[], []]
  let next = cutting.next()
  for (; !next.done; next = cutting.next())
    if ('code' in next.value) faults.push(next.value)
    else todos.push(next.value)
  const { skipped, locations, truncated } = next.value
  const zones = createZones(locations)
  return { items: todos.map((todo) => readTodo(todo, zones, check)), faults, skipped, truncated }
}

/** The one item of a file that holds the given lines in a VTODO. */
export function readLines(...lines: string[]): CalendarItem {
  const [item, ...more] = readFile(calendar(['BEGIN:VTODO', 'UID:u', 'SUMMARY:s', ...lines, 'END:VTODO'])).items
  if (!item || more.length > 0) throw new Error('expected one item')
  return item
}

export function calendar(lines: readonly string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n')
}

/** The codes of an item's warnings, in their order. */
export function codes(item: CalendarItem): string[] {
  return item.warnings.map(({ code }) => code)
}

/** A file of tasks. */
export function write(tasks: readonly ExportTask[]): string {
  const writer = createCalendarWriter()
  return writer.head() + tasks.map((task) => writer.todo(task)).join('') + [...writer.end()].join('')
}

/** What an export of the item would be given, had it been imported. */
export function exported(item: CalendarItem): ExportTask {
  const { members, uid, parent_uid, blocked_by_uids, priority_read, revision } = item
  const rest = item.rest
    .split('\n')
    .filter((line) => !/^X-SATCHEL-(PROJECT|SECTION)/.test(line))
    .join('\n')
  const at = '2026-01-01T00:00:00.000Z'
  const stamps = { created_at: members.created_at ?? at, updated_at: members.updated_at ?? at }
  return {
    ...members,
    ...stamps,
    uid,
    parent_uid,
    blocked_by_uids,
    priority_read,
    revision,
    rest,
    place: readPlace(item.rest),
  }
}

/** A task with nothing but a title; `over` replaces members. */
export function task(over: Partial<ExportTask> = {}): ExportTask {
  return { ...PLAIN, ...over }
}

const PLAIN: ExportTask = {
  uid: '0198aaaa-0000-7000-8000-000000000001',
  title: 'Pay rent',
  notes: null,
  status: 'open',
  priority: 0,
  due: null,
  start: null,
  duration_minutes: null,
  recurrence: null,
  reminders: [],
  labels: [],
  created_at: '2026-03-01T08:00:00.000Z',
  updated_at: '2026-03-02T09:30:00.000Z',
  completed_at: null,
  cancelled_at: null,
  parent_uid: null,
  blocked_by_uids: [],
  priority_read: null,
  rest: '',
  place: null,
  revision: null,
}

/** Lines unfolded as RFC 5545 says. */
export function unfold(file: string): string[] {
  return file
    .replaceAll(/\r\n[ \t]/g, '')
    .split('\r\n')
    .slice(0, -1)
}
