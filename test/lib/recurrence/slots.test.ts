import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { fromDay, LAST_DAY, toDay } from '../../../src/lib/civil/day'
import { clockTime } from '../../../src/lib/civil/zone'
import { listSlots, nextSlot, type Series } from '../../../src/lib/recurrence/slots'
import { cost } from '../../support/cost'
import { listOccurrences, readRows, seriesOf } from './support'

const DAY = 1440
const FIXTURE = join(import.meta.dir, '../../fixtures/recurrence/timed-rules.jsonl')

const minutesOf = (text: string) => Number(text.slice(11, 13)) * 60 + Number(text.slice(14))
const slotOf = (text: string) => toDay(text) * DAY + minutesOf(text)
const write = (slot: number) => `${fromDay(Math.floor(slot / DAY))}T${clockTime(slot % DAY)}`

function timed(rule: string, anchor: string, more: Partial<Series> = {}): Series {
  return seriesOf(rule, anchor, 'omit', { anchorTime: minutesOf(anchor), ...more })
}

const first = (rule: string, anchor: string, limit: number, more: Partial<Series> = {}) =>
  listSlots(timed(rule, anchor, more), { limit }).map(write)

test('374 random rules by the hour have the first 50 slots that python-dateutil gives', async () => {
  const rows = readRows(await Bun.file(FIXTURE).text())
  expect(rows).toHaveLength(374)
  const differing = rows.filter(({ rule, anchor, steps }) => {
    let slot = slotOf(anchor)
    const expected = steps.map((step) => {
      slot += step
      return slot
    })
    return listSlots(timed(rule, anchor), { limit: 50 }).join() !== expected.join()
  })
  expect(differing).toEqual([])
})

describe('slots', () => {
  test.each([
    ['FREQ=HOURLY;INTERVAL=4', '2026-03-01T22:30', '2026-03-01T22:30 2026-03-02T02:30 2026-03-02T06:30'],
    ['FREQ=HOURLY;INTERVAL=5', '2026-03-01T22:00', '2026-03-01T22:00 2026-03-02T03:00 2026-03-02T08:00'],
    ['FREQ=HOURLY;BYHOUR=9,17;BYMINUTE=0', '2026-03-01T10:15', '2026-03-01T17:00 2026-03-02T09:00'],
    ['FREQ=HOURLY;BYMINUTE=0,30', '2026-03-01T23:00', '2026-03-01T23:00 2026-03-01T23:30 2026-03-02T00:00'],
    ['FREQ=HOURLY;BYHOUR=9;BYMINUTE=58,59', '2026-03-01T00:00', '2026-03-01T09:58 2026-03-01T09:59 2026-03-02T09:58'],
    ['FREQ=DAILY;BYHOUR=17,9', '2026-03-01T10:15', '2026-03-01T17:15 2026-03-02T09:15 2026-03-02T17:15'],
    ['FREQ=DAILY;BYMINUTE=0,30', '2026-03-01T10:15', '2026-03-01T10:30 2026-03-02T10:00 2026-03-02T10:30'],
    ['FREQ=WEEKLY;BYDAY=MO;BYHOUR=9,17;BYSETPOS=-1', '2026-03-01T08:00', '2026-03-02T17:00 2026-03-09T17:00'],
    ['FREQ=HOURLY;BYMINUTE=0,15,30;BYSETPOS=2', '2026-03-01T10:15', '2026-03-01T10:15 2026-03-01T11:15'],
    ['FREQ=HOURLY;BYDAY=SU;BYHOUR=23', '2026-03-02T00:10', '2026-03-08T23:10 2026-03-15T23:10'],
    // A day that a month lacks only limits here: none moves.
    ['FREQ=HOURLY;BYMONTHDAY=31;BYHOUR=8', '2026-02-01T08:00', '2026-03-31T08:00 2026-05-31T08:00'],
  ])('of %s from %s are %s', (rule, anchor, slots) => {
    const expected = slots.split(' ')
    expect(first(rule, anchor, expected.length)).toEqual(expected)
    // However skips are taken, these rules move nothing.
    if (rule.includes('HOURLY')) expect(first(rule, anchor, expected.length, { skip: 'backward' })).toEqual(expected)
  })

  test('from anywhere on are the tail of the whole', () => {
    for (const rule of [
      'HOURLY;INTERVAL=7',
      'HOURLY;INTERVAL=13;BYMINUTE=3,4',
      'DAILY;BYHOUR=1,2;COUNT=90',
      'HOURLY;COUNT=70',
    ]) {
      const series = timed(`FREQ=${rule}`, '2026-03-01T22:30')
      const whole = listSlots(series, { limit: 60 })
      for (const i of [1, 7, 31])
        expect(listSlots(series, { from: (whole[i - 1] ?? 0) + 1, limit: 60 - i })).toEqual(whole.slice(i))
      expect(listSlots(series, { from: whole[3] ?? 0, to: whole[9] ?? 0, limit: 60 })).toEqual(whole.slice(3, 10))
    }
  })

  test('that are left out count all the same; a day is left out whole', () => {
    const exslots = new Set([slotOf('2026-03-01T04:00')])
    const exdates = new Set([toDay('2026-03-02')])
    const left = { exslots, exdates }
    expect(first('FREQ=HOURLY;INTERVAL=4;COUNT=14', '2026-03-01T00:00', 99, left)).toEqual([
      ...['2026-03-01T00:00', '2026-03-01T08:00', '2026-03-01T12:00', '2026-03-01T16:00', '2026-03-01T20:00'],
      ...['2026-03-03T00:00', '2026-03-03T04:00'],
    ])
  })

  test.each([
    ['20260301', null, '2026-03-01T23:00'],
    ['20260301T070000', 'Europe/Berlin', '2026-03-01T07:00'],
    ['20260301T065959', null, '2026-03-01T06:00'],
    ['20260301T070000Z', null, '2026-03-01T07:00'],
    ['20260301T070000Z', 'Europe/Berlin', '2026-03-01T08:00'],
    ['20260301T070000Z', 'America/Los_Angeles', '2026-02-28T23:00'],
    // Clocks go forward at 01:00 UTC: what was 02:00 is 03:00.
    ['20260329T010000Z', 'Europe/Berlin', '2026-03-29T03:00'],
    ['20260329T005959Z', 'Europe/Berlin', '2026-03-29T01:00'],
  ])('UNTIL=%s in %p ends with %s', (until, zone, last) => {
    const anchor = until < '20260310' ? '2026-02-28T00:00' : '2026-03-28T12:00'
    expect(first(`FREQ=HOURLY;UNTIL=${until}`, anchor, 99, { zone }).at(-1)).toBe(last)
  })

  test('that the rule does not name come in their order, none twice, and COUNT does not count them', () => {
    const names = ['2026-03-01T02:30', '2026-03-01T04:00', '2026-03-09T00:00', '2026-03-10T00:00']
    const rdates = names.map(slotOf)
    const more = { rdates, exslots: new Set([slotOf('2026-03-10T00:00')]) }
    const all = ['2026-03-01T00:00', '2026-03-01T02:30', '2026-03-01T04:00', '2026-03-01T08:00', '2026-03-09T00:00']
    const rule = 'FREQ=HOURLY;INTERVAL=4;COUNT=3'
    for (const limit of [1, 2, 3, 4, 9])
      expect(first(rule, '2026-03-01T00:00', limit, more)).toEqual(all.slice(0, limit))
    const series = timed(rule, '2026-03-01T00:00', more)
    expect(write(nextSlot(series, slotOf('2026-03-01T08:00')) ?? 0)).toBe('2026-03-09T00:00')
    expect(nextSlot(series, slotOf('2026-03-09T00:00'))).toBeNull()
    expect(listSlots(series, { to: slotOf('2026-03-01T03:00'), limit: 9 }).map(write)).toEqual(all.slice(0, 2))
  })

  test('of a series by date are its days at its time', () => {
    const series = seriesOf('FREQ=WEEKLY;BYDAY=MO,TH', '2026-03-02', 'omit', { time: 540 })
    const days = listOccurrences(series, { limit: 20 })
    expect(listSlots(series, { limit: 20 })).toEqual(days.map((day) => day * DAY + 540))
    const second = (days[1] ?? 0) * DAY + 540
    expect(nextSlot(series, second)).toBe((days[2] ?? 0) * DAY + 540)
    expect(nextSlot(series, second - 1)).toBe(second)
    expect(listSlots(series, { from: second, to: second, limit: 9 })).toEqual([second])
  })
})

const upTo = (last: number) => Array.from({ length: last + 1 }, (_, i) => i).join()

describe('a hostile rule', () => {
  test.each([
    'FREQ=HOURLY;BYSETPOS=2;BYMINUTE=1',
    'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30',
    `FREQ=HOURLY;UNTIL=19000102;BYMINUTE=${upTo(59)}`,
    'FREQ=HOURLY;INTERVAL=997;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=3;BYMINUTE=7',
    'FREQ=HOURLY;INTERVAL=24;BYHOUR=5',
    'FREQ=HOURLY;BYMINUTE=1,2;BYSETPOS=3',
    'FREQ=HOURLY;INTERVAL=1000;BYYEARDAY=366;BYHOUR=23',
    `FREQ=DAILY;BYHOUR=${upTo(23)};BYMINUTE=${upTo(59)};BYSETPOS=-366,366,-1`,
    'FREQ=DAILY;BYHOUR=1;BYSETPOS=2',
    `FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=${upTo(23)}`,
    `FREQ=YEARLY;BYDAY=MO,TU,WE;BYHOUR=${upTo(23)};BYMINUTE=${upTo(59)};BYSETPOS=366,-366`,
    `FREQ=HOURLY;COUNT=10000;BYMONTH=2;BYMONTHDAY=29;BYHOUR=1;BYMINUTE=${upTo(59)}`,
  ])('%.60s is searched from its first day and its last within 50 ms', async (rule) => {
    const spent = await cost(50, () => {
      const series = timed(rule, '1900-01-01T00:00')
      listSlots(series, { limit: 1 })
      nextSlot(series, (LAST_DAY - 400) * DAY)
      listSlots(series, { from: (LAST_DAY - 92) * DAY, limit: 2001 })
    })
    expect(spent).toBeLessThan(50)
  })

  test('with 500 days left out goes on within 50 ms', async () => {
    const exdates = new Set(Array.from({ length: 500 }, (_, i) => toDay('2026-03-01') + i))
    const series = timed(`FREQ=HOURLY;BYMINUTE=${upTo(59)}`, '2026-03-01T00:00', { exdates })
    expect(await cost(50, () => nextSlot(series, 0))).toBeLessThan(50)
    expect(write(nextSlot(series, 0) ?? 0)).toBe(`${fromDay(toDay('2026-03-01') + 500)}T00:00`)
  })

  test('whose steps never meet its times has no slot', () => {
    expect(first('FREQ=HOURLY;INTERVAL=2;BYHOUR=1,3', '2026-03-01T00:00', 1)).toEqual([])
    expect(first('FREQ=DAILY;BYHOUR=1,2;BYSETPOS=3', '2026-03-01T00:00', 1)).toEqual([])
  })
})
