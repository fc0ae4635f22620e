/** The pages of the documentation. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { GUIDES } from '../../src/openapi/reference-pages'
import { makeKey, makeWorld } from '../support/world'
import { expectAccessible, LOOKS_OF_TEXT, openBrowser, picture, violations } from './support'

let browser: Browser
let world: Awaited<ReturnType<typeof makeWorld>>
let base: string

beforeAll(async () => {
  world = await makeWorld({ start: Date.now() })
  base = world.listen().slice(0, -1)
  browser = await openBrowser()
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

const PAGES = [
  '/docs',
  '/docs/facts-and-cards',
  '/docs/clients-of-openai',
  '/docs/objects',
  ...GUIDES.map(({ name }) => `/docs/guides/${name}`),
  '/docs/errors',
]

test.each(PAGES)('%s has no fault that axe finds, fits the window, and asks no other host', async (path) => {
  const { page, requests, complaints } = await open(path)
  await expectAccessible(page, `docs${path.replaceAll('/', '-')}`, LOOKS_OF_TEXT)
  expect(requests.filter((url) => !url.startsWith(base))).toEqual([])
  expect(complaints).toEqual([])
  await page.close()
})

test('an address of an error leads to it', async () => {
  const { page } = await open('/docs/errors#rate_limited')
  expect(await page.locator('#rate_limited').textContent()).toContain('429')
  expect(await page.locator('body').evaluate((body) => getComputedStyle(body).maxWidth)).not.toBe('none')
  await page.close()
})

test('the reference takes less than 300 ms of the processor, and can be read without a script', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const still = await context.newPage()
  await still.goto(`${base}/docs/notes`)
  expect(await still.locator('#createNote pre').first().textContent()).toContain('curl -X POST')
  await context.close()
  for (const path of ['/docs', '/docs/notes', '/docs/guides/ten-minutes']) {
    // The processor time of the page, as other tests may keep the machine busy.
    const page = await browser.newPage()
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.goto(base + path)
    const { metrics } = await session.send('Performance.getMetrics')
    const spent = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
    expect([path, spent < 0.3]).toEqual([path, true])
    await page.close()
  }
})

test('guides have the address of this server, but that for its own machine keeps what its proxy asks', async () => {
  for (const name of ['ten-minutes', 'calendars', 'moving-in', 'backup-and-upgrade', 'behind-a-proxy']) {
    const { page } = await open(`/docs/guides/${name}`)
    await page.getByRole('button', { name: 'Copy' }).first().waitFor()
    const text = (await page.locator('pre.block code').allTextContents()).join('\n')
    const isElsewhere = ['backup-and-upgrade', 'behind-a-proxy'].includes(name)
    expect([name, text.includes(base)]).toEqual([name, !isElsewhere])
    if (name === 'behind-a-proxy') expect(text).toContain('proxy_pass http://127.0.0.1:3000;')
    if (name === 'backup-and-upgrade') expect(text).toContain('export PORT=3001')
    await page.close()
  }
})

test('samples have the address and the chosen key, are copied whole, and keep the language', async () => {
  const { page, complaints } = await open('/docs/notes')
  const key = makeKey(1)
  const kept = { key, name: 'One', made_at: '2026-03-01T08:15:00.000Z', saved: true }
  await page.evaluate(
    (one) => localStorage.setItem('satchel.keys', JSON.stringify({ keys: [one], chosen: one.key })),
    kept,
  )
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.reload()
  const sample = page.locator('#createNote details[data-language="Python"]')
  await sample.locator('summary').click()
  expect(await sample.locator('code').textContent()).toContain(`${base}/api/notes`)
  expect(await sample.locator('code').textContent()).not.toContain(key)
  await sample.getByRole('button', { name: 'Copy' }).click()
  await sample.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`"X-API-Key": "${key}"`)
  await page.goto(`${base}/docs/links`)
  expect(await page.locator('details[data-language="Python"][open]').count()).toBe(3)
  expect(await page.locator('details[data-language="curl"][open]').count()).toBe(0)
  expect(complaints).toEqual([])
  await page.close()
})

test('Ctrl K finds a call and an error by the keyboard alone', async () => {
  const { page, complaints } = await open('/docs')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('create note')
  await page.locator('.found a').first().waitFor()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.waitForURL(`${base}/docs/notes#createNote`)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('rate_limited')
  await page.locator('.found a').first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${base}/docs/errors#rate_limited`)
  expect(complaints).toEqual([])
  await page.close()
})

describe('a page of calls', () => {
  test('on paper has the chosen language alone, wrapped, dark on white, and nothing to press', async () => {
    const { page } = await open('/docs/links', 'dark', 800)
    await page.locator('.sample[open] button').first().waitFor()
    await page.locator('#listUnresolvedLinks .try > summary').click()
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator(':is(button, nav, .try, input):visible').count()).toBe(0)
    expect(await page.locator('.sample:visible').count()).toBe(3)
    const wide = await page.locator('pre').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth))
    expect(wide).toEqual([])
    expect(await page.locator('body').evaluate((body) => getComputedStyle(body).color)).toBe('rgb(27, 30, 26)')
    await picture(page, 'docs-print')
    await page.close()
  })

  test('in forced colours has edges around samples and controls, and no fault of accessibility', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 640 }, forcedColors: 'active' })
    await page.goto(`${base}/docs/links`)
    const call = page.locator('#listUnresolvedLinks')
    await call.locator('.try > summary').click()
    await call.locator('form').waitFor()
    for (const place of ['.block', '.try > summary', 'select', 'button']) {
      const edge = await call
        .locator(place)
        .first()
        .evaluate((one) => getComputedStyle(one).borderTopStyle)
      expect([place, edge]).toEqual([place, 'solid'])
    }
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    await picture(page, 'docs-forced-colours')
    await page.close()
  })

  test('can be walked with Tab from end to end at 320 pixels, and the focus is in sight and marked at every stop', async () => {
    const { page } = await open('/docs/links', 'light', 320)
    await page.locator('.sample[open] button').first().waitFor()
    const stops = []
    for (;;) {
      await page.keyboard.press('Tab')
      const stop = await page.evaluate(() => {
        const at = document.activeElement
        if (!(at instanceof HTMLElement) || at === document.body) return null
        const { top, bottom } = at.getBoundingClientRect()
        const isMarked = getComputedStyle(at).outlineStyle === 'solid'
        return { name: at.textContent ?? '', isSeen: bottom > 0 && top < innerHeight && isMarked }
      })
      if (!stop || stops.length > 150) break
      stops.push(stop)
    }
    expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([])
    const names = stops.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['Skip to the content', 'Search (Ctrl K)', 'Make a key', 'Python']))
    expect(names.filter((name) => name.startsWith('Try it: '))).toHaveLength(3)
    expect(names.at(-1)).toBe('OpenAPI')
    await page.close()
  })
})
