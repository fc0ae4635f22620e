import { describe, expect, test } from 'bun:test'
import { HEADER_LINE_BYTES, HOST, type Nginx, type Request, startNginx, startNginxBelow } from '../support/nginx'
import { type Server, type ServerOptions, startServer } from '../support/server'
import { makeKey } from '../support/world'

/** Behind Debian's nginx on the same machine, which appends the address it saw to what its client sent. */

const OUTSIDER = '203.0.113.9'
const NAME = 'X-Forwarded-For: '
/** As many as one line holds that nginx lets through. */
const most = (entry: string) => Math.floor((HEADER_LINE_BYTES - NAME.length - 2) / entry.length)
const line = (entry: string, times: number) => NAME + entry.repeat(times)

/** What clients forge: lines of the header, by what is in them. */
const FORGED: readonly (readonly [string, readonly string[]])[] = [
  ['nothing', []],
  ...['127.0.0.1,', '::1,', '198.51.100.7, ', 'junk,', ',', '"'].flatMap((entry) =>
    [1, 32, 33, most(entry)].map((times) => [`${times} x ${entry}`, [line(entry, times)]] as const),
  ),
  ['two lines', [line('127.0.0.1,', 750), line('127.0.0.1,', 750)]],
  ['a line of 4096 bytes', [line(',', 4096)]],
  ['another header', ['Forwarded: for=127.0.0.1', 'X-Real-IP: 127.0.0.1']],
]

async function behindNginx(
  settings: ServerOptions['settings'],
  body: (server: Server, ask: Nginx['ask']) => Promise<void>,
): Promise<void> {
  const server = await startServer({ settings: { TRUSTED_PROXIES: '127.0.0.1', ...settings } })
  await using nginx = await startNginx(server.url)
  await body(server, nginx.ask)
}

const metrics = (from: string, headers: readonly string[] = []): Request => ({ from, path: '/metrics', headers })

describe('behind nginx', () => {
  test('a forged chain of any length leaves the client what it is, and shows no metrics', () =>
    behindNginx({ FREE_LIMIT_PER_HOUR: '100' }, async ({ url }, ask) => {
      // The scratch space of the machine itself, where its operator tries things out.
      const made = await fetch(`${url}/api/notes`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Host: HOST },
        body: '{"title":"operator"}',
      })
      const path = made.headers.get('Location') ?? ''
      await ask({ from: OUTSIDER, method: 'POST', path: '/api/notes', body: '{"title":"outsider"}' })
      let left = 99
      for (const [what, headers] of FORGED) {
        const listed = await ask({ from: OUTSIDER, path: '/api/notes', headers })
        const titles = [...listed.text.matchAll(/"title":"(\w+)"/g)].map(([, title]) => title)
        const erased = await ask({ from: OUTSIDER, method: 'DELETE', path: `${path}?permanent=true`, headers })
        left -= 2
        expect([what, titles, erased.status, erased.headers.get('X-RateLimit-Remaining')]).toEqual([
          what,
          ['outsider'],
          404,
          String(left),
        ])
        expect([what, (await ask(metrics(OUTSIDER, headers))).status]).toEqual([what, 404])
      }
      expect((await fetch(url + path, { headers: { Host: HOST } })).status).toBe(200)
    }))

  test('a longer line than those is refused by nginx', () =>
    behindNginx({}, async (_, ask) => {
      const headers = [line('127.0.0.1,', most('127.0.0.1,') + 1)]
      const { status, text } = await ask({ from: OUTSIDER, path: '/api', headers })
      expect([status, text]).toEqual([400, expect.stringContaining('nginx')])
    }))

  test('no forged chain gives more new keys', () =>
    behindNginx({ NEW_KEYS_PER_DAY: '2' }, async (_, ask) => {
      const statuses: number[] = []
      for (const [seed, [, headers]] of FORGED.entries()) {
        const key = `X-API-Key: ${makeKey(seed)}`
        statuses.push((await ask({ from: OUTSIDER, path: '/api', headers: [key, ...headers] })).status)
      }
      expect(statuses).toEqual(FORGED.map((_, i) => (i < 2 ? 200 : 429)))
    }))

  test('each client has its own limit, in IPv6 too; the machine itself is one of them', () =>
    behindNginx({ FREE_LIMIT_PER_HOUR: '2', NEW_KEYS_PER_DAY: '1' }, async (_, ask) => {
      for (const from of [OUTSIDER, '203.0.113.10', '2001:db8:1:1::1', '2001:db8:1:2::1', '127.0.0.1']) {
        const headers = [`${NAME}198.51.100.7`]
        const statuses: number[] = []
        for (let i = 0; i < 3; i++) statuses.push((await ask({ from, path: '/api', headers })).status)
        for (const seed of [1, 2])
          statuses.push(
            (await ask({ from, path: '/api', headers: [`X-API-Key: key-${seed}-of-${from}`, ...headers] })).status,
          )
        expect([from, statuses]).toEqual([from, [200, 200, 429, 200, 429]])
      }
    }))

  test('METRICS_ALLOW names clients, and the machine of the proxy itself only without the proxy', () =>
    behindNginx({ METRICS_ALLOW: '127.0.0.1, 203.0.113.50' }, async ({ url }, ask) => {
      expect((await fetch(`${url}/metrics`)).status).toBe(200)
      expect((await ask(metrics('203.0.113.50'))).status).toBe(200)
      expect((await ask(metrics('127.0.0.1'))).status).toBe(404)
      for (const [what, headers] of FORGED)
        expect([what, (await ask(metrics(OUTSIDER, headers))).status]).toEqual([what, 404])
    }))

  test('the key page and curl share a space, a page of another site has one of its own', () =>
    behindNginx({ FREE_LIMIT_PER_HOUR: '100', METRICS_ALLOW: '127.0.0.1' }, async ({ url }, ask) => {
      const page = (origin: string, site: string) => [`Origin: ${origin}`, ...(site ? [`Sec-Fetch-Site: ${site}`] : [])]
      const list = async (headers: readonly string[]) => {
        const { text } = await ask({ from: OUTSIDER, path: '/api/notes', headers })
        return JSON.parse(text).items.length
      }
      await ask({ from: OUTSIDER, method: 'POST', path: '/api/notes', body: '{"title":"of curl"}' })
      expect(await list([])).toBe(1)
      for (const origin of [`https://${HOST}`, `http://${HOST}`])
        for (const site of ['same-origin', ''])
          expect([origin, site, await list(page(origin, site))]).toEqual([origin, site, 1])
      for (const origin of ['https://notes.example', 'https://evil.example', 'null'])
        for (const site of ['cross-site', 'same-site', ''])
          expect([origin, site, await list(page(origin, site))]).toEqual([origin, site, 0])
      const warned = async () => /warning="host_rewritten"\} 1\b/.test(await (await fetch(`${url}/metrics`)).text())
      expect(await warned()).toBe(false)
      await list(page('https://rewritten.example', 'same-origin'))
      expect(await warned()).toBe(true)
    }))

  test('the Host of the client reaches the server, with its port', () =>
    behindNginx({}, async (_, ask) => {
      const post = (path: string, body: object) =>
        ask({ from: OUTSIDER, method: 'POST', path, body: JSON.stringify(body) })
      await post('/api/notes', { title: 'House', body: 'The boiler warranty ends on 3 May 2027.' })
      const messages = [{ role: 'user', content: 'When does the boiler warranty end?' }]
      const { text } = await post('/api/openai/chat/completions', { model: 'auto', messages })
      expect(text).toContain(`"url":"http://${HOST}/api/notes/`)
    }))
})

describe('behind nginx that compresses, below a path', () => {
  const DIRECTIVES = 'gzip on; gzip_min_length 100; gzip_types application/json text/css text/javascript;\n'
  type Ask = (path: string, method?: string, headers?: Record<string, string>, body?: object) => Promise<Response>

  async function compressed(body: (ask: Ask) => Promise<void>): Promise<void> {
    const server = await startServer({ settings: { TRUSTED_PROXIES: '127.0.0.1' } })
    await using nginx = await startNginxBelow('/satchel/', server.url, DIRECTIVES)
    await body((path, method = 'GET', headers = {}, body) => {
      const sent = {
        'X-API-Key': makeKey(1),
        'Accept-Encoding': 'gzip',
        'Content-Type': 'application/json',
        ...headers,
      }
      const options = { method, headers: sent, tls: { rejectUnauthorized: false } }
      return fetch(nginx.url + path, body ? { ...options, body: JSON.stringify(body) } : options)
    })
  }
  const seen = ({ status, headers }: Response) => [status, headers.get('Content-Encoding')]

  test.each([
    ['300 characters, which nginx compresses and tags weakly', 300, /^W\/"\d[\d-]*"$/],
    ['10,000 characters, which the server compresses', 10_000, /^"\d[\d-]*\.gz"$/],
  ])('a note of %s is read, revalidated, listed and saved', (_, length, tag) =>
    compressed(async (ask) => {
      const body = 'The boiler warranty ends. '.repeat(length).slice(0, length)
      const made = await ask('api/notes', 'POST', {}, { title: 'House', body })
      const path = `api/notes/${(await made.json()).id}`
      const read = await ask(path)
      const etag = read.headers.get('ETag') ?? ''
      expect(seen(read)).toEqual([200, 'gzip'])
      expect(etag).toMatch(tag)
      expect((await read.json()).body).toBe(body)

      const again = await ask(path, 'GET', { 'If-None-Match': etag })
      expect([again.status, await again.text()]).toEqual([304, ''])
      const listed = await ask('api/notes')
      expect([...seen(listed), (await listed.json()).items.length]).toEqual([200, 'gzip', 1])

      const save = (title: string) => ask(path, 'PATCH', { 'If-Match': etag }, { title })
      expect(await (await save('Home')).json()).toMatchObject({ title: 'Home', revision: 2 })
      expect((await save('Stale')).status).toBe(412)
      expect((await ask(path, 'GET', { 'If-None-Match': etag })).status).toBe(200)
    }),
  )

  test.each(['', 'docs/guides/ten-minutes', 'docs/notes'])(
    'the page /%s is revalidated, and its files are kept',
    (path) =>
      compressed(async (ask) => {
        const page = await ask(path)
        expect([...seen(page), page.headers.get('Cache-Control')]).toEqual([200, 'gzip', 'no-cache'])
        const again = await ask(path, 'GET', { 'If-None-Match': page.headers.get('ETag') ?? '' })
        expect([again.status, await again.text()]).toEqual([304, ''])
        const [, script = ''] = /src="((?:\.\.\/)*assets\/[\w/-]+\.js)"/.exec(await page.text()) ?? []
        const file = await ask(new URL(script, `http://proxy/${path}`).pathname.slice(1))
        expect(seen(file)).toEqual([200, 'gzip'])
        expect(file.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
        expect(file.headers.get('ETag')).toMatch(/^"\w+\.gz"$/)
      }),
  )
})
