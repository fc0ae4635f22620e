/** The lines that connect programs, with the key masked and copied whole. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserSession, make } from './session'
import { expectAccessible, startServer } from './support'

const { open } = browserSession({}, startServer)

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
  expect(clients.length).toBeGreaterThan(5)
  for (const client of clients.map(String)) {
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

test('without its script the section is not there', async () => {
  const page = await open()
  await page.route('**/connect*.js', (route) => route.abort())
  await page.reload()
  await page.locator('#connect').waitFor({ state: 'detached' })
})

test('axe-core finds nothing wrong with any line, which is as wide as the window', async () => {
  const page = await open()
  await make(page, 'Mine')
  for (const client of ['claude', 'openai']) {
    await choose(page, client)
    await expectAccessible(page, `connect-${client}`)
  }
})
