import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../src/db/sqlite-file'
import { startPostgres, startRedis } from '../support/engines'
import { makeFolder } from '../support/folder'
import { MANY_CALLERS, makeKey } from '../support/keys'
import { openedForWriting } from '../support/opened-files'
import { runCommand, startServer } from '../support/server'
import { ask, calendarOf, finish, worksOf } from '../torture/runs'

/** Where a server and its commands write: in the data folder alone, which may be on a disk of its own. */

/** Enough of each kind that a file would be used for what is temporary: SQLite makes one above 64 KiB. */
const RESOURCES = 60

const JSON_BODY = { 'Content-Type': 'application/json' }

/** Writes, changes and erases notes in parallel, then all that the key has. */
async function writeNotes(url: string, key: string): Promise<void> {
  const send = (method: string, path: string, body?: object) =>
    ask(url, key, path, { method, headers: JSON_BODY, ...(body ? { body: JSON.stringify(body) } : {}) })
  const body = (n: number) => `word${n} [[note ${n + 1}]] `.repeat(400)
  const numbers = Array.from({ length: RESOURCES }, (_, n) => n)
  const made = await Promise.all(
    numbers.map(async (n) => (await send('POST', '/api/notes', { title: `note ${n}`, body: body(n) })).json()),
  )
  const ids = made.map(({ id }: { id: string }) => id)
  await Promise.all(ids.map((id, n) => send('PATCH', `/api/notes/${id}`, { body: body(n + 1) })))
  for (const path of ['/api/notes/search?q=word7', '/api/search?q=word7', '/api/export', '/api/notes/export'])
    await (await ask(url, key, path)).bytes()
  await Promise.all(ids.slice(0, 9).map((id) => send('DELETE', `/api/notes/${id}`)))
  await send('DELETE', '/api/trash?confirm=erase')
  await send('DELETE', '/api/workspace?confirm=erase')
}

/** Tries the import of some tasks, for which a database is made. */
const importDry = (url: string) =>
  ask(url, makeKey(2), '/api/tasks/import?dry_run=true', {
    method: 'POST',
    headers: { 'Content-Type': 'text/calendar' },
    body: calendarOf(RESOURCES),
  })

/** A file that is temporary: one without a name in a folder, or with the name that SQLite gives it elsewhere. */
const isTemporary = (path: string, folder: string) => path === folder || path.includes('/etilqs_')

test('a server opens no file for writing outside of its data folder, and writes notes without temporary files', async () => {
  const [folder, trace] = [makeFolder(), join(makeFolder(), 'trace')]
  // The schema of a new database is made.
  await (await startServer({ folder })).stop('SIGTERM')
  const server = await startServer({ folder, settings: MANY_CALLERS, trace })
  const { url } = server
  for (const [n, work] of (await worksOf(url, RESOURCES)).entries()) {
    await work.prepare?.(url, makeKey(100 + n))
    await finish(url, makeKey(100 + n), work)
  }
  await importDry(url)
  await writeNotes(url, makeKey(1))
  expect((await server.stop('SIGTERM')).code).toBe(0)
  const paths = await openedForWriting(trace)
  expect(paths).toContain(join(folder, 'satchel.db-wal'))
  expect(paths.filter((path) => !path.startsWith(folder))).toEqual([])
  expect(paths.filter((path) => isTemporary(path, folder))).toEqual([])
})

test('nor does a process on PostgreSQL', async () => {
  await using database = await startPostgres()
  await using counters = await startRedis()
  const [folder, trace] = [makeFolder(), join(makeFolder(), 'trace')]
  const engines = { DATABASE_URL: database.url, REDIS_URL: counters.url, SATCHEL_SECRET: '07'.repeat(32) }
  const server = await startServer({ folder, settings: { ...MANY_CALLERS, ...engines }, trace })
  await importDry(server.url)
  await writeNotes(server.url, makeKey(1))
  expect((await server.stop('SIGTERM')).code).toBe(0)
  const paths = await openedForWriting(trace)
  expect(paths.filter((path) => !path.startsWith(folder))).toEqual([])
  // Not even for the database of a dry run.
  expect(paths.filter((path) => isTemporary(path, folder))).toEqual([])
})

/** Rows that `check` sums up: more than SQLite sorts in memory. */
const ROWS = 200_000

/** A data folder of a workspace that has many rows. */
async function fullFolder(): Promise<string> {
  const server = await startServer({ settings: MANY_CALLERS })
  await ask(server.url, makeKey(1), '/api/notes', { method: 'POST', headers: JSON_BODY, body: '{"title":"one"}' })
  await server.stop('SIGTERM')
  using db = openSqlite(join(server.folder, 'satchel.db'))
  db.run(
    `INSERT INTO idempotency (workspace, key, fingerprint, status, headers, body, created_at)
     WITH RECURSIVE row (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < ?)
     SELECT id, n, '', 200, '', '', 0 FROM row, workspaces`,
    [ROWS],
  )
  return server.folder
}

/** A data folder with a new database, as a start that was killed leaves it. */
function newFolder(): string {
  const folder = join(makeFolder(), "it's data")
  mkdirSync(folder)
  writeFileSync(join(folder, 'secret'), '07'.repeat(32), { mode: 0o600 })
  writeFileSync(join(folder, 'satchel.db'), '')
  return folder
}

test('commands keep what is temporary in the data folder, and write a backup alone elsewhere', async () => {
  const [folder, fresh, elsewhere] = [await fullFolder(), newFolder(), makeFolder()]
  const [file, restored] = [join(elsewhere, 'backup.db'), join(elsewhere, 'data')]
  /** Runs a command; returns what it wrote, with the place of each path. */
  const run = async (data: string, ...parameters: readonly string[]) => {
    const trace = join(makeFolder(), 'trace')
    const { code, stderr } = await runCommand(data, parameters, {}, trace)
    expect([parameters, code, stderr]).toEqual([parameters, 0, ''])
    const paths = await openedForWriting(trace)
    const isOutside = (path: string) => !path.startsWith(data)
    return { outside: paths.filter(isOutside), temporary: paths.filter((path) => isTemporary(path, data)) }
  }
  expect(await run(folder, 'check')).toEqual({ outside: [], temporary: [folder] })
  expect(await run(fresh, 'migrate')).toEqual({ outside: [], temporary: [] })
  const { outside, temporary } = await run(folder, 'backup', file)
  expect([outside.filter((path) => !path.startsWith(file)), temporary]).toEqual([[], []])
  expect(await run(restored, 'restore', file)).toEqual({ outside: [], temporary: [] })
})
