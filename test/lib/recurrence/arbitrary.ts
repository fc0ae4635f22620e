import fc from 'fast-check'

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const

function list<T>(item: fc.Arbitrary<T>, maxLength = 5): fc.Arbitrary<string> {
  return fc.uniqueArray(item, { minLength: 1, maxLength }).map((items) => items.join(','))
}

function signed(max: number): fc.Arbitrary<number> {
  return fc.integer({ min: -max, max }).filter((n) => n !== 0)
}

function part(name: string, value: fc.Arbitrary<string | number>, chance: number): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 100 - chance, arbitrary: fc.constant('') },
    { weight: chance, arbitrary: value.map((text) => `;${name}=${text}`) },
  )
}

const months = part('BYMONTH', list(fc.integer({ min: 1, max: 12 })), 30)
const monthDays = part('BYMONTHDAY', list(signed(31)), 40)
const weekdays = part('BYDAY', list(fc.constantFrom(...WEEKDAYS)), 40)
const counted = part(
  'BYDAY',
  list(fc.tuple(fc.oneof(fc.constant(''), signed(5)), fc.constantFrom(...WEEKDAYS)).map((day) => day.join(''))),
  50,
)

/** What the table of RFC 5545 allows beside each FREQ. */
const patterns = fc.oneof(
  fc.tuple(fc.constant('FREQ=DAILY'), months, monthDays, weekdays),
  fc.tuple(fc.constant('FREQ=WEEKLY'), months, weekdays),
  fc.tuple(fc.constant('FREQ=MONTHLY'), months, monthDays, counted),
  fc.tuple(fc.constant('FREQ=YEARLY'), months, monthDays, counted),
  fc.tuple(fc.constant('FREQ=YEARLY'), months, part('BYYEARDAY', list(signed(366), 30), 80), weekdays),
  fc.tuple(fc.constant('FREQ=YEARLY'), months, part('BYWEEKNO', list(signed(53)), 90), weekdays),
)

const ends = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 300 }).map((count) => `;COUNT=${count}`) },
  { weight: 1, arbitrary: fc.integer({ min: 1950, max: 2190 }).map((year) => `;UNTIL=${year}0615`) },
  { weight: 1, arbitrary: fc.integer({ min: 1950, max: 2190 }).map((year) => `;UNTIL=${year}0615T120000Z`) },
)

/** Rules that every INTERVAL from 1 steps through, without BYSETPOS and end. */
export const everyPeriod = fc
  .tuple(patterns, part('WKST', fc.constantFrom(...WEEKDAYS), 30))
  .map(([parts, weekStart]) => `${parts.join('')}${weekStart}`)

/** Rules of every kind. */
export const rules = fc
  .tuple(
    everyPeriod,
    part('INTERVAL', fc.integer({ min: 1, max: 40 }), 40),
    part('BYSETPOS', list(signed(6)), 25),
    ends,
  )
  .map(([pattern, interval, position, end]) => {
    const chooses = /;BY/.test(pattern)
    return `${pattern}${interval}${chooses ? position : ''}${end}`
  })
