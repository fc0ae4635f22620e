import { expect, test } from 'bun:test'
import { settingsOf } from '../../public/settings.js'
import { TIME_LANGUAGES } from '../../src/lib/civil/day'

test.each([
  ['Europe/Vienna', ['de-AT', 'en'], 'Europe/Vienna', 'de'],
  ['UTC', ['FR'], 'UTC', 'fr'],
  ['America/Lima', ['it-IT', 'qu', 'es-PE', 'en'], 'America/Lima', 'es'],
  ['Asia/Tokyo', ['ja-JP', 'zh'], 'Asia/Tokyo', null],
  ['Asia/Tokyo', [], 'Asia/Tokyo', null],
  [undefined, ['english', 'den', ''], null, null],
] as const)('of %p and %j', (zone, languages, time_zone, language) => {
  expect(settingsOf(zone, languages)).toEqual({ time_zone, language })
})

test('every language that the server reads is known to the page', () => {
  expect(TIME_LANGUAGES.map((language) => settingsOf('UTC', [language]).language)).toEqual([...TIME_LANGUAGES])
})
