/** The sentences of the app's settings. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toTrashed } from '../../app/settings/trash-kinds'
import {
  emptiedInWords,
  feedInWords,
  keysInWords,
  kindInWords,
  labelsOf,
  nameFor,
  scaleOf,
  sumInWords,
} from '../../app/settings/words'
import { makeKey } from '../support/keys'

describe('the name of a key', () => {
  test.each([
    ['Work', [], 'Work'],
    ['  Work \u202e at\nhome ', ['Work'], 'Work at home'],
    ['', [], 'Key 1'],
    [' \u200f ', ['a'], 'Key 2'],
    ['', ['Key 2'], 'Key 3'],
    ['', ['a', 'Key 3'], 'Key 4'],
  ])('that is wished to be %j beside %j is %j', (wish, others, name) => {
    expect(
      nameFor(
        others.map((name) => ({ name })),
        wish,
      ),
    ).toBe(name)
  })

  test('is no longer than 60 letters', () => expect(nameFor([], 'x'.repeat(500))).toBe('x'.repeat(60)))
})

describe('what is said of added keys', () => {
  const own = { key: makeKey(1) }
  test.each([
    [1, [], 'This key is here already. It is in use now.'],
    [2, [], 'These keys are here already.'],
    [1, [own], 'One key added.'],
    [3, [own, own], '2 keys added.'],
  ])('%d found, %j fresh', (found, fresh, words) => expect(keysInWords(found, fresh)).toBe(words))

  test.each(['password', 'satchel_', `${makeKey(1)}0`])('warns of %s, which others can guess', (key) => {
    expect(keysInWords(1, [{ key }])).toContain('can be guessed')
  })
})

test.each([
  [{ filter: null, component: 'vevent', include_done: false }, 'Events: all open tasks'],
  [{ filter: 'p1 or p2', component: 'vtodo', include_done: false }, 'To-dos: p1 or p2'],
  [{ filter: '#Work', component: 'vevent', include_done: true }, 'Events: #Work, also what is done'],
] as const)('a feed %j is told as %j', (feed, words) => expect(feedInWords(feed)).toBe(words))

test.each([
  [{ erased: 0, resources: {}, kept: [] }, 'The trash was empty.'],
  [{ erased: 1, resources: { note: 1 }, kept: [] }, 'Erased one thing.'],
  [
    { erased: 3, resources: { note: 3 }, kept: [{ type: 'deck', id: 'a', code: 'conflict' }] },
    'Erased 3 things. 1 could not be erased, since other things depend on them.',
  ],
])('an emptied trash %j is told as %j', (answer, words) => expect(emptiedInWords(answer)).toBe(words))

describe('the chart', () => {
  const hours = Array.from({ length: 48 }, (_, place) => ({
    hour: new Date(2026, 2, 2, 5 + place).toISOString(),
    used: place % 2,
    refused: 0,
  }))
  test('names midnight by its weekday and noon by the clock, and leaves room for now', () => {
    expect(labelsOf(hours)).toEqual([
      { place: 7, words: '12:00' },
      { place: 19, words: 'Tue' },
      { place: 31, words: '12:00' },
    ])
    expect(labelsOf(hours.slice(0, 8))).toEqual([])
  })
  test('tells the sum, and what was refused only if something was', () => {
    expect(sumInWords([])).toBe('none')
    expect(sumInWords(hours)).toBe('24 served')
    expect(sumInWords([{ hour: '', used: 1200, refused: 3 }])).toBe('1,200 served, 3 refused')
  })
})

test.each([
  [{ kind: 'key', created_at: null, expires_at: null }, 'Private, still empty'],
  [{ kind: 'scratch', created_at: null, expires_at: null }, 'Scratch space, still empty'],
  [
    { kind: 'scratch', created_at: '2026-03-01T08:00:00Z', expires_at: new Date(2026, 2, 3, 9).toISOString() },
    /^Scratch space, erased tomorrow at .+ unless it is used before$/,
  ],
] as const)('a workspace %j is told as %s', (members, words) => {
  const workspace = { ...members, resources: 0, size_bytes: 0, quotas: { resources: 1, size_bytes: 1 } }
  expect(kindInWords(workspace, new Date(2026, 2, 2, 8))).toMatch(words)
})

describe('something in the trash', () => {
  const at = '2026-03-01T08:00:00Z'
  const fact = { id: 'a', deleted_at: at, front: null, text: null, fields: null }
  test.each([
    [{ id: 'a', deleted_at: at, title: 'A note' }, 'A note'],
    [{ id: 'a', deleted_at: at, name: 'A deck' }, 'A deck'],
    [{ ...fact, front: 'Which\n  river?' }, 'Which river?'],
    [{ ...fact, text: '{{c1::Tagus}}' }, '{{c1::Tagus}}'],
    [{ ...fact, fields: { Front: '<b>Peru</b>' } }, '<b>Peru</b>'],
    [{ ...fact, front: ' ' }, 'Untitled'],
    [{ ...fact, front: 'x'.repeat(121) }, `${'x'.repeat(120)}…`],
  ])('%j is listed as %j', (resource, title) => {
    expect(toTrashed(resource as never)).toEqual({ id: 'a', title, deleted_at: at })
  })
})

test.each([
  [0, 1, 1],
  [4, 1, 4],
  [5, 2, 6],
  [998, 500, 1000],
  [1001, 500, 1500],
])('for %d requests the scale of the chart goes by %d to %d', (value, step, top) => {
  expect(scaleOf(value)).toEqual({ step, top })
})

test('any scale of the chart reaches its value in at most four round parts, the last of which is needed', () => {
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
