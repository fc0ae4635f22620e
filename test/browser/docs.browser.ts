/** Run by path: bun test ./test/browser/docs.browser.ts. Leaves screenshots/docs*.png to look at. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { makeWorld } from '../support/world'
import { launch } from './chromium'

const ROOT = `${import.meta.dir}/../..`

let browser: Browser
let world: Awaited<ReturnType<typeof makeWorld>>
let base: string

beforeAll(async () => {
  world = await makeWorld({ start: Date.now() })
  base = world.listen().slice(0, -1)
  browser = await launch()
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

/** A page, what it asked for, and what it complained about. */
async function open(path: string, colorScheme: 'light' | 'dark' = 'light', width = 1100) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(base + path)
  return { page, requests, complaints }
}

const save = (page: Page, name: string) => page.screenshot({ path: `${ROOT}/screenshots/${name}.png` })

/** The operations and groups that the page shows while it is scrolled through: of so many, it draws those in sight. */
async function scrolledThrough(page: Page): Promise<{ shown: Set<string>; groups: Set<string> }> {
  const [shown, groups] = [new Set<string>(), new Set<string>()]
  await page.locator('.opblock').first().waitFor()
  for (let at = 0, isOver = false; !isOver; at += 300) {
    isOver = await page.evaluate(async (top) => {
      scrollTo(0, top)
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => requestAnimationFrame(resolve))
      return top + innerHeight >= document.documentElement.scrollHeight
    }, at)
    for (const text of await page.locator('.opblock-summary-control').allTextContents()) shown.add(text)
    for (const name of await page.locator('.opblock-tag .nostyle').allTextContents()) groups.add(name)
  }
  await page.evaluate(() => scrollTo(0, 0))
  return { shown, groups }
}

test('the page is titled, shows every operation, asks no other host, and leads back to the keys', async () => {
  const { page, requests, complaints } = await open('/docs/swagger')
  const { paths, tags } = (await (await fetch(`${base}/openapi.json`)).json()) as {
    paths: object
    tags: { name: string }[]
  }
  const operations = Object.values(paths).flatMap((path: object) => Object.keys(path))
  const { shown, groups } = await scrolledThrough(page)
  expect(shown.size).toBe(operations.length)
  expect([...groups]).toEqual(tags.map(({ name }) => name))
  await save(page, 'docs')
  const hosts = new Set(requests.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).origin))
  expect([...hosts]).toEqual([base])
  // The plugin leaves one empty inline script, which the policy rightly refuses.
  expect(complaints.filter((text) => !text.includes('inline script'))).toEqual([])
  expect(await page.title()).toBe('Swagger UI – Satchel')
  await page.getByRole('link', { name: 'Satchel', exact: true }).click()
  await page.getByRole('heading', { name: 'Make yourself a key' }).waitFor()
  await page.close()
})

test('a request can be tried from the page, with a key', async () => {
  const { page } = await open('/docs/swagger')
  await page.locator('.operation-filter-input').fill('Notes') // every step draws all that is listed anew
  await page.locator('#operations-tag-Tasks').waitFor({ state: 'detached' })
  await page.locator('button.authorize').click()
  await page.locator('.auth-container input').fill('a-key-of-some-length')
  await page.locator('.auth-btn-wrapper .authorize').click()
  await page.locator('.auth-btn-wrapper .btn-done').click()
  const operation = page.locator('#operations-Notes-listNotes')
  await operation.locator('.opblock-summary-control').click()
  await operation.locator('.try-out__btn').click()
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.url().includes('/api/notes')),
    operation.locator('button.execute').click(),
  ])
  expect(request.url()).toStartWith(`${base}/api/notes`)
  expect(request.headers()['x-api-key']).toBe('a-key-of-some-length')
  await operation.locator('.live-responses-table').waitFor()
  await save(page, 'docs-operation')
  await page.close()
})

test.each([
  ['light', 1100],
  ['dark', 320],
] as const)(
  'in %s at %i pixels all text has contrast, an example shows, and nothing sticks out',
  async (scheme, width) => {
    const { page } = await open('/docs/swagger#/Notes/createNote', scheme, width)
    await page.locator('.opblock-body').getByText('Trip to Lisbon').first().waitFor()
    await page.locator('.header-col').first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    expect(await page.locator('html.dark-mode').count()).toBe(scheme === 'dark' ? 1 : 0)
    await page.evaluate(axe.source)
    const found = await page.evaluate(async () => {
      const page = globalThis as unknown as { axe: typeof axe } // as the script above left it
      const only = ['color-contrast', 'document-title', 'html-has-lang', 'label', 'landmark-no-duplicate-main']
      return (await page.axe.run(document, { runOnly: only })).violations
    })
    expect(found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([])
    await save(page, `docs-${scheme}-${width}`)
    await page.close()
  },
)

test('the page of errors is styled, jumps to a code, and asks no other host', async () => {
  const { page, requests, complaints } = await open('/docs/errors#rate_limited')
  expect(await page.locator('#rate_limited').textContent()).toContain('429')
  expect(await page.locator('body').evaluate((body) => getComputedStyle(body).maxWidth)).not.toBe('none')
  await save(page, 'docs-errors')
  expect(requests.every((url) => url.startsWith(base))).toBe(true)
  expect(complaints).toEqual([])
  await page.close()
})
