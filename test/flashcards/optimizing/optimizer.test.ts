import { describe, expect, test } from 'bun:test'
import { type HistoryStep, listItems, predictAnswers } from '../../../src/flashcards/optimizing/history'
import { logLoss, rmse } from '../../../src/flashcards/optimizing/metrics'
import { optimize } from '../../../src/flashcards/optimizing/optimizer'
import { replay } from '../../../src/flashcards/scheduling/scheduler'
import { DEFAULT_WEIGHTS, listSettingFaults } from '../../../src/flashcards/scheduling/settings'
import { sampleLog } from './sample'

/** The trainer itself; null where it is not installed or has no binary for this platform. */
const trainer = await import('@open-spaced-repetition/binding').catch(() => null)
const sample = await sampleLog()
/** One card after the other, which is the order that the figures below were measured in. */
const byCard = sample.map((steps, i) => steps.map((step) => ({ ...step, day: step.day + 100_000 * i })))

function withTrainer(name: string, check: (library: NonNullable<typeof trainer>) => Promise<void> | void) {
  test.skipIf(trainer === null)(name, () => (trainer ? check(trainer) : undefined))
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
    expect(listSettingFaults({ weights })).toEqual([])
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
      .map((all) => ({ log_loss: logLoss(all) ?? 0, rmse: rmse(all) ?? 0 }))
    const { items: count, current, proposed } = trained
    expect([count, current, { log_loss: proposed.log_loss, rmse: proposed.rmse }]).toEqual([6032, ...fits])
    expect(current.log_loss).toBeCloseTo(0.46666, 4)
    expect(proposed.log_loss).toBeLessThan(0.457)
    expect(proposed.rmse).toBeLessThan(current.rmse)
    expect(await optimize(byCard)).toEqual(trained)
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
    expect(listSettingFaults({ weights: proposed.weights })).toEqual([])
  })
})
