import { describe, expect, test } from 'bun:test'
import {
  binOf,
  type HistoryStep,
  isTrainingItem,
  listItems,
  logLoss,
  predictAnswers,
  rmseBins,
} from '../../../src/flashcards/optimizing/history'
import { optimize } from '../../../src/flashcards/optimizing/optimizer'
import { replay } from '../../../src/flashcards/scheduling/scheduler'
import { DEFAULT_WEIGHTS, findWeightFault } from '../../../src/flashcards/scheduling/settings'
import { sampleLog } from './sample'

/** The trainer itself; null where it is not installed or has no binary for this platform. */
const trainer = await import('@open-spaced-repetition/binding').catch(() => null)
const sample = await sampleLog()
/** One card after the other, which is the order that the figures below were measured in. */
const byCard = sample.map((steps, i) => steps.map((step) => ({ ...step, day: step.day + 100_000 * i })))

function withTrainer(name: string, check: (library: NonNullable<typeof trainer>) => Promise<void> | void) {
  test.skipIf(trainer === null)(name, () => (trainer ? check(trainer) : undefined))
}

/** Cards that begin alike: the trainer leaves out those that begin in a rare way, we do not. */
const alike = sample.filter(([first, ...later]) => first?.rating === 1 && later.find(isTrainingItem)?.elapsed === 1)

/** Their items by our predictions, and for the trainer. */
function alikeItems({ FSRSBindingItem, FSRSBindingReview }: NonNullable<typeof trainer>) {
  const theirs = listItems(alike).map(
    ({ steps, length }) =>
      new FSRSBindingItem(steps.slice(0, length).map(({ rating, elapsed }) => new FSRSBindingReview(rating, elapsed))),
  )
  return { judged: predictAnswers(alike, null), theirs }
}

describe('the sample log of py-fsrs', () => {
  test('has 12,580 answers to 1,205 cards, and 6,032 items', () => {
    expect([sample.flat().length, sample.length, predictAnswers(sample, null).length]).toEqual([12_580, 1205, 6032])
  })

  withTrainer('leaves the memory that the trainer computes', ({ FSRSBinding }) => {
    const theirs = new FSRSBinding([...DEFAULT_WEIGHTS])
    type Memory = NonNullable<Parameters<typeof theirs.nextStates>[0]>
    const after = (memory: Memory | undefined, { rating, elapsed }: HistoryStep) => {
      const { again, hard, good, easy } = theirs.nextStates(memory, 0.9, elapsed)
      return [again, hard, good, easy][rating - 1]?.memory
    }
    const differences = sample.map((steps) => {
      const ours = replay(steps, null)
      const state = steps.reduce<Memory | undefined>(after, undefined)
      return {
        stability: Math.abs((ours?.stability ?? 0) / (state?.stability ?? 0) - 1),
        difficulty: Math.abs((ours?.difficulty ?? 0) - (state?.difficulty ?? 0)),
      }
    })
    expect(Math.max(...differences.map(({ stability }) => stability))).toBeLessThanOrEqual(5e-4)
    expect(Math.max(...differences.map(({ difficulty }) => difficulty))).toBeLessThanOrEqual(1e-5)
  })

  withTrainer('teaches weights that predict it better', async ({ FSRSBinding, FSRSBindingItem, FSRSBindingReview }) => {
    const trained = await optimize(byCard)
    const { weights } = trained.proposed
    expect(findWeightFault(weights)).toBeNull()
    const items = listItems(byCard).map(
      ({ steps, length }) =>
        new FSRSBindingItem(
          steps.slice(0, length).map(({ rating, elapsed }) => new FSRSBindingReview(rating, elapsed)),
        ),
    )
    const losses = [DEFAULT_WEIGHTS, weights].map((w) => new FSRSBinding([...w]).evaluate(items).logLoss)
    expect(Math.abs((losses[0] ?? 0) - 0.4526)).toBeLessThan(0.002)
    expect(Math.abs((losses[1] ?? 0) - 0.4437)).toBeLessThan(0.002)
    // By our own plain measures, which weigh all items alike.
    const fits = [null, weights]
      .map((w) => predictAnswers(byCard, w))
      .map((all) => ({ log_loss: logLoss(all) ?? 0, rmse_bins: rmseBins(all) ?? 0 }))
    const { items: count, current, proposed } = trained
    expect([count, current, { log_loss: proposed.log_loss, rmse_bins: proposed.rmse_bins }]).toEqual([6032, ...fits])
    expect(current.log_loss).toBeCloseTo(0.46666, 4)
    expect(proposed.log_loss).toBeLessThan(0.457)
    expect(proposed.rmse_bins).toBeLessThan(current.rmse_bins)
    expect(await optimize(byCard)).toEqual(trained)
  })

  withTrainer('is judged as the trainer judges it, which weighs later items more', (library) => {
    const { judged, theirs } = alikeItems(library)
    const last = judged.length - 1
    const weighed = judged.map((one, i) => ({ ...one, weight: 0.25 + 0.75 * (i / last) ** 3 }))
    const sumOf = (all: typeof weighed, of: (one: (typeof weighed)[number]) => number) =>
      all.reduce((sum, one) => sum + of(one), 0)
    const squares = [...Map.groupBy(weighed, binOf).values()].map((bin) => {
      const gap = sumOf(bin, ({ predicted, recalled }) => predicted - Number(recalled)) / bin.length
      return gap ** 2 * sumOf(bin, ({ weight }) => weight)
    })
    const all = sumOf(weighed, ({ weight }) => weight)
    const rmse = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / all)
    const loss = sumOf(weighed, (one) => one.weight * (logLoss([one]) ?? 0)) / all
    const { logLoss: log_loss, rmseBins: rmse_bins } = new library.FSRSBinding([...DEFAULT_WEIGHTS]).evaluate(theirs)
    expect(Math.abs(rmse - rmse_bins)).toBeLessThan(1e-5)
    expect(Math.abs(loss - log_loss)).toBeLessThan(1e-5)
  })

  withTrainer('is predicted by weights that did not learn from it, as the trainer splits it', async (library) => {
    const { held_out } = await optimize(alike)
    const { theirs, judged } = alikeItems(library)
    const { logLoss: log_loss, rmseBins: rmse_bins } = await library.evaluateWithTimeSeriesSplits(theirs, {
      enableShortTerm: true,
      numRelearningSteps: 1,
    })
    expect(Math.abs(held_out.after.log_loss - log_loss)).toBeLessThan(0.01)
    expect(Math.abs(held_out.after.rmse_bins - rmse_bins)).toBeLessThan(0.01)
    const later = judged.slice(Math.floor(judged.length / 6))
    expect(held_out.before).toEqual({ log_loss: logLoss(later) ?? 0, rmse_bins: rmseBins(later) ?? 0 })
  })

  withTrainer('as a whole, the weights that fit it better predict what they did not see worse', async () => {
    const { current, proposed, held_out } = await optimize(byCard)
    expect(proposed.log_loss).toBeLessThan(current.log_loss)
    expect(held_out.after.log_loss).toBeGreaterThan(held_out.before.log_loss)
  })
})

describe('training', () => {
  withTrainer('is given up at once when it is told to stop, and the next one is served', async () => {
    const aborted = new AbortController()
    const many = Array.from({ length: 10 }, () => sample).flat()
    const training = optimize(many, { signal: aborted.signal })
    aborted.abort(new Error('enough'))
    await expect(training).rejects.toThrow('enough')
    await expect(optimize(sample, { signal: aborted.signal })).rejects.toThrow('enough')
    expect((await optimize(sample.slice(0, 100))).proposed.weights).toHaveLength(21)
  })

  test('takes no steps that begin late or go back', async () => {
    const steps = (...elapsed: number[]) => elapsed.map((days) => ({ day: 0, rating: 3 as const, elapsed: days }))
    for (const wrong of [steps(1, 2), steps(0, -1), steps(0, Number.NaN)])
      await expect(optimize([wrong])).rejects.toThrow(RangeError)
  })

  withTrainer('of a card with thousands of answers takes no more than of its first ones', async () => {
    const steps = Array.from({ length: 20_000 }, (_, day) => ({ day, rating: 3 as const, elapsed: Math.min(day, 1) }))
    const { proposed } = await optimize([steps])
    expect(findWeightFault(proposed.weights)).toBeNull()
  })
})
