import { describe, expect, test } from 'bun:test'
import type { Deck } from '../../app/api/types'
import { lineInWords, readLine } from '../../app/study/card-line'
import { listDecks, withSubdecks } from '../../app/study/deck-tree'
import { type Draft, decide, factsOf, nextOpen, outcomeInWords, readDrafts } from '../../app/study/draft-choice'
import { layOutHeatmap } from '../../app/study/heatmap'
import { intervalInWords, studyTimeInWords } from '../../app/study/intervals'
import { addDays } from '../../app/tasks/dates'

const learning = (interval_seconds: number) => intervalInWords({ scheduled_days: 0, interval_seconds }).short
const review = (scheduled_days: number) => intervalInWords({ scheduled_days, interval_seconds: null }).short

test.each([
  [learning(0), '<1 min'],
  [learning(59), '<1 min'],
  [learning(60), '1 min'],
  [learning(600), '10 min'],
  [learning(59 * 60), '59 min'],
  [learning(3600), '1 h'],
  [learning(5400), '1.5 h'],
  [review(1), '1 d'],
  [review(4), '4 d'],
  [review(30), '30 d'],
  [review(31), '1 mo'],
  [review(70), '2.3 mo'],
  [review(340), '11.2 mo'],
  [review(365), '1 y'],
  [review(840), '2.3 y'],
])('an interval is told as %s', (words, expected) => {
  expect(words).toBe(expected)
})

test('whole words have their plural', () => {
  expect(intervalInWords({ scheduled_days: 1, interval_seconds: null }).long).toBe('1 day')
  expect(intervalInWords({ scheduled_days: 70, interval_seconds: null }).long).toBe('2.3 months')
  expect(intervalInWords({ scheduled_days: 0, interval_seconds: 5 }).long).toBe('less than a minute')
})

test('lengths of study', () => {
  expect([10_000, 90_000, 3_600_000, 5_400_000].map(studyTimeInWords)).toEqual([
    'less than a minute',
    '2 min',
    '1 h',
    '1 h 30 min',
  ])
})

test.each([
  ['Energy is […], in [$]10^3[/$] **words**', ['Energy is […], in ', '10^3', ' words']],
  ['Solve \\(x^2\\)\n\n| a | b |\n|---|:-:|\n| 1 | 2 |', ['Solve ', 'x^2', ' a · b 1 · 2']],
  ['- 日本\\[にほん]と 中国[ちゅうごく] <b>x</b>', ['日本', 'と', '中国', ' x']],
  ['[a.mp3](media:a.mp3) ![A map](media:map.png)![](media:b.png)', ['♪ A map']],
  ['![](media:b.png)', []],
  [`a ${'b'.repeat(298)}`, [`a ${'b'.repeat(298)}`]],
  [`a ${'b'.repeat(299)}`, ['a …']],
])('a side of a card is one line: %s', (markdown, line) => {
  expect(readLine(markdown).map((part) => lineInWords([part]))).toEqual(line)
})

describe('a heatmap', () => {
  const year = (first: string, counts: (index: number) => number, length = 365) =>
    Array.from({ length }, (_, index) => ({ day: addDays(first, index), count: counts(index) }))

  test('has a column for each week, Monday at the top', () => {
    const { cells, columns } = layOutHeatmap(year('2026-03-05', () => 0, 12)) // a Thursday
    expect(cells.map(({ column, row }) => [column, row]).slice(0, 6)).toEqual([
      [0, 3],
      [0, 4],
      [0, 5],
      [0, 6],
      [1, 0],
      [1, 1],
    ])
    expect(columns).toBe(3)
  })

  test('has no two days in one place, in any year', () => {
    for (const first of ['2023-01-01', '2024-02-29', '2025-11-24', '2026-03-02']) {
      const { cells, columns } = layOutHeatmap(year(first, () => 1))
      expect(new Set(cells.map(({ column, row }) => `${column} ${row}`)).size).toBe(365)
      expect(Math.max(...cells.map(({ row }) => row))).toBe(6)
      expect([53, 54]).toContain(columns)
    }
  })

  test('names months where there is room for the name', () => {
    const { months } = layOutHeatmap(year('2025-11-24', () => 0))
    expect(months[0]).toEqual({ column: 1, name: 'Dec' })
    expect(months).toHaveLength(12)
    expect(layOutHeatmap(year('2026-03-02', () => 0, 40)).months.map(({ name }) => name)).toEqual(['Mar'])
  })

  test('shows nothing as level 0, and one busy day does not make the others pale', () => {
    const { cells } = layOutHeatmap(year('2026-01-01', (index) => [0, 10, 20, 30, 40, 5000][index % 6] ?? 0))
    expect(cells.slice(0, 6).map(({ level }) => level)).toEqual([0, 1, 1, 2, 3, 4])
    expect(layOutHeatmap(year('2026-01-01', () => 3, 5)).cells.map(({ level }) => level)).toEqual([1, 1, 1, 1, 1])
    expect(layOutHeatmap([])).toEqual({ cells: [], columns: 0, months: [] })
  })
})

describe('decks', () => {
  const deck = (id: string, name: string, parent_id: string | null = null) => ({ id, name, parent_id }) as Deck
  const decks = [
    deck('b', 'French', 'a'),
    deck('c', 'Art'),
    deck('a', 'Languages'),
    deck('d', 'Verbs', 'b'),
    deck('e', 'Lost', 'gone'),
  ]

  test('are listed by name below their parents; one without its parent is at the top', () => {
    expect(listDecks(decks).map(({ path, level }) => [path, level])).toEqual([
      ['Art', 0],
      ['Languages', 0],
      ['Languages::French', 1],
      ['Languages::French::Verbs', 2],
      ['Lost', 0],
    ])
  })

  test('go with all that are in them', () => {
    expect([...withSubdecks(decks, 'a')].sort()).toEqual(['a', 'b', 'd'])
    expect([...withSubdecks(decks, 'c')]).toEqual(['c'])
  })
})

describe('drafts', () => {
  let made = 0
  const drafts = readDrafts(
    {
      drafts: [
        { fact: { type: 'basic', front: 'Peru?', back: 'Lima' }, pattern: 'term', line: 3, duplicate_of: null },
        { fact: { type: 'cloze', text: '{{c1::Quito}}' }, pattern: 'cloze', line: 5, duplicate_of: null },
        { fact: { type: 'basic', front: 'Chile?', back: 'Santiago' }, pattern: 'term', line: 7, duplicate_of: 'known' },
      ],
      truncated: false,
    },
    () => `id-${made++}`,
  )
  const choices = (list: readonly Draft[]) => list.map(({ choice }) => choice)

  test('are open, but for those that are there as cards', () => {
    expect(choices(drafts)).toEqual(['open', 'open', 'rejected'])
  })

  test('are decided, and opened again by the same decision', () => {
    const taken = decide(drafts, 0, 'accepted')
    expect(choices(taken)).toEqual(['accepted', 'open', 'rejected'])
    expect(choices(decide(taken, 0, 'accepted'))).toEqual(['open', 'open', 'rejected'])
    expect(choices(decide(taken, 0, 'rejected'))).toEqual(['rejected', 'open', 'rejected'])
  })

  test('follow one another, from the beginning again', () => {
    expect(nextOpen(drafts, 0)).toBe(1)
    expect(nextOpen(drafts, 1)).toBe(0)
    expect(nextOpen(decide(decide(drafts, 0, 'accepted'), 1, 'rejected'), 1)).toBe(1)
  })

  test('make facts of what is accepted and complete', () => {
    const both = decide(decide(drafts, 0, 'accepted'), 1, 'accepted')
    expect(factsOf(both, 'deck', 'note')).toEqual([
      { id: 'id-0', deck_id: 'deck', type: 'basic', front: 'Peru?', back: 'Lima', extra: null, note_ids: ['note'] },
      { id: 'id-1', deck_id: 'deck', type: 'cloze', text: '{{c1::Quito}}', extra: null, note_ids: ['note'] },
    ])
    const emptied = both.map((draft) => ({ ...draft, fields: { ...draft.fields, back: ' ', text: 'no gap' } }))
    expect(factsOf(emptied, 'deck', 'note')).toEqual([])
  })

  test('end in a sentence', () => {
    const one = (status: number, detail = '') => ({
      ...{ index: 0, status, id: null, duplicate_of: null },
      error: status < 400 ? null : ({ detail } as never),
    })
    expect(outcomeInWords({ items: [one(201)] })).toBe('Made 1 card.')
    expect(outcomeInWords({ items: [one(201), one(201), one(200), one(400, 'It is too long.')] })).toBe(
      'Made 2 cards. 1 card was there already. 1 card was refused: It is too long.',
    )
  })
})
