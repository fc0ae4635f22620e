import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { NEWEST_VERSION } from '../../src/db/open'
import { findKeyFault } from '../../src/gate/keys'
import { makeFolder } from '../support/folder'
import { startSpy } from '../support/proxy-spy'
import { runCommand, startServer } from '../support/server'

/** The command line, as a process. */

const SECRET = '07'.repeat(32)

/** A folder with a new database, as a start that was killed leaves it. */
function newFolder(): string {
  const folder = makeFolder()
  writeFileSync(join(folder, 'satchel.db'), '')
  return folder
}

/** A folder as a Satchel before the first release left it. */
function olderFolder(): string {
  const folder = newFolder()
  writeFileSync(join(folder, 'secret'), SECRET, { mode: 0o600 })
  sql(folder, 'PRAGMA journal_mode = WAL')
  sql(folder, 'CREATE TABLE migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)')
  sql(folder, 'INSERT INTO migrations VALUES (1, 0), (43, 0)')
  return folder
}

function sql(folder: string, statement: string): void {
  const db = new Database(join(folder, 'satchel.db'))
  db.run(statement)
  db.close()
}

test('version and key print one line, and need no settings', async () => {
  const bad = { PORT: 'x' }
  for (const name of ['version', '--version', '-v'])
    expect(await runCommand(makeFolder(), [name], bad)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  const { code, stdout } = await runCommand(makeFolder(), ['key'], bad)
  expect([code, stdout.startsWith('satchel_'), findKeyFault(stdout.trim())]).toEqual([0, true, null])
})

describe('help', () => {
  const NAMES = 'serve key backup restore check migrate import health doctor version help'.split(' ')

  test('lists every command, however it is asked for; without a command it is shown as a fault', async () => {
    const help = await runCommand(makeFolder(), ['help'])
    expect([help.code, help.stderr]).toEqual([0, ''])
    expect([...help.stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)).toEqual(NAMES)
    for (const asked of ['--help', '-h']) expect(await runCommand(makeFolder(), [asked])).toEqual(help)
    const none = { code: 1, stdout: '', stderr: `Satchel cannot do this. It needs a command.\n${help.stdout}` }
    expect(await runCommand(makeFolder(), [])).toEqual(none)
  })

  test.each(NAMES)('of %s says what it takes, and runs nothing', async (name) => {
    const folder = makeFolder()
    const help = await runCommand(folder, ['help', name])
    expect([help.code, help.stderr, help.stdout.split(/\s/, 3)]).toEqual([0, '', ['Usage:', 'satchel', name]])
    expect(help.stdout).toContain('Exits with 0 if done, 1 with a sentence on stderr if not')
    for (const args of [['--help'], ['-h'], ['x', '--help']])
      expect(await runCommand(folder, [name, ...args])).toEqual(help)
    expect(readdirSync(folder)).toEqual([])
  })
})

test.each([
  [['nothing'], 'do this. There is no command nothing: `satchel help` lists all.'],
  [['constructor'], 'do this. There is no command constructor: `satchel help` lists all.'],
  [['srve'], 'do this. There is no command srve, but there is serve: `satchel help` lists all.'],
  [['--fast'], 'do this. There is no command --fast: `satchel help` lists all.'],
  [['help', 'bakcup'], 'help. There is no command bakcup, but there is backup: `satchel help` lists all.'],
  [['import', 'a.zip', '--url', 'http://a.example'], 'import. The option --url is written --url=ADDRESS.'],
  [['backup'], 'backup. FILE is missing: satchel backup FILE.'],
  [['backup', ''], 'backup. FILE is missing: satchel backup FILE.'],
  [['restore', 'a', 'b'], 'restore. It takes one FILE: b is too much.'],
  [['check', 'x'], 'check. It takes no parameter: x is too much.'],
  [['check', '--fast'], 'check. It has no option --fast: satchel check.'],
  [['serve', '-p=1'], 'serve. It has no option -p: satchel serve.'],
])('%j is answered by one sentence', async (args, sentence) => {
  const stderr = `Satchel cannot ${sentence}\n`
  expect(await runCommand(makeFolder(), args)).toEqual({ code: 1, stdout: '', stderr })
})

test('health says that a server is not ready, by what it answers', async () => {
  using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(null, { status: 503 }) })
  const { code, stderr } = await runCommand(makeFolder(), ['health'], { PORT: `${other.port}` })
  expect([code, stderr]).toEqual([
    1,
    `Satchel cannot health. The server at ${other.url.origin} is not ready: it answers 503.\n`,
  ])
})

test.each([['health'], ['doctor']])('%s asks past any proxy of the environment', async (name) => {
  const server = await startServer()
  using proxy = startSpy()
  const settings = { PORT: new URL(server.url).port, HTTP_PROXY: proxy.url, http_proxy: proxy.url }
  const { code, stderr } = await runCommand(server.folder, [name], settings)
  expect([code, stderr, proxy.connections]).toEqual([0, '', 0])
})

test('a bad setting stops a command with its sentence', async () => {
  const { code, stderr } = await runCommand(makeFolder(), ['check'], { METRICS_ALLOW: '10.0.0.1/8' })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^Satchel cannot check\. METRICS_ALLOW .*\.\n$/)])
})

describe('check', () => {
  test('finds a database sound, also while a server runs on it', async () => {
    const server = await startServer()
    const sound = { code: 0, stdout: 'The database is sound.\n', stderr: '' }
    await fetch(`${server.url}/api/notes`, {
      method: 'POST',
      body: '{}',
      headers: { 'Content-Type': 'application/json' },
    })
    const inUse = `${sound.stdout}meter.db was not checked: a server uses it.\n`
    expect(await runCommand(server.folder, ['check'])).toEqual({ ...sound, stdout: inUse })
    expect((await server.stop('SIGTERM')).code).toBe(0)
    expect(await runCommand(server.folder, ['check'])).toEqual(sound)
  })

  test('says what is wrong, and exits 2', async () => {
    const server = await startServer()
    const headers = { 'Content-Type': 'application/json' }
    await fetch(`${server.url}/api/notes`, { method: 'POST', body: '{}', headers })
    await server.stop('SIGTERM')
    sql(server.folder, 'UPDATE workspaces SET resources = resources + 1')
    sql(server.folder, "DELETE FROM changes WHERE type = 'note'")
    const { code, stdout } = await runCommand(server.folder, ['check'])
    expect([code, stdout]).toEqual([2, expect.stringMatching(/^totals: .*"counted":1.*\nnote and feed: .*\n$/)])
  })

  test.each(['satchel.db', 'meter.db'])('says which pages of %s are damaged, and exits 2', async (name) => {
    const server = await startServer()
    const headers = { 'Content-Type': 'application/json' }
    await fetch(`${server.url}/api/notes`, { method: 'POST', body: '{}', headers })
    await server.stop('SIGTERM')
    const path = join(server.folder, name)
    const whole = new Uint8Array(await Bun.file(path).arrayBuffer())
    const damages: ((bytes: Uint8Array) => void)[] = [
      (bytes) => bytes.fill(0, 4096, 8192),
      (bytes) => bytes.fill(255, 2 * 4096, 3 * 4096),
      (bytes) => bytes.fill(120),
      (bytes) => bytes.fill(0, 100, 4096),
    ]
    for (const damage of damages) {
      const bytes = Uint8Array.from(whole)
      damage(bytes)
      await Bun.write(path, bytes)
      const { code, stdout, stderr } = await runCommand(server.folder, ['check'])
      expect([code, stdout, stderr]).toEqual([
        2,
        expect.stringMatching(name === 'meter.db' ? name : /integrity|damaged/),
        '',
      ])
    }
    await Bun.write(path, whole)
    expect((await runCommand(server.folder, ['check'])).code).toBe(0)
  })

  test('says why it cannot look, and exits 1', async () => {
    for (const [folder, sentence] of [
      [makeFolder(), /holds no satchel\.db/],
      [newFolder(), /is at version 0, .* migrate it first/],
    ] as const) {
      const { code, stdout, stderr } = await runCommand(folder, ['check'])
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(sentence)])
    }
  })
})

describe('migrate', () => {
  test('brings a database up to date, once and for all', async () => {
    const folder = newFolder()
    const settings = { SATCHEL_SECRET: SECRET }
    for (let i = 0; i < 2; i++) {
      const done = await runCommand(folder, ['migrate'], settings)
      expect(done).toEqual({
        code: 0,
        stdout: expect.stringContaining(`is at version ${NEWEST_VERSION}.\n`),
        stderr: '',
      })
    }
    expect((await runCommand(folder, ['check'], settings)).code).toBe(0)
  })

  test('refuses a folder that a server uses, which goes on, and one without a database', async () => {
    const server = await startServer()
    const refused = await runCommand(server.folder, ['migrate'])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/only one Satchel can run/)])
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    const empty = await runCommand(makeFolder(), ['migrate'])
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringMatching(/holds no satchel\.db/)])
  })
})

describe('a folder of before the first release', () => {
  test.each(['serve', 'migrate', 'migrate --to=postgres://127.0.0.1:1/x', 'check', 'doctor', 'backup FILE'])(
    'is refused by %s in one sentence, and stays as it is',
    async (command) => {
      const folder = olderFolder()
      const contents = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')])
      const before = contents()
      const [name = '', ...parameters] = command.replace('FILE', join(makeFolder(), 'backup.db')).split(' ')
      const refused = await runCommand(folder, [name, ...parameters], { PORT: '0' })
      const path = join(folder, 'satchel.db')
      const sentence = `${path} was made before Satchel 0.1.0, the first release, and cannot be opened: begin with an empty folder.\n`
      const begin = name === 'serve' ? 'start' : name
      expect(refused).toEqual({ code: 1, stdout: '', stderr: `Satchel cannot ${begin}. ${sentence}` })
      expect(contents()).toEqual(before)
    },
  )

  test('whose backup is restored is refused, and nothing is made', async () => {
    const older = olderFolder()
    sql(older, 'CREATE TABLE backup (secret TEXT NOT NULL, made_at INTEGER NOT NULL)')
    sql(older, `INSERT INTO backup VALUES ('${SECRET}', 0)`)
    const folder = join(makeFolder(), 'data')
    const { code, stderr } = await runCommand(folder, ['restore', join(older, 'satchel.db')])
    expect([code, stderr]).toEqual([1, expect.stringContaining('was made before Satchel 0.1.0')])
    expect(existsSync(folder)).toBeFalse()
  })

  test('is no new one, no current one, and none from a backup: these start', async () => {
    const [files, restored] = [makeFolder(), join(makeFolder(), 'data')]
    for (const folder of [makeFolder(), newFolder()]) {
      const settings = { SATCHEL_SECRET: SECRET }
      for (let start = 0; start < 2; start++) await (await startServer({ folder, settings })).stop('SIGTERM')
      expect((await runCommand(folder, ['check'], settings)).code).toBe(0)
      expect((await runCommand(folder, ['backup', join(files, 'backup.db')], settings)).code).toBe(0)
      expect((await runCommand(restored, ['restore', join(files, 'backup.db')])).code).toBe(0)
      await (await startServer({ folder: restored })).stop('SIGTERM')
      rmSync(restored, { recursive: true })
      rmSync(join(files, 'backup.db'))
    }
  })
})

test('serve serves', async () => {
  const child = Bun.spawn([process.execPath, 'src/cli.ts', 'serve'], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: makeFolder() },
    stdout: 'pipe',
  })
  const reader = child.stdout.getReader()
  let text = ''
  while (!/"url":"([^"]+)"/.test(text)) text += new TextDecoder().decode((await reader.read()).value)
  expect((await fetch(`${/"url":"([^"]+)"/.exec(text)?.[1]}healthz`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})
