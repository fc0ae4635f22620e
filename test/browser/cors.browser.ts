/** Run by path: bun test ./test/browser/cors.browser.ts. What a page of another origin can do with the API. */
import { afterAll, expect, test } from 'bun:test'
import { makeKey, makeWorld } from '../support/world'
import { openBrowser } from './support'

const foreign = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response('<!doctype html><title>Elsewhere</title>', { headers: { 'Content-Type': 'text/html' } }),
})
const browser = await openBrowser()
afterAll(async () => {
  await browser.close()
  await foreign.stop(true)
})

/** Sends a POST with a key from a page of another origin: its status and headers as the page sees them, or the failure. */
async function askFromElsewhere(settings: Readonly<Record<string, string>>) {
  const world = await makeWorld({ settings, start: Date.now() })
  const page = await browser.newPage()
  await page.goto(String(foreign.url))
  const seen = await page.evaluate(
    async ([url, key]) => {
      const headers = { 'X-API-Key': key ?? '', 'Content-Type': 'application/json', Authorization: 'Bearer x' }
      try {
        const response = await fetch(`${url}api/notes`, { method: 'POST', headers, body: '{}' })
        return { status: response.status, headers: Object.fromEntries(response.headers) }
      } catch (error) {
        return { status: 0, headers: { failure: String(error) } }
      }
    },
    [world.listen(), makeKey(1)],
  )
  await page.close()
  await world.close()
  return seen
}

test('a page of another origin may send a key, and reads what is left, the ETag and the Location', async () => {
  const { status, headers } = await askFromElsewhere({})
  expect(status).toBe(201)
  expect(headers).toMatchObject({
    'x-tier': 'api',
    'x-ratelimit-limit': '1000',
    'x-ratelimit-remaining': '999',
    ratelimit: expect.stringContaining('"api";r=999'),
    etag: '"1-0"',
    location: expect.stringContaining('/api/notes/'),
  })
})

test('with a list of origins, a page of the list may and another may not', async () => {
  expect(await askFromElsewhere({ CORS_ORIGIN: foreign.url.origin })).toMatchObject({ status: 201 })
  const { status, headers } = await askFromElsewhere({ CORS_ORIGIN: 'https://a.example' })
  expect([status, headers.failure]).toEqual([0, expect.stringContaining('Failed to fetch')])
})
