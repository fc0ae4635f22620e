import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { NEWEST_VERSION } from '../../src/db/open'
import { makeFolder } from '../support/folder'
import { startNginxBelow, startNginxWith } from '../support/nginx'
import { runCommand, type Server, startServer } from '../support/server'

/** `satchel doctor`, on a real folder and a real server. */

const doctor = ({ folder, url }: Pick<Server, 'folder' | 'url'>, settings = {}, options: readonly string[] = []) =>
  runCommand(folder, ['doctor', ...options], { PORT: new URL(url).port, ...settings })
const faultsOf = (stdout: string) => stdout.split('\n').filter((line) => line.startsWith('To mend: '))

test('finds a new server sound, and says what it looked at', async () => {
  const server = await startServer()
  const { code, stdout, stderr } = await doctor(server)
  expect([code, stderr, faultsOf(stdout)]).toEqual([0, '', []])
  for (const fact of [
    `Satchel ${version} with Bun ${Bun.version}.`,
    `at version ${NEWEST_VERSION}, with SQLite 3.`,
    'No proxy is believed: a caller is the address that connects.',
    `The server at ${server.url} is Satchel ${version}; it keeps `,
  ])
    expect(stdout).toContain(fact)
  expect(stdout).toEndWith('\nNothing is to be mended.\n')
})

test('says what is to be mended, and exits 2', async () => {
  const settings = { TRUSTED_PROXIES: '127.0.0.2', MIN_FREE_BYTES: String(2 ** 50) }
  const server = await startServer({ settings })
  // From a proxy that is not declared.
  await fetch(`${server.url}/api/notes`, { headers: { 'X-Forwarded-For': '203.0.113.7' } })
  chmodSync(join(server.folder, 'secret'), 0o644)
  const { code, stdout } = await doctor(server, settings)
  expect(stdout).toContain('The proxies in TRUSTED_PROXIES are believed, which name the caller in X-Forwarded-For.')
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
  const { code, stdout, stderr } = await doctor({ folder, url: other.url.origin })
  expect(stderr).toContain('does not say what it takes a request for: it has another data folder, ')
  const newest = NEWEST_VERSION
  expect([code, faultsOf(stdout)]).toEqual([
    1,
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

/** The lines of the guide; the proxy connects from an address of its own, so that the command's is not trusted. */
const HOST = 'proxy_set_header Host $http_host;'
const CHAIN = 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;'
const PROXY = '127.0.0.2'
const linesTo = (url: string, lines: string, from = PROXY) => `proxy_pass ${url}; proxy_bind ${from}; ${lines}`

describe('through nginx', () => {
  test.each<[string, Record<string, string>, string, RegExp[]]>([
    ['the right lines', { TRUSTED_PROXIES: PROXY }, HOST + CHAIN, []],
    [
      'a header of its own',
      { TRUSTED_PROXIES: PROXY, CLIENT_IP_HEADER: 'X-Real-IP' },
      `${HOST} proxy_set_header X-Real-IP $remote_addr;`,
      [],
    ],
    [
      'no Host',
      { TRUSTED_PROXIES: PROXY },
      CHAIN,
      [/^a proxy sends the Host 127\.0\.0\.1:\d+ in place of 127\.0\.0\.1:\d+, .*\$http_host\)/],
    ],
    [
      'no X-Forwarded-For',
      { TRUSTED_PROXIES: PROXY },
      `${HOST} proxy_set_header X-Forwarded-For "";`,
      [/^127\.0\.0\.2 is of TRUSTED_PROXIES and sends no X-Forwarded-For, so all callers are counted as one/],
    ],
    [
      'X-Forwarded-For as the caller sends it',
      { TRUSTED_PROXIES: PROXY },
      HOST,
      [
        /^127\.0\.0\.2 is .* sends no X-Forwarded-For/,
        /^who sends X-Forwarded-For is taken for any address, .* 127\.0\.0\.2 /,
      ],
    ],
    [
      'another header',
      { TRUSTED_PROXIES: PROXY, CLIENT_IP_HEADER: 'X-Real-IP' },
      `${HOST}${CHAIN} proxy_set_header X-Real-IP "";`,
      [
        /^the proxy 127\.0\.0\.2 names callers in x-forwarded-for, not in X-Real-IP, .* set CLIENT_IP_HEADER=x-forwarded-for/,
      ],
    ],
    [
      'no address',
      { TRUSTED_PROXIES: PROXY },
      `${HOST} proxy_set_header X-Forwarded-For unknown;`,
      [/^X-Forwarded-For "unknown" cannot be read/],
    ],
    [
      'a proxy that is not declared',
      {},
      HOST + CHAIN,
      [/^a proxy at 127\.0\.0\.2 names callers and is not believed, .* set TRUSTED_PROXIES=127\.0\.0\.2$/],
    ],
    [
      'one that says nothing either',
      {},
      HOST,
      [/^127\.0\.0\.2, which connects, .* set TRUSTED_PROXIES=127\.0\.0\.2; .* leave --url out/],
    ],
    [
      'one other than declared',
      { TRUSTED_PROXIES: '10.0.0.1' },
      HOST,
      [/^127\.0\.0\.2, which connects, .* unset TRUSTED_PROXIES/],
    ],
  ])('with %s', async (_, settings, lines, expected) => {
    const server = await startServer({ settings })
    await using nginx = await startNginxWith(linesTo(server.url, lines))
    const { code, stdout, stderr } = await doctor(server, settings, [`--url=${nginx.url}`])
    // What the server warned of meanwhile is said, too.
    const faults = faultsOf(stdout).filter((line) => !/\(\w+\)\.$/.test(line))
    expect([stderr, faults]).toEqual([
      '',
      expected.map((fault) =>
        expect.stringMatching(new RegExp(`^To mend: ${fault.source.replace(/^\^/, '').replace(/\$$/, '')}.*\\.$`)),
      ),
    ])
    expect(code).toBe(expected.length === 0 ? 0 : 2)
    if (expected.length === 0)
      expect(stdout).toContain(
        `Asked at ${nginx.url}, the server takes the caller for 127.0.0.1 (from ${settings.CLIENT_IP_HEADER ?? 'X-Forwarded-For'} "127.0.0.1", which 127.0.0.2 sent, of TRUSTED_PROXIES), the host for ${new URL(nginx.url).host} and the scheme for http.`,
      )
  })

  test.each([
    ['both declared', `${PROXY}, 127.0.0.3`, null],
    [
      'the inner one declared',
      PROXY,
      /^To mend: 127\.0\.0\.3 is counted as the caller, but is a proxy, .* "127\.0\.0\.1, 127\.0\.0\.3" .* name 127\.0\.0\.3 in TRUSTED_PROXIES, too\.$/,
    ],
  ])('of which there are two, %s', async (_, TRUSTED_PROXIES, fault) => {
    const server = await startServer({ settings: { TRUSTED_PROXIES } })
    await using inner = await startNginxWith(linesTo(server.url, HOST + CHAIN))
    await using outer = await startNginxWith(linesTo(inner.url, HOST + CHAIN, '127.0.0.3'))
    const { stdout } = await doctor(server, {}, [`--url=${outer.url}`])
    expect(faultsOf(stdout)).toEqual(fault ? [expect.stringMatching(fault)] : [])
  })

  test('of which the outer one, declared, passes on what callers send', async () => {
    const server = await startServer({ settings: { TRUSTED_PROXIES: `${PROXY}, 127.0.0.3` } })
    await using inner = await startNginxWith(linesTo(server.url, HOST + CHAIN))
    await using outer = await startNginxWith(linesTo(inner.url, HOST, '127.0.0.3'))
    const { stdout } = await doctor(server, {}, [`--url=${outer.url}/`])
    expect(stdout).toContain('a proxy on it that names no caller')
  })

  test('with TLS, below a path, asked from the machine of the proxy', async () => {
    const settings = { TRUSTED_PROXIES: '127.0.0.1', METRICS_ALLOW: '127.0.0.1' }
    const server = await startServer({ settings })
    await using nginx = await startNginxBelow('/satchel/', server.url)
    const refused = await doctor(server, settings, [`--url=${nginx.url}`])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/No server answers at https:.* \(\w+\)\.\n$/),
    ])
    const trusting = { ...settings, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    const { code, stdout } = await doctor(server, trusting, [`--url=${nginx.url}`])
    expect([code, faultsOf(stdout)]).toEqual([0, []])
    expect(stdout).toContain(
      `Asked at ${nginx.url.slice(0, -1)}, the server takes the caller for 127.0.0.1 (from X-Forwarded-For`,
    )
    expect(stdout).toContain('That is this machine itself, or a proxy on it that names no caller')
    const astray = await doctor(server, trusting, [`--url=${nginx.url}nowhere`])
    expect([astray.code, astray.stderr]).toEqual([
      1,
      expect.stringMatching(/What answers .* is not Satchel: status 404\.\n$/),
    ])
  })
})
