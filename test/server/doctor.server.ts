import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { NEWEST_VERSION } from '../../src/db/open'
import { makeFolder } from '../support/folder'
import { runCommand, type Server, startServer } from '../support/server'

/** `satchel doctor`, on a real folder and a real server. */

const doctor = ({ folder, url }: Pick<Server, 'folder' | 'url'>, settings = {}) =>
  runCommand(folder, ['doctor'], { PORT: new URL(url).port, ...settings })
const faultsOf = (stdout: string) => stdout.split('\n').filter((line) => line.startsWith('To mend: '))

test('finds a new server sound, and says what it looked at', async () => {
  const server = await startServer()
  const { code, stdout, stderr } = await doctor(server)
  expect([code, stderr, faultsOf(stdout)]).toEqual([0, '', []])
  for (const fact of [
    `Satchel ${version} with Bun ${Bun.version}.`,
    `at version ${NEWEST_VERSION}, with SQLite 3.`,
    `The server at ${server.url} is Satchel ${version}; it keeps `,
  ])
    expect(stdout).toContain(fact)
  expect(stdout).toEndWith('\nNothing is to be mended.\n')
})

test('asks the language model one question with one tool, and says what came', async () => {
  const server = await startServer()
  const call = { id: 'a', type: 'function', function: { name: 'count_notes', arguments: '{}' } }
  const replies = [
    Response.json({ choices: [{ message: { content: '', tool_calls: [call] }, finish_reason: 'tool_calls' }] }),
    Response.json({ choices: [{ message: { content: 'Seven.' }, finish_reason: 'stop' }] }),
    Response.json({ error: { message: 'm does not support tools' } }, { status: 400 }),
    new Response('', { status: 401 }),
  ]
  const asked: { tools?: object[] }[] = []
  using model = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      asked.push(await request.json())
      return replies[asked.length - 1] ?? new Response('', { status: 500 })
    },
  })
  const settings = { CHAT_BASE_URL: `${model.url.origin}/v1`, CHAT_MODEL: 'm', CHAT_API_KEY: 'sk-very-secret' }
  const named = `The language model m at ${model.url.origin} `
  for (const came of [
    'called the tool it was given.',
    'answered in words and called no tool',
    'takes no tools (upstream_refused_tools)',
  ]) {
    const { code, stdout } = await doctor(server, settings)
    expect([code, stdout]).toEqual([0, expect.stringContaining(named + came)])
  }
  const { code, stdout } = await doctor(server, settings)
  expect([code, faultsOf(stdout)]).toEqual([
    2,
    [`To mend: ${named}did not answer: the server answered 401 (upstream_unauthorized); check CHAT_API_KEY.`],
  ])
  expect(stdout).not.toContain('sk-very-secret')
  expect(asked.map(({ tools }) => tools?.length)).toEqual([1, 1, 1, 1])
  const none = await doctor(server, { ...settings, CHAT_BASE_URL: 'http://127.0.0.1:1' })
  expect(none.stdout).toContain('(upstream_unreachable); check CHAT_BASE_URL.')
})

test('says what is to be mended, and exits 2', async () => {
  const settings = { TRUSTED_PROXIES: '127.0.0.2', MIN_FREE_BYTES: String(2 ** 50) }
  const server = await startServer({ settings })
  // From a proxy that is not declared.
  await fetch(`${server.url}/api/notes`, { headers: { 'X-Forwarded-For': '203.0.113.7' } })
  chmodSync(join(server.folder, 'secret'), 0o644)
  const { code, stdout } = await doctor(server, settings)
  expect([code, faultsOf(stdout)]).toEqual([
    2,
    [
      'To mend: others than its owner can read the file "secret": set its mode to 0600.',
      expect.stringContaining('the disk has less room than MIN_FREE_BYTES, 1073741824 MiB'),
      expect.stringMatching(/^To mend: a forwarding header came from .* name it there \(undeclared_proxy\)\.$/),
    ],
  ])
  expect(stdout).not.toContain('203.0.113.7')
})

test('notices a server and a database of another version', async () => {
  const { folder, stop } = await startServer()
  await stop('SIGTERM')
  const db = new Database(join(folder, 'satchel.db'))
  db.run('DELETE FROM schema_versions WHERE version = (SELECT max(version) FROM schema_versions)')
  db.close()
  using other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      url.endsWith('/readyz')
        ? Response.json({ status: 'ready' })
        : new Response('satchel_info{version="9.9.9"} 1\nsatchel_meter_failing 1\nsatchel_warning{warning="new"} 1\n'),
  })
  const { code, stdout } = await doctor({ folder, url: other.url.origin })
  const newest = NEWEST_VERSION
  expect([code, faultsOf(stdout)]).toEqual([
    2,
    [
      `To mend: the database is at version ${newest - 1} of ${newest}: start this Satchel, or migrate it.`,
      'To mend: the server is Satchel 9.9.9: restart it with this one.',
      'To mend: requests cannot be counted, so all are refused: see the log.',
      'To mend: new (new).',
    ],
  ])
})

test('says why it could not look, after what it saw, and exits 1', async () => {
  const trusting = await startServer({ settings: { TRUSTED_PROXIES: '127.0.0.1' } })
  const hidden = await doctor(trusting)
  const why = `Satchel cannot doctor. The server at ${trusting.url} shows nothing to this machine: name 127.0.0.1 in METRICS_ALLOW.\n`
  expect([hidden.code, hidden.stderr]).toEqual([1, why])
  expect(hidden.stdout).toContain('with SQLite 3.')

  await trusting.stop('SIGTERM')
  const stopped = await doctor(trusting)
  expect([stopped.code, stopped.stderr]).toEqual([1, `Satchel cannot doctor. No server answers at ${trusting.url}.\n`])
  expect(stopped.stdout).not.toContain('Nothing is to be mended.')

  using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') })
  const stranger = await doctor({ folder: trusting.folder, url: other.url.origin })
  expect([stranger.code, stranger.stderr]).toEqual([1, expect.stringContaining('is not Satchel, or is failing.')])

  const empty = await doctor({ folder: makeFolder(), url: trusting.url })
  expect([empty.code, empty.stdout, empty.stderr]).toEqual([1, '', expect.stringContaining('holds no satchel.db.')])
})
