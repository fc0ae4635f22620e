import { afterAll, expect, test } from 'bun:test'
import { useDatabase } from '../support/database'
import { contradictions } from '../support/recount'
import { makeWorld } from '../support/world'

const QUOTA = 20_000
const world = await makeWorld({ settings: { SCRATCH_BYTES: String(QUOTA) } })
afterAll(world.close)

/** A scratch space that is full to the last byte, with a note of 4,000 bytes that pack well. */
async function full(address: string) {
  const me = { address }
  const size = async (): Promise<number> => (await world.call(me, 'GET', '/api/usage')).body.workspace.size_bytes
  const { body: note } = await world.call(me, 'POST', '/api/notes', { title: 'n', body: 'a'.repeat(4000) })
  // Beside its body, a note counts its title, `[]` and `{}`.
  const body = 'f'.repeat(QUOTA - (await size()) - 5)
  await world.call(me, 'POST', '/api/notes', { title: 'f', body })
  expect(await size()).toBe(QUOTA)
  return { size, save: (text: string) => world.call(me, 'PATCH', `/api/notes/${note.id}`, { body: text }) }
}

test('in a full workspace a save that shrinks in all, its history counted, is accepted, and one that grows refused', async () => {
  const { size, save } = await full('198.51.100.1')
  expect((await save('a'.repeat(3999))).body.code).toBe('quota_exceeded')
  expect(await size()).toBe(QUOTA)
  expect((await save('b')).status).toBe(200)
  const left = QUOTA - (await size())
  expect(left).toBeGreaterThan(3900)
  // The last version, `b`, costs a few bytes in the history: to the byte it fits, and not with one more.
  const { size: before, save: again } = await full('198.51.100.2')
  await again('b')
  const room = QUOTA - (await before())
  const cost = await costOf('b')
  expect((await again('c'.repeat(room - cost + 2))).body.code).toBe('quota_exceeded')
  expect((await again('c'.repeat(room - cost + 1))).status).toBe(200)
  expect(await before()).toBe(QUOTA)
  expect(await contradictions(world.folder)).toEqual([])
})

/** What the history of a note `n` grows by when a body is replaced. */
async function costOf(body: string): Promise<number> {
  const me = { address: '198.51.100.3' }
  const size = async (): Promise<number> => (await world.call(me, 'GET', '/api/usage')).body.workspace.size_bytes
  const { body: note } = await world.call(me, 'POST', '/api/notes', { title: 'n', body })
  const before = await size()
  await world.call(me, 'PATCH', `/api/notes/${note.id}`, { body: 'c'.repeat(body.length) })
  return (await size()) - before
}

test('in a workspace over its quota (the setting was lowered) a save that shrinks in all is accepted', async () => {
  const { size, save } = await full('198.51.100.4')
  await useDatabase(world.folder, (db) =>
    db.run('UPDATE workspaces SET size_bytes = size_bytes + 50000 WHERE size_bytes = $1', [QUOTA]),
  )
  expect((await save('')).status).toBe(200)
  expect(await size()).toBeLessThan(QUOTA + 50_000 - 3900)
  await useDatabase(world.folder, (db) =>
    db.run('UPDATE workspaces SET size_bytes = size_bytes - 50000 WHERE size_bytes > $1', [QUOTA]),
  )
})
