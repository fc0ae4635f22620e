import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readCivilDate, readZone, today } from '../../src/http/values'
import { runs } from '../support/full'

const at = (instant: string) => Date.parse(instant)

describe('a civil date', () => {
  test.each(['2026-03-01', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])('%s is one', (date) => {
    expect(readCivilDate(date, '/date')).toBe(date)
  })

  test.each([
    '2025-02-29',
    '2025-02-30',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00:00Z',
    '+002026-01-01',
    ' 2026-01-01',
    '',
    'today',
  ])('%j is none', (date) => {
    expect(() => readCivilDate(date, '/date')).toThrow('date must be a real date')
  })

  test('is taken if and only if the calendar has the day', () => {
    const part = (max: number, width: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(width, '0'))
    fc.assert(
      fc.property(part(9999, 4), part(14, 2), part(33, 2), (year, month, day) => {
        const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0)
        const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0
        const real = Number(day) >= 1 && Number(day) <= days
        const read = () => readCivilDate(`${year}-${month}-${day}`, '/date')
        if (real) expect(read()).toBe(`${year}-${month}-${day}`)
        else expect(read).toThrow()
      }),
      { numRuns: runs(2000) },
    )
  })
})

describe('a zone', () => {
  test.each(['UTC', 'Europe/Lisbon', 'Asia/Kolkata', 'America/Argentina/Ushuaia', 'Etc/GMT+12'])(
    '%s is one',
    (zone) => {
      expect(readZone(zone, '/tz')).toBe(zone)
    },
  )

  test.each(['', 'Z', '+01:00', '-0500', 'Mars/Olympus', 'Europe/', '../etc', 'UTC\0'])('%j is none', (zone) => {
    expect(() => readZone(zone, '/tz')).toThrow('tz must be an IANA time zone')
  })
})

describe('today', () => {
  test.each([
    ['2026-03-01T23:59:59.999Z', 'UTC', '2026-03-01'],
    ['2026-03-02T00:00:00.000Z', 'UTC', '2026-03-02'],
    ['2026-03-01T22:59:59.999Z', 'Europe/Berlin', '2026-03-01'],
    ['2026-03-01T23:00:00.000Z', 'Europe/Berlin', '2026-03-02'],
    ['2026-07-01T22:00:00.000Z', 'Europe/Berlin', '2026-07-02'],
    ['2026-03-01T07:59:59.999Z', 'America/Los_Angeles', '2026-02-28'],
    ['2026-03-01T18:15:00.000Z', 'Asia/Kathmandu', '2026-03-02'],
    ['2026-03-01T10:00:00.000Z', 'Pacific/Kiritimati', '2026-03-02'],
    ['2026-03-01T10:59:59.999Z', 'Pacific/Pago_Pago', '2026-02-28'],
    ['2011-12-30T12:00:00.000Z', 'Pacific/Apia', '2011-12-31'],
    ['1970-01-01T00:00:00.000Z', 'UTC', '1970-01-01'],
  ])('at %s in %s is %s', (instant, zone, date) => {
    expect(today(at(instant), zone)).toBe(date)
  })

  test('is always a real date, and in UTC that of the instant', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: at('9999-12-30T00:00:00Z') }),
        fc.constantFrom('UTC', 'Asia/Tokyo', 'America/St_Johns'),
        (now, zone) => {
          const date = today(now, zone)
          expect(readCivilDate(date, '/date')).toBe(date)
          if (zone === 'UTC') expect(date).toBe(new Date(now).toISOString().slice(0, 10))
        },
      ),
      { numRuns: runs(300) },
    )
  })
})
