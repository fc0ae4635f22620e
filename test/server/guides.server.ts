import { describe, expect, test } from 'bun:test'
import { GUIDES } from '../../src/openapi/reference-pages'
import { README, runGuide } from '../support/guides'
import { GUIDE_HOST, startNginxBelow } from '../support/nginx'
import { startServer } from '../support/server'
import { makeKey } from '../support/world'

/** The README and each guide as its reader follows it, on a new server, with Debian's nginx, vdirsyncer and khal. */

test.each([README, ...GUIDES])(
  'the commands of $name can be pasted in order, and print what it says',
  async (guide) => {
    const { code, output, missing } = await runGuide(guide)
    expect({ code, missing, output }).toEqual({ code: 0, missing: [], output })
  },
)

describe.each(['/', '/satchel/'])('nginx as the guide sets it up, at %s', (root) => {
  const path = root.slice(0, -1)

  /** Runs a server behind it, and hands over what asks it by the name of the guide. */
  async function behindNginx(body: (ask: (path: string, init?: RequestInit) => Promise<Response>) => Promise<void>) {
    const { url } = await startServer({ settings: { TRUSTED_PROXIES: '127.0.0.1' } })
    await using nginx = await startNginxBelow(root, url)
    await body((asked, init = {}) =>
      fetch(nginx.url + asked.slice(1), {
        ...init,
        headers: { Host: GUIDE_HOST, 'X-API-Key': makeKey(1), ...init.headers },
        redirect: 'manual',
        tls: { rejectUnauthorized: false },
      }),
    )
  }

  test('takes an upload of 30 MiB, and gives it back', () =>
    behindNginx(async (ask) => {
      const bytes = new Uint8Array(30 * 2 ** 20).fill(7)
      const made = await ask('/api/notes/attachments?name=large.bin', { method: 'POST', body: bytes })
      expect([made.status, (await made.json()).size_bytes]).toEqual([201, bytes.length])
      const { pathname } = new URL(made.headers.get('Location') ?? '', `https://${GUIDE_HOST}`)
      expect(pathname).toStartWith(`${path}/api/notes/attachments/`)
      const file = await ask(pathname.slice(path.length))
      expect((await file.arrayBuffer()).byteLength).toBe(bytes.length)
    }))

  test('hands on each event of a stream when it comes', () =>
    behindNginx(async (ask) => {
      const stream = await ask('/api/changes/stream?since=0')
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
      for (const title of ['first', 'second']) {
        const headers = { 'Content-Type': 'application/json' }
        await ask('/api/notes', { method: 'POST', headers, body: JSON.stringify({ title }) })
        let read = ''
        while (!read.includes('event: change')) read += (await reader?.read())?.value ?? ''
        expect(read).toContain('"type":"note"')
      }
      await reader?.cancel()
    }))

  test('shows the key page and the documentation with all that they link to', () =>
    behindNginx(async (ask) => {
      for (const page of ['/', '/docs', '/docs/notes', '/docs/guides/behind-a-proxy']) {
        const html = await (await ask(page)).text()
        const links = [...html.matchAll(/ (?:href|src)="(?!\w+:|#)([^"#]*)/g)].map(([, link]) => link ?? '')
        expect(links).not.toBeEmpty()
        for (const link of new Set(links)) {
          const { pathname } = new URL(link, `https://${GUIDE_HOST}${path}${page}`)
          expect(pathname).toStartWith(`${path}/`)
          expect([link, (await ask(pathname.slice(path.length))).status]).toEqual([link, 200])
        }
      }
    }))
})
