/** A real browser against a real server. Only `startServer` knows which server that is. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { makeWorld } from '../support/world'

const CHROMIUM = '/usr/bin/chromium'
const SCREENSHOTS = join(import.meta.dir, '../../screenshots')
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run']
const SILENT = ['--disable-background-networking', '--disable-component-update', '--disable-sync']

export interface RunningServer {
  /** Base address with a slash at the end. */
  url: string
  /** May be asked again. */
  stop(): Promise<void>
}

/** A server whose clock stands still unless it is set. */
export interface ServerWithClock extends RunningServer {
  /** `now`: milliseconds since 1970. */
  readonly clock: { now: number }
}

/** A server with nothing stored and nothing counted; `settings` as in the environment. */
export async function startServer(settings: Readonly<Record<string, string>> = {}): Promise<ServerWithClock> {
  const world = await makeWorld({ settings, start: Date.now() })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= world.close()
    return stopped
  }
  return { url: world.listen(), stop, clock: world.clock }
}

/** @throws when there is no Chromium: these tests never pass by not running */
export async function launchBrowser(flags: readonly string[] = []): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error(`The browser tests need Chromium at ${CHROMIUM}; install it and run them again.`)
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...SILENT, ...flags] })
}

export interface Visit {
  page: Page
  /** What went wrong out of sight: console errors, breaches of the policy, script errors, requests to other hosts. */
  faults: string[]
}

/** Opens the key page as somebody who was never here; `before` runs in the page before its own scripts. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  before = () => {},
): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options })
  await context.addInitScript(before)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    // the browser itself reports every 4xx on the console; the page shows those to the person
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('blob:')) faults.push(`request to ${request.url()}`)
  })
  await page.goto(url)
  return { page, faults }
}

/** Waits until the element has exactly this text; says what it had when it never comes. */
export async function untilText(page: Page, selector: string, text: string) {
  const place = page.locator(selector)
  const deadline = performance.now() + 5000
  let seen = await place.textContent()
  while (seen !== text && performance.now() < deadline) {
    await page.evaluate(() => new Promise(requestAnimationFrame))
    seen = await place.textContent()
  }
  if (seen !== text) throw new Error(`${selector} should say "${text}" but says "${seen}"`)
}

/** Writes a picture of the whole page for a person to look at. */
export async function picture(page: Page, name: string) {
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
}

const VIEWPORTS = [
  { width: 320, height: 640 },
  { width: 1280, height: 800 },
]
/** The windows and schemes that every part of the page is looked at in. */
export const LOOKS = VIEWPORTS.flatMap((viewport) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    viewport,
    colorScheme,
    name: `${colorScheme}-${viewport.width}`,
  })),
)

/** What axe-core finds wrong with the page as it stands, by every rule it has. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations: found } = await page.evaluate(() => {
    const page = globalThis as unknown as { axe: typeof axe } // as the script above left it
    return page.axe.run(document, { resultTypes: ['violations'] })
  })
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
