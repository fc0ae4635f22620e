import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../support/folder'
import { contradictions } from '../support/recount'
import { type Ended, runCommand, startServer } from '../support/server'
import { makeKey } from '../support/world'
import { Writer } from '../support/writers'

/** backup and restore, as processes beside real servers. */

const SETTINGS = { API_LIMIT_PER_HOUR: '10000000' }

function expectOneSentence({ code, stdout, stderr }: Ended, sentence: RegExp): void {
  expect(stderr).toMatch(/^Satchel cannot \w+\. [^\n]+\.\n$/)
  expect(stderr).toMatch(sentence)
  expect([code, stdout]).toEqual([1, ''])
}

/** A folder that a server has served from: one note, one key. */
async function servedFolder(settings = {}): Promise<string> {
  const server = await startServer({ settings })
  await fetch(`${server.url}/api/notes`, {
    method: 'POST',
    body: '{"title":"kept"}',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': makeKey(1) },
  })
  await server.stop('SIGTERM')
  return server.folder
}

let made: Promise<{ folder: string; file: string }> | undefined

/** A folder that was served from, and its backup: made by the first test that asks, changed by none. */
function backedUp(): Promise<{ folder: string; file: string }> {
  made ??= backUp()
  return made
}

async function backUp(): Promise<{ folder: string; file: string }> {
  const folder = await servedFolder()
  const file = join(makeFolder(), 'backup.db')
  expect((await runCommand(folder, ['backup', file])).code).toBe(0)
  return { folder, file }
}

const titles = async (url: string) => {
  const response = await fetch(`${url}/api/notes`, { headers: { 'X-API-Key': makeKey(1) } })
  return ((await response.json()) as { items: { title: string }[] }).items.map(({ title }) => title)
}

async function get(url: string, id: string, key: string): Promise<{ title: string; body: string }> {
  return (await (await fetch(`${url}/api/notes/${id}`, { headers: { 'X-API-Key': key } })).json()) as never
}

test('of a server that is being written to: what was acknowledged before is there, nothing is by half', async () => {
  const server = await startServer({ settings: SETTINGS })
  const writers = [0, 1, 2, 3].map((n) => new Writer(makeKey(1 + (n % 2)), n))
  const first = Promise.withResolvers<void>()
  let count = 0
  const writing = writers.map((writer) => writer.run(server.url, () => ++count === 120 && first.resolve()))
  await first.promise
  const before = writers.map(({ notes }) => [...notes].filter(([, known]) => known.acknowledged !== null))
  const [files, answered] = [makeFolder(), count]
  // Two, so that one of them falls into a checkpoint or none does.
  const made = await Promise.all([1, 2].map((n) => runCommand(server.folder, ['backup', join(files, `${n}`)])))
  expect(made.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ])
  // The load went on meanwhile, and no request failed.
  expect(count).toBeGreaterThan(answered)
  expect(readdirSync(files).toSorted()).toEqual(['1', '2'])
  await server.stop('SIGKILL')
  await Promise.all(writing)

  for (const file of ['1', '2']) {
    const folder = join(makeFolder(), 'data')
    const { code, stdout } = await runCommand(folder.replace(/data$/, './data'), ['restore', join(files, file)])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${folder} is as it was at `)])
    expect(await contradictions(folder)).toEqual([])
    const restored = await startServer({ folder, settings: SETTINGS })
    const found = before.flatMap((notes, n) => notes.map(([id]) => get(restored.url, id, makeKey(1 + (n % 2)))))
    for (const { title, body } of await Promise.all(found)) {
      // Title and body belong to one change, acknowledged or in flight.
      expect([title, body.startsWith(`${title}\n`)]).toEqual([expect.stringMatching(/^change \d+ of writer \d$/), true])
    }
    expect((await fetch(`${restored.url}/readyz`)).status).toBe(200)
    await restored.stop('SIGTERM')
  }
})

describe('backup', () => {
  test('of a server at rest leaves the folder as it was, and a file for its owner alone', async () => {
    const folder = await servedFolder()
    const before = readdirSync(folder).toSorted()
    const file = join(makeFolder(), 'backup.db')
    const { code, stdout } = await runCommand(folder, ['backup', file])
    expect([code, stdout]).toEqual([0, expect.stringContaining(file)])
    expect(readdirSync(folder).toSorted()).toEqual(before)
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  })

  test('carries the secret of a setting as well, and refuses another than the database was made with', async () => {
    const secret = { SATCHEL_SECRET: '07'.repeat(32) }
    const folder = await servedFolder(secret)
    const files = makeFolder()
    const wrong = { SATCHEL_SECRET: '08'.repeat(32) }
    expectOneSentence(await runCommand(folder, ['backup', join(files, 'a')], wrong), /belongs to another secret/)
    expect(readdirSync(files)).toEqual([])
    expect((await runCommand(folder, ['backup', join(files, 'a')], secret)).code).toBe(0)
    const restored = join(makeFolder(), 'data')
    expectOneSentence(await runCommand(restored, ['restore', join(files, 'a')], wrong), /SATCHEL_SECRET differs from/)
    expect((await runCommand(restored, ['restore', join(files, 'a')])).code).toBe(0)
    const server = await startServer({ folder: restored })
    expect(await titles(server.url)).toEqual(['kept'])
  })

  test('says in one sentence what keeps it from being made', async () => {
    const { folder, file } = await backedUp()
    const before = readFileSync(file)
    expectOneSentence(await runCommand(folder, ['backup', file]), /exists already: a backup overwrites nothing/)
    expect(readFileSync(file).equals(before)).toBe(true)
    expectOneSentence(await runCommand(folder, ['backup', join(folder, 'nowhere/a')]), /nowhere.a cannot be made/)
    expectOneSentence(await runCommand(makeFolder(), ['backup', join(makeFolder(), 'a')]), /holds no satchel\.db/)
  })
})

describe('restore', () => {
  test('makes a folder that serves the same, with the secret in its file and in no other', async () => {
    const { folder, file } = await backedUp()
    const restored = join(makeFolder(), 'data')
    expect((await runCommand(restored, ['restore', file])).code).toBe(0)
    expect(readdirSync(restored).toSorted()).toEqual(['satchel.db', 'secret'])
    const modes = ['', 'satchel.db', 'secret'].map((name) => (statSync(join(restored, name)).mode & 0o777).toString(8))
    expect(modes).toEqual(['700', '600', '600'])
    const secret = readFileSync(join(folder, 'secret'), 'utf8')
    expect(readFileSync(join(restored, 'secret'), 'utf8')).toBe(secret)
    expect(readFileSync(join(restored, 'satchel.db'), 'latin1')).not.toContain(secret.trim())
    const server = await startServer({ folder: restored })
    expect(await titles(server.url)).toEqual(['kept'])
  })

  test.each([0o644, 0o400])(
    'makes a database for its owner alone, whatever the mode of the backup: %o',
    async (mode) => {
      const file = join(makeFolder(), 'copy.db')
      writeFileSync(file, readFileSync((await backedUp()).file))
      chmodSync(file, mode)
      const restored = makeFolder()
      expect((await runCommand(restored, ['restore', file])).code).toBe(0)
      expect(statSync(join(restored, 'satchel.db')).mode & 0o777).toBe(0o600)
    },
  )

  test.each(['satchel.db', 'secret', 'meter.db'])('overwrites nothing: %s', async (name) => {
    const { file } = await backedUp()
    const folder = makeFolder()
    writeFileSync(join(folder, name), 'mine')
    expectOneSentence(await runCommand(folder, ['restore', file]), /already: restore into an empty folder/)
    expect(readdirSync(folder)).toEqual([name])
    expect(readFileSync(join(folder, name), 'utf8')).toBe('mine')
  })

  test('refuses what is no backup, is damaged, or was written by a newer Satchel, and makes nothing', async () => {
    const { folder, file } = await backedUp()
    const files = makeFolder()
    const copy = (name: string, change: (bytes: Buffer<ArrayBuffer>) => unknown = () => {}) => {
      const bytes = Buffer.from(readFileSync(file))
      change(bytes)
      writeFileSync(join(files, name), bytes)
      return join(files, name)
    }
    const sql = (name: string, statement: string) => {
      const db = new Database(copy(name))
      db.run(statement)
      db.close()
      return join(files, name)
    }
    writeFileSync(join(files, 'text'), 'no backup '.repeat(1000))
    const target = join(makeFolder(), 'data')
    for (const [bad, sentence] of [
      [join(files, 'text'), /text cannot be read/],
      [join(files, 'nothing'), /nothing does not exist/],
      [join(folder, 'satchel.db'), /is not a backup of Satchel/],
      [copy('damaged', (bytes) => bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 20_000)), /damaged/],
      [sql('newer', 'INSERT INTO schema_versions VALUES (9999, 0)'), /version 9999/],
      [sql('no secret', "UPDATE backup SET secret = 'x'"), /must be 32 bytes/],
    ] as const) {
      expectOneSentence(await runCommand(target, ['restore', bad]), sentence)
      expect(readdirSync(join(target, '..'))).toEqual([])
    }
  })

  test('leaves nothing behind when the disk is full', async () => {
    const { file } = await backedUp()
    const folder = makeFolder()
    chmodSync(folder, 0o700)
    const child = Bun.spawn(
      ['bash', '-c', `trap '' XFSZ; ulimit -f 64; exec "$@"`, 'bash', process.execPath, 'src/cli.ts', 'restore', file],
      { env: { PATH: process.env.PATH, DATA_DIR: folder }, stdout: 'pipe', stderr: 'pipe' },
    )
    const stderr = await new Response(child.stderr).text()
    expect([await child.exited, stderr]).toEqual([1, expect.stringMatching(/^Satchel cannot restore\. .*\(\w+\)\.\n$/)])
    expect(readdirSync(folder)).toEqual([])
  })
})
