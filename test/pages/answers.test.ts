import { describe, expect, test } from 'bun:test'
import { exchangesAsText, intervalInWords, limitsInWords } from '../../public/answers.js'

describe('the limits of an answer', () => {
  const headers = (limit: string, remaining: string, rest?: string): [string, string][] => [
    ['X-RateLimit-Limit', limit],
    ['X-RateLimit-Remaining', remaining],
    ...(rest === undefined ? [] : [['RateLimit', rest] as [string, string]]),
  ]
  test.each([
    [headers('20', '17', '"free";r=17;t=2031'), '17 of 20 requests left this hour; full again in 34 minutes.'],
    [headers('1000', '0', '"api";r=0;t=59'), '0 of 1,000 requests left this hour; full again in less than a minute.'],
    [headers('1000', '999'), '999 of 1,000 requests left this hour.'],
    [headers('20', '20', '"free";r=20;t=2031'), '20 of 20 requests left this hour.'],
    [[], ''],
    [[['X-RateLimit-Limit', '20']] as [string, string][], ''],
  ])('%j are %p', (told, words) => {
    expect(limitsInWords(told)).toBe(words)
  })
})

test.each([
  [60, 0, '1 minute'],
  [600, 0, '10 minutes'],
  [null, 1, '1 day'],
  [null, 120, '120 days'],
])('a card that comes back after %p seconds or %d days does so in %s', (interval_seconds, scheduled_days, words) => {
  expect(intervalInWords({ interval_seconds, scheduled_days })).toBe(words)
})

test('requests and answers are told as they went, in their order', () => {
  const answer = { kind: 'answer' as const, ok: true, limit_headers: [] }
  const text = exchangesAsText([
    {
      request: { method: 'POST', path: 'api/notes', body: { title: 'A' } },
      answer: { ...answer, status: 201, title: '201 Created', body: { revision: 1 } },
    },
    {
      request: { method: 'DELETE', path: 'api/notes/1' },
      answer: { ...answer, status: 204, title: '204 No Content', body: null },
    },
    {
      request: { method: 'GET', path: 'api/notes' },
      answer: { ...answer, status: 502, title: '502', body: '<h1>Bad gateway</h1>' },
    },
  ])
  expect(text.split('\n\n')).toEqual([
    'POST /api/notes\n{\n  "title": "A"\n}',
    '201 Created\n{\n  "revision": 1\n}',
    'DELETE /api/notes/1',
    '204 No Content',
    'GET /api/notes',
    '502\n<h1>Bad gateway</h1>',
  ])
})
