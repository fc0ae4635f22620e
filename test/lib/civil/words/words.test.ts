import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { readTime } from '../../../../src/lib/civil/words/read'
import { describeReading, makeContext, readExamples, restOf } from './support'

const read = (name: string) => Bun.file(join(import.meta.dir, name)).text()
const english = readExamples(await read('english.txt'), makeContext)
const others = [
  { language: 'de', table: 'german.txt' },
  { language: 'fr', table: 'french.txt' },
  { language: 'es', table: 'spanish.txt' },
] as const
const titles = readExamples(await read('titles.txt'), makeContext)

describe('English', () => {
  test('the table is as long as it should be', () => expect(english.length).toBeGreaterThanOrEqual(150))

  test.each(english)('$text', ({ text, expected, context }) => {
    expect(describeReading(text, context)).toBe(expected)
  })
})

describe.each(others)('$table', async ({ language, table }) => {
  const examples = readExamples(await read(table), (changes) => makeContext({ language, ...changes }))

  test('the table is as long as it should be', () => expect(examples.length).toBeGreaterThanOrEqual(50))

  test.each(examples)('$text', ({ text, expected, context }) => {
    expect(describeReading(text, context)).toBe(expected)
  })
})

describe('titles that are read whole', () => {
  test('there are fifty', () => expect(titles.length).toBeGreaterThanOrEqual(50))

  test.each(titles)('$text', ({ text, expected, context }) => {
    expect(describeReading(text, context)).toBe(expected)
    expect(readTime(text, context).warnings).toEqual([])
  })
})

const MORGEN = '2026-03-03'

describe('languages', () => {
  const due = (text: string, language: 'en' | 'de' | 'fr' | 'es') => readTime(text, makeContext({ language })).due?.date

  test('mar is a month in English, a weekday in Spanish, and mars one in French', () => {
    expect(due('call mar 3', 'en')).toBe('2026-03-03')
    expect(due('mar 10 llamar', 'es')).toBe('2026-03-10')
    // Neither 5 March, nor the next Tuesday that is a 5th, two months ahead.
    expect(due('llamar mar 5', 'es')).toBeUndefined()
    expect(due('appeler le 5 mars', 'fr')).toBe('2026-03-05')
  })

  test('a language does not know the words of another', () => {
    expect(due('call Ann morgen', 'en')).toBeUndefined()
    expect(due('Ann tomorrow anrufen', 'de')).toBeUndefined()
    expect(due('appeler Ann friday', 'fr')).toBeUndefined()
    expect(due('llamar a Ann vendredi', 'es')).toBeUndefined()
  })

  test('without one the words tell, and the preferred one is read first', () => {
    const told = (text: string, changes: object = {}) => readTime(text, makeContext(changes)).due?.date
    expect([told('Ann übermorgen'), told('mar 10 Ann', { preferred: 'es' })]).toEqual(['2026-03-04', '2026-03-10'])
    expect([told('Email Morgen'), told('Morgen Ann'), told('Email morgen')]).toEqual([undefined, MORGEN, MORGEN])
  })
})

describe('spans', () => {
  test('are where the words are, with what they set', () => {
    const text = '🎉 pay every month on the 31st at 9am until christmas for 30 min remind 1 h before'
    const { spans, recurrence } = readTime(text, makeContext())
    expect(recurrence?.rrule).toBe('FREQ=MONTHLY;BYMONTHDAY=31;UNTIL=20261225')
    const rule = recurrence ?? ''
    expect(spans.map(({ start, end, kind, value }) => [text.slice(start, end), kind, value])).toEqual([
      ['every month on the 31st', 'recurrence', rule],
      ['at 9am', 'time', '09:00'],
      ['until christmas', 'recurrence', rule],
      ['for 30 min', 'duration', 30],
      ['remind 1 h before', 'reminder', { at: null, offset_minutes: -60, from: 'due' }],
    ])
  })

  test('a recurrence tells its anchor, its mode and its end', () => {
    const { recurrence, due } = readTime('gym every! week starting friday 10 times', makeContext())
    expect(recurrence).toEqual({
      rrule: 'FREQ=WEEKLY;COUNT=10',
      mode: 'completion',
      skip: 'backward',
      anchor: '2026-03-06',
      exdates: [],
    })
    expect(due).toEqual({ date: '2026-03-06', time: null, time_zone: null })
  })

  test('where nothing was understood there are none, and all is left', () => {
    const reading = readTime('pay every 0 days friday', makeContext())
    expect([reading.spans, reading.due, reading.recurrence]).toEqual([[], null, null])
    expect(restOf('pay every 0 days friday', reading)).toBe('pay every 0 days friday')
  })
})
