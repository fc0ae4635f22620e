/** A real browser against a real server. Only `startServer` knows which server that is. */

import { expect } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type axe from 'axe-core'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Download,
  type LaunchOptions,
  type Page,
} from 'playwright-core'
import { makeWorld } from '../support/world'

/** The one without windows of its own shows the same pages in two thirds of the processor time. Debian has both. */
const CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const SCREENSHOTS = join(import.meta.dir, '../../screenshots')
/** What Chromium must not do. It heeds the last such list alone: the first twelve are those of Playwright that matter here. */
const WITHOUT = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'PreconnectToSearch'],
  ...['HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  // The address bar of each window would load two pages of Chromium's own, which take a second of the processor.
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  // It would start a process for each context that no page comes to use.
  'SpareRendererForSitePerProcess',
]
const FLAGS = [
  ...['--disable-gpu', '--disable-quic', `--disable-features=${WITHOUT.join()}`],
  // It knows no host but this machine, which names under .example lead to: a page that needs another one fails.
  '--host-resolver-rules=MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

export interface RunningServer {
  /** Base address with a slash at the end. */
  url: string
  /** May be asked again. */
  stop(): Promise<void>
  /** Rejects if it answered what its documentation does not say. */
  check?(): Promise<void>
  /** `now`: milliseconds since 1970. It stands still unless it is set. */
  readonly clock?: { now: number }
}

export type ServerWithClock = Required<RunningServer>

/** A server with nothing stored and nothing counted; `settings` as in the environment. */
export async function startServer(settings: Readonly<Record<string, string>> = {}): Promise<ServerWithClock> {
  const world = await makeWorld({ settings, start: Date.now() })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= world.close()
    return stopped
  }
  return { url: world.listen(), stop, check: world.checkAnswers, clock: world.clock }
}

/** @throws when there is no Chromium: these tests never pass by not running */
export function optionsOfChromium(): LaunchOptions {
  const executablePath = CHROMIUMS.find(existsSync)
  if (!executablePath) throw new Error(`The browser tests need Chromium at ${CHROMIUMS.join(' or ')}.`)
  return { executablePath, args: FLAGS }
}

/** The browser of the run (run.ts), or one that the file starts for itself. To close it closes what the file opened in it. */
export function openBrowser(): Promise<Browser> {
  const endpoint = process.env.CHROMIUM_ENDPOINT
  return endpoint ? chromium.connect(endpoint) : chromium.launch(optionsOfChromium())
}

export interface Visit {
  page: Page
  /** What went wrong out of sight: console errors, breaches of the policy, script errors, requests to other hosts. */
  faults: string[]
}

/** Opens a page, the key page without a path, as somebody who was never here; `before` runs in it before its own scripts. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  before = () => {},
  path = '',
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
  await page.goto(url + path)
  return { page, faults }
}

/** What a page saved. */
export async function readDownload(download: Download): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(await download.createReadStream()))
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

/** Writes a picture of the whole page for a person to look at, in a full run (FULL=1). */
export async function picture(page: Page, name: string) {
  if (!process.env.FULL) return
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
}

/** The windows that every part of a page is looked at in. */
export const WINDOWS = [
  { width: 320, height: 640 },
  { width: 1280, height: 800 },
]
type Look = readonly [viewport: (typeof WINDOWS)[number], colorScheme: 'light' | 'dark']
export const looksIn = (viewport: Look[0]): readonly Look[] => [
  [viewport, 'light'],
  [viewport, 'dark'],
]
const LOOKS: readonly Look[] = WINDOWS.flatMap(looksIn)
/** For a text in a frame that is looked at elsewhere: each window and each scheme once. */
export const LOOKS_OF_TEXT = LOOKS.filter((_, place) => place === 0 || place === LOOKS.length - 1)
const AXE = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8')
/** What may be wrong in one scheme of colours alone. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']

/**
 * axe-core finds nothing wrong with the page as it is, in windows of both sizes, in light and in dark, and nothing is wider
 * than the window. The page is left in the last of these looks.
 */
export async function expectAccessible(page: Page, name: string, looks: readonly Look[] = LOOKS): Promise<void> {
  for (const [place, [viewport, colorScheme]] of looks.entries()) {
    await page.setViewportSize(viewport)
    // Colours would still be on their way from one scheme to the other.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const isSameWindow = looks[place - 1]?.[0] === viewport
    const found = await violations(page, isSameWindow ? RULES_OF_COLOURS : undefined)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    const expected = { name, colorScheme, width: viewport.width, found: [] }
    expect({ name, colorScheme, width, found }).toEqual(expected)
    await picture(page, `${name}-${colorScheme}-${viewport.width}`)
  }
}

/** What axe-core finds wrong with the page as it is, by every rule it has or by some. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const { violations: found } = await page.evaluate((rules) => {
    const page = globalThis as unknown as { axe: typeof axe } // as the script above left it
    return page.axe.run(document, { resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
  }, rules)
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
