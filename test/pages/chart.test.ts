import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { scaleOf } from '../../public/chart.js'

test.each([
  [0, 1, 1],
  [1, 1, 1],
  [4, 1, 4],
  [5, 2, 6],
  [20, 5, 20],
  [21, 10, 30],
  [998, 500, 1000],
  [1001, 500, 1500],
])('for %d requests the scale goes by %d to %d', (value, step, top) => {
  expect(scaleOf(value)).toEqual({ step, top })
})

test('any scale reaches its value in at most four whole round parts, the last of which is needed', () => {
  fc.assert(
    fc.property(fc.nat(1e9), (value) => {
      const { step, top } = scaleOf(value)
      expect(top).toBeGreaterThanOrEqual(value)
      expect(Number.isInteger(top / step) && top / step <= 4).toBe(true)
      expect(String(step)).toMatch(/^[125]0*$/)
      expect(value === 0 || top - step < value).toBe(true)
    }),
  )
})
