/** The app in a real browser, with a workspace that has what a test needs. */

import { beforeAll, beforeEach } from 'bun:test'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { bundleApp, isBundleFresh } from '../../build/bundle-app'
import { MANY_CALLERS, makeKey } from '../support/keys'
import type { Shown } from '../support/world'
import { browserSession } from './session'
import type { RunningServer } from './support'

const FOLDER = join(import.meta.dir, '../../public/app')
/** Tests take those below for further keys. */
const FIRST_KEY = 1000
/** Of the server as well, so that its storage is the app's, but without scripts. */
const LIGHT_PAGE = 'healthz'

/** Sends a request to the server of a page with the key of the app, and returns the answer's body. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<Shown>
export type { Shown }

/**
 * Registers the hooks of a test file: see `browserSession`. `openApp` runs `prepare` before the app opens, which opens at
 * `address`, such as `#/notes`, with a key that no other test has, `key()`; with `key: null` on the scratch space. There is no
 * service worker unless `serviceWorkers` is `allow`: requests are the page's own.
 */
export function appSession(
  settings: Readonly<Record<string, string>> = {},
  start?: (settings: Readonly<Record<string, string>>) => Promise<RunningServer>,
) {
  const { visitAs, stopServer } = browserSession({ ...(start ? {} : MANY_CALLERS), ...settings }, start)
  let tests = 0
  beforeAll(async () => {
    if (!isBundleFresh(FOLDER)) await bundleApp(FOLDER)
  })
  beforeEach(() => {
    tests += 1
  })
  const ownKey = () => makeKey(start ? 1 : FIRST_KEY + tests)

  async function openApp(
    address = '',
    prepare: (ask: Ask, page: Page) => Promise<unknown> = async () => {},
    { key = ownKey() as string | null, ...options }: BrowserContextOptions & { key?: string | null } = {},
  ): Promise<{ page: Page; ask: Ask }> {
    const before = options.serviceWorkers === 'allow' ? undefined : withoutServiceWorkers
    const page = await visitAs(options, before, LIGHT_PAGE)
    const server = page.url().slice(0, -LIGHT_PAGE.length)
    const ask: Ask = async (method, path, body) => {
      const response = await fetch(server + path, {
        method,
        headers: { ...(key !== null && { 'X-API-Key': key }), 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      return response.status === 204 ? {} : response.json()
    }
    await prepare(ask, page)
    if (key !== null) await page.evaluate(chooseKey, key)
    await page.goto(`${server}app/${address}`)
    await page.locator('main h1').first().waitFor()
    return { page, ask }
  }
  return { openApp, stopServer, key: ownKey }
}

/** As in a page that came by http from another machine. */
function withoutServiceWorkers(): void {
  Reflect.deleteProperty(Navigator.prototype, 'serviceWorker')
}

/** Reads until it passes, for what is elsewhere than in the document; throws what it still is after so many milliseconds. */
export async function until<Value>(
  read: () => Promise<Value>,
  passes: (value: Value) => boolean,
  withinMs = 20_000,
): Promise<Value> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await read()
    if (passes(value)) return value
    if (performance.now() > deadline) throw new Error(`it still is ${JSON.stringify(value)}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Has the app send what waits. It may do so by itself at the same moment, so that there is no button to press. */
export const sendAgain = (page: Page) =>
  page.evaluate(() => {
    dispatchEvent(new Event('online'))
  })

/** Goes to an address of the app, such as `#/study`, without loading it again. */
export const goTo = (page: Page, address: string) =>
  page.evaluate((hash) => {
    location.hash = hash
  }, address)

/** The date so many days from now, as the browser has it. */
export const day = (offset = 0) =>
  new Date(Date.now() + offset * 86_400_000).toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })

/** Opens another tab of the same browser at the address of a page. */
export async function openTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  await tab.locator('main h1').waitFor()
  return tab
}

/** Kills the process of a page. */
export async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const crashed = page.waitForEvent('crash')
  session.send('Page.crash').catch(() => {}) // Nobody is there to answer.
  await crashed
}

/** Keeps these keys in the browser as the key page does, called `Key 0` and so on; the first is chosen. */
export const keepKeys = (page: Page, ...kept: readonly string[]) =>
  page.evaluate((kept) => {
    const keys = kept.map((key, place) => ({
      key,
      name: `Key ${place}`,
      made_at: '2026-01-01T00:00:00.000Z',
      saved: true,
    }))
    localStorage.setItem('satchel.keys', JSON.stringify({ version: 1, chosen: kept[0], recent: kept, keys }))
  }, kept)

/** As the key page stores a key. */
function chooseKey(key: string): void {
  const kept = { key, name: 'Test', made_at: '2026-01-01T00:00:00.000Z', saved: true }
  localStorage.setItem('satchel.keys', JSON.stringify({ version: 1, chosen: key, recent: [key], keys: [kept] }))
}
