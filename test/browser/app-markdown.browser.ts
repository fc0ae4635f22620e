/** Run by path: bun test ./test/browser/app-markdown.browser.ts. What a note's Markdown does in a browser. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { VECTORS } from '../notes/html-vectors'
import { RICH_NOTE } from './app-markdown-sample'
import { expectAccessible, openBrowser } from './support'

const ROOT = join(import.meta.dir, '../..')
/** As the page of the app has it. */
const POLICY = "default-src 'self'; img-src 'self' blob:; media-src 'self' blob:; base-uri 'none'; form-action 'none'"

let browser: Browser
let server: ReturnType<typeof serve>
beforeAll(async () => {
  server = serve(await makeFiles())
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.stop(true)
})

async function makeFiles(): Promise<ReadonlyMap<string, Blob>> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'app-markdown-page.tsx')],
    target: 'browser',
    splitting: true,
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const [tokens = ''] = /:root \{[^}]*\}/.exec(readFileSync(join(ROOT, 'public/style.css'), 'utf8')) ?? []
  const page =
    '* { box-sizing: border-box } body { margin: 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--sans) } p, h1 { margin: 0 }'
  const styles = `${tokens}${page}${readFileSync(join(ROOT, 'app/markdown/markdown.css'), 'utf8')}`
  const html =
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Note</title><link rel="stylesheet" href="style.css"><script type="module" src="app-markdown-page.js"></script><main></main></html>'
  return new Map<string, Blob>([
    ...outputs.map((file): [string, Blob] => [file.path.replace(/^\.\//, '/'), file]),
    ['/style.css', new Blob([styles], { type: 'text/css' })],
    ['/', new Blob([html], { type: 'text/html' })],
  ])
}

function serve(files: ReadonlyMap<string, Blob>) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const file = files.get(new URL(request.url).pathname)
      return new Response(file ?? null, { status: file ? 200 : 404, headers: { 'Content-Security-Policy': POLICY } })
    },
  })
}

interface Opened {
  readonly page: Page
  /** Console messages, dialogs, other pages, and requests after the page itself was loaded. */
  readonly faults: string[]
}

async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<Opened> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(server.url.href)
  const faults: string[] = []
  page.on('console', (message) => faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('dialog', (dialog) => faults.push(`dialog ${dialog.message()}`))
  page.on('request', (request) => {
    const isOwn = request.url().startsWith('blob:') || /\/[\w-]+-[a-z0-9]{8}\.js$/.test(request.url())
    if (!isOwn) faults.push(`request ${request.url()}`)
  })
  page.on('framenavigated', (frame) => faults.push(`went to ${frame.url()}`))
  context.on('page', (other) => faults.push(`opened ${other.url()}`))
  return { page, faults }
}

const showBody = (page: Page, body: string) => page.evaluate((text) => window.showBody(text), body)

test('of hostile HTML of any kind nothing runs, and nothing is asked of any host', async () => {
  const { page, faults } = await open()
  for (const [kind, texts] of Object.entries(VECTORS)) {
    for (let from = 0; from < texts.length; from += 200)
      await showBody(page, texts.slice(from, from + 200).join('\n\n'))
    for (const text of texts.slice(0, 60)) await showBody(page, text)
    const all = 'script, iframe, object, embed, form, style, link, svg, base'
    expect([kind, await page.locator(all).count(), faults]).toEqual([kind, 2, []])
  }
  await page.waitForLoadState('networkidle')
  expect(faults).toEqual([])
  await page.context().close()
})

test('a rich note has no findings in both schemes and widths, scrolls within itself, and works by keyboard', async () => {
  const { page, faults } = await open()
  await showBody(page, RICH_NOTE)
  await page.locator('math').first().waitFor()
  await page.locator('img').first().waitFor()
  await expectAccessible(page, 'note')
  expect(faults).toEqual([])

  const press = async (name: string, role: 'checkbox' | 'button', key: string) => {
    await page.getByRole(role, { name, exact: true }).first().focus()
    await page.keyboard.press(key)
  }
  await press('Prune the pear tree', 'checkbox', 'Space')
  await press('Compost', 'button', 'Enter')
  expect(await page.evaluate(() => window.asked)).toContain(`toggle ${RICH_NOTE.indexOf('[ ] Prune')} true`)
  expect(await page.evaluate(() => window.asked)).toContain('create Compost')
  await press('Footnote 1', 'button', 'Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('footnote-1')
  await press('Back to the mark of footnote 1', 'button', 'Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('footnote-mark-1-1')
  const download = page.waitForEvent('download')
  await press('the plan', 'button', 'Enter')
  expect((await download).suggestedFilename()).toBe('plan.pdf')
  await page.context().close()
})

test('100 KB are shown in a few times what their HTML takes the browser, and 1 MiB as it is written', async () => {
  const { page } = await open()
  const body = RICH_NOTE.repeat(Math.ceil(100_000 / RICH_NOTE.length)).slice(0, 100_000)
  // The best of several in turn, since other work on the machine slows single ones.
  const [shown, again] = await page.evaluate((text) => {
    const best: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let run = 0; run < 5; run += 1) {
      best[0] = Math.min(best[0], window.showBody(`${text}${run}`))
      best[1] = Math.min(best[1], window.showAgain())
    }
    return best
  }, body)
  expect(shown / again).toBeLessThan(10)
  await showBody(page, 'word '.repeat(209_715))
  expect(await page.getByText('too large or too complex').count()).toBe(1)
  await page.context().close()
})
