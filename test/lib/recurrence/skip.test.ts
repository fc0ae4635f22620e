import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { fromDay, toDay } from '../../../src/lib/civil/day'
import { runs } from '../../support/full'
import { datesOf, differing, listOccurrences, readRows, seriesOf } from './support'

const MONTH_ENDS = '2026-01-31 2026-02-28 2026-03-31 2026-04-30 2026-05-31'

describe('a day that the month lacks moves back to its last', () => {
  const examples: [rule: string, anchor: string, dates: string][] = [
    // The page's table, and the Gregorian cases of RFC 7529.
    ['FREQ=MONTHLY', '2026-01-31', MONTH_ENDS],
    ['FREQ=MONTHLY;BYMONTHDAY=31', '2026-01-31', MONTH_ENDS],
    ['FREQ=YEARLY', '2024-02-29', '2024-02-29 2025-02-28 2026-02-28 2027-02-28 2028-02-29'],
    ['FREQ=MONTHLY;BYMONTH=2,4', '2024-01-31', '2024-02-29 2024-04-30 2025-02-28'],
    ['FREQ=YEARLY;BYMONTH=2', '2026-01-31', '2026-02-28 2027-02-28 2028-02-29'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2026-01-31', '2026-02-28 2027-02-28 2028-02-29'],
    ['FREQ=MONTHLY;INTERVAL=3', '2025-11-30', '2025-11-30 2026-02-28 2026-05-30'],
    ['FREQ=YEARLY;BYYEARDAY=366', '2026-01-01', '2026-12-31 2027-12-31 2028-12-31'],
    // Those that fall together are one.
    ['FREQ=MONTHLY;BYMONTHDAY=28,29,30,31', '2026-02-01', '2026-02-28 2026-03-28 2026-03-29 2026-03-30 2026-03-31'],
    ['FREQ=MONTHLY;BYMONTHDAY=30,31;BYSETPOS=2', '2026-01-01', '2026-01-31 2026-03-31 2026-05-31'],
    // It has moved when BYDAY looks at it.
    ['FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=SA', '2026-01-01', '2026-01-31 2026-02-28 2026-10-31'],
    // What limits makes no day that could move.
    ['FREQ=DAILY;BYMONTHDAY=31', '2026-02-01', '2026-03-31 2026-05-31'],
    ['FREQ=MONTHLY;BYDAY=5SA', '2026-02-01', '2026-05-30 2026-08-29'],
    // Negative days are left out.
    ['FREQ=MONTHLY;BYMONTHDAY=-31', '2026-01-01', '2026-01-01 2026-03-01 2026-05-01'],
    ['FREQ=MONTHLY;BYMONTHDAY=-30', '2026-01-01', '2026-01-02 2026-03-02 2026-04-01'],
    ['FREQ=YEARLY;BYYEARDAY=-366', '2026-01-01', '2028-01-01 2032-01-01'],
  ]
  test.each(examples)('%s from %s: %s', (rule, anchor, dates) => {
    const expected = dates.split(' ')
    expect(datesOf(rule, anchor, expected.length, 'backward')).toEqual(expected)
  })

  test('as SKIP=BACKWARD in the rule says', () => {
    expect(datesOf('RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD', '2026-01-31', 5)).toEqual(MONTH_ENDS.split(' '))
  })

  test('for one day as its BYSETPOS=-1 form under python-dateutil, in 200 random rules', async () => {
    const rows = readRows(
      await Bun.file(join(import.meta.dir, '../../fixtures/recurrence/one-day-backward.jsonl')).text(),
    )
    expect(rows).toHaveLength(200)
    expect(differing(rows, 'backward')).toEqual([])
  })

  test('for one day as its BYSETPOS=-1 form', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 28, max: 31 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: toDay('1900-01-01'), max: toDay('2190-01-01') }),
        (day, interval, anchor) => {
          const upTo = [28, 29, 30, 31].filter((one) => one <= day).join()
          const [moved, plain] = [
            datesOf(`FREQ=MONTHLY;INTERVAL=${interval};BYMONTHDAY=${day}`, fromDay(anchor), 60, 'backward'),
            datesOf(`FREQ=MONTHLY;INTERVAL=${interval};BYMONTHDAY=${upTo};BYSETPOS=-1`, fromDay(anchor), 60),
          ]
          expect(moved).toEqual(plain)
        },
      ),
      { numRuns: runs(200) },
    )
  })

  test('so that each month has its day, and no month-end drifts', () => {
    const days = listOccurrences(seriesOf('FREQ=MONTHLY', '1900-01-31', 'backward'), { limit: 10_000 }).map(fromDay)
    expect(days).toHaveLength(301 * 12)
    const lasts = days.map((day) => new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)))
    expect(days).toEqual(lasts.map((last) => last.toISOString().slice(0, 10)))
  })
})
