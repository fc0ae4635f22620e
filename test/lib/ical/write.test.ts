import { describe, expect, test } from 'bun:test'
import ICAL from 'ical.js'
import { fromDay, toDay } from '../../../src/lib/civil/day'
import type { ItemMoment, ItemRecurrence } from '../../../src/lib/ical/item'
import { writeRule } from '../../../src/lib/ical/recurrence'
import type { ExportTask } from '../../../src/lib/ical/write'
import { slow } from '../../support/full'
import { calendar, readFile, task, unfold, write } from './support'

const berlin = (date: string): ItemMoment => ({ date, time: '09:00', tz: 'Europe/Berlin' })
const allDay = (date: string): ItemMoment => ({ date, time: null, tz: null })
const rule = (rrule: string, over: Partial<ItemRecurrence> = {}): ItemRecurrence => ({
  rrule,
  mode: 'schedule',
  skip: 'backward',
  anchor: '2026-01-31',
  exdates: [],
  ...over,
})

function lines(over: Partial<ExportTask>): string[] {
  return unfold(write([task(over)]))
}

test('a task as VTODO', () => {
  const due = { date: '2026-03-31', time: '09:00', tz: 'UTC' }
  const reminders = [{ at: null, offset_minutes: -90, from: 'due' }] as const
  const file = lines({
    due,
    notes: 'a, b\nc;\\d',
    labels: ['x,y', 'z'],
    priority: 2,
    priority_read: 4,
    reminders,
    parent_uid: 'p',
    blocked_by_uids: ['b'],
  })
  expect(file.slice(4)).toEqual([
    ...['BEGIN:VTODO', 'UID:0198aaaa-0000-7000-8000-000000000001', 'DTSTAMP:20260302T093000Z'],
    ...['CREATED:20260301T080000Z', 'LAST-MODIFIED:20260302T093000Z', 'SUMMARY:Pay rent'],
    ...['DESCRIPTION:a\\, b\\nc\\;\\\\d', 'STATUS:NEEDS-ACTION', 'PRIORITY:4', 'DUE:20260331T090000Z'],
    ...['CATEGORIES:x\\,y,z', 'RELATED-TO;RELTYPE=PARENT:p', 'RELATED-TO;RELTYPE=DEPENDS-ON:b'],
    ...['BEGIN:VALARM', 'ACTION:DISPLAY', 'DESCRIPTION:Pay rent', 'TRIGGER;RELATED=END:-PT1H30M', 'END:VALARM'],
    ...['END:VTODO', 'END:VCALENDAR'],
  ])
})

test.each([
  [0, null, null],
  [0, 0, 'PRIORITY:0'],
  [1, null, 'PRIORITY:1'],
  [2, null, 'PRIORITY:3'],
  [3, null, 'PRIORITY:5'],
  [4, null, 'PRIORITY:9'],
  [4, 7, 'PRIORITY:7'],
  [1, 7, 'PRIORITY:1'],
])('priority %p, read as %p, is written as %p', (priority, priority_read, expected) => {
  expect(lines({ priority, priority_read }).find((line) => line.startsWith('PRIORITY')) ?? null).toBe(expected)
})

test('each zone that is used is described once, from the first year used to ten after the last', () => {
  const file = write([
    task({ due: berlin('2026-01-01') }),
    task({ due: berlin('2030-01-01'), start: berlin('2020-05-05') }),
  ])
  const zones = new ICAL.Component(ICAL.parse(file)).getAllSubcomponents('vtimezone')
  expect(zones.map((zone) => zone.getFirstPropertyValue('tzid'))).toEqual(['Europe/Berlin'])
  const years = unfold(file).flatMap((line) => /^(?:RDATE|DTSTART):(\d{4})/.exec(line)?.[1] ?? [])
  expect([years.sort()[0], years.sort().at(-1)]).toEqual(['2019', '2040'])
})

test('a rule that was kept is written while the task does not repeat, and not beside another', () => {
  const rest = 'RRULE:FREQ=HOURLY\nEXDATE:20260101T000000\nX-A:b'
  expect(lines({ rest })).toContain('RRULE:FREQ=HOURLY')
  const due = allDay('2026-01-31')
  const repeating = lines({ rest, due, recurrence: rule('FREQ=DAILY') })
  expect(repeating.filter((line) => /^(RRULE|EXDATE|X-A)/.test(line))).toEqual(['RRULE:FREQ=DAILY', 'X-A:b'])
})

test('what was read as a percentage is not written beside a finished task', () => {
  expect(lines({ rest: 'PERCENT-COMPLETE:30' })).toContain('PERCENT-COMPLETE:30')
  const done = lines({ rest: 'PERCENT-COMPLETE:30', status: 'done' })
  expect(done.filter((line) => line.startsWith('PERCENT'))).toEqual(['PERCENT-COMPLETE:100'])
})

describe('rules as others understand them', () => {
  test.each([
    ['FREQ=MONTHLY', '2026-01-31', '2026-02-28', 'FREQ=MONTHLY;BYMONTHDAY=-1'],
    ['FREQ=MONTHLY;BYMONTH=4,6,2', '2026-01-30', '2026-02-28', 'FREQ=MONTHLY;BYMONTH=2,4,6;BYMONTHDAY=-1'],
    ['FREQ=MONTHLY;BYMONTH=1,4;INTERVAL=3', '2026-01-31', '2026-01-31', 'FREQ=MONTHLY;BYMONTH=1,4;BYMONTHDAY=-1'],
    [
      'FREQ=MONTHLY;BYMONTH=6,5;INTERVAL=5',
      '2026-01-03',
      '2026-06-03',
      'FREQ=MONTHLY;BYMONTH=5,6;INTERVAL=5;BYMONTHDAY=3',
    ],
    ['FREQ=YEARLY', '2024-04-30', '2025-04-30', 'FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=30'],
    ['FREQ=MONTHLY;BYMONTHDAY=30', '2026-01-30', '2026-01-30', 'FREQ=MONTHLY;BYMONTHDAY=30'],
    ['FREQ=MONTHLY', '2026-01-29', '2026-02-28', 'FREQ=MONTHLY;BYMONTHDAY=29'],
    ['FREQ=YEARLY', '2024-02-29', '2025-02-28', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1'],
    ['FREQ=YEARLY', '2024-12-30', '2025-12-30', 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=30'],
    ['FREQ=WEEKLY;COUNT=5', '2026-03-02', '2026-03-02', 'FREQ=WEEKLY;COUNT=5'],
    ['FREQ=WEEKLY;COUNT=5', '2026-03-02', '2026-03-16', 'FREQ=WEEKLY;COUNT=3;BYDAY=MO'],
    ['FREQ=MONTHLY;COUNT=2', '2026-01-31', '2026-02-28', 'FREQ=MONTHLY;COUNT=1;BYMONTHDAY=-1'],
    ['FREQ=WEEKLY;COUNT=2', '2026-03-02', '2026-03-30', 'FREQ=WEEKLY;COUNT=1;BYDAY=MO'],
    ['FREQ=MONTHLY;BYMONTHDAY=15,31', '2026-01-15', '2026-01-15', 'FREQ=MONTHLY;BYMONTHDAY=15,31'],
    ['FREQ=MONTHLY', '2026-01-15', '2026-02-17', 'FREQ=MONTHLY;BYMONTHDAY=15'],
    ['FREQ=WEEKLY', '2026-03-02', '2026-03-10', 'FREQ=WEEKLY;BYDAY=MO'],
    ['FREQ=MONTHLY;BYDAY=-1FR', '2026-01-30', '2026-02-27', 'FREQ=MONTHLY;BYDAY=-1FR'],
    ['FREQ=DAILY;INTERVAL=3', '2026-01-31', '2026-02-03', 'FREQ=DAILY;INTERVAL=3'],
  ])('%s from %s, now due %s: %s', (rrule, anchor, due, written) => {
    expect(writeRule({ rrule, anchor, skip: 'backward', mode: 'schedule' }, allDay(due))).toBe(written)
  })

  test.each([
    [allDay('2026-01-01'), 'UNTIL=20261231T080000Z', 'UNTIL=20261231'],
    [{ date: '2026-01-01', time: '09:00', tz: null }, 'UNTIL=20261231', 'UNTIL=20261231T235959'],
    [berlin('2026-01-01'), 'UNTIL=20261231', 'UNTIL=20261231T225959Z'],
    [berlin('2026-01-01'), 'UNTIL=20261231T080000', 'UNTIL=20261231T080000Z'],
  ])('UNTIL is of the kind that DTSTART is: %j, %s', (due, until, written) => {
    const rule = { rrule: `FREQ=DAILY;${until}`, anchor: due.date, skip: 'omit', mode: 'schedule' } as const
    expect(writeRule(rule, due)).toBe(`FREQ=DAILY;${written}`)
  })

  test.each<[string, ItemRecurrence['skip'], string[]]>([
    ['FREQ=WEEKLY', 'omit', []],
    ['FREQ=WEEKLY', 'backward', ['X-SATCHEL-SKIP:BACKWARD']],
    ['FREQ=MONTHLY', 'backward', ['X-SATCHEL-RRULE;VALUE=RECUR:FREQ=MONTHLY', 'X-SATCHEL-SKIP:BACKWARD']],
    ['FREQ=MONTHLY;BYMONTHDAY=15,31', 'backward', ['X-SATCHEL-SKIP:BACKWARD']],
  ])('%s, %s: our own rule is one line, unless RRULE says the same, and its SKIP another', (rrule, skip, own) => {
    const file = lines({ due: allDay('2026-01-31'), recurrence: rule(rrule, { skip }) })
    expect(file.filter((line) => /^X-SATCHEL-(RRULE|SKIP)/.test(line))).toEqual(own)
    expect(
      readFile(write([task({ due: allDay('2026-01-31'), recurrence: rule(rrule, { skip }) })])).items[0]?.members
        .recurrence,
    ).toEqual(rule(rrule, { skip }))
  })

  test('the start of a repeating task, and reminders from it, are told to others by the due date', () => {
    const recurrence = rule('FREQ=WEEKLY', { anchor: '2026-01-30' })
    const reminders = [{ at: null, offset_minutes: -30, from: 'start' }] as const
    const file = lines({ due: allDay('2026-01-30'), start: allDay('2026-01-28'), recurrence, reminders })
    expect(file).toContain('DTSTART;VALUE=DATE:20260130')
    expect(file).toContain('X-SATCHEL-START;VALUE=DATE:20260128')
    expect(file).toContain('TRIGGER;RELATED=END:-P2DT30M')
  })

  test('exceptions are of the kind that DTSTART is', () => {
    const recurrence = rule('FREQ=DAILY', { exdates: ['2026-02-01', '2026-02-03'] })
    expect(lines({ due: berlin('2026-01-31'), recurrence })).toContain(
      'EXDATE;TZID=Europe/Berlin:20260201T090000,20260203T090000',
    )
    expect(lines({ due: allDay('2026-01-31'), recurrence })).toContain('EXDATE;VALUE=DATE:20260201,20260203')
  })
})

slow('a calendar of tasks in every zone is read without a broken line', () => {
  const tasks = Intl.supportedValuesOf('timeZone').map((tz, i) =>
    task({ uid: tz, due: { date: fromDay(toDay('2026-01-01') + i), time: '09:00', tz } }),
  )
  const { items, faults } = readFile(write(tasks))
  expect(faults).toEqual([])
  expect(items.map(({ members }) => members.due?.tz)).toEqual(tasks.map(({ due }) => due?.tz))
  expect(readFile(calendar([])).items).toEqual([])
})
