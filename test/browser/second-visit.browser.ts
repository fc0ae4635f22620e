/** What the browser loads when somebody comes again: the page if it has changed, and no file that it has. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserSession } from './session'
import { startServer } from './support'

const { open } = browserSession({}, startServer)

/** The bytes on the wire of the page, and of each file that it loaded; 300 is what Chromium counts for a 304. */
function loaded(page: Page): Promise<{ page: number; files: Record<string, number> }> {
  return page.evaluate(() => {
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const files = entries.filter(({ name }) => /\.(?:js|css|svg)$/.test(name))
    return {
      page: navigation?.transferSize ?? 0,
      files: Object.fromEntries(files.map(({ name, transferSize }) => [new URL(name).pathname, transferSize])),
    }
  })
}

test.each(['', 'docs', 'docs/notes'])('the second visit of /%s loads no file', async (path) => {
  const page = await open()
  const start = page.url()
  const first = await loaded(page)
  expect(Math.min(first.page, ...Object.values(first.files).filter((bytes) => bytes > 0))).toBeGreaterThan(300)
  // Another page in between: the browser reloads one that is opened twice.
  for (const address of [path, 'docs/errors', path]) {
    await page.goto(start + address)
    await page.waitForLoadState('networkidle')
  }
  const second = await loaded(page)
  expect(second.page).toBe(300)
  expect(Object.keys(second.files).length).toBeGreaterThan(2)
  for (const [name, bytes] of Object.entries(second.files)) {
    expect(name).toMatch(/^\/assets\/\w+\//)
    expect([name, bytes]).toEqual([name, 0])
  }
})
