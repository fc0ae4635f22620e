import { describe, expect, test } from 'bun:test'
import { isRight } from '../../eval/chat/set'
import { createBm25 } from '../../eval/search/bm25'
import { readJapanese } from '../../eval/search/collections'
import { readTitles } from '../../eval/search/titles'

describe('the baseline', () => {
  const peer = createBm25([
    { title: 'Garden', body: 'Water the roses in the morning.' },
    { title: 'Trip', body: 'The garden of the hotel, and gardens near it.' },
    { title: 'House', body: 'Paint the fence.' },
  ])

  test('finds other forms of a word, and weighs the title', () => {
    expect(peer.find('gardens', 10)).toEqual([0, 1])
    expect(peer.find('gardening', 0)[0]).toBe(1)
    expect(peer.find('rose water', 1)).toEqual([0])
  })

  test('skips stop words', () => {
    expect(peer.find('the of and', 1)).toEqual([])
  })
})

describe('the data', () => {
  test('each question in Japanese has a note, and none is in both parts', async () => {
    const { texts, sets } = await readJapanese('Japanese')
    const [all] = sets
    const questions = all?.questions ?? []
    expect(questions.every(({ right }) => [...right].every((place) => texts[place]))).toBe(true)
    expect(new Set(questions.map(({ query }) => query)).size).toBe(questions.length)
    expect(questions.filter(({ number }) => number % 2 === 1)).toHaveLength(102)
  })

  test('no title is in both parts, and the held-out part has 40 tasks, 17 of them due, and 50 cards', async () => {
    const { dev, 'held-out': heldOut } = await readTitles()
    const texts = [dev, heldOut].flatMap(({ tasks, cards }) => [
      ...tasks.map(({ title }) => title),
      ...cards.map(({ prompt }) => prompt),
    ])
    expect(new Set(texts).size).toBe(texts.length)
    expect([heldOut.tasks.length, heldOut.tasks.filter(({ due }) => due).length, heldOut.cards.length]).toEqual([
      40, 17, 50,
    ])
  })
})

const day = { ask: '', language: 'en', kind: 'task', size: 20, of: ['t1'], right: [['2031-01-09']] }

test.each(['2031-01-09', '9 January 2031', 'on 9 Jan', 'January 9, 2031'])('%s names the date', (text) => {
  expect(isRight(day, text, '2026-03-02')).toBe(true)
})

test.each(['19 January 2031', '9 June 2031', 'January 2031', '2031-01-19'])('%s does not name it', (text) => {
  expect(isRight(day, text, '2026-03-02')).toBe(false)
})
