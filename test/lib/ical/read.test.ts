import { describe, expect, test } from 'bun:test'
import { createZones } from '../../../src/lib/ical/zones'
import { codes, readFile, readLines } from './support'

describe('titles, notes and labels', () => {
  test('a title of several lines becomes one, with a warning', () => {
    const item = readLines('SUMMARY:first')
    expect(codes(item)).toEqual(['repeated_property'])
    const [title] = ['SUMMARY:Buy\\nmilk\\n\\n and bread'].map((line) => readSummary(line))
    expect(title?.members.title).toBe('Buy milk and bread')
    expect(codes(title ?? item)).toEqual(['title_changed'])
  })

  test('a title over 500 characters is cut and stands whole above the notes', () => {
    const long = '🤩'.repeat(501)
    const item = readSummary(`SUMMARY:${long}`, 'DESCRIPTION:more')
    expect([...item.members.title]).toHaveLength(500)
    expect(item.members.title).toEndWith('🤩…')
    expect(item.members.notes).toBe(`${long}\n\nmore`)
    expect(codes(item)).toEqual(['title_cut'])
    expect(codes(readSummary(`SUMMARY:${'🤩'.repeat(500)}`))).toEqual([])
  })

  test('without a title, the first line of the notes is one; without notes, Untitled', () => {
    expect(readSummary('SUMMARY:', 'DESCRIPTION:\\n call Ana \\nsoon').members.title).toBe('call Ana')
    expect(readSummary('X-A:b').members.title).toBe('Untitled')
  })

  test('notes end at 64 KiB, never within a character', () => {
    const item = readLines(`DESCRIPTION:${'é\\n'.repeat(40_000)}`)
    expect(Buffer.byteLength(item.members.notes ?? '')).toBeGreaterThan(65_530)
    expect(Buffer.byteLength(item.members.notes ?? '')).toBeLessThanOrEqual(65_536)
    expect(codes(item)).toEqual(['notes_cut'])
  })

  test('notes with bare line ends are put together again', () => {
    const item = readLines('DESCRIPTION:first', 'second line', '- third', 'PRIORITY:1')
    expect(item.members).toMatchObject({ notes: 'first\nsecond line\n- third', priority: 1 })
    expect(codes(item)).toEqual(['repaired_line'])
  })

  test('labels: commas and backslashes in them, each once whatever its case, long ones cut', () => {
    const item = readLines('CATEGORIES:a\\,b,C:\\\\,Home, home ,,', `CATEGORIES:${'x'.repeat(101)}`)
    expect(item.members.labels).toEqual(['a,b', 'C:\\', 'Home', 'x'.repeat(100)])
    expect(codes(item)).toEqual(['label_cut'])
  })
})

describe('identity', () => {
  test('an item without UID gets the same one each time, and another says another', () => {
    const [one, again, other] = ['a', 'a', 'b'].map((notes) => readSummary(`SUMMARY:t`, `DESCRIPTION:${notes}`, null))
    expect(one?.uid).toBe(again?.uid ?? '')
    expect(one?.uid).not.toBe(other?.uid ?? '')
    expect(one && codes(one)).toEqual(['uid_made'])
  })

  test('parents, children, blockers; what names itself is left out', () => {
    const item = readLines(
      'RELATED-TO:p',
      'RELATED-TO;RELTYPE=PARENT:q',
      'RELATED-TO;RELTYPE=CHILD:c',
      'RELATED-TO;RELTYPE=DEPENDS-ON:d',
      'RELATED-TO;RELTYPE=NEXT:n',
      'RELATED-TO:u',
    )
    expect(item).toMatchObject({
      parent_uid: 'p',
      child_uids: ['c'],
      blocked_by_uids: ['d'],
      rest: 'RELATED-TO;RELTYPE=NEXT:n',
    })
    expect(codes(item).sort()).toEqual(['parents_dropped', 'related_to_itself'])
  })
})

describe('occurrences', () => {
  test('RECURRENCE-ID names the occurrence; with RANGE, that one alone', () => {
    const item = readLines('RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20260301')
    expect(item.recurrence_id).toEqual({ date: '2026-03-01', time: null, tz: null })
    expect(codes(item)).toEqual(['range_ignored'])
    expect(readLines().recurrence_id).toBeNull()
  })
})

describe('status and priority', () => {
  test.each([
    [['STATUS:needs-action'], 'open'],
    [['STATUS:IN-PROCESS'], 'in_progress'],
    [['STATUS:CANCELLED'], 'cancelled'],
    [['COMPLETED:20260101T000000Z'], 'done'],
    [['PERCENT-COMPLETE:100'], 'done'],
    [['STATUS:NEEDS-ACTION', 'PERCENT-COMPLETE:100'], 'open'],
    [['PERCENT-COMPLETE:1'], 'in_progress'],
    [['STATUS:CONFIRMED'], 'open'],
  ])('%p is %s', (lines, status) => {
    expect(readLines(...lines).members.status).toBe(status as 'open')
  })

  test('PRIORITY 0 to 9', () => {
    const read = Array.from({ length: 10 }, (_, n) => readLines(`PRIORITY:${n}`).members.priority)
    expect(read).toEqual([0, 1, 1, 2, 2, 3, 4, 4, 4, 4])
    expect(readLines('PRIORITY:10')).toMatchObject({ priority_read: null, members: { priority: 0 } })
  })
})

describe('dates', () => {
  test.each([
    ['DUE;VALUE=DATE:20260301', '2026-03-01', null, null],
    ['DUE:20260301', '2026-03-01', null, null],
    ['DUE:20260301T091559', '2026-03-01', '09:15', null],
    ['DUE:20260301T090000Z', '2026-03-01', '09:00', 'UTC'],
    ['DUE;TZID=Europe/Berlin:20260301T090000', '2026-03-01', '09:00', 'Europe/Berlin'],
    ['DUE;TZID=Etc/UTC:20260301T090000', '2026-03-01', '09:00', 'UTC'],
  ])('%s', (line, date, time, tz) => {
    expect(readLines(line).members.due).toEqual({ date, time, tz })
  })

  test.each(['20260230', '2026', 'tomorrow', '20260301T240000', '20260301T0900', ''])(
    'DUE:%s is no date: the task comes without',
    (value) => {
      const item = readLines(`DUE:${value}`)
      expect(item.members.due).toBeNull()
      expect(codes(item)).toEqual(['unreadable_property'])
    },
  )

  test.each([
    [['DUE:45010101T000000'], null],
    [['DTSTART:16010101T000000', 'DUE;VALUE=DATE:20260302'], '2026-03-02'],
    [['DTSTART;VALUE=DATE:22001230', 'DURATION:P3D'], null],
    [['DUE;VALUE=DATE:20260302', 'RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:99991231,20260303'], '2026-03-02'],
  ])('%p: a year that no task can have is left out, and the task is not lost', (lines, date) => {
    const item = readLines(...lines)
    expect([item.members.due?.date ?? null, codes(item)]).toEqual([date, ['date_dropped']])
    expect(item.members.recurrence?.exdates ?? ['2026-03-03']).toEqual(['2026-03-03'])
  })

  test.each([
    ['DTSTART:20260328T120000', 'P1D', '2026-03-29', '12:00'],
    ['DTSTART;TZID=Europe/Berlin:20260328T120000', 'P1D', '2026-03-29', '12:00'],
    ['DTSTART;TZID=Europe/Berlin:20260328T120000', 'PT24H', '2026-03-29', '13:00'],
    ['DTSTART;VALUE=DATE:20260328', 'P1W', '2026-04-04', null],
  ])('%s and DURATION:%s: days are of the calendar, hours of the clock', (start, duration, date, time) => {
    expect(readLines(start, `DURATION:${duration}`).members.due).toMatchObject({ date, time })
  })

  test('DUE beside DURATION stays; a start after the due date is left out', () => {
    const item = readLines('DTSTART:20260305T090000', 'DUE:20260301T090000', 'DURATION:PT1H')
    expect(item.members).toMatchObject({ due: { date: '2026-03-01' }, start: null, duration_minutes: 60 })
    expect(codes(item)).toEqual(['start_dropped'])
  })

  const zones = createZones(
    new Map([
      ['My Zone', 'Asia/Tokyo'],
      ['Broken', 'Nowhere/At_All'],
    ]),
  )
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['My Zone', 'Asia/Tokyo'],
    ['w. europe standard time', 'Europe/Berlin'],
    ['/mozilla.org/20050126_1/America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['/freeassociation.sourceforge.net/Tzfile/Europe/Amsterdam', 'Europe/Amsterdam'],
    ['/softwarestudio.org/Olson_20011030_5/Etc/UTC', 'UTC'],
    ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Amsterdam'],
    ['(UTC+01:00) Belgrad, Bratislava, Budapest, Ljubljana, Prag', 'Europe/Bratislava'],
    ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York'],
    ['(GMT+05:30) Chennai, Kolkata, Mumbai, New Delhi', 'Asia/Kolkata'],
    ['(UTC+02:00) Amsterdam, Berlin', null],
    ['(UTC+01:00) Nowhere', null],
    ['Broken', null],
    ['+01:00', null],
    ['GMT+0100', null],
    ['', null],
  ])('the zone %p is %p', (tzid, zone) => {
    expect(zones(tzid)).toBe(zone)
  })
})

describe('repeating', () => {
  test.each([
    ['FREQ=HOURLY', 'unsupported_recurrence'],
    ['FREQ=DAILY;BYHOUR=9', 'unsupported_recurrence'],
    ['nonsense', 'unsupported_recurrence'],
  ])('RRULE:%s: a task without repeat, the rule kept and written back', (rule, code) => {
    const item = readLines('DUE:20260301', `RRULE:${rule}`, 'EXDATE:20260302')
    expect(item.members.recurrence).toBeNull()
    expect(item.rest).toBe(`RRULE:${rule}\nEXDATE:20260302`)
    expect(codes(item)).toEqual([code])
  })

  test('RDATE adds dates, on the clock of the due date; alone they are all there is', () => {
    const [due, day] = ['DUE;TZID=Europe/Berlin:20260304T090000', 'DUE;VALUE=DATE:20260304']
    const read = (...lines: string[]) => {
      const item = readLines(...lines)
      const { rrule, rdates } = item.members.recurrence ?? {}
      return [rrule, rdates, codes(item)]
    }
    expect(read(day, 'RRULE:FREQ=WEEKLY', 'RDATE;VALUE=DATE:20260309,20260306', 'RDATE;VALUE=DATE:20260306')).toEqual([
      ...['FREQ=WEEKLY', ['2026-03-06', '2026-03-09'], []],
    ])
    expect(read(due, 'RDATE:20260305T233000Z')).toEqual(['FREQ=DAILY;COUNT=1', ['2026-03-06'], ['rdate_time_dropped']])
    expect(read(due, 'RRULE:FREQ=WEEKLY', 'RDATE:20260305T080000Z')).toEqual(['FREQ=WEEKLY', ['2026-03-05'], []])
    expect(read(due, 'RRULE:FREQ=HOURLY;INTERVAL=5', 'RDATE:20260305T233000Z')).toEqual([
      ...['FREQ=HOURLY;INTERVAL=5', ['2026-03-06T00:30'], []],
    ])
    expect(read(day, 'RRULE:FREQ=DAILY', 'RDATE;VALUE=PERIOD:20260305T090000Z/PT1H')).toEqual([
      ...[undefined, undefined, ['unsupported_recurrence']],
    ])
    expect(read('RDATE:20260305')).toEqual([undefined, undefined, ['recurrence_without_date']])
    expect(read(day, 'RDATE:20260305', 'EXRULE:FREQ=DAILY')).toEqual([undefined, undefined, ['unsupported_recurrence']])
  })

  test('several rules, EXRULE, a rule without a date, a rule about the start', () => {
    const due = 'DUE;VALUE=DATE:20260304'
    expect(codes(readLines(due, 'RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY'))).toEqual(['unsupported_recurrence'])
    expect(codes(readLines(due, 'EXRULE:FREQ=DAILY'))).toEqual(['unsupported_recurrence'])
    expect(codes(readLines('RRULE:FREQ=DAILY'))).toEqual(['recurrence_without_date'])
    expect(codes(readLines('DTSTART;VALUE=DATE:20260302', 'RRULE:FREQ=WEEKLY'))).toEqual(['due_from_start'])
  })

  test.each([
    ['20260302', '20260304', 'FREQ=WEEKLY;BYDAY=MO', 'FREQ=WEEKLY'],
    ['20260302', '20260304', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', 'FREQ=WEEKLY;INTERVAL=2'],
    ['20260302', '20260315', 'FREQ=MONTHLY;BYMONTHDAY=2;COUNT=3', 'FREQ=MONTHLY;COUNT=3'],
    ['20260302', '20260415', 'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=2', 'FREQ=YEARLY'],
    // Other days, days that not every month has, an end by the start, and the day of every month.
    ['20260302', '20260304', 'FREQ=WEEKLY;BYDAY=MO,TU', null],
    ['20260302', '20260304', 'FREQ=WEEKLY;BYDAY=TU', null],
    ['20260302', '20260331', 'FREQ=MONTHLY;BYMONTHDAY=2', null],
    ['20260302', '20260304', 'FREQ=WEEKLY;BYDAY=MO;UNTIL=20260601', null],
    ['20260302', '20260304', 'FREQ=YEARLY;BYMONTHDAY=2', null],
  ])('from a start on another day, %s to %s: %s is %p', (start, due, rule, read) => {
    const item = readLines(`DTSTART;VALUE=DATE:${start}`, `DUE;VALUE=DATE:${due}`, `RRULE:${rule}`)
    expect(item.members.recurrence?.rrule ?? null).toBe(read)
    expect(codes(item)).toEqual(read === null ? ['recurrence_from_start'] : [])
  })

  test('from a start on another day has exceptions by their starts', () => {
    const span = ['DTSTART;VALUE=DATE:20260302', 'DUE;VALUE=DATE:20260304', 'EXDATE;VALUE=DATE:20260309']
    const weekly = readLines(...span, 'RRULE:FREQ=WEEKLY')
    expect(weekly.members.recurrence?.exdates).toEqual(['2026-03-11'])
    expect(codes(readLines(...span, 'RRULE:FREQ=MONTHLY'))).toEqual(['recurrence_from_start'])
  })

  test('skip is omit, unless RSCALE says backward', () => {
    expect(readLines('DUE:20260131', 'RRULE:FREQ=MONTHLY').members.recurrence?.skip).toBe('omit')
    const scaled = readLines('DUE:20260131', 'RRULE:RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD').members.recurrence
    expect(scaled).toMatchObject({ rrule: 'FREQ=MONTHLY', skip: 'backward' })
  })

  test('exceptions are the days that they are on the clock of the due date', () => {
    const item = readLines(
      'DUE;TZID=Asia/Tokyo:20260301T080000',
      'RRULE:FREQ=DAILY',
      'EXDATE:20260301T230000Z,20260304T080000',
    )
    expect(item.members.recurrence?.exdates).toEqual(['2026-03-02', '2026-03-04'])
  })

  test('what Satchel wrote beside a rule is not believed once another program changed the rule', () => {
    const ours = [
      'X-SATCHEL-RRULE;VALUE=RECUR:FREQ=MONTHLY',
      'X-SATCHEL-SKIP:BACKWARD',
      'X-SATCHEL-ANCHOR;VALUE=DATE:20260131',
    ]
    const written = readLines('DUE:20260228', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=-1', ...ours)
    expect(written.members.recurrence).toMatchObject({ rrule: 'FREQ=MONTHLY', skip: 'backward', anchor: '2026-01-31' })
    const changed = readLines('DUE:20260228', 'RRULE:FREQ=WEEKLY', ...ours)
    expect(changed.members.recurrence).toMatchObject({ rrule: 'FREQ=WEEKLY', anchor: '2026-02-28' })
  })
})

describe('reminders', () => {
  const alarm = (...lines: string[]) => ['BEGIN:VALARM', ...lines, 'END:VALARM']

  test('without a start, what counts from it counts from the due date', () => {
    expect(readLines('DUE:20260301', ...alarm('TRIGGER:-PT1H')).members.reminders).toEqual([
      { at: null, offset_minutes: -60, from: 'due' },
    ])
  })

  test.each([
    ['no trigger', 'ACTION:DISPLAY'],
    ['out of range', 'TRIGGER:P2D'],
    ['no date to count from', 'TRIGGER:-PT5M'],
    ['nonsense', 'TRIGGER:soon'],
    ['long ago', 'TRIGGER;VALUE=DATE-TIME:16010101T000000Z'],
  ])('%s: the alarm is kept, with a warning', (_, line) => {
    const item = readLines(...(line.includes('P2D') ? ['DUE:20260301'] : []), ...alarm(line))
    expect(item.members.reminders).toEqual([])
    expect(item.rest).toBe(alarm(line).join('\n'))
    expect(codes(item)).toEqual(['reminder_kept'])
  })

  test('more than ten: the first ten, the others kept', () => {
    const alarms = Array.from({ length: 12 }, (_, i) => alarm(`TRIGGER:-PT${i + 1}M`)).flat()
    const item = readLines('DUE:20260301', ...alarms)
    expect(item.members.reminders).toHaveLength(10)
    expect(item.rest.split('\n')).toHaveLength(6)
    expect(codes(item)).toEqual(['reminders_kept'])
  })

  test('a time without VALUE=DATE-TIME is a time', () => {
    expect(readLines(...alarm('TRIGGER:20260301T080000Z')).members.reminders).toMatchObject([
      { at: '2026-03-01T08:00:00.000Z' },
    ])
  })
})

/** An item with a SUMMARY of its own, or none. A null at the end leaves out the UID. */
function readSummary(...lines: (string | null)[]) {
  const without = lines.includes(null) ? [] : ['UID:u']
  const file = [
    'BEGIN:VCALENDAR',
    'BEGIN:VTODO',
    ...without,
    ...lines.filter((line) => line !== null),
    'END:VTODO',
    'END:VCALENDAR',
  ]
  const [item] = readFile(file.join('\n')).items
  if (!item) throw new Error('expected one item')
  return item
}
