/**
 * Rules with their dates, RFC 5545 (a day that a month lacks is left out).
 *
 * Where the readers of rules differ, this is what we do; the tests of libical (icalrecur_test.txt) and of
 * python-dateutil (test_rrule.py) that read otherwise do not hold here:
 * - FREQ=SECONDLY, BYSECOND but for 0, other calendars, SKIP=FORWARD: unsupported_recurrence.
 *   libical ignores BYMINUTE for all-day starts; we refuse it there.
 * - What RFC 5545's table forbids and dateutil expands: BYYEARDAY and BYWEEKNO without YEARLY, BYMONTHDAY with WEEKLY,
 *   numbers in BYDAY with DAILY and WEEKLY, COUNT with UNTIL, COUNT=0, and its own BYEASTER: invalid_recurrence.
 * - YEARLY;BYMONTHDAY without BYMONTH: every month, as dateutil; libical takes the month of the start.
 * - BYWEEKNO without BYDAY: the weekday of the anchor, as libical; dateutil takes the whole week.
 * - INTERVAL and BYSETPOS with BYWEEKNO count years of weeks, as libical; dateutil counts calendar years. libical does
 *   so only if the start itself is an occurrence, we always.
 * - BYDAY with and without numbers together (MO,1FR): either, as RFC 5545; dateutil takes what is both.
 * - BYSETPOS with WEEKLY: the whole first week counts, as libical; dateutil begins to count at the start.
 * - Days of week 52 and 53 about New Year: by ISO 8601; dateutil takes the number of weeks from the wrong year.
 * - Negative days that a month or year lacks are left out also with SKIP=BACKWARD; libical moves them back.
 */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { fromDay, toDay } from '../../../src/lib/civil/day'
import { datesOf, daysOf, differing, listOccurrences, readRows, seriesOf } from './support'

const FIXTURES = join(import.meta.dir, '../../fixtures/recurrence')
const rowsOf = async (name: string) => readRows(await Bun.file(join(FIXTURES, name)).text())

const rfc5545 = await rowsOf('rfc5545.jsonl')

describe('the examples of RFC 5545', () => {
  test.each(rfc5545)('$rule from $anchor', (row) => {
    const { rule, anchor } = row
    const series = seriesOf(rule, anchor, 'omit', { time: 540, zone: 'America/New_York' })
    const ends = /COUNT|UNTIL/.test(rule)
    expect(listOccurrences(series, { limit: ends ? 1000 : 12 })).toEqual(daysOf(row))
  })
})

test('2,000 random rules have the first 50 dates that python-dateutil gives', async () => {
  const rows = await rowsOf('random-rules.jsonl')
  expect(rows).toHaveLength(2000)
  expect(differing(rows, 'omit')).toEqual([])
})

describe('dates', () => {
  const examples: [rule: string, anchor: string, dates: string][] = [
    // The page's table.
    ['FREQ=MONTHLY', '2026-01-31', '2026-01-31 2026-03-31 2026-05-31 2026-07-31 2026-08-31'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH', '2026-03-02', '2026-03-02 2026-03-05 2026-03-16 2026-03-19 2026-03-30'],
    ['FREQ=WEEKLY;BYDAY=MO', '2026-03-03', '2026-03-09 2026-03-16 2026-03-23'],
    ['FREQ=YEARLY', '2024-02-29', '2024-02-29 2028-02-29 2032-02-29'],
    // What the rule leaves out is the anchor's.
    ['FREQ=YEARLY;BYMONTH=3', '2026-01-15', '2026-03-15 2027-03-15'],
    ['FREQ=YEARLY;BYMONTHDAY=15', '2026-11-01', '2026-11-15 2026-12-15 2027-01-15'],
    ['FREQ=MONTHLY;BYMONTH=5;INTERVAL=13', '2026-02-12', '2029-05-12 2042-05-12 2055-05-12'],
    ['FREQ=YEARLY;BYWEEKNO=10', '2026-03-02', '2026-03-02 2027-03-08 2028-03-06'],
    // Lists in any order, and twice the same.
    ['FREQ=MONTHLY;BYMONTH=9,4;BYMONTHDAY=20,3,20', '2026-04-04', '2026-04-20 2026-09-03 2026-09-20 2027-04-03'],
    ['FREQ=WEEKLY;BYDAY=SU,WE,SU', '2026-03-05', '2026-03-08 2026-03-11 2026-03-15'],
    ['FREQ=MONTHLY;BYMONTHDAY=1,2,3,4;BYSETPOS=-1,2', '2026-03-03', '2026-03-04 2026-04-02 2026-04-04'],
    ['FREQ=MONTHLY;BYMONTHDAY=31,-1', '2026-01-01', '2026-01-31 2026-02-28 2026-03-31'],
    // With and without numbers: either.
    ['FREQ=MONTHLY;BYDAY=MO,1FR', '2026-03-01', '2026-03-02 2026-03-06 2026-03-09 2026-03-16'],
    ['FREQ=YEARLY;BYDAY=1MO,-1SU', '2026-01-01', '2026-01-05 2026-12-27 2027-01-04 2027-12-26'],
    ['FREQ=YEARLY;BYMONTH=5,6;BYDAY=1MO,-1SU', '2026-01-01', '2026-05-04 2026-05-31 2026-06-01 2026-06-28'],
    ['FREQ=MONTHLY;BYDAY=5SA', '2026-01-01', '2026-01-31 2026-05-30 2026-08-29'],
    ['FREQ=YEARLY;BYDAY=53TH', '2020-01-01', '2020-12-31 2026-12-31 2032-12-30'],
    // The first week counts whole.
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,3', '2026-03-04', '2026-03-04 2026-03-09 2026-03-11'],
    // BYMONTHDAY and BYYEARDAY that limit.
    ['FREQ=DAILY;INTERVAL=7;BYMONTHDAY=1,20', '2026-01-01', '2026-01-01 2026-08-20 2026-10-01'],
    ['FREQ=YEARLY;BYYEARDAY=-1,1;BYMONTH=12', '2026-01-01', '2026-12-31 2027-12-31'],
    ['FREQ=YEARLY;BYYEARDAY=366,-366', '2026-01-01', '2028-01-01 2028-12-31 2032-01-01'],
    // Weeks about New Year; 2026 has 53 of them, 2027 has 52.
    ['FREQ=YEARLY;BYWEEKNO=53', '2026-12-30', '2026-12-30 2032-12-29 2037-12-30'],
    ['FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU', '2026-06-01', '2027-01-03 2028-01-02 2028-12-31'],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,SU', '2025-12-29', '2025-12-29 2026-01-04 2027-01-04 2027-01-10'],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO;BYMONTH=12', '2024-01-01', '2024-12-30 2025-12-29 2029-12-31'],
    // The anchor is in the year of weeks that follows its date's, and INTERVAL counts from that.
    ['FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=TU', '2025-12-30', '2025-12-30 2028-01-04 2030-01-01'],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;WKST=SU', '2026-01-01', '2026-05-18 2027-05-17 2028-05-15'],
    ['FREQ=YEARLY;BYWEEKNO=1,2;BYDAY=MO,SU;BYSETPOS=-1', '2026-01-01', '2026-01-11 2027-01-17 2028-01-16'],
  ]
  test.each(examples)('of %s from %s are %s', (rule, anchor, dates) => {
    const expected = dates.split(' ')
    expect(datesOf(rule, anchor, expected.length)).toEqual(expected)
  })
})

describe('COUNT', () => {
  test('counts occurrences, not the anchor that does not fit', () => {
    expect(datesOf('FREQ=WEEKLY;BYDAY=MO;COUNT=2', '2026-03-03', 9)).toEqual(['2026-03-09', '2026-03-16'])
  })

  test('counts dates that are left out', () => {
    const exdates = new Set([toDay('2026-03-02'), toDay('2026-03-04'), toDay('2026-03-09')])
    const series = seriesOf('FREQ=DAILY;COUNT=4', '2026-03-02', 'omit', { exdates })
    expect(listOccurrences(series, { limit: 9 }).map(fromDay)).toEqual(['2026-03-03', '2026-03-05'])
    expect(listOccurrences(series, { from: toDay('2026-03-04'), limit: 9 }).map(fromDay)).toEqual(['2026-03-05'])
  })

  test('counts from the anchor, wherever the question begins', () => {
    const series = seriesOf('FREQ=MONTHLY;BYDAY=MO;COUNT=10000', '1900-01-01')
    const last = listOccurrences(series, { limit: 20_000 })
    expect(last).toHaveLength(10_000)
    expect(listOccurrences(series, { from: last.at(-1) ?? 0, limit: 5 })).toEqual(last.slice(-1))
  })
})

describe('UNTIL', () => {
  const last = (until: string, time: number | null, zone: string | null) => {
    const series = seriesOf(`FREQ=DAILY;UNTIL=${until}`, '2026-03-01', 'omit', { time, zone })
    return fromDay(listOccurrences(series, { limit: 1000 }).at(-1) ?? 0)
  }

  test.each([
    // A plain date is the civil date.
    ['20260310', null, null, '2026-03-10'],
    ['20260310', 1439, 'Pacific/Kiritimati', '2026-03-10'],
    // All day and floating are read as UTC.
    ['20260310T000000Z', null, null, '2026-03-10'],
    ['20260309T235959Z', null, null, '2026-03-09'],
    ['20260310T090000Z', 540, null, '2026-03-10'],
    ['20260310T085959Z', 540, null, '2026-03-09'],
    // A zoned time is an instant; summer time begins on the 29th.
    ['20260310T080000Z', 540, 'Europe/Berlin', '2026-03-10'],
    ['20260310T075959Z', 540, 'Europe/Berlin', '2026-03-09'],
    ['20260330T070000Z', 540, 'Europe/Berlin', '2026-03-30'],
    ['20260330T065959Z', 540, 'Europe/Berlin', '2026-03-29'],
    ['20260329T013000Z', 150, 'Europe/Berlin', '2026-03-29'],
    ['20260310T000000Z', 540, 'Pacific/Kiritimati', '2026-03-10'],
    ['20260309T190000Z', 540, 'Pacific/Kiritimati', '2026-03-10'],
    ['20260310T185959Z', 540, 'America/Los_Angeles', '2026-03-10'],
    ['20260310T085959Z', 540, 'America/Los_Angeles', '2026-03-09'],
    // Without Z it is on the task's own clock.
    ['20260310T090000', 540, 'Europe/Berlin', '2026-03-10'],
    ['20260310T085959', 540, 'Europe/Berlin', '2026-03-09'],
  ] as const)('%s ends a series at minute %p in %p on %s', (until, time, zone, expected) => {
    expect(last(until, time, zone)).toBe(expected)
  })

  test('before the anchor leaves nothing', () => {
    expect(datesOf('FREQ=DAILY;UNTIL=20260228', '2026-03-01', 9)).toEqual([])
  })
})
