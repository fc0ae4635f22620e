import { describe, expect, test } from 'bun:test'
import { clockTime, dayInWords, lengthInWords, momentInWords, sizeInWords } from '../../public/in-words.js'

test.each([
  [0, 'less than a minute'],
  [59, 'less than a minute'],
  [60, '1 minute'],
  [61, '2 minutes'],
  [27 * 60, '27 minutes'],
  [3600, '60 minutes'],
  [3601, '1 h 1 min'],
  [7200, '2 h 0 min'],
])('%d seconds are %s', (seconds, words) => {
  expect(lengthInWords(seconds)).toBe(words)
})

test('the time of day is told as the reader tells it', () => {
  const moment = new Date('2026-11-24T15:05:00Z')
  expect(clockTime(moment, { locale: 'en-GB', timeZone: 'Europe/Berlin' })).toBe('16:05')
  expect(clockTime(moment, { locale: 'en-US', timeZone: 'UTC' })).toMatch(/^3:05\sPM$/)
})

describe('a moment', () => {
  const reader = { locale: 'en-GB', timeZone: 'Europe/Berlin' }
  test.each([
    ['2026-11-23T08:30:00Z', 'today at 09:30'],
    ['2026-11-23T22:59:00Z', 'today at 23:59'],
    ['2026-11-23T23:00:00Z', 'tomorrow at 00:00'],
    ['2026-11-22T22:59:00Z', 'yesterday at 23:59'],
    ['2026-11-25T08:00:00Z', 'Wednesday at 09:00'],
    ['2026-11-29T08:00:00Z', 'Sunday at 09:00'],
    ['2026-11-30T08:00:00Z', '30 Nov 2026 at 09:00'],
    ['2026-11-20T08:00:00Z', '20 Nov 2026 at 09:00'],
    ['2027-06-01T08:00:00Z', '1 Jun 2027 at 10:00'],
  ])('%s is %s', (moment, words) => {
    expect(momentInWords(new Date(moment), new Date('2026-11-23T12:00:00Z'), reader)).toBe(words)
  })

  test('is told by its day alone, too', () => {
    const days = ['2026-11-24T12:00:00Z', '2026-11-27T12:00:00Z', '2026-11-30T12:00:00Z']
    const words = days.map((day) => dayInWords(new Date(day), new Date('2026-11-23T12:00:00Z'), reader))
    expect(words).toEqual(['tomorrow', 'Friday', '30 Nov 2026'])
  })

  test('goes by the calendar of the reader where a day has 25 hours', () => {
    const now = new Date('2026-10-24T22:30:00Z') // 00:30 on the 25th in Berlin; the clocks go back at 03:00
    expect(momentInWords(new Date('2026-10-25T22:45:00Z'), now, reader)).toBe('today at 23:45')
    expect(momentInWords(new Date('2026-10-25T23:15:00Z'), now, reader)).toBe('tomorrow at 00:15')
  })
})

test.each([
  [0, '0 bytes'],
  [1023, '1,023 bytes'],
  [1536, '1.5 KiB'],
  [10.4 * 1024, '10 KiB'],
  [2 ** 40, '1,024 GiB'],
])('%d bytes are %s', (size, words) => {
  expect(sizeInWords(size)).toBe(words)
})
