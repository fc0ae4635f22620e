/** What every browser test stands on: pages of somebody who was never here, a server, and no faults out of sight in any. */

import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser, type RunningServer, startServer, type Visit, visit } from './support'

/**
 * Registers the hooks of a test file. The file has one server with `settings` as in the environment, whose clock is right at the
 * start of each test; a file about what a server counts or stores without a key names `start`, which then starts one for each test.
 * `open` gives the page to somebody who was never here, after running `before` in it, and `visitAs` before its scripts had their
 * turn; `stopServer` takes the server away under an open page.
 */
export function browserSession(
  settings: Readonly<Record<string, string>> = {},
  start?: (settings: Readonly<Record<string, string>>) => Promise<RunningServer>,
) {
  let browser: Browser
  let server: RunningServer | null = null
  let visits: Visit[] = []
  async function stopServer() {
    const running = server
    server = null
    await running?.stop()
  }

  beforeAll(async () => {
    browser = await openBrowser()
  })
  beforeEach(async () => {
    server ??= await (start ?? startServer)(settings)
    if (server.clock) server.clock.now = Date.now()
    visits = []
  })
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
    if (start) await stopServer()
    await server?.check?.()
    expect(visits.flatMap(({ faults }) => faults)).toEqual([])
  })
  afterAll(async () => {
    await stopServer()
    await browser?.close()
  })

  async function visitAs(options?: BrowserContextOptions, before?: () => void, path?: string): Promise<Page> {
    if (!server) throw new Error('The test has stopped its server.')
    const opened = await visit(browser, server.url, options, before, path)
    visits.push(opened)
    return opened.page
  }
  async function open(options?: BrowserContextOptions, before?: () => void): Promise<Page> {
    const page = await visitAs(options, before)
    await page.locator('#usage[aria-busy=false]').waitFor()
    return page
  }
  return { open, visitAs, stopServer }
}

/** Makes a key through the form and returns it as the page shows it. */
export async function make(page: Page, name = '') {
  await page.getByLabel('Name for the key').fill(name)
  await page.getByRole('button', { name: 'Make a key' }).click()
  return (await page.locator('.key-text:visible').textContent()) ?? ''
}

/** The keys as the browser's storage holds them. */
export async function stored(page: Page): Promise<{ chosen: string | null; keys: Record<string, unknown>[] }> {
  return JSON.parse((await page.evaluate(() => localStorage.getItem('satchel.keys'))) ?? '{"chosen":null,"keys":[]}')
}

/** A button of the chosen key. */
export const action = (page: Page, name: string) =>
  page.locator('.key-detail:visible').getByRole('button', { name, exact: true })
/** Waits until the page says so of the requests of the hour, as for `998 of 1,000`. */
export const untilUsage = (page: Page, words: string | RegExp) => page.locator('#usage', { hasText: words }).waitFor()
/** Waits until the answer of the playground has this text, such as its status. */
export const untilAnswer = (page: Page, text: string) => page.locator('#answer-body', { hasText: text }).waitFor()
/** Sends what the playground holds. */
export const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click()

/** What Ctrl+V would give. */
export async function pasted(page: Page) {
  await page.locator('#try-body').fill('')
  await page.locator('#try-body').press('Control+V')
  return page.locator('#try-body').inputValue()
}
