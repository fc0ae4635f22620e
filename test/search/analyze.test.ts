import { expect, test } from 'bun:test'
import { readText } from '../../src/search/analyze'

test('a character beyond the 16 bits of a unit is one of the two in a row, never half of one', () => {
  const terms: string[] = []
  readText(
    '𠮷𠮷野家',
    ({ written }) => void terms.push(written),
    () => {},
  )
  expect(terms).toEqual(['𠮷𠮷', '𠮷野', '野家', '家'])
})
