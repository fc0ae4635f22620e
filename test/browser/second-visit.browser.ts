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

test('the second visit of a page loads no file', async () => {
  const page = await open()
  const start = page.url()
  const first = await loaded(page)
  expect(Math.min(first.page, ...Object.values(first.files).filter((bytes) => bytes > 0))).toBeGreaterThan(300)
  const paths = ['', 'docs', 'docs/notes']
  for (const visit of [1, 2])
    for (const path of paths) {
      await page.goto(start + path)
      // What a script of the first page loads after it.
      if (path === '') await page.locator('#connect-address', { hasText: '/api/mcp' }).waitFor({ state: 'attached' })
      if (visit === 1) continue
      const second = await loaded(page)
      expect([path, second.page]).toEqual([path, 300])
      expect(Object.keys(second.files).length).toBeGreaterThan(2)
      for (const [name, bytes] of Object.entries(second.files)) {
        expect(name).toMatch(/^\/assets\/\w+\//)
        expect([path, name, bytes]).toEqual([path, name, 0])
      }
    }
})
