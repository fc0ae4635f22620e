import { afterAll, beforeAll, expect, test } from 'bun:test'
import { makeKey, makeWorld } from '../support/world'
import { ANSWERABLE, NOTES, UNANSWERABLE } from './questions'

/** The questions of answers.test.ts put to the whole app: what they find there depends on the index of the notes. */

const world = await makeWorld()
const me = { key: makeKey(1) }
afterAll(world.close)
beforeAll(async () => {
  for (const note of NOTES) expect((await world.call(me, 'POST', '/api/notes', note)).status).toBe(201)
})

async function citations(content: string): Promise<{ title: string; quote: string }[]> {
  const { status, body } = await world.call(me, 'POST', '/api/chat', { messages: [{ role: 'user', content }] })
  expect(status).toBe(200)
  return body.citations
}

test('the right note is quoted first in at least 51 of 52 questions, with the answer in at least 47', async () => {
  let right = 0
  let answered = 0
  for (const [question, title, answer] of ANSWERABLE) {
    const [first] = await citations(question)
    if (first?.title === title) right++
    if (first?.title === title && first.quote.includes(answer)) answered++
  }
  expect(right).toBeGreaterThanOrEqual(51)
  expect(answered).toBeGreaterThanOrEqual(47)
})

test('none of 20 questions that nothing answers is answered', async () => {
  for (const question of UNANSWERABLE) expect([question, await citations(question)]).toEqual([question, []])
})
