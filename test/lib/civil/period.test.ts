import { expect, test } from 'bun:test'
import { readPeriodWords } from '../../../src/lib/civil/words/date'

/** Noon of a Monday, 2 March 2026. */
const NOW = Date.parse('2026-03-02T12:00:00Z')
const read = (words: string, zone = 'UTC') => {
  const days = readPeriodWords(words, { now: NOW, time_zone: zone, languages: ['en', 'de', 'fr', 'es'] })
  return days && [days.first, days.last]
}

test.each([
  ['today', '2026-03-02', '2026-03-02'],
  ['yesterday', '2026-03-01', '2026-03-01'],
  ['5 May', '2026-05-05', '2026-05-05'],
  ['this week', '2026-03-02', '2026-03-08'],
  ['last week', '2026-02-23', '2026-03-01'],
  ['the next month', '2026-04-01', '2026-04-30'],
  ['this quarter', '2026-01-01', '2026-03-31'],
  ['last year', '2025-01-01', '2025-12-31'],
  ['December', '2025-12-01', '2025-12-31'],
  ['june', '2026-06-01', '2026-06-30'],
  ['next March', '2027-03-01', '2027-03-31'],
  ['last march', '2025-03-01', '2025-03-31'],
  ['february 2028', '2028-02-01', '2028-02-29'],
  ['the last 7 days', '2026-02-23', '2026-03-02'],
  ['next 2 weeks', '2026-03-02', '2026-03-16'],
  ['this weekend', '2026-03-07', '2026-03-08'],
  ['last weekend', '2026-02-28', '2026-03-01'],
  ['letzten Monat', '2026-02-01', '2026-02-28'],
  ['die nächsten 3 Tage', '2026-03-02', '2026-03-05'],
  ['übermorgen', '2026-03-04', '2026-03-04'],
  ['la semaine dernière', '2026-02-23', '2026-03-01'],
  ['les 7 derniers jours', '2026-02-23', '2026-03-02'],
  ['ce week-end', '2026-03-07', '2026-03-08'],
  ['la semana que viene', '2026-03-09', '2026-03-15'],
  ['los últimos 7 días', '2026-02-23', '2026-03-02'],
  ['mayo de 2027', '2027-05-01', '2027-05-31'],
])('%j is %s to %s', (words, first, last) => expect(read(words)).toEqual([first, last]))

test.each([
  '',
  'the moon',
  'may contain nuts',
  'every monday',
  'tomorrow at 9am',
  'a week',
  '7 days',
  'this week or next',
  'diese Woche viel',
  'week '.repeat(40),
])('%j is no period', (words) => expect(read(words)).toBeNull())

test('today is that of the zone', () => {
  expect(read('today', 'Pacific/Kiritimati')).toEqual(['2026-03-03', '2026-03-03'])
})
