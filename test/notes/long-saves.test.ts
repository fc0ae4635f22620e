import { afterAll, expect } from 'bun:test'
import { slowness } from '../support/cost'
import { slow } from '../support/full'
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

/** The longest that others may wait, in milliseconds of the processor's time. */
const STRETCH_MS = 100

slow('a save of 1 MiB of prose gives others their turn, and so does its index', async () => {
  const me = world.stranger()
  expect(PROSE.length).toBeGreaterThan(900_000)
  const { id } = (await world.call(me, 'POST', '/api/notes', { title: 'Long', body: PROSE })).body
  let least = Number.POSITIVE_INFINITY
  for (let run = 1; run <= 5 && least >= STRETCH_MS; run += 1) {
    const watched = watch()
    expect((await world.call(me, 'PATCH', `/api/notes/${id}`, { body: PROSE.slice(run) })).status).toBe(200)
    await world.call(me, 'GET', '/api/notes/search?q=harbour')
    least = Math.min(least, watched.longest() / slowness())
  }
  expect((await world.call(me, 'GET', '/api/notes/search?q=harbour')).body.items).toHaveLength(1)
  expect(least).toBeLessThan(STRETCH_MS)
})
