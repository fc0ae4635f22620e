import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { fillCards } from '../archive/fill-cards'
import { fillNotes } from '../archive/fill-notes'
import { fillTasks } from '../archive/fill-tasks'
import { filesOf, makeArchiveWorld } from '../archive/support'
import { type Engine, startPostgres, startRedis } from '../support/engines'
import { makeFolder } from '../support/folder'
import { MANY_CALLERS, makeKey } from '../support/keys'
import { runCommand, startCommand, startServer } from '../support/server'

/** `satchel migrate --to=…`: from a data folder to PostgreSQL. */

const SECRET = { SATCHEL_SECRET: 'ab'.repeat(32) }
let database: Engine
let counters: Engine
beforeAll(async () => {
  ;[database, counters] = await Promise.all([startPostgres(), startRedis()])
})
afterAll(() => Promise.all([database.stop(), counters.stop()]))

/** An address of a new database. */
async function newDatabase(name: string): Promise<string> {
  const sql = new SQL({ url: database.url, max: 1 })
  await sql.unsafe(`CREATE DATABASE ${name}`)
  await sql.close()
  const url = new URL(database.url)
  url.pathname = `/${name}`
  return url.href
}

async function change(url: string, statement: string): Promise<void> {
  const sql = new SQL({ url, max: 1, connection: { search_path: 'satchel' } })
  await sql.unsafe(statement)
  await sql.close()
}

const move = (folder: string, url: string, settings: Record<string, string> = SECRET) =>
  runCommand(folder, ['migrate', `--to=${url}`], settings)

async function ask(url: string, key: string, path: string, method = 'GET', body?: unknown) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'X-API-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response
}

/** What a workspace has, and its export but for the time of it. */
async function contentOf(url: string, key: string): Promise<unknown[]> {
  const paths = [
    '/api/notes?include=body&limit=100',
    '/api/tasks?limit=100',
    '/api/flashcards/decks',
    '/api/flashcards/facts?limit=100',
    '/api/flashcards/cards?limit=100',
    '/api/notes/attachments',
    '/api/changes?since=0&limit=200',
  ]
  const all: unknown[] = []
  for (const path of paths) all.push(await (await ask(url, key, path)).json())
  const files = filesOf(await (await ask(url, key, '/api/export')).bytes())
  files.delete('manifest.json')
  return [...all, files]
}

/** An archive with something of every kind, made once. */
const archive = (async () => {
  const world = await makeArchiveWorld()
  const me = world.stranger()
  for (const fill of [fillNotes, fillTasks, fillCards]) await fill(world, me)
  const archive = await world.exported(me)
  await world.close()
  return archive
})()

/** A server's folder with all kinds of things of some keys. */
async function makeFilled(keys: readonly string[]): Promise<{ folder: string; content: unknown[] }> {
  const server = await startServer({ settings: { ...SECRET, ...MANY_CALLERS } })
  for (const key of keys) {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/zip' }
    const sent = await fetch(`${server.url}/api/import`, { method: 'POST', headers, body: await archive })
    expect(sent.status).toBe(200)
    const make = async (path: string, body: unknown) => (await ask(server.url, key, path, 'POST', body)).json()
    const note = await make('/api/notes', { title: 'House', body: 'The [[Boiler]] #warm', properties: { size: 1.5 } })
    await ask(server.url, key, `/api/notes/${note.id}`, 'PATCH', { body: 'The [[Boiler]] is new. é😀' })
    await make('/api/notes', { title: 'Boiler', folder: 'Home/Cellar' })
    for (let at = 0; at < 250; at += 50)
      await ask(server.url, key, '/api/notes/batch', 'POST', {
        ops: Array.from({ length: 50 }, (_, i) => ({ op: 'create', data: { title: `Note ${at + i}` } })),
      })
    await make('/api/tasks', {
      title: 'Water',
      due: { date: '2026-03-02' },
      labels: ['home'],
      recurrence: { rrule: 'FREQ=DAILY' },
    })
    // The deck above has a greater key than the one below after it was moved.
    const below = await make('/api/flashcards/decks', { name: 'Below' })
    const above = await make('/api/flashcards/decks', { name: 'Above' })
    await ask(server.url, key, `/api/flashcards/decks/${below.id}`, 'PATCH', { parent_id: above.id })
    await make('/api/flashcards/facts', { type: 'basic', deck_id: below.id, front: 'Q', back: 'A' })
  }
  const content: unknown[] = []
  for (const key of keys) content.push(await contentOf(server.url, key))
  await server.stop('SIGTERM')
  return { folder: server.folder, content }
}

test('all of a folder is in PostgreSQL afterwards, and is served from there', async () => {
  const keys = [makeKey(71), makeKey(72)]
  const { folder, content } = await makeFilled(keys)
  const url = await newDatabase('moved')
  for (const _ of ['once', 'again']) {
    const { code, stdout, stderr } = await move(folder, url)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/\nnotes: 5\d\d rows\.\n/)
    expect(stdout).toEndWith(
      '\nAll is in PostgreSQL, as it is here. Requests of this hour are counted from 0.\n' +
        'Start the processes with DATABASE_URL, REDIS_URL and the secret of this folder in SATCHEL_SECRET.\n',
    )
  }
  const settings = { ...SECRET, ...MANY_CALLERS, DATABASE_URL: url, REDIS_URL: counters.url }
  const server = await startServer({ settings })
  const moved: unknown[] = []
  for (const key of keys) moved.push(await contentOf(server.url, key))
  expect(moved).toEqual(content)
  // New rows get keys of their own, and search finds what was moved.
  const made = await ask(server.url, keys[0] ?? '', '/api/notes', 'POST', { title: 'After' })
  expect(made.status).toBe(201)
  let found = { items: [], ranking_limited: true }
  while (found.ranking_limited) found = await (await ask(server.url, keys[0] ?? '', '/api/search?q=boiler')).json()
  expect(found.items.length).toBeGreaterThan(0)
  const again = await move(folder, url)
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringContaining('A server has used the database in PostgreSQL'),
  ])
})

test('that is killed in the middle changes nothing, and can be run again', async () => {
  const { folder } = await makeFilled([makeKey(73)])
  const url = await newDatabase('killed')
  expect((await move(folder, url)).code).toBe(0)
  const operator = new SQL({ url, max: 1, connection: { search_path: 'satchel' } })
  await operator
    .unsafe(
      `UPDATE notes SET title = 'Of the first copy';
       CREATE FUNCTION wait() RETURNS boolean LANGUAGE sql AS 'SELECT pg_advisory_xact_lock_shared(1); SELECT true';
       ALTER TABLE notes ADD CHECK (wait()) NOT VALID;
       SELECT pg_advisory_lock(1)`,
    )
    .simple()
  const child = startCommand(folder, ['migrate', `--to=${url}`], SECRET)
  while ((await operator`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`).length === 0);
  child.kill('SIGKILL')
  await child.exited
  await operator`SELECT pg_advisory_unlock(1)`
  const titles = await operator`SELECT title, count(*) > 250 AS all FROM notes GROUP BY title`
  expect([...titles]).toEqual([{ title: 'Of the first copy', all: true }])
  await operator.close()
  expect((await move(folder, url)).code).toBe(0)
})

test.each([
  [
    'a database with data of its own',
    "INSERT INTO workspaces (id, kind, created_at, seq, resources, size_bytes) VALUES ('x', 'key', 0, 0, 0, 0)",
    /A server has used the/,
  ],
  [
    'one of another secret',
    "UPDATE facts SET value = 'other' WHERE name = 'secret_fingerprint'",
    /belongs to another secret/,
  ],
  [
    'one of a newer Satchel',
    'INSERT INTO schema_versions VALUES (4300, 0)',
    /is at version 4300, and this Satchel knows/,
  ],
])('is refused for %s, which stays as it is', async (_, statement, sentence) => {
  const { folder, stop } = await startServer({ settings: SECRET })
  await stop('SIGTERM')
  const url = await newDatabase(`refused_${crypto.randomUUID().slice(0, 8)}`)
  expect((await move(folder, url)).code).toBe(0)
  await change(url, "DELETE FROM facts WHERE name = 'moved_at'")
  await change(url, statement)
  const { code, stderr } = await move(folder, url)
  expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)])
})

test('is refused while a server runs, without a database, and where PostgreSQL is not', async () => {
  const server = await startServer({ settings: SECRET })
  const url = await newDatabase('unused')
  expect((await move(server.folder, url)).stderr).toContain('Another process uses meter.db')
  await server.stop('SIGTERM')
  expect((await move(makeFolder(), url)).stderr).toContain('holds no satchel.db')
  const nowhere = await move(server.folder, 'postgres://127.0.0.1:1/x')
  expect(nowhere.stderr).toMatch(/^Satchel cannot migrate\. The database cannot be copied \(PostgreSQL: .*\)\.\n$/)
  expect((await move(server.folder, url)).code).toBe(0)
})
