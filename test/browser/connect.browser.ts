/** The lines that connect programs, with the key masked and copied whole, and the address of a calendar. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserSession, make } from './session'
import { expectAccessible, startServer, untilText } from './support'

const { open, visitAs } = browserSession({}, startServer)

const choose = (page: Page, client: string) => page.getByLabel('Program', { exact: true }).selectOption(client)
async function copied(page: Page): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page.locator('#copy-connect-line').click()
  await page.waitForFunction(() => navigator.clipboard.readText().then(Boolean))
  return page.evaluate(() => navigator.clipboard.readText())
}
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }

test('every line shows a masked key and is copied with the whole one, and with the address of this server', async () => {
  const page = await open(CLIPBOARD)
  const key = await make(page)
  const base = page.url().slice(0, -1)
  const clients = await page
    .locator('#connect-to option')
    .evaluateAll((all) => all.map((one) => one.getAttribute('value')))
  for (const client of clients.map(String).filter((name) => name !== 'calendar')) {
    await choose(page, client)
    expect(await page.locator('#connect-line').textContent()).not.toContain(key)
    const line = await copied(page)
    expect(line).toContain(key)
    if (client !== 'webui') expect(line).toContain(base)
    expect(await page.locator('[data-client]:visible').count()).toBeGreaterThan(0)
    for (const shown of await page.locator('[data-client]:visible').all())
      expect((await shown.getAttribute('data-client'))?.split(' ')).toContain(client)
  }
  expect(await page.locator('#connect-address').textContent()).toBe(`${base}/api/mcp`)
  await choose(page, 'webui')
  await page.getByRole('radio', { name: 'Without a key' }).check()
  expect(await page.locator('#connect-line').textContent()).toBe('{}')
  expect(await page.locator('#connect-line-note').isVisible()).toBe(false)
})

describe('the address of a calendar', () => {
  test('is made in one request, masked, copied whole, shows the tasks, and shows nothing once it is taken back', async () => {
    const page = await open(CLIPBOARD)
    const key = await make(page)
    await choose(page, 'calendar')
    expect(await page.locator('#connect-line').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Make an address' }).press('Enter')
    await untilText(page, '#feed-state', 'It is shown this once: copy it now.')
    const shown = await page.locator('#connect-line').textContent()
    expect(shown).toMatch(/^http:.*\/api\/tasks\/feeds\/[\w-]{4}…\.ics$/)
    const address = await copied(page)
    expect(address).toStartWith(shown?.split('…')[0] ?? '')
    expect(address).not.toContain(key)
    expect(await (await fetch(address)).text()).toStartWith('BEGIN:VCALENDAR')
    await choose(page, 'curl')
    expect(await page.locator('#connect-line').textContent()).toStartWith('curl ')
    await choose(page, 'calendar')
    expect(await copied(page)).toBe(address)
    const back = page.getByRole('button', { name: 'Take it back' })
    await back.press('Enter')
    await untilText(page, '#feed-state', 'Taken back: it shows nothing any more.')
    expect((await fetch(address)).status).toBe(404)
    expect(await page.locator(':focus').textContent()).toBe('Make an address')
  })

  test('of one key is not shown beside another', async () => {
    const page = await open()
    await make(page, 'One')
    await choose(page, 'calendar')
    await page.getByRole('button', { name: 'Make an address' }).click()
    await untilText(page, '#feed-state', 'It is shown this once: copy it now.')
    await page.getByRole('radio', { name: 'Without a key' }).check()
    expect(await page.locator('#connect-line').textContent()).toBe('')
    expect(await page.locator('#feed-state').textContent()).toBe('')
    await page.getByRole('button', { name: 'Make an address' }).waitFor()
  })

  test('is not made when the server cannot be reached, answers in another make or says no, and again after it was taken back elsewhere', async () => {
    const page = await open()
    await choose(page, 'calendar')
    await page.route('**/api/tasks/feeds', (route) => route.abort())
    await page.getByRole('button', { name: 'Make an address' }).click()
    await untilText(page, '#feed-state', 'The server cannot be reached.')
    await page.unroute('**/api/tasks/feeds')
    for (const body of ['null', '{}', '<html>', '']) {
      await page.route('**/api/tasks/feeds', (route) => route.fulfill({ status: 200, body }))
      await page.locator('#feed-state').evaluate((state) => state.replaceChildren())
      await page.getByRole('button', { name: 'Make an address' }).click()
      await untilText(page, '#feed-state', 'The server answered something that this page does not know.')
      await page.unroute('**/api/tasks/feeds')
    }
    await page.getByRole('button', { name: 'Make an address' }).click()
    await untilText(page, '#feed-state', 'It is shown this once: copy it now.')
    await page.evaluate(async () => {
      const { items } = await (await fetch('api/tasks/feeds')).json()
      await fetch(`api/tasks/feeds/${items[0].id}`, { method: 'DELETE' })
    })
    await page.getByRole('button', { name: 'Take it back' }).click()
    await untilText(page, '#feed-state', 'It was taken back before.')
    await page.getByRole('button', { name: 'Make an address' }).click()
    await untilText(page, '#feed-state', 'It is shown this once: copy it now.')
    await page.getByRole('button', { name: 'Take it back' }).click()
    await untilText(page, '#feed-state', 'Taken back: it shows nothing any more.')
    await page.evaluate(async () => {
      while ((await fetch('api/notes')).status !== 429);
    })
    await page.getByRole('button', { name: 'Make an address' }).click()
    await page.locator('#feed-state', { hasText: 'Slow down, or add an API key' }).waitFor()
  })

  test('can be made again after the server did not answer in time', async () => {
    const page = await visitAs({}, () => {
      AbortSignal.timeout = () => AbortSignal.abort(new DOMException('late', 'TimeoutError'))
    })
    await page.locator('#connect-line', { hasText: 'claude' }).waitFor()
    await choose(page, 'calendar')
    for (let press = 0; press < 2; press++) {
      await page.locator('#feed-state').evaluate((state) => state.replaceChildren())
      await page.getByRole('button', { name: 'Make an address' }).click()
      await untilText(page, '#feed-state', 'The server cannot be reached.')
    }
  })
})

test('without its script the section is not there', async () => {
  const page = await open()
  await page.route('**/connect*.js', (route) => route.abort())
  await page.reload()
  await page.locator('#connect').waitFor({ state: 'detached' })
})

test('axe-core finds nothing wrong with any line, which is as wide as the window', async () => {
  const page = await open()
  await make(page, 'Mine')
  for (const client of ['claude', 'openai', 'calendar']) {
    await choose(page, client)
    if (client === 'calendar') await page.getByRole('button', { name: 'Make an address' }).click()
    if (client === 'calendar') await page.getByRole('button', { name: 'Take it back' }).waitFor()
    await expectAccessible(page, `connect-${client}`)
  }
})
