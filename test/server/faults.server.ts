import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { contradictions } from '../support/recount'
import { startServer } from '../support/server'
import { makeKey } from '../support/world'
import { Writer } from '../support/writers'

/** What must hold while the data cannot be reached. That it is killed, and that the disk is full: see torture.server.ts. */

const SETTINGS = { API_LIMIT_PER_HOUR: '10000000' }

/** Holds an answer to what is owed while the data cannot be reached. */
async function expectUnavailable(response: Response): Promise<void> {
  expect(response.status).toBe(503)
  expect(response.headers.get('X-Tier')).toBe('api')
  expect(response.headers.get('X-RateLimit-Limit')).toBe(SETTINGS.API_LIMIT_PER_HOUR)
  expect(response.headers.get('X-RateLimit-Remaining')).toMatch(/^\d+$/)
  expect(await response.text()).not.toMatch(/sqlite|database|disk|\.db/i)
}

describe('satchel.db', () => {
  test('locked by another process: writes are 503 with the headers and cost nothing, reads go on, and once it is free so do writes', async () => {
    const { url, folder } = await startServer({ settings: SETTINGS })
    const writer = new Writer(makeKey(1), 0)
    for (let i = 0; i < 5; i++) expect((await writer.write(url)).ok).toBe(true)
    const other = new Database(join(folder, 'satchel.db'))
    other.run('BEGIN IMMEDIATE')
    const readMetrics = async () => (await fetch(`${url}/metrics`)).text()
    while (!/^nodejs_eventloop_lag/m.test(await readMetrics()));
    const { headers } = writer
    const note = () => fetch(`${url}/api/notes`, { method: 'POST', headers, body: '{"title":"T"}' })
    const remaining = async () => (await (await fetch(`${url}/api/usage`, { headers })).json()).remaining
    const before = await remaining()
    const refused = await note()
    await expectUnavailable(refused)
    expect([Number(refused.headers.get('X-RateLimit-Remaining')), await remaining()]).toEqual([before, before])
    expect(await writer.losses(url)).toEqual([])
    const metrics = await readMetrics()
    expect(metrics).toMatch(/^satchel_slow_statements_total\{statement="begin"\} [1-9]/m)
    expect(Number(/^nodejs_eventloop_lag_max_seconds (.*)$/m.exec(metrics)?.[1])).toBeGreaterThan(0.5)
    other.run('ROLLBACK')
    other.close()
    expect((await note()).status).toBe(201)
    expect(await contradictions(folder)).toEqual([])
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
    // What was tried on the damaged file meanwhile, such as indexing, may have to open it anew first.
    while ((await ask('POST')).status === 503);
    expect((await ask('POST')).status).toBe(201)
    expect(await stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
    expect(await contradictions(folder)).toEqual([])
  })
})

/** Writes over satchel.db from its second page on, in its place, as a failing disk does. */
function overwrite(folder: string, bytes: Uint8Array): void {
  const handle = openSync(join(folder, 'satchel.db'), 'r+')
  writeSync(handle, bytes, 0, bytes.length, 4096)
  closeSync(handle)
}
