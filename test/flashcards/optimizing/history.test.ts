import { expect, test } from 'bun:test'
import { listItems, predictAnswers, splitHistories } from '../../../src/flashcards/optimizing/history'
import { recallChance } from '../../../src/flashcards/scheduling/scheduler'

test('an item is an answer a day or more after the one before, with all before it', () => {
  const [steps = []] = splitHistories([
    { day: 9, rating: 3 },
    { day: 9, rating: 3 },
    { day: 11, rating: 1 },
    { day: 11, rating: 3 },
    { day: 20, rating: 4 },
  ])
  expect(steps.map(({ elapsed }) => elapsed)).toEqual([0, 0, 2, 0, 9])
  expect(listItems([steps]).map(({ length }) => length)).toEqual([3, 5])
})

test('days that go back, as in a zone that changed, count as none', () => {
  const log = [9, 8, 12].map((day) => ({ day, rating: 3 as const }))
  expect(splitHistories(log)[0]?.map(({ elapsed }) => elapsed)).toEqual([0, 0, 4])
})

test('a reset begins a new history, what was built on imported memory is left out, and so is what has no item', () => {
  const memory = { stability: 10, difficulty: 5 }
  const found = splitHistories([
    { day: 0, rating: 3 },
    { day: 4, rating: 3 },
    { day: 5, memory },
    { day: 9, rating: 3 },
    { day: 30, memory: null },
    { day: 40, rating: 1 },
    { day: 42, rating: 3 },
    { day: 50, memory: null },
    { day: 60, rating: 3 },
    { day: 60, rating: 3 },
  ])
  expect(found.map((steps) => steps.map(({ day, elapsed }) => [day, elapsed]))).toEqual([
    [
      [0, 0],
      [4, 4],
    ],
    [
      [40, 0],
      [42, 2],
    ],
  ])
})

test('items of several cards come oldest first', () => {
  const all = [
    [0, 9, 20],
    [3, 5, 9],
  ].flatMap((days) => splitHistories(days.map((day) => ({ day, rating: 3 as const }))))
  expect(listItems(all).map(({ steps, length }) => steps[length - 1]?.day)).toEqual([5, 9, 9, 20])
})

test('each item is judged by the memory before it', () => {
  const all = splitHistories([
    { day: 0, rating: 3 },
    { day: 0, rating: 2 },
    { day: 2, rating: 1 },
  ])
  const stability = 2.3065
  const place = { day: 2, elapsed: 2, items: 1, lapses: 0 }
  expect(predictAnswers(all, null)).toEqual([
    { predicted: recallChance(2, stability, null), recalled: false, ...place },
  ])
  expect(predictAnswers([], null)).toEqual([])
})

test('predictions come in the order of the items, each with how much its card was answered and forgotten before', () => {
  const logs = [
    [0, 5, 20],
    [3, 4, 9],
  ].map((days) => days.map((day) => ({ day, rating: 1 as const })))
  const all = logs.flatMap(splitHistories)
  const found = predictAnswers(all, null)
  expect(found.map(({ day, elapsed, items, lapses }) => [day, elapsed, items, lapses])).toEqual([
    [4, 1, 1, 0],
    [5, 5, 1, 0],
    [9, 5, 2, 1],
    [20, 15, 2, 1],
  ])
  expect(found.map(({ day }) => day)).toEqual(listItems(all).map(({ steps, length }) => steps[length - 1]?.day ?? -1))
})
