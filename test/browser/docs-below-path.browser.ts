/** The documentation and the key page of a server below a path, behind Debian's nginx with TLS. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { startNginxBelow } from '../support/nginx'
import { openBrowser, type RunningServer, startServer } from './support'

let browser: Browser
let server: RunningServer
let front: Awaited<ReturnType<typeof startNginxBelow>>
let page: Page
/** Requests that went to another place than below the path, and what the page complained about. */
const faults: string[] = []

beforeAll(async () => {
  browser = await openBrowser()
  server = await startServer({ TRUSTED_PROXIES: '127.0.0.1' })
  front = await startNginxBelow('/satchel/', server.url.slice(0, -1))
  page = await browser.newPage({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 } })
  page.on('request', (request) => {
    if (!request.url().startsWith(front.url) && !/^(?:data|blob):/.test(request.url())) faults.push(request.url())
  })
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
  })
  page.on('pageerror', (error) => faults.push(error.message))
})
afterAll(async () => {
  await browser.close()
  await front[Symbol.asyncDispose]()
  await server.stop()
  expect(faults).toEqual([])
})

describe('below a path, with TLS', () => {
  test('every link of each kind of page leads to what is there', async () => {
    const seen = new Set<string>()
    const targets = new Set<string>()
    for (const path of ['docs', 'docs/notes', 'docs/objects', 'docs/errors', 'docs/guides/ten-minutes']) {
      await page.goto(front.url + path)
      const links = await page.locator('a').evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href))
      for (const link of links) targets.add(link.split('#')[0] ?? '')
    }
    for (const target of targets) {
      expect(target).toStartWith(front.url)
      expect([target, (await page.request.get(target)).status()]).toEqual([target, 200])
      seen.add(target.slice(front.url.length))
    }
    expect([...seen]).toEqual(expect.arrayContaining(['', 'docs/tasks', 'openapi.json']))
    const guide = await page.request.get(`${front.url}docs/guides/typescript-client/`, { maxRedirects: 0 })
    expect(guide.headers().location).toBe('../typescript-client')
  })

  test('samples have the address of the page, and a call can be tried', async () => {
    await page.goto(`${front.url}docs/notes`)
    const call = page.locator('#createNote')
    expect(await call.locator('.sample[open] code').textContent()).toContain(`'${front.url}api/notes'`)
    await call.locator('.try > summary').click()
    await call.locator('form').getByLabel('Body').fill('{ "body": "Seen through a proxy" }')
    await call.getByRole('button', { name: 'Send' }).click()
    await call.locator('.answer h4', { hasText: '201 Created' }).waitFor()
    await call.getByRole('link', { name: 'Make a key' }).click()
    await page.waitForURL(front.url)
  })

  test('the key page sends a first request, connects programs and opens the app', async () => {
    await page.goto(front.url)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('#answer-body', { hasText: '201 Created' }).waitFor()
    expect(await page.locator('#connect-line').textContent()).toContain(`'${front.url}api/mcp'`)
    await page.getByRole('link', { name: 'Open the app' }).first().click()
    await page.waitForURL((url) => url.href.startsWith(`${front.url}app/`))
  })

  test('the search leads to a call and to a guide', async () => {
    await page.goto(`${front.url}docs/guides/ten-minutes`)
    for (const [words, path] of [
      ['create note', 'docs/notes#createNote'],
      ['ten minutes', 'docs/guides/ten-minutes'],
    ]) {
      await page.keyboard.press('Control+k')
      await page.getByRole('searchbox').fill(words ?? '')
      await page.locator('.found a').first().click()
      await page.waitForURL(front.url + path)
      expect(await page.getByRole('dialog').count()).toBe(0)
    }
  })
})
