import { afterAll, expect, test } from 'bun:test'
import type { Session } from '../../src/db/database'
import { listNewestTitles, noteNames as names } from '../../src/notes/names'
import { makeKey, makeWorld } from '../support/world'

const world = await makeWorld()
afterAll(() => world.close())

/** Creates notes for a key, and returns the session of its workspace and the ids. */
async function stored(key: string, titles: readonly string[]) {
  const ids: string[] = []
  for (const title of titles)
    ids.push((await world.call({ key }, 'POST', '/api/notes', { title, body: `ä ${title}` })).body.id)
  const row = await world.db.get<{ workspace: string }>('SELECT workspace FROM notes WHERE id = $1', [ids[0] ?? ''])
  const session = { db: world.db, workspace: { id: row?.workspace, kind: 'key' } } as unknown as Session
  return { session, ids }
}

test('titles that hold a text are looked for in the newest notes only', async () => {
  const { session } = await stored(makeKey(801), ['My plan A', 'My plan B', 'My plan C'])
  const find = (newest: number, limit = 10) => listNewestTitles(session, 'plan', { newest, limit })
  expect(await find(3)).toEqual(['My plan C', 'My plan B', 'My plan A'])
  expect(await find(2)).toEqual(['My plan C', 'My plan B'])
  expect(await find(3, 1)).toEqual(['My plan C'])
})

test('names and sizes are those of the workspace, and those of the trash are known', async () => {
  const mine = await stored(makeKey(802), ['One', 'Two'])
  const other = await stored(makeKey(803), ['Other'])
  await world.call({ key: makeKey(802) }, 'DELETE', `/api/notes/${mine.ids[1]}`)
  const asked = [...mine.ids, ...other.ids, 'none']
  const found = await names.list(mine.session, asked)
  expect(found.map(({ id, title, deleted_at }) => [id, title, deleted_at === null])).toEqual([
    [mine.ids[0] ?? '', 'One', true],
    [mine.ids[1] ?? '', 'Two', false],
  ])
  const sizes = await names.bodyBytes(mine.session, asked)
  expect([...sizes].toSorted()).toEqual(mine.ids.map((id): [string, number] => [id, 6]))
})
