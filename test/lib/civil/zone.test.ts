import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { toDay } from '../../../src/lib/civil/day'
import { civilOf, instantOf, isZone, offsetAt, startOfDay } from '../../../src/lib/civil/zone'
import { cost } from '../../support/cost'
import { runs } from '../../support/full'
import { compare, readZones } from './support'

const ROWS = await Bun.file(join(import.meta.dir, '../../fixtures/civil/zones.jsonl')).text()
const ZONES = ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu', 'UTC']

const iso = (at: number) => new Date(at).toISOString()
const instant = (date: string, time: string, zone: string) =>
  iso(instantOf(toDay(date), Number(time.slice(0, 2)) * 60 + Number(time.slice(3)), zone))

describe('the instant of a civil time', () => {
  test.each(readZones(ROWS))("in $zone is that of Python's zoneinfo, about each change of clocks", (rows) => {
    const { compared, differ } = compare(rows)
    expect(compared).toBeGreaterThan(0)
    expect(differ).toEqual([])
  })

  test.each([
    ['2026-03-28', '02:30', 'Europe/Berlin', '2026-03-28T01:30:00.000Z'],
    ['2026-03-29', '02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['2026-03-30', '02:30', 'Europe/Berlin', '2026-03-30T00:30:00.000Z'],
    ['2026-10-25', '02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25', '03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
    // Half an hour is skipped, and half an hour comes twice.
    ['2026-10-04', '02:15', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
    ['2026-04-05', '01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z'],
    // A whole day is skipped.
    ['2011-12-30', '10:00', 'Pacific/Apia', '2011-12-30T20:00:00.000Z'],
    ['2011-12-31', '10:00', 'Pacific/Apia', '2011-12-30T20:00:00.000Z'],
    // Clocks that differed by seconds.
    ['1960-01-01', '00:00', 'Africa/Monrovia', '1960-01-01T00:44:30.000Z'],
    ['2026-03-29', '02:30', 'UTC', '2026-03-29T02:30:00.000Z'],
  ])('%s %s in %s is %s', (date, time, zone, expected) => {
    expect(instant(date, time, zone)).toBe(expected)
  })

  test('shows that civil time or, if the clocks skip it, one later by what they skip', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        // Since then, all of these change by whole minutes.
        fc.integer({ min: toDay('1950-01-01'), max: toDay('2200-12-31') }),
        fc.integer({ min: 0, max: 1439 }),
        (zone, day, minutes) => {
          const at = instantOf(day, minutes, zone)
          const shown = civilOf(at, zone)
          const skipped = (shown.day - day) * 1440 + shown.minutes - minutes
          if (skipped !== 0) expect(skipped * 60_000).toBe(offsetAt(at, zone) - offsetAt(at - 86_400_000, zone))
          expect(skipped).toBeGreaterThanOrEqual(0)
        },
      ),
      { numRuns: runs(1000) },
    )
  })
})

describe('what clocks show', () => {
  test.each([
    ['2026-03-29T00:59:59.999Z', 'Europe/Berlin', '2026-03-29', 119],
    ['2026-03-29T01:00:00.000Z', 'Europe/Berlin', '2026-03-29', 180],
    ['2026-10-25T00:59:59.999Z', 'Europe/Berlin', '2026-10-25', 179],
    ['2026-10-25T01:00:00.000Z', 'Europe/Berlin', '2026-10-25', 120],
    ['2011-12-30T09:59:59.999Z', 'Pacific/Apia', '2011-12-29', 1439],
    ['2011-12-30T10:00:00.000Z', 'Pacific/Apia', '2011-12-31', 0],
    ['1969-12-31T23:59:59.999Z', 'UTC', '1969-12-31', 1439],
    ['2026-03-02T12:00:00.000Z', 'asia/KATHMANDU', '2026-03-02', 1065],
  ])('at %s in %s is %s, minute %i', (at, zone, date, minutes) => {
    expect(civilOf(Date.parse(at), zone)).toEqual({ day: toDay(date), minutes })
  })

  test('is what Intl shows, at any instant and in any zone', () => {
    const zones = Intl.supportedValuesOf('timeZone')
    const part = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.parse('1900-01-01'), max: Date.parse('2200-01-01') }),
        (zone, at) => {
          const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, hourCycle: 'h23', ...part }).format(at)
          const { day, minutes } = civilOf(at, zone)
          expect(iso((day * 1440 + minutes) * 60_000).slice(0, 16)).toBe(shown.replace(' ', 'T'))
        },
      ),
      { numRuns: runs(500) },
    )
  })
})

describe('a day', () => {
  test.each([
    ['2026-03-02', 'Asia/Kathmandu', '2026-03-01T18:15:00.000Z'],
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['2025-11-02', 'America/Havana', '2025-11-02T04:00:00.000Z'],
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    // The clocks went from 23:30 to 00:30: the day began at half past.
    ['1919-03-31', 'America/Toronto', '1919-03-31T04:30:00.000Z'],
    ['0001-01-01', 'UTC', '0001-01-01T00:00:00.000Z'],
  ])('%s in %s begins at %s', (date, zone, expected) => {
    expect(iso(startOfDay(toDay(date), zone))).toBe(expected)
  })

  test('begins at the first instant that is on it or, if it was skipped, on a later one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES, 'America/Sao_Paulo', 'America/Havana', 'America/Toronto', 'Asia/Beirut'),
        fc.integer({ min: toDay('1900-01-01'), max: toDay('2100-12-31') }),
        (zone, day) => {
          const at = startOfDay(day, zone)
          expect(civilOf(at, zone).day).toBeGreaterThanOrEqual(day)
          expect(civilOf(at - 1, zone).day).toBeLessThan(day)
        },
      ),
      { numRuns: runs(1000) },
    )
  })
})

describe('a zone', () => {
  test.each(['UTC', 'Europe/Lisbon', 'europe/lisbon', 'US/Pacific', 'EST5EDT', 'Etc/GMT+12'])('is %s', (name) => {
    expect(isZone(name)).toBe(true)
  })

  test.each(['', '+02:00', '-0500', 'Z', 'UTC+1', 'Mars/Olympus', ' UTC', 'UTC\0'])('is not %j', (name) => {
    expect(isZone(name)).toBe(false)
  })
})

test('ten thousand civil times of a quarter year are instants within 20 ms, in a zone not seen before', async () => {
  // Letter case makes each a new one.
  const names = ['Europe/Vienna', 'europe/Vienna', 'eUrope/Vienna', 'euRope/Vienna', 'eurOpe/Vienna']
  const fresh = () => names.shift() ?? 'Europe/Vienna'
  const spent = await cost(20, () => {
    const zone = fresh()
    for (let i = 0; i < 10_000; i++) instantOf(20_500 + (i % 92), i % 1440, zone)
  })
  expect(spent).toBeLessThan(20)
})

test('more zones and years than are remembered are told all the same', () => {
  const zones = Intl.supportedValuesOf('timeZone')
  const shown = (at: number) => zones.map((zone) => offsetAt(at, zone))
  const at = Date.parse('2026-07-01T00:00:00Z')
  const first = shown(at)
  for (let day = -50_000; day < 80_000; day += 3) offsetAt(day * 86_400_000, 'Europe/Berlin')
  expect(shown(at)).toEqual(first)
  expect(offsetAt(at, 'Europe/Berlin')).toBe(7_200_000)
})
