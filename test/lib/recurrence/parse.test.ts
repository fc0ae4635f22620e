import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toDay } from '../../../src/lib/civil/day'
import { parseRule } from '../../../src/lib/recurrence/parse'
import { isTimedRule, RuleError, writeRecurrenceRule } from '../../../src/lib/recurrence/rule'
import { runs } from '../../support/full'
import { rules } from './arbitrary'

const plain = {
  ...{ freq: 'DAILY', interval: 1, count: null, until: null, weekStart: 0 },
  ...{ byMonth: [], byWeekNo: [], byYearDay: [], byMonthDay: [], byDay: [], byHour: [], byMinute: [], bySetPos: [] },
}

function refusal(text: string): [code: string, message: string] {
  try {
    parseRule(text)
  } catch (error) {
    if (error instanceof RuleError) return [error.code, error.message]
    throw error
  }
  throw new Error(`${text} was taken`)
}

describe('a rule', () => {
  test('is read part by part', () => {
    expect(parseRule('FREQ=DAILY').rule).toEqual({ ...plain, freq: 'DAILY' })
    expect(
      parseRule(
        'FREQ=YEARLY;INTERVAL=1000;COUNT=10000;BYMONTH=1,12;BYWEEKNO=-53,53;BYYEARDAY=366,-366;BYMONTHDAY=+31,-31;BYDAY=MO,SU;BYSETPOS=-1,366;WKST=SU',
      ).rule,
    ).toEqual({
      freq: 'YEARLY',
      interval: 1000,
      count: 10_000,
      until: null,
      byMonth: [1, 12],
      byWeekNo: [-53, 53],
      byYearDay: [366, -366],
      byMonthDay: [31, -31],
      byDay: [
        { weekday: 0, nth: 0 },
        { weekday: 6, nth: 0 },
      ],
      byHour: [],
      byMinute: [],
      bySetPos: [-1, 366],
      weekStart: 6,
    })
    expect(parseRule('FREQ=MONTHLY;BYDAY=1MO,-1FR,+2SA').rule.byDay).toEqual([
      { weekday: 0, nth: 1 },
      { weekday: 4, nth: -1 },
      { weekday: 5, nth: 2 },
    ])
  })

  test.each([
    'FREQ=WEEKLY;BYDAY=MO;',
    'freq=weekly;byday=mo',
    'BYDAY=MO;FREQ=WEEKLY',
    'FREQ=WEEKLY;WKST=MO;INTERVAL=01;BYDAY=MO',
  ])('%s is a week on Monday', (text) => {
    expect(parseRule(text)).toEqual({ rule: { ...plain, freq: 'WEEKLY', byDay: [{ weekday: 0, nth: 0 }] } })
  })

  test('names times of day, and full minutes', () => {
    expect(parseRule('FREQ=HOURLY;INTERVAL=4;BYHOUR=0,23;BYMINUTE=00,59;BYSECOND=0').rule).toEqual({
      ...plain,
      freq: 'HOURLY',
      interval: 4,
      byHour: [0, 23],
      byMinute: [0, 59],
    })
    for (const text of ['FREQ=HOURLY', 'FREQ=HOURLY;BYYEARDAY=1', 'FREQ=WEEKLY;BYMINUTE=5', 'FREQ=DAILY;BYHOUR=0'])
      expect(isTimedRule(parseRule(text).rule)).toBe(true)
    for (const text of ['FREQ=DAILY', 'FREQ=DAILY;BYSECOND=0', 'FREQ=YEARLY;BYYEARDAY=1'])
      expect(isTimedRule(parseRule(text).rule)).toBe(false)
  })

  test.each([
    ['20260301', { day: toDay('2026-03-01'), seconds: null, utc: false }],
    ['20260301T080910', { day: toDay('2026-03-01'), seconds: 29_350, utc: false }],
    ['20260301T080910Z', { day: toDay('2026-03-01'), seconds: 29_350, utc: true }],
    ['20161231T235960Z', { day: toDay('2016-12-31'), seconds: 86_399, utc: true }],
  ])('ends with UNTIL=%s', (value, until) => {
    expect(parseRule(`FREQ=DAILY;UNTIL=${value}`).rule.until).toEqual(until)
  })

  test.each([
    ['RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD', 'backward'],
    ['rscale=gregorian;freq=monthly;skip=omit;', 'omit'],
    ['RSCALE=GREGORIAN;FREQ=MONTHLY', 'omit'],
    ['FREQ=MONTHLY', undefined],
  ] as const)('%s tells of SKIP %s', (text, skip) => {
    expect(parseRule(text)).toEqual({ rule: { ...plain, freq: 'MONTHLY' }, ...(skip && { skip }) })
  })

  test('written and read again is the same', () => {
    fc.assert(
      fc.property(rules, (text) => {
        const { rule } = parseRule(text)
        expect(parseRule(writeRecurrenceRule(rule)).rule).toEqual(rule)
        expect(writeRecurrenceRule(parseRule(writeRecurrenceRule(rule)).rule)).toBe(writeRecurrenceRule(rule))
      }),
      { numRuns: runs(500) },
    )
    expect(
      writeRecurrenceRule(parseRule('wkst=su;byday=+1mo,-1su;until=20260301t080000z;interval=2;freq=monthly;').rule),
    ).toBe('FREQ=MONTHLY;UNTIL=20260301T080000Z;INTERVAL=2;BYDAY=1MO,-1SU;WKST=SU')
  })
})

describe('what RFC 5545 and 7529 know and we do not', () => {
  test.each([
    'FREQ=SECONDLY',
    'FREQ=DAILY;BYSECOND=30',
    'FREQ=HOURLY;BYSECOND=0,30',
    'FREQ=MINUTELY',
    'RSCALE=HEBREW;FREQ=YEARLY',
    'RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=9L;SKIP=BACKWARD',
    'RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=FORWARD',
    'FREQ=DAILY\nRDATE:20260301',
    'RDATE:20260301',
    'EXRULE:FREQ=DAILY',
    'FREQ=DAILY\r\nRRULE:FREQ=WEEKLY',
  ])('%j is unsupported', (text) => {
    expect(refusal(text)[0]).toBe('unsupported_recurrence')
  })
})

describe('what is no rule', () => {
  test.each([
    ['', 'not a part of a rule'],
    [';', 'not a part of a rule'],
    ['FREQ', 'not a part of a rule'],
    ['FREQ=', 'not a part of a rule'],
    ['FREQ=DAILY;;', 'not a part of a rule'],
    ['RRULE:FREQ=DAILY', 'not a part of a rule'],
    ['FREQ=DAILY;BYEASTER=0', 'not a part of a rule'],
    ['FREQ=DAILY;X-OURS=1', 'not a part of a rule'],
    ['INTERVAL=2', 'FREQ is missing'],
    ['FREQ=FORTNIGHTLY', 'FREQ must be'],
    ['FREQ=DAILY;FREQ=DAILY', 'FREQ is there twice'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL must be 1 to 1000'],
    ['FREQ=DAILY;INTERVAL=1001', 'INTERVAL must be 1 to 1000'],
    ['FREQ=DAILY;INTERVAL=-1', 'INTERVAL must be 1 to 1000'],
    ['FREQ=DAILY;INTERVAL=1.5', 'INTERVAL must be 1 to 1000'],
    ['FREQ=DAILY;COUNT=00', 'COUNT must be 1 to 10000'],
    ['FREQ=DAILY;COUNT=10001', 'COUNT must be 1 to 10000'],
    ['FREQ=DAILY;UNTIL=20260230', 'UNTIL must be a real date'],
    ['FREQ=DAILY;UNTIL=2026-03-01', 'UNTIL must be a real date'],
    ['FREQ=DAILY;UNTIL=20260301Z', 'UNTIL must be a real date'],
    ['FREQ=DAILY;UNTIL=20260301T240000Z', 'UNTIL must have a real time'],
    ['FREQ=DAILY;UNTIL=20260301T006000', 'UNTIL must have a real time'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20260301', 'cannot be combined'],
    ['FREQ=DAILY;BYMONTH=0', 'BYMONTH must be 1 to 12'],
    ['FREQ=DAILY;BYMONTH=-1', 'BYMONTH must be 1 to 12'],
    ['FREQ=DAILY;BYMONTH=13', 'BYMONTH must be 1 to 12'],
    ['FREQ=DAILY;BYMONTH=1,,2', 'BYMONTH must be 1 to 12'],
    ['FREQ=DAILY;BYHOUR=24', 'BYHOUR must be 0 to 23'],
    ['FREQ=DAILY;BYHOUR=-1', 'BYHOUR must be 0 to 23'],
    ['FREQ=DAILY;BYHOUR=9,', 'BYHOUR must be 0 to 23'],
    ['FREQ=DAILY;BYMINUTE=60', 'BYMINUTE must be 0 to 59'],
    ['FREQ=DAILY;BYMINUTE=007', 'BYMINUTE must be 0 to 59'],
    ['FREQ=HOURLY;BYDAY=1MO', 'BYDAY with a number'],
    ['FREQ=HOURLY;BYWEEKNO=1', 'BYWEEKNO needs FREQ=YEARLY'],
    ['FREQ=HOURLY;BYSETPOS=1', 'BYSETPOS needs another'],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'BYMONTHDAY must be 1 to 31 or -31 to -1'],
    ['FREQ=MONTHLY;BYMONTHDAY=-32', 'BYMONTHDAY must be'],
    ['FREQ=MONTHLY;BYMONTHDAY=1e1', 'BYMONTHDAY must be'],
    ['FREQ=YEARLY;BYYEARDAY=367', 'BYYEARDAY must be'],
    ['FREQ=YEARLY;BYYEARDAY=0', 'BYYEARDAY must be'],
    ['FREQ=YEARLY;BYWEEKNO=54', 'BYWEEKNO must be'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'BYSETPOS must be'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-367', 'BYSETPOS must be'],
    ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY names weekdays'],
    ['FREQ=WEEKLY;BYDAY=MONDAY', 'BYDAY names weekdays'],
    ['FREQ=MONTHLY;BYDAY=0MO', 'BYDAY counts weekdays'],
    ['FREQ=YEARLY;BYDAY=54MO', 'BYDAY counts weekdays'],
    ['FREQ=WEEKLY;WKST=1MO', 'WKST names weekdays'],
    // The table of RFC 5545, section 3.3.10.
    ['FREQ=DAILY;BYWEEKNO=1', 'BYWEEKNO needs FREQ=YEARLY'],
    ['FREQ=WEEKLY;BYWEEKNO=1', 'BYWEEKNO needs FREQ=YEARLY'],
    ['FREQ=MONTHLY;BYWEEKNO=1', 'BYWEEKNO needs FREQ=YEARLY'],
    ['FREQ=DAILY;BYYEARDAY=1', 'BYYEARDAY needs FREQ=YEARLY'],
    ['FREQ=WEEKLY;BYYEARDAY=1', 'BYYEARDAY needs FREQ=YEARLY'],
    ['FREQ=MONTHLY;BYYEARDAY=1', 'BYYEARDAY needs FREQ=YEARLY'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'BYMONTHDAY cannot be combined with FREQ=WEEKLY'],
    ['FREQ=DAILY;BYDAY=1MO', 'BYDAY with a number'],
    ['FREQ=WEEKLY;BYDAY=MO,-1FR', 'BYDAY with a number'],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO', 'cannot be combined with BYWEEKNO'],
    ['FREQ=DAILY;BYSETPOS=1', 'BYSETPOS needs another'],
    ['FREQ=MONTHLY;SKIP=BACKWARD', 'SKIP needs RSCALE=GREGORIAN'],
    ['RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=SIDEWAYS', 'SKIP must be OMIT or BACKWARD'],
  ])('is %j: %s', (text, message) => {
    const [code, told] = refusal(text)
    expect(code).toBe('invalid_recurrence')
    expect(told).toContain(message)
  })

  test('any text at all is a rule or refused, in a short message', () => {
    const signs = fc.constantFrom(...'FREQ=DAILY;COUNT=1,-+ BYDAYMO\n:É\0'.split(/(?<=[=;])|\b/))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.array(signs).map((parts) => parts.join('')),
        ),
        (text) => {
          try {
            expect(writeRecurrenceRule(parseRule(text).rule)).toStartWith('FREQ=')
          } catch (error) {
            expect(error).toBeInstanceOf(RuleError)
            expect(String(error).length).toBeLessThan(200)
          }
        },
      ),
      { numRuns: runs(1000) },
    )
  })
})
