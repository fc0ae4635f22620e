import { expect, test } from 'bun:test'
import { binOf, logLoss, rmseBins } from '../../../src/flashcards/optimizing/history'

const sure = (predicted: number, ...came: boolean[]) => came.map((recalled) => ({ predicted, recalled }))

test('log-loss is the mean of −ln of the chance given to what came', () => {
  expect(logLoss(sure(0.5, true, false))).toBeCloseTo(Math.LN2, 12)
  expect(logLoss([...sure(0.9, true), ...sure(0.8, false)])).toBeCloseTo(-(Math.log(0.9) + Math.log(0.2)) / 2, 12)
})

test('a prediction of 1 that fails is dear, but not without end', () => {
  expect(logLoss(sure(1, false))).toBeCloseTo(-Math.log(1e-8), 12)
  expect(logLoss(sure(1, true))).toBeCloseTo(0, 12)
})

const item = (predicted: number, recalled: boolean, elapsed: number, items = 1, lapses = 0) => ({
  ...{ predicted, recalled, elapsed, items, lapses },
  day: 0,
})

test('RMSE(bins) compares answers that are alike, whatever was predicted', () => {
  const alike = [item(0.9, true, 1), item(0.5, false, 3)]
  expect(rmseBins(alike)).toBeCloseTo(0.2, 12)
  expect(rmseBins([...alike, item(0.8, true, 4)])).toBeCloseTo(Math.sqrt((2 * 0.2 ** 2 + 0.2 ** 2) / 3), 12)
  expect(rmseBins([...alike, item(0.8, true, 1, 1, 1)])).toBeCloseTo(0.2, 12)
})

test.each([
  ['days', item(1, true, 1), item(1, true, 3), item(1, true, 4)],
  ['many days', item(1, true, 14), item(1, true, 47), item(1, true, 48)],
  ['items', item(1, true, 1, 1), item(1, true, 1, 2), item(1, true, 1, 3)],
  ['lapses', item(1, true, 1, 9, 1), item(1, true, 1, 9, 1), item(1, true, 1, 9, 2)],
  ['no lapse', item(1, true, 1, 9, 0), item(1, true, 1, 9, 0), item(1, true, 1, 9, 1)],
])('a bin by %s goes up to the next power', (_, first, last, beyond) => {
  expect(binOf(last)).toBe(binOf(first))
  expect(binOf(beyond)).not.toBe(binOf(first))
})

test('without data there is no rate', () => {
  expect([logLoss([]), rmseBins([])]).toEqual([null, null])
})
