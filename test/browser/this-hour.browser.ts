/** The figures of the hour and the chart of the last 48 hours. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserSession, make } from './session'
import { picture, startServer, untilText, violations } from './support'

const { open } = browserSession({}, startServer)

const START = Date.parse('2026-11-21T08:00:00Z')
/** 48 hours until Monday at 08:00 UTC, which is 09:00 in Berlin, with something in the last three. */
const history = Array.from({ length: 48 }, (_, place) => ({
  hour: new Date(START + place * 3_600_000).toISOString(),
  used: Math.max(0, place - 44) * 4,
  refused: place === 47 ? 3 : 0,
}))

async function withHistory(page: Page) {
  await page.route('**/api/usage', async (route) => {
    const real = await route.fetch()
    await route.fulfill({ response: real, json: { ...(await real.json()), history } })
  })
  await page.reload()
  await page.locator('#chart-bars rect').first().waitFor({ state: 'attached' })
}

/** The middle of an hour's place in the chart. */
async function placeOf(page: Page, hour: number) {
  const box = await page.locator('#chart-plot').boundingBox()
  if (!box) throw new Error('the chart is shown')
  return [box.x + (box.width * (hour + 0.5)) / 48, box.y + box.height / 2] as const
}

const sums = '24 served, 3 refused'

describe('the chart', () => {
  test('has a scale and hours below, tells the hour that a pointer is over, and is walked with the arrow keys', async () => {
    const page = await open()
    await withHistory(page)
    expect(await page.locator('#chart-scale span').allTextContents()).toEqual(['0', '5', '10', '15'])
    expect(await page.locator('#chart-hours span').allTextContents()).toEqual(['12:00', 'Sun', '12:00', 'now'])
    expect(await page.locator('#chart-lines path').count()).toBe(3)

    const picker = page.getByRole('slider', { name: 'Hour of the chart' })
    await picker.focus()
    await untilText(page, '#chart-sum', 'Mon 08:00–09:00: 12 served, 3 refused')
    await page.keyboard.press('ArrowLeft')
    await untilText(page, '#chart-sum', 'Mon 07:00–08:00: 8 served')
    expect(await picker.getAttribute('aria-valuetext')).toBe('Mon 07:00–08:00: 8 served')
    await page.keyboard.press('Home')
    await untilText(page, '#chart-sum', 'Sat 09:00–10:00: 0 served')
    await page.keyboard.press('Shift+Tab')
    await untilText(page, '#chart-sum', sums)

    await page.locator('#chart-plot').scrollIntoViewIfNeeded()
    await page.mouse.move(...(await placeOf(page, 47)))
    await untilText(page, '#chart-sum', 'Mon 08:00–09:00: 12 served, 3 refused')
    await page.mouse.move(...(await placeOf(page, 0)))
    await untilText(page, '#chart-sum', 'Sat 09:00–10:00: 0 served')
    await page.mouse.move(1, 1)
    await untilText(page, '#chart-sum', sums)
    expect(await page.locator('#chart-mark').getAttribute('width')).toBe('0')
  })

  test('tells the hour that a finger touches, and leaves it there, on a telephone with large letters', async () => {
    const page = await open({ viewport: { width: 320, height: 640 }, hasTouch: true })
    await withHistory(page)
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'))
    await page.locator('#chart-plot').scrollIntoViewIfNeeded()
    await page.touchscreen.tap(...(await placeOf(page, 46)))
    await untilText(page, '#chart-sum', 'Mon 07:00–08:00: 8 served')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    expect(await violations(page)).toEqual([])
    await picture(page, 'chart-touched-320')
  })

  test('is left out where its script does not come; the figures are there all the same', async () => {
    const page = await open()
    await page.route('**/chart.js', (route) => route.abort())
    await page.reload()
    await untilText(page, '#usage-remaining', '20')
    await page.locator('#history').waitFor({ state: 'hidden' })
  })
})

describe('a server that is slow or gone', () => {
  test('leaves the figures that the page has of this caller, and says of when they are', async () => {
    const page = await open()
    await make(page, 'Mine')
    await untilText(page, '#usage-tier', 'API, with a key')
    await page.route('**/api/usage', (route) => route.abort())
    await page.getByRole('radio', { name: 'Without a key' }).check()
    const words = page
      .locator('#usage-reason')
      .filter({ hasText: /cannot be reached.* These figures are from \d\d:\d\d\.$/ })
    await words.waitFor()
    await untilText(page, '#usage-tier', 'Free, without a key')
    await page.getByRole('radio', { name: 'Mine' }).check()
    await untilText(page, '#usage-tier', 'API, with a key')
    await words.waitFor()
    expect(await page.locator('#usage-figures').isVisible()).toBe(true)
    expect(await violations(page)).toEqual([])
    await picture(page, 'server-gone')
    await page.unroute('**/api/usage')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('#usage-trouble').waitFor({ state: 'hidden' })

    // One that answers late shows what it said before at once.
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/api/usage', async (route) => {
      await promise
      await route.continue()
    })
    await page.getByRole('radio', { name: 'Without a key' }).check()
    await untilText(page, '#usage-tier', 'Free, without a key')
    expect(await page.locator('#usage').getAttribute('class')).toBe('')
    resolve()
  })

  test('leaves no figures of an hour that is over', async () => {
    const page = await open()
    await page.clock.install()
    await page.reload()
    await untilText(page, '#usage-remaining', '20')
    await page.route('**/api/usage', (route) => route.abort())
    await page.clock.fastForward('01:00:01')
    await untilText(page, '#usage-reason', 'The server cannot be reached. This does not touch your keys.')
    await page.locator('#usage-figures').waitFor({ state: 'hidden' })
  })
})
