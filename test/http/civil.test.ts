import { describe, expect, test } from 'bun:test'
import { readCivilDate, readZone, today } from '../../src/http/values'

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
})

test('a zone is one of the IANA database: others are refused', () => {
  expect(readZone('Europe/Lisbon', '/tz')).toBe('Europe/Lisbon')
  expect(() => readZone('Mars/Olympus', '/tz')).toThrow('tz must be an IANA time zone')
})

test.each([
  ['2026-03-01T22:59:59.999Z', '2026-03-01'],
  ['2026-03-01T23:00:00.000Z', '2026-03-02'],
])('today at %s in Berlin is %s', (instant, date) => {
  expect(today(Date.parse(instant), 'Europe/Berlin')).toBe(date)
})
