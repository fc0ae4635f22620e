import { expect, test } from 'bun:test'
import { thingsInWords } from '../../public/workspace.js'

const made = (...pairs: [type: string, created: number][]) => ({
  resources: Object.fromEntries(pairs.map(([type, created]) => [type, { created }])),
})

test.each([
  [made(['note', 3]), '3 notes'],
  [made(['note', 1], ['task', 2]), 'note and 2 tasks'],
  [made(['card', 1200], ['note_type', 1], ['task', 1], ['note', 1]), 'note, task, and 1,200 flashcards'],
  [made(['task', 0], ['note', 2]), '2 notes'],
  [made(['deck', 1]), 'things'],
  [{}, 'things'],
])('%j would bring along the %s', (run, words) => {
  expect(thingsInWords(run)).toBe(words)
})
