/**
 * `bun run pictures` draws the pictures of README.md: pages of a server as somebody sees them who uses it. Run it when a page
 * has changed its looks. It is a test so that what starts servers in tests can be used.
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { browserSession, make, send } from './session'
import { untilText } from './support'

const { open } = browserSession()
const FOLDER = join(import.meta.dir, '../../docs/pictures')
/** Both are shown to everybody who opens the repository. */
const MOST_BYTES = 75 * 1024

/** Writes what the window shows, as WebP, which has a third of the bytes of PNG. */
async function draw(page: Page, name: string) {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  expect(await Bun.write(join(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'))).toBeLessThan(MOST_BYTES)
}

test('draws the key page with an answer of the chat, and the docs', async () => {
  const page = await open({ viewport: { width: 1120, height: 760 } })
  await make(page, 'Laptop')
  await send(page)
  await untilText(page, '#answer-title', '201 Created')
  await page.locator('#try-form').getByText('Ask the chat', { exact: true }).click()
  await send(page)
  await page.locator('#answer-parts cite').waitFor()
  await page.locator('#try-title').evaluate((title) => title.scrollIntoView())
  await draw(page, 'key-page')
  await page.goto(new URL('docs/tasks', page.url()).href)
  await draw(page, 'docs')
})
