/** A tab that is killed in the moment in which it has stored something, or left at once: the next one goes on, and does nothing twice. */
import { expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { countKept, untilNoneWaits } from './app-cards'
import { type Ask, appSession, crash, until } from './app-session'

const { openApp, key } = appSession()

const PLAN = '01980000-0000-7000-8000-000000000001'
const BODY = 'Pack the bag.\n\nBuy a ticket.'

const text = (page: Page) => page.locator('.cm-content')
const change = (ask: Ask, body: string) => ask('PATCH', `api/notes/${PLAN}`, { body })
const bodies = async (ask: Ask) =>
  ((await ask('GET', 'api/notes?include=body')).items as unknown as { body: string }[])
    .map(({ body }) => body)
    .toSorted()

/** Lets nothing more be sent or stored after the transaction that stores a change with these words, or removes one if `words` is null. */
const freezeOnce = (page: Page, words: string | null) =>
  page.evaluate((words) => {
    function freeze(store: IDBObjectStore) {
      Object.defineProperty(window, 'fetch', { value: () => new Promise(() => {}) })
      IDBDatabase.prototype.transaction = () => {
        throw new DOMException('The tab was killed.')
      }
      store.transaction.addEventListener('complete', () => document.documentElement.classList.add('frozen'))
    }
    const { put, delete: remove } = IDBObjectStore.prototype
    IDBObjectStore.prototype.put = function (value, ...rest) {
      if (words !== null && this.name === 'writes' && JSON.stringify(value.op).includes(words)) freeze(this)
      return put.call(this, value, ...rest)
    }
    IDBObjectStore.prototype.delete = function (place) {
      if (words === null && this.name === 'writes') freeze(this)
      return remove.call(this, place)
    }
  }, words)

/** Opens the note to edit it without network, types behind its first paragraph, and waits until that is stored. */
async function typeWithoutNetwork(typed: string) {
  const opened = await openApp(`#/notes/${PLAN}?edit=1`, (ask) =>
    ask('POST', 'api/notes', { id: PLAN, title: 'Porto', body: BODY }),
  )
  const { page } = opened
  await text(page).getByText('Buy a ticket').waitFor()
  await page.context().setOffline(true)
  await text(page).press('Control+Home')
  await page.keyboard.press('End')
  await page.keyboard.insertText(typed)
  await page.getByText('One change waits for the server').waitFor()
  return opened
}

/** Kills the tab when it has stored these words, or removed something, after `work`, and waits until the next one has sent all. */
async function killOnce(page: Page, words: string | null, work: () => Promise<unknown>): Promise<void> {
  const context = page.context()
  await freezeOnce(page, words)
  await work()
  await context.setOffline(false)
  await page.locator('.frozen').waitFor({ timeout: 8000 })
  const next = await context.newPage()
  await next.goto(new URL('..', page.url()).href)
  await crash(page)
  await next.goto(page.url().replace(/#.*/, ''))
  await next.locator('main h1').waitFor()
  await untilNoneWaits(next)
}

test('a text that becomes a note of its own becomes one only', async () => {
  const { page, ask } = await typeWithoutNetwork(' The blue one.')
  await killOnce(page, 'conflicting copy', () => change(ask, BODY.replace('the bag', 'the red bag')))
  const both = [BODY.replace('bag.', 'bag. The blue one.'), BODY.replace('the bag', 'the red bag')]
  expect(await bodies(ask)).toEqual(both)
})

test('what was typed on the text of a closed tab is no conflict with it', async () => {
  const { page: first, ask } = await typeWithoutNetwork(' The blue one.')
  const context = first.context()
  await context.route('**/api/**', (route) => route.abort())
  await context.setOffline(false)
  const page = await context.newPage()
  await page.goto(first.url())
  await text(page).getByText('The blue one.').waitFor()
  await context.setOffline(true)
  await text(page).press('Control+Home')
  await page.keyboard.press('End')
  await page.keyboard.insertText(' Not the red one.')
  await text(first).getByText('Not the red one.').waitFor()
  await killOnce(page, 'Not the red one.', async () => {
    await first.close()
    await context.unroute('**/api/**')
  })
  expect(await bodies(ask)).toEqual([BODY.replace('bag.', 'bag. The blue one. Not the red one.')])
})

test('what was typed on a text that the server has by now names its revision', async () => {
  const { page, ask } = await typeWithoutNetwork(' The blue one.')
  const sent = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const hold = async (route: Route) => {
    sent.resolve()
    await released.promise
    await route.continue()
  }
  const context = page.context()
  await page.route('**/batch', hold, { times: 1 })
  let reads = 0
  context.on('request', (request) => {
    if (request.url().endsWith(`api/notes/${PLAN}`)) reads += 1
  })
  await context.setOffline(false)
  await sent.promise
  await page.keyboard.insertText(' Not the red one.')
  await until(
    () => countKept(page, key(), 'writes'),
    (count) => count === 2,
  )
  await killOnce(page, null, async () => released.resolve())
  expect(await bodies(ask)).toEqual([BODY.replace('bag.', 'bag. The blue one. Not the red one.')])
  // It was not refused, for which the note would be read.
  expect(reads).toBe(0)
})

test('what is typed right before the page is loaded again is there, as when a new version is opened', async () => {
  const { page } = await typeWithoutNetwork(' The blue one.')
  await page.context().route('**/api/**', (route) => route.abort())
  await page.context().setOffline(false)
  await page.keyboard.insertText(' Not the red one.')
  await page.evaluate(() => location.reload())
  await text(page).getByText('The blue one. Not the red one.').waitFor()
})
