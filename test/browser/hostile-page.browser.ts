/** Run by path: bun test ./test/browser/hostile-page.browser.ts. What pages of other sites find and leave without a key. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { makeKey, makeWorld } from '../support/world'
import { openBrowser } from './support'

const LINE = 'the owner'
const CARDS = '"front","back"\n"question","answer"\n'

let browser: Browser
let world: Awaited<ReturnType<typeof makeWorld>>
/** Of the server, and of the page that belongs to nobody. */
let port: number
const elsewhere = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response('<!doctype html><title>Elsewhere</title>', { headers: { 'Content-Type': 'text/html' } }),
})
beforeAll(async () => {
  browser = await openBrowser()
})
beforeEach(async () => {
  world = await makeWorld({ start: Date.now(), settings: { FREE_LIMIT_PER_HOUR: '1000' } })
  port = Number(new URL(world.listen()).port)
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
  await world.close()
})
afterAll(async () => {
  await browser.close()
  await elsewhere.stop(true)
})

interface Ask {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The body is the one file of a form. */
  readonly form?: boolean
}
interface Seen {
  readonly status: number
  readonly text: string
}

/** Asks from within a page: status and text as its scripts see them. */
const askFrom = (page: Page, host: string, ask: Ask): Promise<Seen> =>
  page.evaluate(
    async ([base, { method, path, headers, body, form }]) => {
      const data = new FormData()
      data.set('file', new Blob([body ?? '']), 'cards.csv')
      const what = body === undefined ? {} : { body: form ? data : body }
      const response = await fetch(base + path, { method: method ?? 'GET', headers: headers ?? {}, ...what })
      return { status: response.status, text: await response.text() }
    },
    [`http://${host}:${port}`, ask] as const,
  )

/** As `curl` does: nothing tells of a page. */
async function curl(host: string, { path, method = 'GET', headers = {}, body }: Ask): Promise<Seen> {
  const named = { ...headers, Host: `${host}:${port}` }
  const what = body === undefined ? {} : { body }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: named, ...what })
  return { status: response.status, text: await response.text() }
}

async function open(url: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(url)
  return page
}

const JSON_BODY = { 'Content-Type': 'application/json' }
const IMPORT = '/api/flashcards/import?format=csv'
const LIST: Ask = { path: '/api/notes' }
const NOTE: Ask = { method: 'POST', path: '/api/notes', headers: JSON_BODY, body: JSON.stringify({ title: LINE }) }
const ERASE: Ask = { method: 'DELETE', path: '/api/workspace', headers: JSON_BODY, body: '{"confirm":"erase"}' }
/** Sent by any page without a question before: the browser asks for a preflight for neither. */
const TEXT_IMPORT: Ask = { method: 'POST', path: IMPORT, headers: { 'Content-Type': 'text/plain' }, body: CARDS }
const FORM_IMPORT: Ask = { method: 'POST', path: IMPORT, body: CARDS, form: true }

/** Where the page is, and the host that it asks. */
const HOSTILE: [string, () => string, string][] = [
  ['another port of the same machine', () => `http://127.0.0.1:${elsewhere.port}/`, '127.0.0.1'],
  ['another site', () => `http://evil.example:${elsewhere.port}/`, '127.0.0.1'],
  ['another site, over plain http', () => `http://evil.example:${elsewhere.port}/`, 'nas.example'],
  ['a name beside it, over plain http', () => `http://evil.nas.example:${elsewhere.port}/`, 'nas.example'],
  ['a name that was made to lead here', () => `http://evil.example:${port}/`, 'evil.example'],
]

describe.each(HOSTILE)('a page of %s', (_, url, asked) => {
  /** Where the owner is, whom the page would rob. */
  const own = asked === 'evil.example' ? '127.0.0.1' : asked

  test('reads, keeps and erases nothing but its own, and with a key works in the workspace of the key', async () => {
    expect((await curl(own, NOTE)).status).toBe(201)
    const page = await open(url())
    const found = await askFrom(page, asked, LIST)
    expect([found.status, JSON.parse(found.text).items]).toEqual([200, []])
    expect((await askFrom(page, asked, { path: '/api/search?q=owner' })).text).not.toContain(LINE)
    for (const ask of [TEXT_IMPORT, FORM_IMPORT]) {
      const done = await askFrom(page, asked, ask)
      expect([done.status, JSON.parse(done.text).resources.fact]).toEqual([200, expect.anything()])
    }
    expect((await askFrom(page, asked, { path: '/api/flashcards/facts' })).text).toContain('question')
    expect(JSON.parse((await curl(own, { path: '/api/flashcards/facts' })).text).items).toEqual([])
    expect((await askFrom(page, asked, ERASE)).status).toBe(204)
    expect((await curl(own, LIST)).text).toContain(LINE)

    const headers = { 'X-API-Key': makeKey(1) }
    expect((await curl(own, { ...NOTE, headers: { ...JSON_BODY, ...headers } })).status).toBe(201)
    expect((await askFrom(page, asked, { ...LIST, headers })).text).toContain(LINE)
  })
})

describe.each([['127.0.0.1'], ['localhost'], ['nas.example']])('the key page at %s', (host) => {
  test('shares a space with curl, both ways', async () => {
    const page = await open(`http://${host}:${port}/`)
    await page.locator('#usage[aria-busy=false]').waitFor()
    expect((await curl(host, NOTE)).status).toBe(201)
    expect((await askFrom(page, host, LIST)).text).toContain(LINE)
    for (const ask of [TEXT_IMPORT, FORM_IMPORT]) expect((await askFrom(page, host, ask)).status).toBe(200)
    expect((await curl(host, { path: '/api/flashcards/facts' })).text).toContain('question')
    expect((await askFrom(page, host, ERASE)).status).toBe(204)
    expect(JSON.parse((await curl(host, LIST)).text).items).toEqual([])
  })
})
