import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../support/folder'
import { leftOut } from '../support/full'
import { beWithinAnHour } from '../support/keys'
import { EXECUTABLE } from '../support/process'
import { type Ended, failToStart, startServer } from '../support/server'
import { makeKey } from '../support/world'

/** The server as a process: how it starts, ends, and refuses to start. */

const usage = async (url: string) => (await (await fetch(`${url}/api/usage`)).json()) as { remaining: number }

function expectOneSentence({ code, stdout, stderr }: Ended, sentence: RegExp): void {
  expect(stderr).toMatch(/^Satchel cannot start\. [^\n]+\.\n$/)
  expect(stderr).toMatch(sentence)
  expect(stderr).not.toMatch(/\n\s+at |\.ts:/)
  expect([code, stdout]).toEqual([1, ''])
}

test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('what was counted and stored outlives %s', async (signal) => {
  await beWithinAnHour()
  const first = await startServer()
  const made = await fetch(`${first.url}/api/notes`, {
    method: 'POST',
    body: JSON.stringify({ title: 'kept' }),
    headers: { 'Content-Type': 'application/json' },
  })
  const path = made.headers.get('Location') ?? ''
  for (let i = 0; i < 5; i++) await fetch(`${first.url}/api`)
  // One answer after those that are asked about: by then their counts are committed.
  expect(await usage(first.url)).toMatchObject({ remaining: 14 })
  const { code, stderr } = await first.stop(signal)
  expect([code, stderr]).toEqual([signal === 'SIGKILL' ? 137 : 0, ''])
  const second = await startServer({ folder: first.folder })
  expect(await usage(second.url)).toMatchObject({ remaining: 14 })
  expect(await (await fetch(second.url + path)).json()).toMatchObject({ title: 'kept' })
})

test('the data folder that it makes, and every file in it, are for its owner alone', async () => {
  const server = await startServer({ folder: join(makeFolder(), 'data') })
  await fetch(`${server.url}/api/notes`, {
    method: 'POST',
    body: '{}',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': makeKey(1) },
  })
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  const names = readdirSync(server.folder)
  expect(names).toContainValues(['secret', 'satchel.db', 'satchel.db-wal', 'satchel.db-shm', 'meter.db'])
  expect(modeOf(server.folder)).toBe('700')
  expect(names.map((name) => `${name} ${modeOf(join(server.folder, name))}`)).toEqual(
    names.map((name) => `${name} 600`),
  )
})

test('SIGTERM lets a request in flight finish, even if it comes again, takes no new ones, and exits 0', async () => {
  const server = await startServer()
  const { port } = new URL(server.url)
  const body = JSON.stringify({ title: 'in flight' })
  const continued = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<string>()
  let received = ''
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(port),
    socket: {
      data: (_, chunk) => {
        received += chunk.toString()
        if (received.includes('100 Continue')) continued.resolve()
      },
      close: () => answered.resolve(received),
    },
  })
  const head = [
    'Host: localhost',
    'Content-Type: application/json',
    'Expect: 100-continue',
    `Content-Length: ${body.length}`,
  ]
  socket.write(`${['POST /api/notes HTTP/1.1', ...head].join('\r\n')}\r\n\r\n${body.slice(0, 5)}`)
  await continued.promise
  const ended = server.stop('SIGTERM')
  const refused = async () =>
    fetch(server.url, { keepalive: false }).then(
      () => false,
      () => true,
    )
  while (!(await refused()));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.kill(server.pid, signal)
  socket.write(body.slice(5))
  expect(await answered.promise).toMatch(/HTTP\/1\.1 201 Created.*"title":"in flight"/s)
  expect((await ended).code).toBe(0)
  const again = await startServer({ folder: server.folder })
  expect(await (await fetch(`${again.url}/api/notes`)).json()).toMatchObject({ items: [{ title: 'in flight' }] })
})

test('SIGTERM ends the streams of changes, and a second signal on the way changes nothing', async () => {
  const server = await startServer()
  const { body } = await fetch(`${server.url}/api/changes/stream`)
  const ends = Promise.all([server.stop('SIGTERM'), server.stop('SIGINT')])
  for await (const chunk of body ?? []) expect(new TextDecoder().decode(chunk)).toBe(': ping\n\n')
  const [{ code, stdout }] = await ends
  expect([code, stdout.match(/has stopped/g)?.length, stdout.includes('"level":60')]).toEqual([0, 1, false])
})

/** A test that puts a script before the server's own, which the executable does not take. */
const fromSource = EXECUTABLE === undefined ? test : leftOut

/** A server whose listener stops as the code says: what may go wrong in a library, or in the system. */
async function startStoppingBy(code: string) {
  const preload = join(makeFolder(), 'stop.js')
  writeFileSync(
    preload,
    `const { serve } = Bun; Bun.serve = (options) => Object.assign(serve(options), { stop() { ${code} } })`,
  )
  return startServer({ settings: { BUN_OPTIONS: `--preload ${preload}` } })
}

fromSource.each([
  ['never ends', 'return new Promise(() => {})', 14_000, 17_000, 'Satchel could not stop in time'],
  ['rejects', 'return Promise.reject(new Error("broken"))', 0, 5000, 'Satchel could not stop in order'],
  ['throws', 'throw new Error("broken")', 0, 5000, 'Satchel could not stop in order'],
])('where stopping %s, SIGTERM ends it with 1, and the next one starts', async (_, code, least, most, words) => {
  const server = await startStoppingBy(code)
  const began = performance.now()
  const ended = await server.stop('SIGTERM')
  expect(performance.now() - began).toBeWithin(least, most)
  expect([ended.code, ended.stderr]).toEqual([1, ''])
  expect(ended.stdout.trimEnd().split('\n').at(-1)).toContain(words)
  expect((await fetch(`${(await startServer({ folder: server.folder })).url}/api`)).status).toBe(200)
})

test('neither the disk nor the log holds a key or an address', async () => {
  const server = await startServer({ settings: { LOG_LEVEL: 'trace', TRUSTED_PROXIES: '127.0.0.1' } })
  const keys = [makeKey(1), 'a-key-of-my-own', 'bad key', `${makeKey(2)}x`]
  const addresses = ['203.0.113.9', '2001:db8:1234:5678::1', '198.51.100.23']
  for (const key of keys) {
    for (const address of addresses) {
      const headers = { 'X-API-Key': key, 'X-Forwarded-For': `junk, ${address}`, 'Content-Type': 'application/json' }
      for (const body of ['{"title":"T"}', '{'])
        await fetch(`${server.url}/api/notes`, { method: 'POST', headers, body })
    }
  }
  const { code, stdout, stderr } = await server.stop('SIGTERM')
  const files = readdirSync(server.folder)
  expect([code, files.toSorted()]).toEqual([0, expect.arrayContaining(['meter.db', 'satchel.db', 'secret'])])
  const texts = [stdout, stderr, ...files.map((name) => readFileSync(join(server.folder, name), 'latin1'))]
  for (const text of texts) {
    for (const secret of [...keys, ...addresses]) expect(text.includes(secret)).toBe(false)
    for (const bytes of ['cb007109', '20010db812345678', 'c6336417'])
      expect(text.includes(Buffer.from(bytes, 'hex').toString('latin1'))).toBe(false)
  }
})

describe('it exits 1 with one sentence on stderr', () => {
  test('when another server uses the data folder, which goes on undisturbed', async () => {
    const server = await startServer()
    expectOneSentence(await failToStart({ folder: server.folder }), /only one Satchel can run on a data folder/)
    expect((await fetch(`${server.url}/api`)).status).toBe(200)
  })

  test('when the port is in use', async () => {
    const { url } = await startServer()
    const { port } = new URL(url)
    expectOneSentence(await failToStart({ settings: { PORT: port } }), new RegExp(`PORT ${port} .*in use`))
  })

  test('when the address is not of this machine', async () => {
    expectOneSentence(await failToStart({ settings: { HOST: '203.0.113.7' } }), /HOST 203\.0\.113\.7 /)
  })

  test.each(['file', 'file/folder'])('when the data folder cannot be made: %s', async (name) => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'file'), '')
    expectOneSentence(await failToStart({ folder: join(folder, name) }), /DATA_DIR .*file/)
  })

  test('when the data folder is one that nobody can write to', async () => {
    expectOneSentence(await failToStart({ folder: '/proc' }), /\/proc\b/)
  })

  test('when the secret is no secret', async () => {
    expectOneSentence(await failToStart({ settings: { SATCHEL_SECRET: 'abc' } }), /SATCHEL_SECRET must be 32 bytes/)
  })

  test('when the secret is another one than before, or gone', async () => {
    const { folder, stop } = await startServer()
    await stop('SIGTERM')
    const settings = { SATCHEL_SECRET: '07'.repeat(32) }
    expectOneSentence(await failToStart({ folder, settings }), /belongs to another secret/)
    await Bun.file(join(folder, 'meter.db')).delete()
    expectOneSentence(await failToStart({ folder, settings }), /satchel\.db belongs to another secret/)
    await Bun.file(join(folder, 'secret')).delete()
    expectOneSentence(await failToStart({ folder }), /secret is missing/)
  })

  test('when a newer Satchel has written the database', async () => {
    const { folder, stop } = await startServer()
    await stop('SIGTERM')
    const db = new Database(join(folder, 'satchel.db'))
    db.run('INSERT INTO schema_versions (version, applied_at) VALUES (9999, 0)')
    db.close()
    expectOneSentence(await failToStart({ folder }), /version 9999.*newer Satchel/)
  })

  test('when satchel.db is no database, or either is a folder', async () => {
    const settings = { SATCHEL_SECRET: '07'.repeat(32) }
    const broken = makeFolder()
    writeFileSync(join(broken, 'satchel.db'), 'no database '.repeat(1000))
    expectOneSentence(await failToStart({ folder: broken, settings }), /satchel\.db/)
    for (const name of ['satchel.db', 'meter.db']) {
      const blocked = makeFolder()
      mkdirSync(join(blocked, name))
      expectOneSentence(await failToStart({ folder: blocked, settings }), new RegExp(name))
    }
  })

  test('for each bad setting, all at once', async () => {
    const bad = {
      PORT: 'x',
      FREE_LIMIT_PER_HOUR: '0',
      LOG_LEVEL: 'loud',
      TRUSTED_PROXIES: '10.0.0.1/8',
      CORS_ORIGIN: 'a',
    }
    const { code, stdout, stderr } = await failToStart({ settings: bad })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.trim().split('\n')).toHaveLength(Object.keys(bad).length)
    for (const name of Object.keys(bad))
      expect(stderr).toMatch(new RegExp(`^(Satchel cannot start\\. )?${name} .+\\.$`, 'm'))
  })
})
