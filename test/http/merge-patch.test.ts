import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { mergePatch } from '../../src/http/request'

// The examples of RFC 7396, appendix A: original, patch, result.
test.each<[unknown, unknown, unknown]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j patched by %j is %j', (original, patch, result) => {
  expect(mergePatch(original, patch)).toEqual(result)
})

test('__proto__ is a member like any other', () => {
  const result = mergePatch({}, JSON.parse('{"__proto__":{"polluted":1}}')) as object
  expect(Object.keys(result)).toEqual(['__proto__'])
  expect('polluted' in {}).toBe(false)
})

test('an empty patch of an object changes nothing, and patching leaves the original alone', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (original, patch) => {
      const before = structuredClone(original)
      expect(mergePatch(original, {})).toEqual(before)
      mergePatch(original, patch)
      expect(original).toEqual(before)
    }),
  )
})
