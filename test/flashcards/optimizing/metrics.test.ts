import { expect, test } from 'bun:test'
import { binOf, calibration, logLoss, rmseBins, rmseOf } from '../../../src/flashcards/optimizing/metrics'

const sure = (predicted: number, ...came: boolean[]) => came.map((recalled) => ({ predicted, recalled }))

test('log-loss is the mean of −ln of the chance given to what came', () => {
  expect(logLoss(sure(0.5, true, false))).toBeCloseTo(Math.LN2, 12)
  expect(logLoss([...sure(0.9, true), ...sure(0.8, false)])).toBeCloseTo(-(Math.log(0.9) + Math.log(0.2)) / 2, 12)
})

test('a prediction of 1 that fails is dear, but not without end', () => {
  expect(logLoss(sure(1, false))).toBeCloseTo(-Math.log(1e-8), 12)
  expect(logLoss(sure(1, true))).toBeCloseTo(0, 12)
})

test('predictions fall in 20 bins, each from its lower edge on, and 1 is in the last', () => {
  const bins = calibration([...sure(0.95, true, true, false), ...sure(1, true), ...sure(0, false), ...sure(0.05, true)])
  expect(bins).toHaveLength(20)
  expect(bins[19]).toEqual({ from: 0.95, count: 4, predicted: (0.95 * 3 + 1) / 4, observed: 0.75 })
  expect(bins[0]).toEqual({ from: 0, count: 1, predicted: 0, observed: 0 })
  expect(bins[1]).toEqual({ from: 0.05, count: 1, predicted: 0.05, observed: 1 })
  expect(bins[10]).toEqual({ from: 0.5, count: 0, predicted: null, observed: null })
})

test('rmse weighs each bin by its count', () => {
  const judged = [...sure(0.9, true, true, true), ...sure(0.5, false)]
  expect(rmseOf(calibration(judged))).toBeCloseTo(Math.sqrt((3 * 0.1 ** 2 + 0.5 ** 2) / 4), 12)
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
  expect([logLoss([]), rmseOf([]), rmseBins([])]).toEqual([null, null, null])
})
