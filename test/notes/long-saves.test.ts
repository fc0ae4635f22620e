import { afterAll, expect, test } from 'bun:test'
import { watch } from './busy'
import { makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

const WORDS =
  'the river house garden meeting tomorrow budget train ticket library coffee harbour question answer'.split(' ')

/** Prose of 1 MiB less 16 KiB, with links, headings, and a number behind every other word. */
const PROSE = Array.from({ length: 130_000 }, (_, n) => {
  const word = WORDS[(n * 7919) % 13] ?? ''
  if (n % 2000 === 0) return `\n\n## ${word} ${n}\n\n`
  if (n % 50 === 0) return `[[Note ${n % 900}]]`
  return n % 2 === 0 ? `${word}${((n * 7919) % 20_011).toString(36)}` : word
})
  .join(' ')
  .slice(0, 2 ** 20 - 2 ** 14)

/** A part of the save's work; what it was before: 0.3. One statement, which nothing interrupts, is apart. */
const STRETCH = 0.2

test('a save of 1 MiB of prose gives others their turn, but for the one statement that cannot', async () => {
  const me = world.stranger()
  expect(PROSE.length).toBeGreaterThan(900_000)
  const { id } = (await world.call(me, 'POST', '/api/notes', { title: 'Long', body: PROSE })).body
  let least = 1
  for (let run = 1; run <= 5 && least >= STRETCH; run += 1) {
    const watched = watch()
    expect((await world.call(me, 'PATCH', `/api/notes/${id}`, { body: PROSE.slice(run) })).status).toBe(200)
    const stretches = watched.end()
    const total = stretches.reduce((sum, stretch) => sum + stretch, 0)
    least = Math.min(least, (stretches[1] ?? 0) / total)
  }
  expect(least).toBeLessThan(STRETCH)
})
