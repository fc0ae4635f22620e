import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../support/folder'
import { contradictions } from '../support/recount'
import { startServer } from '../support/server'
import { makeKey } from '../support/world'
import { Writer } from '../support/writers'

/** What must hold when the process is killed at any instant, and when the disk is full. */

/** The long form is `KILL_ROUNDS=50 bun test ./test/server/faults.server.ts`. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3)
const SETTINGS = { API_LIMIT_PER_HOUR: '10000000' }

/** How many requests the server has stored for a key, in all hours that it still knows. */
async function counted(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/api/usage`, { headers: { 'X-API-Key': key } })
  const { history } = (await response.json()) as { history: { used: number }[] }
  return history.reduce((sum, { used }) => sum + used, 0)
}

test(
  `killed ${ROUNDS} times under load: nothing acknowledged is lost, nothing is half done, no answer is uncounted`,
  async () => {
    const folder = makeFolder()
    const keys = [makeKey(1), makeKey(2)]
    const writers = [0, 1, 2, 3, 4, 5].map((n) => new Writer(keys[n % 2] ?? '', n))
    let server = await startServer({ folder, settings: SETTINGS })
    for (let round = 1; round <= ROUNDS; round++) {
      const before = await Promise.all(keys.map((key) => counted(server.url, key)))
      const answeredBefore = writers.map(({ answered }) => answered)
      // Another number of answers each round, so that the kill falls on other instants of commits and checkpoints.
      let left = 150 + ((round * 61) % 97)
      const enough = Promise.withResolvers<void>()
      const working = writers.map((writer) => writer.run(server.url, () => --left === 0 && enough.resolve()))
      await enough.promise
      await server.stop('SIGKILL')
      await Promise.all(working)
      expect(contradictions(folder)).toEqual([])

      server = await startServer({ folder, settings: SETTINGS })
      for (const [i, key] of keys.entries()) {
        const own = writers.filter((writer) => writer.key === key)
        const answered = own.reduce((sum, writer) => sum + writer.answered - (answeredBefore[writer.number] ?? 0), 0)
        const stored = (await counted(server.url, key)) - (before[i] ?? 0)
        // Each of its writers had one request in flight, which may have been counted or not.
        expect(stored).toBeWithin(answered - own.length, answered + own.length + 1)
      }
      for (const writer of writers) expect(await writer.losses(server.url)).toEqual([])
    }
    expect(contradictions(folder)).toEqual([])
    expect(writers.every(({ notes }) => notes.size > 0)).toBe(true)
  },
  20_000 + ROUNDS * 5_000,
)

test('on a full disk writes are 503 with the headers, reads go on, and with room again so do writes', async () => {
  // satchel.db fills its log long before meter.db does.
  const server = await startServer({ settings: SETTINGS, fileKiB: 1024 })
  const { url, folder } = server
  const writer = new Writer(makeKey(1), 0)
  let response = await writer.write(url)
  while (response.ok) response = await writer.write(url)
  expect(response.status).toBe(503)
  expect(response.headers.get('X-Tier')).toBe('api')
  expect(response.headers.get('X-RateLimit-Limit')).toBe(SETTINGS.API_LIMIT_PER_HOUR)
  expect(response.headers.get('X-RateLimit-Remaining')).toMatch(/^\d+$/)
  expect(writer.notes.size).toBeGreaterThan(1)
  expect(await writer.losses(url)).toEqual([])

  await Bun.spawn(['prlimit', '--pid', String(server.pid), '--fsize=unlimited:unlimited']).exited
  expect((await writer.write(url)).ok).toBe(true)
  expect(await writer.losses(url)).toEqual([])
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
  expect(contradictions(folder)).toEqual([])
})

/** Holds an answer to what is owed while the data cannot be reached. */
async function expectUnavailable(response: Response): Promise<void> {
  expect(response.status).toBe(503)
  expect(response.headers.get('X-Tier')).toBe('api')
  expect(response.headers.get('X-RateLimit-Limit')).toBe(SETTINGS.API_LIMIT_PER_HOUR)
  expect(response.headers.get('X-RateLimit-Remaining')).toMatch(/^\d+$/)
  expect(await response.text()).not.toMatch(/sqlite|database|disk|\.db/i)
}

describe('satchel.db', () => {
  test('locked by another process: writes are 503 with the headers, reads go on, and once it is free so do writes', async () => {
    const { url, folder } = await startServer({ settings: SETTINGS })
    const writer = new Writer(makeKey(1), 0)
    for (let i = 0; i < 5; i++) expect((await writer.write(url)).ok).toBe(true)
    const other = new Database(join(folder, 'satchel.db'))
    other.run('BEGIN IMMEDIATE')
    const { headers } = writer
    const note = () => fetch(`${url}/api/notes`, { method: 'POST', headers, body: '{"title":"T"}' })
    await expectUnavailable(await note())
    expect(await writer.losses(url)).toEqual([])
    other.run('ROLLBACK')
    other.close()
    expect((await note()).status).toBe(201)
    expect(contradictions(folder)).toEqual([])
  })

  test('damaged: all that needs it is 503 with the headers, the process lives, and goes on when it is mended', async () => {
    const first = await startServer({ settings: SETTINGS })
    const { folder } = first
    const writer = new Writer(makeKey(1), 0)
    for (let i = 0; i < 30; i++) expect((await writer.write(first.url)).ok).toBe(true)
    await first.stop('SIGTERM')
    const { url, stop } = await startServer({ folder, settings: SETTINGS })
    const sound = readFileSync(join(folder, 'satchel.db'))
    // All but the first page, of 4 KiB, by which SQLite knows that it is a database at all.
    overwrite(folder, Buffer.alloc(sound.length - 4096, 0xff))
    const { headers } = writer
    const ask = (method = 'GET') =>
      fetch(`${url}/api/notes`, method === 'GET' ? { headers } : { method, headers, body: '{"title":"T"}' })
    for (const method of ['GET', 'POST', 'GET']) await expectUnavailable(await ask(method))
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    overwrite(folder, sound.subarray(4096))
    while ((await ask()).status === 503);
    expect(await writer.losses(url)).toEqual([])
    expect((await ask('POST')).status).toBe(201)
    expect(await stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
    expect(contradictions(folder)).toEqual([])
  })
})

/** Writes over satchel.db from its second page on, in its place, as a failing disk does. */
function overwrite(folder: string, bytes: Uint8Array): void {
  const handle = openSync(join(folder, 'satchel.db'), 'r+')
  writeSync(handle, bytes, 0, bytes.length, 4096)
  closeSync(handle)
}
