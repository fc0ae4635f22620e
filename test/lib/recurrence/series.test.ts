import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FIRST_DAY, fromDay, LAST_DAY, partsOf } from '../../../src/lib/civil/day'
import { parseRule } from '../../../src/lib/recurrence/parse'
import type { Series } from '../../../src/lib/recurrence/slots'
import { cost } from '../../support/cost'
import { runs } from '../../support/full'
import { everyPeriod, rules } from './arbitrary'
import { occursOn } from './model'
import { listOccurrences, seriesOf } from './support'

const days = fc.integer({ min: FIRST_DAY, max: LAST_DAY })
const skips = fc.constantFrom('backward', 'omit')

/** Any series; some days that would be occurrences are left out. */
const anySeries: fc.Arbitrary<Series> = fc
  .tuple(rules, days, skips, fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 3 }))
  .map(([text, anchor, skip, left]) => {
    const series = seriesOf(text, fromDay(anchor), skip)
    const first = listOccurrences(series, { limit: 61 })
    return { ...series, exdates: new Set(left.flatMap((index) => first[index] ?? [])) }
  })

describe('the days of a series', () => {
  test('are those that RFC 5545 and the page name, a day at a time, for four years', () => {
    fc.assert(
      fc.property(everyPeriod, days, skips, fc.integer({ min: 0, max: 3000 }), (text, anchor, skip, later) => {
        const series = seriesOf(text, fromDay(anchor), skip)
        const [from, to] = [anchor + later, Math.min(anchor + later + 1461, LAST_DAY)]
        const expected: number[] = []
        for (let day = from; day <= to; day++) if (occursOn(series.rule, anchor, skip, day)) expected.push(day)
        expect(listOccurrences(series, { from, to, limit: 2000 })).toEqual(expected)
      }),
      { numRuns: runs(150) },
    )
  })

  test('go forward, lie within bounds and in months that the rule names, and none is left-out', () => {
    fc.assert(
      fc.property(anySeries, (series) => {
        const { rule, anchor, exdates } = series
        const found = listOccurrences(series, { limit: 400 })
        expect(found.length + exdates.size).toBeLessThanOrEqual(rule.count ?? 400 + exdates.size)
        expect(found.every((day, i) => day >= (found[i - 1] ?? anchor - 1) + 1)).toBe(true)
        expect(found.every((day) => day >= FIRST_DAY && day <= LAST_DAY && !exdates.has(day))).toBe(true)
        if (rule.byMonth.length > 0)
          expect(found.map((day) => partsOf(day).month).filter((month) => !rule.byMonth.includes(month))).toEqual([])
      }),
      { numRuns: runs(300) },
    )
  })

  test('from any day on are the tail of the whole, up to any day its head', () => {
    fc.assert(
      fc.property(anySeries, fc.nat(), fc.nat({ max: 2000 }), (series, where, length) => {
        const whole = listOccurrences(series, { limit: 120_000 })
        const from = FIRST_DAY + (where % (LAST_DAY - FIRST_DAY))
        const to = from + length
        const tail = whole.filter((day) => day >= from)
        expect(listOccurrences(series, { from, limit: 20 })).toEqual(tail.slice(0, 20))
        expect(listOccurrences(series, { from, to, limit: 5000 })).toEqual(tail.filter((day) => day <= to))
      }),
      { numRuns: runs(100) },
    )
  })

  test('end with the year 2200', () => {
    const series = seriesOf('FREQ=DAILY', '2200-12-30')
    expect(listOccurrences(series, { limit: 9 }).map(fromDay)).toEqual(['2200-12-30', '2200-12-31'])
    expect(listOccurrences(series, { limit: 0 })).toEqual([])
  })

  test('begin with the year 1900, in step with an anchor before it', () => {
    const series = seriesOf('FREQ=DAILY;INTERVAL=10', '1899-12-25')
    expect(listOccurrences(series, { limit: 2 }).map(fromDay)).toEqual(['1900-01-04', '1900-01-14'])
  })
})

const upTo = (last: number, item: (n: number) => string = String) =>
  Array.from({ length: last }, (_, i) => item(i + 1)).join()
const HOSTILE = [
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=DAILY;BYDAY=MO;BYSETPOS=2',
  'FREQ=DAILY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=30,31',
  'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=8',
  'FREQ=WEEKLY;BYMONTH=1;BYDAY=MO;BYSETPOS=7',
  'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MONTHLY;BYDAY=6MO',
  `FREQ=MONTHLY;BYMONTHDAY=${upTo(31)};BYSETPOS=${upTo(335, (n) => String(n + 31))}`,
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=YEARLY;INTERVAL=1000',
  'FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=YEARLY;BYWEEKNO=30;BYMONTH=1',
  `FREQ=YEARLY;BYYEARDAY=${upTo(366)};BYMONTH=2;BYMONTHDAY=30`,
  `FREQ=YEARLY;BYYEARDAY=${upTo(366)};BYSETPOS=${upTo(366)};BYMONTH=2;BYMONTHDAY=31`,
  `FREQ=YEARLY;BYYEARDAY=${upTo(366, (n) => `-${n}`)};BYSETPOS=-366;BYMONTH=1`,
  `FREQ=YEARLY;BYWEEKNO=${upTo(53)};BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366;BYMONTH=7`,
  `FREQ=YEARLY;BYDAY=${upTo(53, (n) => `${n}MO,-${n}TU,${n}WE`)};BYSETPOS=300`,
]

describe('a hostile rule', () => {
  test.each(HOSTILE)('%.60s is read and searched for its first and last date within 50 ms', async (text) => {
    const spent = await cost(50, () => {
      const series = seriesOf(text, '1900-01-01')
      listOccurrences(series, { limit: 1 })
      listOccurrences(series, { from: LAST_DAY - 399, limit: 1 })
    })
    expect(spent).toBeLessThan(50)
  })

  test('of ten thousand dates is walked to its end within 50 ms', async () => {
    for (const freq of ['DAILY', 'WEEKLY', 'MONTHLY;BYDAY=MO,TU', 'YEARLY;BYDAY=MO']) {
      const series = seriesOf(`FREQ=${freq};COUNT=10000`, '1900-01-01', 'backward')
      expect(await cost(50, () => listOccurrences(series, { from: LAST_DAY, limit: 1 }))).toBeLessThan(50)
    }
  })

  test('without any date says so', () => {
    const some = HOSTILE.filter((text) => listOccurrences(seriesOf(text, '1900-01-01'), { limit: 1 }).length > 0)
    expect(some).toEqual(['FREQ=YEARLY;INTERVAL=1000'])
    expect(listOccurrences(seriesOf('FREQ=DAILY', '2201-01-01'), { limit: 1 })).toEqual([])
  })
})

test('the next date of a thousand usual rules far from their anchor is found within 20 ms', async () => {
  const usual = ['FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=MO,TH', 'FREQ=MONTHLY', 'FREQ=MONTHLY;BYDAY=-1FR', 'FREQ=YEARLY']
  const rules = usual.map((text) => parseRule(text).rule)
  const spent = await cost(20, () => {
    for (const rule of rules)
      for (let i = 0; i < 200; i++) {
        const series = { rule, anchor: FIRST_DAY + i, skip: 'backward' as const, exdates: new Set<number>() }
        listOccurrences(series, { from: 70_001 + i, limit: 1 })
      }
  })
  expect(spent).toBeLessThan(20)
})
