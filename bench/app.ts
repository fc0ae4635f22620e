/** How soon the app shows something, in Chromium with 10,000 notes in its copy, on a processor slowed down by four. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { bundleApp, isBundleFresh } from '../build/bundle-app'
import { words } from './corpus'
import { type Effort, type Figure, median, NotMeasured, percentile, type Row, spread } from './figures'
import { KEY } from './requests'
import { type Server, startSatchel } from './server'

const CHROMIUM = '/usr/bin/chromium'
const NOTES = 10_000
const CARDS = 60
const SLOWED = 4

/** The app in a browser, whose copy has all that the server has. */
interface OpenApp {
  readonly page: Page
  /** Its address, with a slash at the end. */
  readonly address: string
}

async function withApp(notes: number, measure: (app: OpenApp) => Promise<Figure>): Promise<Figure> {
  if (!existsSync(CHROMIUM)) throw new NotMeasured(`there is no Chromium at ${CHROMIUM}`)
  const folder = join(import.meta.dir, '../public/app')
  if (!isBundleFresh(folder)) await bundleApp(folder)
  const server = await startSatchel()
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  })
  try {
    await fill(server, notes)
    const page = await browser.newPage()
    const base = `http://127.0.0.1:${server.port}/`
    await page.goto(`${base}docs/errors`)
    await page.evaluate(keepKey, KEY)
    const address = `${base}app/`
    await page.goto(`${address}#/notes`)
    await page.locator('.note-row').first().waitFor()
    await page.waitForFunction(isCopied, notes, { polling: 200, timeout: 120_000 })
    return await measure({ page, address })
  } finally {
    await browser.close()
    await server.stop()
  }
}

/** Whether the copy has all notes. */
async function isCopied(notes: number): Promise<boolean> {
  const [{ name = '' } = {}] = await indexedDB.databases()
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name)
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const counting = opening.result.transaction('bodies').objectStore('bodies').count()
      counting.onsuccess = () => {
        opening.result.close()
        resolve(counting.result === notes)
      }
    }
  })
}

/** As the key page stores a key. */
function keepKey(key: string): void {
  const kept = { key, name: 'Bench', made_at: '2026-01-01T00:00:00.000Z', saved: true }
  localStorage.setItem('satchel.keys', JSON.stringify({ version: 1, chosen: key, recent: [key], keys: [kept] }))
}

async function fill({ port }: Server, notes: number): Promise<void> {
  const post = async (path: string, body: unknown) => {
    const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: string }
  }
  const note = () => ({ op: 'create', data: { title: words(5), body: words(60), tags: [words(1)] } })
  for (let made = 0; made < notes; made += 100)
    await post('notes/batch', { ops: Array.from({ length: Math.min(100, notes - made) }, note) })
  const { id } = await post('flashcards/decks', { name: 'Words', settings: { new_limit_per_day: CARDS } })
  const facts = Array.from({ length: CARDS }, () => ({ type: 'basic', deck_id: id, front: words(6), back: words(20) }))
  await post('flashcards/facts/batch', { items: facts })
}

/** From its address to its first row, when it has been open before. */
function measureStart(effort: Effort): Promise<Figure> {
  return withApp(effort.quick ? 200 : NOTES, async ({ page, address }) => {
    const times: number[] = []
    for (let start = 0; start < Math.max(3, effort.rounds); start++) {
      await page.goto(new URL('../docs/errors', address).href)
      await page.goto(`${address}#/notes`)
      await page.locator('.note-row').first().waitFor()
      times.push(await page.evaluate(() => performance.now()))
    }
    return { measured: spread(times, 'ms'), reached: median(times) <= 300 }
  })
}

/** From a key to the paint after what it changed, as the page itself sees it. `only`: of this key; else of every one. */
async function measureKeys(page: Page, press: () => Promise<void>, only = ''): Promise<number[]> {
  await page.evaluate((only) => {
    const times: number[] = []
    Object.assign(globalThis, { times })
    window.addEventListener(
      'keydown',
      ({ timeStamp, key }) => {
        if (only !== '' && key !== only) return
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = () => times.push(performance.now() - timeStamp)
          port2.postMessage(null)
        })
      },
      true,
    )
  }, only)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
  await press()
  return page.evaluate(() => (globalThis as unknown as { times: number[] }).times)
}

const keyFigure = (times: readonly number[], target: number): Figure => {
  const p95 = percentile(times, 0.95)
  return {
    measured: `p95 ${p95.toFixed(0)} ms, median ${median(times).toFixed(0)} ms, ${times.length} keys`,
    reached: p95 <= target,
  }
}

function measureSearch(effort: Effort): Promise<Figure> {
  return withApp(effort.quick ? 200 : NOTES, async ({ page }) => {
    // As one who comes back: what it takes to copy 10,000 notes is over.
    await page.reload()
    const field = page.getByRole('searchbox', { name: 'Search notes' })
    await field.focus()
    await page.waitForTimeout(3000)
    const times = await measureKeys(page, async () => {
      for (let word = 0; word < (effort.quick ? 2 : 20); word++) {
        await field.fill('')
        await page.waitForTimeout(300)
        await page.keyboard.type(words(1).slice(0, 5), { delay: 100 })
      }
    })
    return keyFigure(times, 50)
  })
}

function measureQuickAdd(effort: Effort): Promise<Figure> {
  return withApp(200, async ({ page }) => {
    await page.keyboard.press('q')
    await page
      .getByRole('textbox', { name: 'New task' })
      .fill('Ask Ann about the fence tomorrow 9am @home !2 every other friday ')
    await page.locator('.chips li').first().waitFor()
    const times = await measureKeys(page, async () => {
      await page.keyboard.type(words(effort.quick ? 1 : 20), { delay: 100 })
    })
    return keyFigure(times, 50)
  })
}

function measureCards(effort: Effort): Promise<Figure> {
  return withApp(200, async ({ page, address }) => {
    await page.goto(`${address}#/study/go`)
    await page.getByRole('button', { name: 'Show the answer' }).waitFor()
    const times = await measureKeys(
      page,
      async () => {
        for (let card = 0; card < (effort.quick ? 3 : 40); card++) {
          await page.keyboard.press('Space', { delay: 50 })
          await page.keyboard.press('4', { delay: 50 })
        }
      },
      '4',
    )
    return keyFigure(times, 30)
  })
}

export const appRows: readonly Row[] = [
  {
    name: 'The app in Chromium: warm start to the list of 10,000 notes',
    target: '≤ 300 ms',
    measure: measureStart,
  },
  {
    name: 'The app in Chromium, processor slowed down by 4: a key in the search of 10,000 notes to the painted list',
    target: 'p95 ≤ 50 ms',
    measure: measureSearch,
  },
  {
    name: 'The app in Chromium, processor slowed down by 4: a key in quick add, which reads each line, to the paint',
    target: 'p95 ≤ 50 ms',
    measure: measureQuickAdd,
  },
  {
    name: 'The app in Chromium, processor slowed down by 4: a rating to the painted next card',
    target: 'p95 ≤ 30 ms',
    measure: measureCards,
  },
]
