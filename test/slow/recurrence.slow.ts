/**
 * Rules and zones against what Python gives for them: its dateutil 2.9 (Debian's package `python3-dateutil`) and its zones;
 * and rules as exports write them against what reads calendars: also libical (`gir1.2-ical-3.0`), ical.js and rrule.js.
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import ICAL from 'ical.js'
import { rrulestr } from 'rrule'
import { fromDay, toDay } from '../../src/lib/civil/day'
import { writeRule } from '../../src/lib/ical/recurrence'
import { compare, readZones } from '../lib/civil/support'
import { datesOf, differing, readRows } from '../lib/recurrence/support'

/** Debian's Python, for which its packages are. */
async function oracle(script: string, args: readonly string[], input = ''): Promise<string> {
  const command = ['/usr/bin/python3', join(import.meta.dir, script), ...args]
  const child = Bun.spawn(command, { stdin: new Blob([input]) })
  const written = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return written
}

/**
 * Zones that are told otherwise by another version of the database: WET and EET are Lisbon and Athens since 2024b (kept
 * apart by builds with the old zones), and Moldova's hours since 2022 were corrected after 2025b.
 */
const OTHER_VERSION = ['EET', 'WET', 'Europe/Chisinau', 'Europe/Tiraspol']

test('100,000 random rules have the first 50 dates that python-dateutil gives', async () => {
  const halves = await Promise.all(['11', '12'].map((seed) => oracle('recurrence-oracle.py', ['omit', seed, '50000'])))
  const rows = halves.flatMap(readRows)
  expect(rows).toHaveLength(100_000)
  expect(differing(rows, 'omit')).toEqual([])
})

test('10,000 rules of one day, moved back, are their BYSETPOS=-1 form under python-dateutil', async () => {
  const rows = readRows(await oracle('recurrence-oracle.py', ['backward', '13', '10000']))
  expect(rows).toHaveLength(10_000)
  expect(differing(rows, 'backward')).toEqual([])
})

test("civil times about every change of clocks, 1970 to 2037, are the instants of Python's zoneinfo", async () => {
  const zones = readZones(await oracle('zone-oracle.py', []))
  expect(zones.length).toBeGreaterThan(400)
  const found = zones.map((rows) => ({ zone: rows.zone, ...compare(rows) }))
  expect(found.reduce((sum, { compared }) => sum + compared, 0)).toBeGreaterThan(300_000)
  const others = found.filter(({ zone, differ }) => differ.length > 0 && !OTHER_VERSION.includes(zone))
  expect(others.map(({ zone, differ }) => [zone, differ.slice(0, 3)])).toEqual([])
})

const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU')
const monthDay = fc.oneof(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 28, max: 31 }), fc.constant(-1))
const many = <T>(one: fc.Arbitrary<T>) => fc.uniqueArray(one, { minLength: 1, maxLength: 3 }).map((all) => all.join())
/** What people repeat tasks by: the rules that words and the app make. */
const plainRule = fc.oneof(
  fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY').map((freq) => `FREQ=${freq}`),
  many(weekday).map((days) => `FREQ=WEEKLY;BYDAY=${days}`),
  many(monthDay).map((days) => `FREQ=MONTHLY;BYMONTHDAY=${days}`),
  fc
    .tuple(many(fc.integer({ min: 1, max: 12 })), monthDay)
    .map((parts) => `FREQ=MONTHLY;BYMONTH=${parts.join(';BYMONTHDAY=')}`),
  fc.tuple(fc.constantFrom(1, 2, 3, 4, -1), weekday).map((day) => `FREQ=MONTHLY;BYDAY=${day.join('')}`),
  fc
    .tuple(fc.integer({ min: 1, max: 12 }), monthDay)
    .map((parts) => `FREQ=YEARLY;BYMONTH=${parts.join(';BYMONTHDAY=')}`),
)
const exported = fc.record({
  rule: plainRule,
  interval: fc.constantFrom(1, 1, 2, 3),
  end: fc.constantFrom('', '', ';COUNT=30', ';COUNT=4', ';UNTIL=20290301'),
  anchor: fc.integer({ min: toDay('2025-01-01'), max: toDay('2027-12-31') }).map(fromDay),
  skip: fc.constantFrom('backward', 'omit'),
  /** How many dates of it were done before it is exported. */
  done: fc.integer({ min: 0, max: 5 }),
})

test('300 rules, and each day of a month, are read by four libraries as they are here', async () => {
  const dates = 25
  const monthEnds = [28, 29, 30, 31, -1].flatMap((day) =>
    [0, 1, 2].map((done) => {
      const rule = day < 0 ? 'FREQ=MONTHLY;BYMONTHDAY=-1' : 'FREQ=MONTHLY'
      return { rule, interval: 1, end: '', anchor: `2026-01-${day < 0 ? 31 : day}`, skip: 'backward' as const, done }
    }),
  )
  const rows = [...fc.sample(exported, { seed: 7, numRuns: 300 }), ...monthEnds].flatMap((one) => {
    const { anchor, skip, done, end } = one
    const endless = `${one.rule}${one.interval > 1 ? `;INTERVAL=${one.interval}` : ''}`
    const due = datesOf(endless + end, anchor, done + 1, skip)[done]
    if (due === undefined) return []
    const rrule = writeRule(
      { rrule: endless + end, anchor, skip, mode: 'schedule' },
      { date: due, time: null, tz: null },
    )
    // The last of the month moves for everybody; another day is left out by others where a month lacks it.
    const isLast = datesOf(endless, anchor, 40, skip).every((date) => fromDay(toDay(date) + 1).endsWith('-01'))
    const until = end.startsWith(';UNTIL') ? end : ''
    const all = datesOf(endless + until, anchor, 200, isLast ? skip : 'omit').filter((date) => date >= due)
    const count = Number(/;COUNT=(\d+)/.exec(end)?.[1] ?? 1000) - done
    const ours = all.slice(0, Math.min(dates, count)).map((date) => date.replaceAll('-', ''))
    return [{ asked: JSON.stringify(one), rrule, start: due.replaceAll('-', ''), ours }]
  })
  expect(rows.length).toBeGreaterThan(280)
  const input = rows.map(({ rrule, start }) => JSON.stringify([rrule, start])).join('\n')
  const python = readLines(await oracle('rule-readers.py', [String(dates)], input))
  const read = rows.map(({ rrule, start }, at) => ({
    dateutil: python[at]?.[0],
    libical: python[at]?.[1],
    'ical.js': readByIcal(rrule, start, dates),
    'rrule.js': readByRrule(rrule, start, dates),
  }))
  const wrong = rows.flatMap(({ ours, ...row }, at) =>
    Object.entries(read[at] ?? {}).flatMap(([name, theirs]) =>
      Bun.deepEquals(ours, theirs) || isOfIcal(name, row.rrule) ? [] : [{ name, ...row, ours, theirs }],
    ),
  )
  expect(wrong).toEqual([])
})

/** ical.js 2.2.1 ends one date too early where COUNT counts last days of some months. */
const isOfIcal = (name: string, rrule: string) =>
  name === 'ical.js' && /^FREQ=MONTHLY;BYMONTH=.*BYMONTHDAY=-1;COUNT/.test(rrule)

function readLines(text: string): [dateutil: string[], libical: string[]][] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function readByIcal(rrule: string, start: string, count: number): string[] {
  const iterator = ICAL.Recur.fromString(rrule).iterator(
    ICAL.Time.fromString(start.replace(/(....)(..)(..)/, '$1-$2-$3'), null as never),
  )
  const found: string[] = []
  for (let time = iterator.next(); time && found.length < count; time = iterator.next()) found.push(time.toICALString())
  return found
}

function readByRrule(rrule: string, start: string, count: number): string[] {
  const rule = rrulestr(`DTSTART:${start}T000000Z\nRRULE:${rrule}`)
  return rule.all((_, at) => at < count).map((date) => date.toISOString().slice(0, 10).replaceAll('-', ''))
}
