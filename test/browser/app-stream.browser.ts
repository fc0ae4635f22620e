/** When the stream of changes that was lost is asked for again: the page's clock is moved. */
import { expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { appSession } from './app-session'

const { openApp } = appSession()
const STREAM = '**/api/changes/stream*'
/** After so many attempts the next wait is the longest, of two minutes. */
const ATTEMPTS = 7

/** Counts the attempts to follow the stream. */
function countStreams(page: Page) {
  const seen = { count: 0 }
  page.on('request', (request) => {
    if (request.url().includes('/api/changes/stream')) seen.count++
  })
  return seen
}

/** Opens the app again where the requests that match are answered so, until the waits for the stream are the longest. */
async function openLost(pattern: string, answer: (route: Route) => Promise<void>) {
  const { page, ask } = await openApp('#/tasks')
  await page.clock.install()
  await page.route(pattern, answer)
  const streams = countStreams(page)
  await page.reload()
  // In small steps: the page takes an attempt that lasts half a minute for one that worked.
  while (streams.count < ATTEMPTS) await page.clock.runFor(1000)
  await page.locator('main h1').first().waitFor()
  return { page, ask, streams }
}

/** The page is looked at again after a minute: it asks for what has changed. */
async function lookAgain(page: Page) {
  await page.clock.setSystemTime(await page.evaluate(() => Date.now() + 61_000))
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
}

async function addTask(page: Page) {
  await page.keyboard.press('q')
  await page.getByRole('textbox', { name: 'New task' }).fill('Buy stamps')
  await page.keyboard.press('Enter')
}

const ends = [
  ['what is asked for by hand', (page: Page) => page.getByRole('button', { name: 'Try now' }).click()],
  ['what is asked for when one looks again', lookAgain],
  ['a change', addTask],
] as const

test.each(ends)('the answer to %s ends the wait, though the browser told of no network', async (_, askOther) => {
  const { page, ask } = await openLost('**/api/**', (route) => route.abort())
  await page.unroute('**/api/**')
  const stream = page.waitForResponse(STREAM, { timeout: 10_000 })
  await askOther(page)
  expect((await stream).ok()).toBe(true)
  await ask('POST', 'api/tasks', { title: 'From elsewhere' })
  await page.getByText('From elsewhere').waitFor()
})

const stays = [
  ['that alone never arrives', 1, (route: Route) => route.abort()],
  ['that a proxy ends at once', 0, (route: Route) => route.fulfill({ contentType: 'text/event-stream', body: '' })],
  ['that is refused for now', 0, (route: Route) => route.fulfill({ status: 429, headers: { 'Retry-After': '1' } })],
] as const

test.each(stays)(
  'a stream %s is asked for at most %d times more while others are answered',
  async (_, most, answer) => {
    const { page, streams } = await openLost(STREAM, answer)
    const before = streams.count
    for (let times = 0; times < 4; times++) {
      let isAnswered = false
      const answered = page.waitForResponse(/api\/changes\?/).then((response) => response.finished())
      answered.finally(() => {
        isAnswered = true
      })
      // What the app still does with the answer before lets it pass over a look.
      while (!isAnswered) await lookAgain(page)
      await answered
    }
    expect(streams.count - before).toBe(most)
  },
)

/** Holds the next request that matches: its answer is made at once, and given by what this resolves with. */
async function holdAnswer(page: Page, pattern: string | RegExp) {
  const { promise, resolve } = Promise.withResolvers<() => Promise<void>>()
  const answer = async (route: Route) => {
    const response = await route.fetch()
    resolve(() => route.fulfill({ response }))
  }
  await page.route(pattern, answer, { times: 1 })
  return promise
}

test('what is deleted elsewhere before its own making is answered does not come back with that answer', async () => {
  const { page, ask } = await openApp('#/tasks')
  const held = holdAnswer(page, '**/api/tasks/batch')
  await addTask(page)
  const answer = await held
  await page.keyboard.press('Escape')
  const [made] = (await ask('GET', 'api/tasks')).items as unknown as { id: string }[]
  await ask('DELETE', `api/tasks/${made?.id}`)
  await ask('POST', 'api/tasks', { title: 'From elsewhere' })
  const rows = page.getByRole('row')
  await rows.getByText('From elsewhere').waitFor()
  await answer()
  await rows.getByText('Buy stamps').waitFor({ state: 'detached', timeout: 10_000 })
})

test('what changes while the copy is read is read after it', async () => {
  const { page, ask } = await openApp('#/tasks')
  const { page: other } = await openApp('#/tasks')
  const held = holdAnswer(page, /api\/changes\?/)
  const { id } = await ask('POST', 'api/tasks', { title: 'First' })
  const answer = await held
  await ask('PATCH', `api/tasks/${id}`, { title: 'Second' })
  // The announcement has come here as well once another device has read the change.
  await other.getByRole('row').getByText('Second').waitFor()
  await answer()
  await page.getByRole('row').getByText('Second').waitFor({ timeout: 10_000 })
})
