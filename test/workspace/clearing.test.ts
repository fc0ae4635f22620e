import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Queries } from '../../src/db/database'
import { createCleanup } from '../../src/workspace/cleanup'
import { createListeners, createWorkspaceEraser } from '../../src/workspace/processes'
import { startModel } from '../search/meaning/model'
import { tablesWith } from '../support/database'
import { onSqlite } from '../support/full'
import { contradictions } from '../support/recount'
import { Visitor } from '../support/visitor'
import { type As, MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { fill, made, run, type World } from './fill'

/** What is erased with a workspace, and what clears itself up in time. */

const worlds: World[] = []
const model = startModel()
const DAY = 86_400_000
const HOUR = 3_600_000

async function newWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const meaning = { SEMANTIC_BASE_URL: model.url, SEMANTIC_MODEL: 'words' }
  const world = await makeWorld({
    settings: { ...MANY_CALLERS, ...meaning, FREE_LIMIT_PER_HOUR: '100000', ...settings },
  })
  worlds.push(world)
  return world
}

afterAll(async () => {
  for (const { close } of worlds) await close()
  await model.stop()
})

/** The tables that have a workspace of their own, and how many rows of it. */
async function rowsOf({ db }: World, where: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of await tablesWith(db, 'workspace')) {
    const row = await db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE workspace ${where}`)
    counts[table] = row?.n ?? 0
  }
  return counts
}

async function idsOf({ db }: World, kind: string): Promise<string[]> {
  const sql = 'SELECT id FROM workspaces WHERE kind = $1 ORDER BY created_at, id'
  return (await db.all<{ id: string }>(sql, [kind])).map(({ id }) => id)
}

test('erasing a workspace leaves no row of it in any table, and nothing of another is touched', async () => {
  const world = await newWorld()
  const [me, other] = [{ key: makeKey(1) }, { key: makeKey(2) }]
  await fill(world, me)
  const [mine = ''] = await idsOf(world, 'key')
  await fill(world, other)
  const filled = await rowsOf(world, `= '${mine}'`)
  // What was used of a day's tokens is no content, nor is that something is being erased.
  const exempt = ['chat_tokens', 'erasures']
  // Which model came how far.
  const left = ['search_models']
  expect(Object.entries(filled).filter(([name, n]) => n === 0 && !exempt.includes(name))).toEqual([])
  const others = await rowsOf(world, `<> '${mine}'`)
  const usage = async (as: As) => (await world.call(as, 'GET', '/api/usage')).body.workspace
  const kept = await usage(other)

  expect((await world.call(me, 'DELETE', '/api/workspace', { confirm: 'erase' })).status).toBe(204)

  const rows = Object.entries(await rowsOf(world, `= '${mine}'`))
  expect(rows.flatMap(([name, n]) => (n > 0 ? [name] : []))).toEqual(left)
  expect(await rowsOf(world, `<> '${mine}'`)).toEqual(others)
  expect(await usage(me)).toMatchObject({ resources: 0, size_bytes: 0 })
  expect(await usage(other)).toEqual(kept)
  expect(await contradictions(world.folder)).toEqual([])
  expect((await world.call(me, 'GET', '/api/notes/search?q=changed')).body.items).toEqual([])
  expect((await world.call(other, 'GET', '/api/notes/search?q=changed&strict=true')).body.items).toHaveLength(1)
})

test('after an erasure the feed goes on: who followed must read anew, and what comes then is told', async () => {
  const world = await newWorld()
  const me = { key: makeKey(1) }
  await made(world, me, '/api/notes', { title: 'A' })
  await world.call(me, 'DELETE', '/api/workspace', { confirm: 'erase' })
  expect((await world.call(me, 'GET', '/api/changes?since=1')).body.code).toBe('cursor_expired')
  const { body } = await world.call(me, 'GET', '/api/changes')
  expect(body).toMatchObject({ items: [], latest_seq: 2 })
  await made(world, me, '/api/notes', { title: 'B' })
  expect((await world.call(me, 'GET', '/api/changes?since=2')).body.items).toMatchObject([{ seq: 3, op: 'upsert' }])
})

test('what was in the trash for 30 days is erased, with all that hangs on it, and nothing that is not', async () => {
  const world = await newWorld()
  const me = { key: makeKey(1) }
  const { gone, task, project, fact, deck, note } = await fill(world, me)
  // A side that a fact loses goes to the trash while the fact lives.
  const plain = await made(world, me, '/api/flashcards/facts', {
    deck_id: deck.id,
    type: 'reversed',
    front: 'g',
    back: 'h',
  })
  await world.call(me, 'PATCH', `/api/flashcards/facts/${plain.id}`, { type: 'basic' })
  await world.call(me, 'DELETE', `/api/tasks/${task.id}`)
  await world.call(me, 'DELETE', `/api/tasks/projects/${project.id}`)
  await world.call(me, 'DELETE', `/api/flashcards/facts/${fact.id}`)
  world.clock.now += 20 * DAY
  await world.call(me, 'DELETE', `/api/notes/${note.id}`)
  const paths = [`notes/${gone.id}`, `tasks/${task.id}`, `tasks/projects/${project.id}`, `flashcards/facts/${fact.id}`]
  const statuses = () => Promise.all(paths.map(async (path) => (await world.call(me, 'GET', `/api/${path}`)).status))

  await run(world, 'trash')
  expect(await statuses()).toEqual([200, 200, 200, 200])
  expect((await rowsOf(world, "<> ''")).study_cards).toBe(4)

  world.clock.now += 10 * DAY + 1
  await run(world, 'trash')
  expect(await statuses()).toEqual([404, 404, 404, 404])
  expect((await world.call(me, 'GET', `/api/notes/${note.id}`)).status).toBe(200)
  expect((await rowsOf(world, "<> ''")).study_cards).toBe(1)
  expect(await contradictions(world.folder)).toEqual([])
})

test('a run is bounded, and the next goes on; a run that is told to stop does', async () => {
  const world = await newWorld()
  const me = { key: makeKey(1) }
  const stopped = new AbortController()
  stopped.abort()
  const ids: string[] = []
  for (let i = 0; i < 45; i++) ids.push((await made(world, me, '/api/notes', { title: `${i}` })).id)
  for (const id of ids) await world.call(me, 'DELETE', `/api/notes/${id}`)
  world.clock.now += 31 * DAY
  await world.jobs.find(({ name }) => name.includes('trash'))?.run(stopped.signal)
  expect((await rowsOf(world, "<> ''")).notes).toBe(45)
  await run(world, 'trash')
  expect((await rowsOf(world, "<> ''")).notes).toBe(0)
})

test('deletions leave the feed after 90 days, and it says so to who was not there since', async () => {
  const world = await newWorld()
  const me = { key: makeKey(1) }
  const { id } = await made(world, me, '/api/notes', { title: 'A' })
  await made(world, me, '/api/notes', { title: 'B' })
  await world.call(me, 'DELETE', `/api/notes/${id}?permanent=true`)
  world.clock.now += 90 * DAY
  await run(world, 'deletions')
  expect((await world.call(me, 'GET', '/api/changes?since=1')).body.items).toHaveLength(2)
  world.clock.now += 1
  await run(world, 'deletions')
  expect((await world.call(me, 'GET', '/api/changes?since=1')).body.code).toBe('cursor_expired')
  expect((await world.call(me, 'GET', '/api/changes?since=3')).body.items).toEqual([])
  expect((await world.call(me, 'GET', '/api/changes')).body.items).toMatchObject([{ seq: 2 }])
})

test('who begins at 0 reads a feed that has forgotten deletions to its end, page by page and as a stream', async () => {
  const world = await newWorld()
  const me = { key: makeKey(1) }
  const total = 205
  for (let i = 0; i < total; i++) await made(world, me, '/api/notes', { title: `${i}` })
  const doomed = await made(world, me, '/api/notes', { title: 'gone' })
  await world.call(me, 'DELETE', `/api/notes/${doomed.id}?permanent=true`)
  const page = async (since: string) => (await world.call(me, 'GET', `/api/changes?since=${since}&limit=100`)).body
  const before = await page('0')
  expect(before.next_cursor).toBe('100')
  world.clock.now += 90 * DAY + 1
  await run(world, 'deletions')
  expect((await page(before.next_cursor)).code).toBe('cursor_expired')

  const told: number[] = []
  for (let since: string | null = '0'; since !== null; ) {
    const { items, next_cursor } = await page(since)
    told.push(...items.map(({ seq }: { seq: number }) => seq))
    since = next_cursor
  }
  expect(told).toEqual(Array.from({ length: total }, (_, i) => i + 1))

  const visitor = new Visitor(world.listen().slice(0, -1), me.key)
  const events = async (id: string, until: number) => {
    const response = await visitor.send({ path: '/api/changes/stream', headers: { 'Last-Event-ID': id } })
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (text.includes(`"seq":${until},`) && text.endsWith('\n\n')) break
    }
    return [...text.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id)
  }
  const ids = await events('0', total)
  expect(ids.map((id) => Number.parseInt(id, 10))).toEqual(told)
  // Cut off in the middle, it goes on.
  expect((await events(ids[99] ?? '', total)).map((id) => Number.parseInt(id, 10))).toEqual(told.slice(100))
})

test('stored outcomes are dropped after a day, and their bytes given back', async () => {
  const world = await newWorld()
  const me = { key: makeKey(1) }
  await made(world, me, '/api/notes', { title: 'A' }, { 'Idempotency-Key': 'one' })
  // More of them than one step takes.
  await world.db.run(
    `INSERT INTO idempotency SELECT workspace, 'copy ' || value, fingerprint, status, '', '', created_at
    FROM idempotency, json_each($1)`,
    [JSON.stringify(Array.from({ length: 1200 }, (_, i) => i))],
  )
  world.clock.now += DAY + 1
  await run(world, 'outcomes')
  expect((await rowsOf(world, "<> ''")).idempotency).toBe(0)
  expect(await contradictions(world.folder)).toEqual([])
})

describe('what a request under another key gives back to the quota', () => {
  const me = { key: makeKey(1) }
  const note = (world: World, key: string) =>
    world.call(me, 'POST', '/api/notes', { title: 'A', body: 'x'.repeat(400) }, { 'Idempotency-Key': key })
  const usedBytes = async (world: World): Promise<number> =>
    (await world.call(me, 'GET', '/api/usage')).body.workspace.size_bytes

  /** The bytes of one such note with its outcome. */
  async function bytesOfOne(): Promise<number> {
    const world = await newWorld()
    await note(world, 'one')
    return usedBytes(world)
  }

  test('are the bytes of outcomes that are older than a day, and of no other', async () => {
    const world = await newWorld()
    await note(world, 'one')
    world.clock.now += DAY / 2
    await note(world, 'two')
    world.clock.now += DAY / 2
    await note(world, 'three')
    const keys = async () =>
      (await world.db.all<{ key: string }>('SELECT key FROM idempotency ORDER BY created_at')).map(({ key }) => key)
    expect([await keys(), await usedBytes(world)]).toEqual([['one', 'two', 'three'], 3 * (await bytesOfOne())])
    world.clock.now += 1
    await note(world, 'four')
    expect(await keys()).toEqual(['two', 'three', 'four'])
    expect(await contradictions(world.folder)).toEqual([])
  })

  test('is room for its own outcome', async () => {
    const one = await bytesOfOne()
    const world = await newWorld({ WORKSPACE_BYTES: String(2 * one - 1) })
    expect((await note(world, 'one')).status).toBe(201)
    world.clock.now += DAY
    expect((await note(world, 'two')).body.code).toBe('quota_exceeded')
    world.clock.now += 1
    expect((await note(world, 'two')).status).toBe(201)
    expect(await contradictions(world.folder)).toEqual([])
  })
})

describe('a run over scratch spaces', () => {
  /** The job on three of them that nobody asked for in two days, with what it has erased; `wiped` is called with each. */
  async function threeQuiet(wiped: (tx: Queries) => unknown) {
    const world = await newWorld()
    for (let i = 1; i <= 3; i++) await made(world, { address: `192.0.2.${i}` }, '/api/notes', { title: 'A' })
    const all = (await idsOf(world, 'scratch')).toSorted()
    const { db } = world
    const erased: string[] = []
    const wipe = async (tx: Queries, id: string) => {
      erased.push(id)
      await wiped(tx)
      return false
    }
    const job = createCleanup({
      db,
      now: () => world.clock.now + 2 * DAY,
      log: { warn: () => {} },
      trash: [],
      eraser: createWorkspaceEraser({ db, wipes: [wipe], listeners: createListeners() }),
      find: () => Promise.reject(new Error('not asked')),
      reserve: () => Promise.reject(new Error('not asked')),
    }).at(-1)
    return { all, erased, run: (signal = new AbortController().signal) => job?.run(signal) }
  }

  test('stops between two of them when it is told to, and the next goes on behind', async () => {
    const stop = new AbortController()
    const { all, erased, run } = await threeQuiet(() => stop.abort())
    await run(stop.signal)
    expect(erased).toEqual(all.slice(0, 1))
    await run()
    expect(erased).toEqual(all)
    await run()
    expect(erased).toEqual(all)
  })

  test('leaves those alone that are asked for while it runs', async () => {
    const { all, erased, run } = await threeQuiet((tx) => tx.run('UPDATE workspaces SET asked_hour = 9999999'))
    await run()
    expect(erased).toEqual(all.slice(0, 1))
  })
})

test('a scratch space is gone 24 hours after the last request of its address, read or write, and no other is', async () => {
  const world = await newWorld()
  const [quiet, reader, owner] = [{ address: '192.0.2.7' }, { address: '198.51.100.7' }, { key: makeKey(1) }]
  for (const as of [quiet, reader, owner]) await fill(world, as)
  const scratch = await idsOf(world, 'scratch')
  expect(scratch).toHaveLength(2)
  world.clock.now += DAY - 3_600_000
  await run(world, 'scratch')
  expect(await idsOf(world, 'scratch')).toEqual(scratch)
  await world.call(reader, 'GET', '/api/notes')
  world.clock.now += 2 * 3_600_000
  await run(world, 'scratch')
  const [left = '', ...more] = await idsOf(world, 'scratch')
  expect(more).toEqual([])
  expect((await world.call(reader, 'GET', '/api/notes')).body.items.length).toBeGreaterThan(0)
  expect((await world.call(owner, 'GET', '/api/notes')).body.items.length).toBeGreaterThan(0)
  const [gone = ''] = scratch.filter((id) => id !== left)
  expect(Object.values(await rowsOf(world, `= '${gone}'`)).every((n) => n === 0)).toBe(true)
  expect((await world.call(quiet, 'GET', '/api/notes')).body.items).toEqual([])
  expect((await world.call(quiet, 'GET', '/api/changes?since=5')).body.code).toBe('cursor_expired')
  expect(await contradictions(world.folder)).toEqual([])
})

test('of the spaces of one address, each is gone 24 hours after its own last request, refused ones among them', async () => {
  const world = await makeWorld({ settings: { FREE_LIMIT_PER_HOUR: '3' } })
  worlds.push(world)
  const at = (host: string) => ({ address: '192.0.2.7', host })
  const hosts = ['used.example', 'refused.example', 'quiet.example']
  for (const host of hosts) await made(world, at(host), '/api/notes', { title: host })
  const left = async () => {
    await run(world, 'scratch')
    return (await idsOf(world, 'scratch')).length
  }
  for (let hour = 1; hour <= 24; hour++) {
    world.clock.now += HOUR
    for (let n = 0; n < 3; n++) await world.call(at('used.example'), 'GET', '/api')
    expect((await world.call(at('refused.example'), 'GET', '/api')).status).toBe(429)
  }
  expect(await left()).toBe(3)
  world.clock.now += HOUR
  expect(await left()).toBe(2)
  for (const host of hosts)
    expect((await world.call(at(host), 'GET', '/api/notes')).body.items).toHaveLength(host === 'quiet.example' ? 0 : 1)
  world.clock.now += 24 * HOUR
  expect(await left()).toBe(2)
  world.clock.now += HOUR
  expect(await left()).toBe(0)
  expect(await contradictions(world.folder)).toEqual([])
})

// Counts the commits of SQLite.
onSqlite('the hour of a request is written once, and for a space that holds something alone', async () => {
  const world = await newWorld()
  const me = { address: '192.0.2.7' }
  await made(world, me, '/api/notes', { title: 'A' })
  const sql = new Database(join(world.folder, 'satchel.db'), { readonly: true })
  // Counts the commits of other connections.
  const writes = () => sql.query<{ data_version: number }, []>('PRAGMA data_version').get()?.data_version ?? 0
  world.clock.now += HOUR
  const before = writes()
  for (let n = 0; n < 5; n++) await world.call(me, 'GET', '/api/notes')
  expect(writes()).toBe(before + 1)
  for (let n = 0; n < 5; n++) await world.call({ ...me, host: `h${n}.example` }, 'GET', '/api/notes')
  expect(writes()).toBe(before + 1)
  sql.close()
})
