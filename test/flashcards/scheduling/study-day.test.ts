import { describe, expect, test } from 'bun:test'
import {
  countStudyDays,
  type StudyClock,
  startOfStudyDay,
  studyDay,
} from '../../../src/flashcards/scheduling/study-day'
import { fromDay, toDay } from '../../../src/lib/civil/day'
import { expectFirstInstants } from './properties'

const newYork: StudyClock = { time_zone: 'America/New_York', day_starts_at_hour: 4 }
const dayAt = (text: string, clock: StudyClock) => fromDay(studyDay(Date.parse(text), clock))
const startOf = (date: string, clock: StudyClock) => new Date(startOfStudyDay(toDay(date), clock)).toISOString()

describe('study days of New York, from four in the morning', () => {
  test.each([
    ['2026-03-07T23:30:00-05:00', '2026-03-07'],
    ['2026-03-08T03:30:00-04:00', '2026-03-07'],
    ['2026-03-08T03:59:59.999-04:00', '2026-03-07'],
    ['2026-03-08T04:00:00-04:00', '2026-03-08'],
    ['2026-10-31T23:00:00-04:00', '2026-10-31'],
    ['2026-11-01T01:30:00-04:00', '2026-10-31'],
    ['2026-11-01T01:30:00-05:00', '2026-10-31'],
    ['2026-11-01T03:59:00-05:00', '2026-10-31'],
    ['2026-11-01T04:00:00-05:00', '2026-11-01'],
  ])('%s is in %s', (at, date) => {
    expect(dayAt(at, newYork)).toBe(date)
  })

  test('begin at four by the clock of the day', () => {
    expect(startOf('2026-03-07', newYork)).toBe('2026-03-07T09:00:00.000Z')
    expect(startOf('2026-03-08', newYork)).toBe('2026-03-08T08:00:00.000Z')
    expect(startOf('2026-11-01', newYork)).toBe('2026-11-01T09:00:00.000Z')
  })
})

describe('the first instant of a study day', () => {
  test('whose rollover the clocks skip is the change itself', () => {
    const clock = { ...newYork, day_starts_at_hour: 2 }
    expect(startOf('2026-03-08', clock)).toBe('2026-03-08T07:00:00.000Z')
    expect(startOf('2026-03-09', clock)).toBe('2026-03-09T06:00:00.000Z')
  })

  test('whose rollover comes twice is the first of the two', () => {
    expect(startOf('2026-11-01', { ...newYork, day_starts_at_hour: 1 })).toBe('2026-11-01T05:00:00.000Z')
  })

  test('is the first of two where clocks go back over it into the day before', () => {
    // At 00:01 on 7 November 2010 the clocks of St. John's went back to 23:01: a minute of the day came early.
    const clock = { time_zone: 'America/St_Johns', day_starts_at_hour: 0 }
    expect(startOf('2010-11-07', clock)).toBe('2010-11-07T02:30:00.000Z')
    expect(dayAt('2010-11-07T02:30:59.999Z', clock)).toBe('2010-11-07')
    expect(dayAt('2010-11-07T02:31:00.000Z', clock)).toBe('2010-11-06')
    expect(countStudyDays(Date.parse('2010-11-07T02:30:30Z'), Date.parse('2010-11-07T02:40:00Z'), clock)).toBe(0)
  })

  test('that a zone skips whole is that of the next', () => {
    // Samoa had no 30 December 2011: after 29 December came the 31st.
    const clock = { time_zone: 'Pacific/Apia', day_starts_at_hour: 0 }
    expect(startOf('2011-12-30', clock)).toBe('2011-12-30T10:00:00.000Z')
    expect(startOf('2011-12-31', clock)).toBe('2011-12-30T10:00:00.000Z')
    // From four o'clock the small hours of the 31st still belong to the 30th.
    expect(startOf('2011-12-31', { ...clock, day_starts_at_hour: 4 })).toBe('2011-12-30T14:00:00.000Z')
    expect(dayAt('2011-12-30T13:59:59Z', { ...clock, day_starts_at_hour: 4 })).toBe('2011-12-30')
  })

  test('is in that day, or in the next there is, and the instant before it is in an earlier one', () => {
    expectFirstInstants(300)
  })
})
