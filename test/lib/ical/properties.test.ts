import { expect, test } from 'bun:test'
import fc from 'fast-check'
import ICAL from 'ical.js'
import { readDuration, readProperty, readTextValue } from '../../../src/lib/ical/properties'

/** Content lines and their values, as ical.js reads them and as programs bend them. */

const value = fc.string({ unit: fc.constantFrom(...'ab ^\'n"\\,;:=') })

test('a line is read as ical.js reads it', () => {
  const quoted = value.map((text) => `"${text.replaceAll('"', '')}"`)
  const bare = value.map((text) => text.replaceAll(/[";:]/g, ''))
  const parameters = fc.dictionary(fc.constantFrom('TZID', 'X-A', 'x-b'), fc.oneof(quoted, bare))
  fc.assert(
    fc.property(parameters, value, (params, text) => {
      const line = `SUMMARY${Object.entries(params)
        .map(([name, written]) => `;${name}=${written}`)
        .join('')}:${text}`
      const [, expected, , words] = ICAL.parse.property(line, ICAL.design.icalendar) as unknown[]
      const read = readProperty(line)
      expect([{ ...read?.params }, readTextValue(read)] as unknown[]).toEqual([{ ...(expected as object) }, words])
    }),
  )
})

test.each([
  ['SUMMARY;', null],
  ['SUMMARY;=x:a', null],
  ['SUMMARY;LANGUAGE:a', null],
  ['SUMMARY;X="a:b', null],
  ['SUMMARY;:a', {}],
  ['SUMMARY;;X=1;:a', { x: '1' }],
  ['SUMMARY;X=1;X=2:a', { x: '2' }],
  ['SUMMARY;X="a"b;Y=c,d:e', { x: 'a', y: 'c,d' }],
  ['SUMMARY;__PROTO__=1:a', JSON.parse('{"__proto__":"1"}')],
])('%s has the parameters %p', (line, expected) => {
  const read = readProperty(line)
  expect(read && Object.entries(read.params)).toEqual(expected && Object.entries(expected))
})

test.each([
  ['P1W2DT3H4M5S', { days: 9, seconds: 11_045 }],
  ['-PT15M', { days: -0, seconds: -900 }],
  ['+P1D', { days: 1, seconds: 0 }],
  ['P15M', { days: 0, seconds: 900 }],
  ['P1DT', { days: 1, seconds: 0 }],
  ['P', null],
  ['PT', null],
  ['PTM', null],
  ['P1', null],
  ['15M', null],
  [`PT${'9'.repeat(30)}S`, null],
  [`PT${'0'.repeat(40)}1S`, null],
])('the duration %s is %p', (text, expected) => {
  expect(readDuration(text)).toEqual(expected)
})
