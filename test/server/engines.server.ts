import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RedisClient, SQL } from 'bun'
import { findPostgres, findRedis, startPostgres, startRedis } from '../support/engines'
import { makeFolder } from '../support/folder'

const ROOT = join(import.meta.dir, '../..')
const NO_POSTGRES = "PostgreSQL 15 or newer is missing: install Debian's packages postgresql and redis-server."
const NO_REDIS = "Valkey or Redis is missing: install Debian's packages postgresql and redis-server."

/** Makes programs that say only their version. @returns the folder */
function putPrograms(folder: string, version: string, names = ['initdb', 'postgres']): string {
  mkdirSync(folder, { recursive: true })
  for (const name of names) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho '${name} (PostgreSQL) ${version}'\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

describe('the programs of PostgreSQL', () => {
  test('of the newest version in the places of Debian come first, then what is on PATH', () => {
    const debian = makeFolder()
    const path = putPrograms(makeFolder(), '18beta1')
    expect(findPostgres({ debian, path })).toBe(path)
    putPrograms(join(debian, '9', 'bin'), '9.6')
    putPrograms(join(debian, '15', 'bin'), '15.9 (Debian 15.9-1)')
    expect(findPostgres({ debian, path })).toBe(join(debian, '15', 'bin'))
    putPrograms(join(debian, '100', 'bin'), '100.1')
    putPrograms(join(debian, '101', 'bin'), '101.0', ['postgres'])
    expect(findPostgres({ debian, path: '' })).toBe(join(debian, '100', 'bin'))
  })

  test('are missing where there are none, old ones, or half of them', () => {
    const old = makeFolder()
    putPrograms(join(old, '14', 'bin'), '14.10')
    const clients = makeFolder()
    putPrograms(join(clients, '16', 'bin'), '16.1', ['psql', 'postgres'])
    const path = putPrograms(makeFolder(), '14.0')
    for (const places of [
      { debian: makeFolder(), path: '' },
      { debian: old, path },
      { debian: clients, path: makeFolder() },
    ])
      expect(() => findPostgres(places)).toThrow(new Error(NO_POSTGRES))
  })
})

test('Valkey comes before Redis, and without either the packages are named', () => {
  const path = putPrograms(makeFolder(), '', ['redis-server'])
  expect(findRedis({ path: `${makeFolder()}:${path}` })).toBe(join(path, 'redis-server'))
  putPrograms(path, '', ['valkey-server'])
  expect(findRedis({ path })).toBe(join(path, 'valkey-server'))
  expect(() => findRedis({ path: makeFolder() })).toThrow(new Error(NO_REDIS))
})

test('the run of tests says what is missing and starts nothing', async () => {
  const child = Bun.spawn([process.execPath, 'test/postgres.ts'], {
    cwd: ROOT,
    env: { PATH: makeFolder() },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([await child.exited, stdout, stderr]).toEqual([1, '', `${NO_REDIS}\n`])
})

async function ask<T>(url: string, query: (sql: SQL) => PromiseLike<T>): Promise<T> {
  const sql = new SQL({ url, max: 1 })
  try {
    return await query(sql)
  } finally {
    await sql.close({ timeout: 0 })
  }
}

/** @returns a function that says what is left of a running PostgreSQL: its folder, and ids of its processes */
async function traces(url: string): Promise<() => (string | number)[]> {
  const [row] = await ask(url, (sql) => sql<{ data_directory: string }[]>`SHOW data_directory`)
  const data = row?.data_directory ?? ''
  const main = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
  const others = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').trim().split(' ').map(Number)
  // The process of the connection that asked may be about to end.
  expect([existsSync(data), isRunning(main), others.filter(isRunning).length > 2]).toEqual([true, true, true])
  const folder = dirname(data)
  return () => [...[folder].filter((name) => existsSync(name)), ...[main, ...others].filter(isRunning)]
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}

test('PostgreSQL asks for a password, keeps its rows over a restart and a crash, and leaves nothing behind', async () => {
  await using engine = await startPostgres({ settings: { synchronous_commit: 'on' } })
  const { pid } = engine
  await ask(engine.url, (sql) => sql`CREATE TABLE kept (row) AS SELECT 1`)
  await engine.restart()
  await ask(engine.url, (sql) => sql`INSERT INTO kept VALUES (2)`)
  await engine.kill()
  await engine.restart()
  expect(engine.pid).not.toBe(pid)
  const rows = await ask(engine.url, (sql) => sql<{ row: number }[]>`SELECT row FROM kept ORDER BY row`)
  expect(rows.map(({ row }) => row)).toEqual([1, 2])
  const stranger = engine.url.replace(/:[^:@]+@/, ':guess@')
  await expect(ask(stranger, (sql) => sql`SELECT 1`)).rejects.toThrow('password authentication failed')
  const left = await traces(engine.url)
  await engine.stop()
  expect(left()).toEqual([])
})

test('Redis forgets all with a crash, and leaves nothing behind', async () => {
  await using engine = await startRedis()
  const redis = new RedisClient(engine.url)
  await redis.set('key', 'value')
  const { dir } = await redis.send('CONFIG', ['GET', 'dir'])
  redis.close()
  await engine.kill()
  await engine.restart()
  const again = new RedisClient(engine.url)
  expect([await again.exists('key'), existsSync(dir), isRunning(engine.pid)]).toEqual([false, true, true])
  again.close()
  await engine.stop()
  expect([existsSync(dir), isRunning(engine.pid)]).toEqual([false, false])
})

/** Runs one test on engines; `during` gets the address of its PostgreSQL, and the test passes or fails after it. */
async function runTests(body: string, during: (url: string, child: Bun.Subprocess) => void | Promise<void>) {
  const file = join(makeFolder(), 'one.test.ts')
  let child: Bun.Subprocess | null = null
  using server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      if (child) await during(await request.text(), child)
      return new Response()
    },
  })
  const told = `await fetch('${server.url}', { method: 'POST', body: process.env.TEST_DATABASE_URL })`
  writeFileSync(file, `import { expect, test } from 'bun:test'\ntest('one', async () => { ${told}; ${body} })\n`)
  child = Bun.spawn([process.execPath, 'test/postgres.ts', file], { cwd: ROOT, stdout: 'ignore', stderr: 'ignore' })
  return await child.exited
}

describe('the run of tests', () => {
  const CASES: readonly (readonly [string, string, NodeJS.Signals | null, number])[] = [
    ['that pass', 'expect(process.env.TEST_REDIS_URL).toStartWith("redis://")', null, 0],
    ['that fail', 'expect(1).toBe(2)', null, 1],
    ['that are interrupted', 'await new Promise(() => {})', 'SIGINT', 130],
    ['that are ended', 'await new Promise(() => {})', 'SIGTERM', 143],
  ]
  test.each(CASES)('%s ends with their code and leaves no engine behind', async (_, body, signal, code) => {
    let left = () => ['nothing was started'] as (string | number)[]
    const ended = await runTests(body, async (url, child) => {
      left = await traces(url)
      if (signal) child.kill(signal)
    })
    expect([ended, left()]).toEqual([code, []])
  })
})
