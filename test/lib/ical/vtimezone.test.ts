import { describe, expect, test } from 'bun:test'
import { civilOf, offsetAt } from '../../../src/lib/civil/zone'
import { writeVtimezone } from '../../../src/lib/ical/zones'
import { changesOf, offsetRead, readZone } from './zone-reader'

const HOUR = 3_600_000
/** Half hours, whole days that are skipped, months of winter in summer, no changes, seven days between two, the southern half. */
const ZONES = [
  ...['Europe/Berlin', 'Europe/Dublin', 'America/New_York', 'America/Sao_Paulo', 'America/Noronha', 'Asia/Kolkata'],
  ...['Asia/Kathmandu', 'Asia/Gaza', 'Africa/Casablanca', 'Australia/Lord_Howe', 'Pacific/Apia'],
  ...['Pacific/Chatham', 'Antarctica/Troll', 'UTC'],
]

describe.each(ZONES)('the VTIMEZONE of %s', (zone) => {
  test('has the offsets of the zone three days around each change from 1970 to 2037, read by ical.js', () => {
    const timezone = readZone(zone, 1970, 2037)
    for (const change of changesOf(zone, Date.UTC(1970, 0, 2), Date.UTC(2037, 11, 31))) {
      for (const at of [change - 72 * HOUR, change - 27 * HOUR, change + 33 * HOUR, change + 78 * HOUR])
        expect([at, offsetRead(timezone, zone, at)]).toEqual([at, offsetAt(at, zone) / 1000])
    }
  })

  test('has them for a few years alone, and for each month of those', () => {
    const timezone = readZone(zone, 2024, 2034)
    for (let month = 0; month < 11 * 12; month++) {
      const at = Date.UTC(2024, month, 15, 12)
      expect([month, offsetRead(timezone, zone, at)]).toEqual([month, offsetAt(at, zone) / 1000])
    }
  })
})

test('says each change by the clock before it, grouped by what changes', () => {
  expect(writeVtimezone('Europe/Berlin', 2026, 2027)).toEqual([
    ...['BEGIN:VTIMEZONE', 'TZID:Europe/Berlin'],
    ...['BEGIN:STANDARD', 'DTSTART:20251231T010000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0100', 'END:STANDARD'],
    ...['BEGIN:DAYLIGHT', 'DTSTART:20260329T020000', 'RDATE:20260329T020000', 'RDATE:20270328T020000'],
    ...['TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200', 'END:DAYLIGHT'],
    ...['BEGIN:STANDARD', 'DTSTART:20261025T030000', 'RDATE:20261025T030000', 'RDATE:20271031T030000'],
    ...['TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100', 'END:STANDARD', 'END:VTIMEZONE'],
  ])
})

test('years without zone data are held to those with it', () => {
  expect(writeVtimezone('Europe/Berlin', 1, 9999)).toEqual(writeVtimezone('Europe/Berlin', 1970, 2100))
})

test('writes seconds where a zone had them, which ical.js would not read', () => {
  const at = Date.UTC(1971, 5, 1)
  expect(civilOf(at, 'Africa/Monrovia').minutes).toBe(23 * 60 + 15)
  expect(writeVtimezone('Africa/Monrovia', 1971, 1973)).toContain('TZOFFSETTO:-004430')
})
