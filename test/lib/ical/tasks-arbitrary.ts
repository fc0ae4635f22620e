import fc from 'fast-check'
import { fromDay, toDay } from '../../../src/lib/civil/day'
import { isMomentAfter } from '../../../src/lib/ical/dates'
import type { ItemMoment, ItemRecurrence, ItemReminder } from '../../../src/lib/ical/item'
import type { ExportTask } from '../../../src/lib/ical/write'
import { check } from './support'

/** Tasks as the API holds them: texts of any script, dates of any kind, rules that can be kept. */

const PIECES = [...'BEGIN:VTODO|END:VTODO|\\n|\\|;|,|:|"|^n|🤩|👩‍👩‍👧|שלום|مرحبا|é|e\u0301|a b|\u200f'.split('|')]

/** Text without control characters and the separators that iCalendar has no sign for; may be blank at its ends. */
export function text(maxLength: number): fc.Arbitrary<string> {
  const piece = fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 12 }))
  return fc
    .array(piece, { minLength: 1, maxLength: Math.ceil(maxLength / 12) })
    .map((parts) => [...parts.join('').replace(/[\p{Cc}\u2028\u2029]/gu, '')].slice(0, maxLength).join(''))
}

const line = (maxLength: number) =>
  text(maxLength)
    .map((value) => value.trim())
    .filter((value) => value !== '')

const notes = fc.array(text(200), { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n') || null)
const date = fc.integer({ min: toDay('1971-01-01'), max: toDay('2037-12-31') }).map(fromDay)
const time = fc.integer({ min: 0, max: 1439 }).map((minute) => new Date(minute * 60_000).toISOString().slice(11, 16))
const tz = fc.constantFrom(null, 'UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe')
const moment: fc.Arbitrary<ItemMoment> = fc.oneof(
  date.map((day) => ({ date: day, time: null, tz: null })),
  fc.record({ date, time, tz }),
)
const instant = fc.integer({ min: 0, max: 2_000_000_000 }).map((seconds) => new Date(seconds * 1000).toISOString())

const rrule = fc
  .constantFrom(
    ...['FREQ=DAILY', 'FREQ=DAILY;INTERVAL=3', 'FREQ=WEEKLY', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH', 'FREQ=MONTHLY'],
    ...['FREQ=MONTHLY;BYMONTHDAY=31', 'FREQ=MONTHLY;BYMONTHDAY=15,30', 'FREQ=MONTHLY;BYDAY=-1FR', 'FREQ=YEARLY'],
    ...['FREQ=YEARLY;BYMONTH=2,4;BYMONTHDAY=30', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', 'FREQ=YEARLY;BYYEARDAY=366'],
    ...[
      'FREQ=DAILY;COUNT=5',
      'FREQ=WEEKLY;UNTIL=20270101',
      'FREQ=DAILY;UNTIL=20270101T080000Z',
      'FREQ=YEARLY;BYMONTHDAY=31',
    ],
    ...['FREQ=MONTHLY;BYMONTHDAY=30;BYDAY=FR', 'FREQ=MONTHLY;UNTIL=20270101T080000', 'FREQ=MONTHLY;BYMONTHDAY=-1'],
  )
  .map((rule) => {
    const checked = check(rule)
    if ('problem' in checked) throw new Error(checked.problem)
    return checked.rrule
  })

/** The member for dates beside the rule; some have none. */
const added = (name: fc.Arbitrary<string>) => ({
  rdates: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }).map((dates) => dates.sort()),
})
const REQUIRED = ['rrule', 'mode', 'skip', 'anchor', 'exdates'] as const

/** Rules with times, for tasks that are due at one. */
const timedRrule = fc.constantFrom(
  ...['FREQ=HOURLY', 'FREQ=HOURLY;INTERVAL=5', 'FREQ=HOURLY;BYHOUR=9,17;BYMINUTE=0,30'],
  ...[
    'FREQ=DAILY;BYHOUR=8,20',
    'FREQ=WEEKLY;BYHOUR=8;BYMINUTE=15',
    'FREQ=MONTHLY;BYMINUTE=0,30',
    'FREQ=HOURLY;COUNT=9',
  ],
)

const timedRecurrence = (due: ItemMoment): fc.Arbitrary<ItemRecurrence> => {
  const slot = fc.tuple(date, time).map((parts) => parts.join('T'))
  return fc.record(
    {
      rrule: timedRrule,
      mode: fc.constantFrom('schedule' as const, 'completion' as const),
      skip: fc.constantFrom('backward' as const, 'omit' as const),
      anchor: fc.oneof(fc.constant(`${due.date}T${due.time}`), slot),
      exdates: fc.uniqueArray(fc.oneof(date, slot), { maxLength: 4 }).map((dates) => dates.sort()),
      ...added(slot),
    },
    { requiredKeys: [...REQUIRED] },
  )
}

const recurrence = (due: ItemMoment): fc.Arbitrary<ItemRecurrence> =>
  fc.record(
    {
      rrule,
      mode: fc.constantFrom('schedule' as const, 'completion' as const),
      skip: fc.constantFrom('backward' as const, 'omit' as const),
      anchor: fc.oneof(fc.constant(due.date), date),
      exdates: fc.uniqueArray(date, { maxLength: 4 }).map((dates) => dates.sort()),
      ...added(date),
    },
    { requiredKeys: [...REQUIRED] },
  )

const anyRecurrence = (due: ItemMoment) =>
  due.time === null ? recurrence(due) : fc.oneof({ weight: 2, arbitrary: recurrence(due) }, timedRecurrence(due))

const reminders = (due: ItemMoment | null, start: ItemMoment | null): fc.Arbitrary<ItemReminder[]> => {
  const bases = [...(due ? ['due' as const] : []), ...(start ? ['start' as const] : [])]
  const absolute = instant.map((at) => ({ at, offset_minutes: null, from: null }))
  const offset_minutes = fc.integer({ min: -525_600, max: 1440 })
  const relative = bases.map((from) => fc.record({ at: fc.constant(null), offset_minutes, from: fc.constant(from) }))
  const one: fc.Arbitrary<ItemReminder> = fc.oneof(absolute, ...relative)
  return fc.uniqueArray(one, { maxLength: 4, selector: (reminder) => JSON.stringify(reminder) })
}

const dates = fc
  .record({ due: fc.option(moment), start: fc.option(moment), repeats: fc.boolean() })
  .filter(({ due, start }) => !due || !start || !isMomentAfter(start, due))
  .chain(({ due, start, repeats }) =>
    fc.record({
      due: fc.constant(due),
      start: fc.constant(start),
      recurrence: due && repeats ? anyRecurrence(due) : fc.constant(null),
      reminders: reminders(due, start),
    }),
  )

const REST =
  'SEQUENCE:3\nLOCATION:Caf\u00e9\\, back room\nX-APPLE-SORT-ORDER:12\nBEGIN:X-THING\nX-A;B="c:d":e\nEND:X-THING'

const plain = fc.record({
  uid: line(100).filter((uid) => uid.length <= 255),
  title: line(300),
  notes,
  priority_read: fc.constantFrom(null, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
  duration_minutes: fc.option(fc.integer({ min: 1, max: 43_200 })),
  labels: fc.uniqueArray(line(40), { maxLength: 5, selector: (label) => label.toLowerCase() }),
  created_at: instant,
  updated_at: instant,
  blocked_by_uids: fc.uniqueArray(line(30), { maxLength: 3 }),
  parent_uid: fc.option(line(30)),
  rest: fc.constantFrom('', REST),
  place: fc.option(fc.record({ project: line(100), section: fc.option(line(100)) })),
  revision: fc.constantFrom(null, 'a_-9'),
})

const status = fc.oneof(
  fc
    .constantFrom('open' as const, 'in_progress' as const)
    .map((open) => ({ status: open, completed_at: null, cancelled_at: null })),
  fc.option(instant).map((at) => ({ status: 'done' as const, completed_at: at, cancelled_at: null })),
  fc.option(instant).map((at) => ({ status: 'cancelled' as const, completed_at: null, cancelled_at: at })),
)

const PRIORITIES = [0, 1, 1, 2, 2, 3, 4, 4, 4, 4]

export const exportTask: fc.Arbitrary<ExportTask> = fc
  .record({ plain, dates, status })
  .filter(({ plain: { uid, parent_uid, blocked_by_uids } }) => uid !== parent_uid && !blocked_by_uids.includes(uid))
  .map((parts) => ({
    ...parts.plain,
    ...parts.dates,
    ...parts.status,
    priority: PRIORITIES[parts.plain.priority_read ?? 0] ?? 0,
  }))
