import { expect, test } from 'bun:test'
import { calibration, logLoss, rmse } from '../../../src/flashcards/optimizing/metrics'

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
  expect(rmse(judged)).toBeCloseTo(Math.sqrt((3 * 0.1 ** 2 + 0.5 ** 2) / 4), 12)
})

test('without data there is no rate', () => {
  expect([logLoss([]), rmse([])]).toEqual([null, null])
})
