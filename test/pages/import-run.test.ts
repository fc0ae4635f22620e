import { describe, expect, test } from 'bun:test'
import {
  endInWords,
  failureInWords,
  isOver,
  pauseFor,
  progressInWords,
  type Run,
  tableOf,
} from '../../public/import-run.js'

const run: Run = {
  id: '1',
  kind: 'notes',
  dry_run: false,
  state: 'running',
  done: 1200,
  total: 3000,
  eta_seconds: 130,
  error: null,
  totals: { created: 1180, updated: 0, unchanged: 15, skipped: 0, failed: 5 },
  warnings: [],
  items: [],
  next_cursor: null,
}

describe('looks at a run', () => {
  const looksIn = (ms: number, remaining: number | null) => {
    let looks = 0
    for (let elapsed = 0; elapsed < ms; looks++) elapsed += pauseFor(elapsed, remaining)
    return looks
  }
  const HOUR = 3_600_000

  test('are about 60 in an hour, and close to each other at first', () => {
    expect(looksIn(HOUR, 1000)).toBeWithin(50, 66)
    expect(looksIn(HOUR, null)).toBe(looksIn(HOUR, 1000))
    expect(looksIn(5000, 1000)).toBe(5)
  })

  test('leave a caller of few requests most of them', () => {
    expect(looksIn(6000, 20)).toBe(2)
    expect([10, 1, 0].map((remaining) => pauseFor(0, remaining))).toEqual([6000, 60_000, 60_000])
  })
})

describe('words for a run', () => {
  test.each([
    [{}, '1,200 of 3,000 (40 %), 3 minutes left'],
    [{ eta_seconds: 59 }, '1,200 of 3,000 (40 %), less than a minute left'],
    [{ eta_seconds: 60 }, '1,200 of 3,000 (40 %), 1 minute left'],
    [{ eta_seconds: 4000 }, '1,200 of 3,000 (40 %), 1 h 7 min left'],
    [{ eta_seconds: null, done: 2999 }, '2,999 of 3,000 (99 %)'],
    [{ state: 'waiting' }, 'Waiting for its turn.'],
    [{ state: 'reading', done: 0, total: null }, 'Reading the file.'],
    [{ state: 'reading', done: 700, total: null }, 'Reading the file: 700 items so far.'],
  ] as const)('that goes on: %o', (change, words) => {
    expect(progressInWords({ ...run, ...change })).toBe(words)
  })

  test.each([
    [{ state: 'done' }, 'Imported: 1,180 created, 15 unchanged, 5 failed.'],
    [{ state: 'done', totals: {} }, 'Imported: nothing.'],
    [
      { state: 'done', dry_run: true },
      'A dry run, nothing was changed. It would come to: 1,180 created, 15 unchanged, 5 failed.',
    ],
    [{ state: 'cancelled' }, 'Stopped. What was imported until then stays: 1,180 created, 15 unchanged, 5 failed.'],
    [{ state: 'cancelled', dry_run: true }, 'Stopped. It was a dry run: nothing was changed.'],
    [
      { state: 'failed', error: { code: 'invalid_request', detail: 'The archive is broken.' }, totals: {} },
      'The import failed. The archive is broken.',
    ],
    [
      { state: 'failed', error: { code: 'quota_exceeded', detail: 'There is no room.' }, totals: { created: 2 } },
      'The import failed. There is no room. What was imported before stays: 2 created.',
    ],
  ] as const)('that is over: %o', (change, words) => {
    expect(isOver({ ...run, ...change })).toBe(true)
    expect(endInWords({ ...run, ...change })).toBe(words)
  })

  test('for an item that failed', () => {
    const item = { where: 'a.md', action: 'failed', warnings: [{ code: 'x', detail: 'too long' }] }
    expect(failureInWords(item)).toBe('a.md: too long')
    expect(failureInWords({ ...item, where: '' })).toBe('The file: too long')
    expect(failureInWords({ ...item, warnings: [] })).toBe('a.md: no reason is given')
  })
})

describe('the table of what runs came to', () => {
  const none = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
  const resources = {
    note: { ...none, created: 1200, failed: 5 },
    attachment: none,
    task_project: { ...none, updated: 1 },
  }

  test('has a row for each kind of thing, and a column for what became of any', () => {
    expect(tableOf([{ name: 'a.zip', run: { ...run, resources } }])).toEqual([
      ['What', 'New', 'Changed', 'Failed'],
      ['note', '1,200', '0', '5'],
      ['task project', '0', '1', '0'],
    ])
  })

  test('names the files where there are several', () => {
    const runs = ['a.zip', 'b.zip'].map((name) => ({
      name,
      run: { ...run, resources: { note: { ...none, skipped: 2 } } },
    }))
    expect(tableOf(runs)).toEqual([
      ['What', 'Skipped'],
      ['a.zip: note', '2'],
      ['b.zip: note', '2'],
    ])
  })

  test('is none where nothing became of anything', () => {
    expect(tableOf([])).toEqual([])
    expect(tableOf([{ name: 'a.zip', run }])).toEqual([])
    expect(tableOf([{ name: 'a.zip', run: { ...run, resources: { note: none } } }])).toEqual([])
  })
})
