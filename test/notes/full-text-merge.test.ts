import { afterAll, expect, test } from 'bun:test'
import { mergeTexts } from '../../src/notes/full-text.sqlite'
import { makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)
const { call, stranger } = world

const TABLES = ['notes_stems', 'notes_words', 'notes_trigrams', 'notes_pairs']

/** How many segments each table has: its index names the pages of each. */
async function segments(): Promise<number[]> {
  const counts = TABLES.map((table) =>
    world.db.get<{ n: number }>(`SELECT count(DISTINCT segid) AS n FROM ${table}_idx`),
  )
  return (await Promise.all(counts)).map((row) => row?.n ?? 0)
}

test('a write merges nothing; the job merges what was written, and everything is found as before', async () => {
  const me = stranger()
  const titles = Array.from({ length: 20 }, (_, i) => `note${i}`)
  for (const title of titles) await call(me, 'POST', '/api/notes', { title, body: 'the same lake for all' })
  expect(await segments()).toEqual(TABLES.map(() => titles.length))

  const found = async () => (await call(me, 'GET', '/api/notes/search?q=lake&sort=-updated')).body.items
  const before = await found()
  expect(before).toHaveLength(titles.length)
  await mergeTexts(world.db, new AbortController().signal)
  expect(Math.max(...(await segments()))).toBeLessThan(8)
  expect(await found()).toEqual(before)
})

test('the job stops when it is told to', async () => {
  const me = stranger()
  for (let i = 0; i < 10; i++) await call(me, 'POST', '/api/notes', { body: `lake ${i}` })
  const before = await segments()
  await mergeTexts(world.db, AbortSignal.abort())
  expect(await segments()).toEqual(before)
})
