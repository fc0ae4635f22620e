/** A device that comes back with more than what is left of its hour: the server's own limit, and clocks that are moved. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeKey } from '../support/keys'
import { type Ask, appSession } from './app-session'
import { type ServerWithClock, startServer } from './support'

const HOUR_MS = 3_600_000
/** Pairs of a task and a note: each is a batch, since types alternate. */
const PAIRS = 4
/** What is left of the hour: one for the feed, one for the stream, the others for batches. */
const LEFT = 5
const key = makeKey(1)

let server: ServerWithClock
const { openApp } = appSession({ API_LIMIT_PER_HOUR: '60' }, async (settings) => {
  server = await startServer(settings)
  return server
})

/** Uses up the hour, but for so many requests. */
async function useUp(left: number): Promise<void> {
  for (let remaining = Number.POSITIVE_INFINITY; remaining > left; ) {
    const response = await fetch(`${server.url}api/workspace/settings`, { headers: { 'X-API-Key': key } })
    expect(response.status).toBe(200)
    remaining = Number(response.headers.get('X-RateLimit-Remaining'))
  }
}

async function addTask(page: Page, title: string) {
  await page.keyboard.press('q')
  await page.getByRole('textbox', { name: 'New task' }).fill(title)
  await page.keyboard.press('Enter')
  await page.locator('.notice-bar', { hasText: title }).waitFor()
  await page.keyboard.press('Escape')
}

async function addNote(page: Page, title: string) {
  await page.evaluate(() => {
    location.hash = '#/notes'
  })
  await page.getByRole('heading', { level: 1, name: 'Notes' }).waitFor()
  await page.keyboard.press('n')
  await page.getByLabel('Title', { exact: true }).fill(title)
  await page.locator('.cm-content').click()
  await page.keyboard.insertText(`Text of ${title}`)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Edit' }).waitFor()
}

const titlesOf = async (ask: Ask, path: string) =>
  ((await ask('GET', path)).items as unknown as { title: string }[]).map(({ title }) => title).sort()

test('the hour is used up in the middle of a sync: the rest waits, says until when, and goes on by itself', async () => {
  const { page, ask } = await openApp('#/notes/new', undefined, { key })
  await page.clock.install()
  const sent = page.waitForResponse((response) => response.request().postData()?.includes('Text of Before') ?? false)
  await addNote(page, 'Before')
  await sent
  await page.context().setOffline(true)
  const names = Array.from({ length: PAIRS }, (_, at) => `${at + 1}`)
  for (const name of names) {
    await addTask(page, `Task ${name}`)
    await addNote(page, `Note ${name}`)
  }
  await page.getByText(`${2 * PAIRS} changes wait for the server`).waitFor()
  await useUp(LEFT)
  server.clock.now = await page.evaluate(() => Date.now())
  const over = Math.ceil(server.clock.now / HOUR_MS) * HOUR_MS
  const time = new Date(over).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' })
  await page.context().setOffline(false)
  const notice = page.getByText(`until ${time}: the requests of this hour are used up`)
  await notice.waitFor()
  const waiting = Number(/^\d+/.exec((await notice.textContent()) ?? '')?.[0])
  expect(waiting).toBeGreaterThan(1)
  expect(waiting).toBeLessThan(2 * PAIRS)

  // Nobody is asked until then, whatever is done.
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/api/') && asked.push(request.url()))
  await addNote(page, 'Meanwhile')
  await page.getByText(`${waiting + 1} changes wait until ${time}`).waitFor()
  await page.clock.runFor((over - server.clock.now) * 0.9)
  expect(asked).toEqual([])
  let left = waiting
  const last = page.waitForResponse((answer) => answer.url().endsWith('/batch') && answer.ok() && --left === 0)
  server.clock.now = over
  await page.clock.fastForward(over - (await page.evaluate(() => Date.now())) + 2000)
  await (await last).finished()
  expect(await titlesOf(ask, 'api/tasks')).toEqual(names.map((name) => `Task ${name}`))
  expect(await titlesOf(ask, 'api/notes')).toEqual(['Before', 'Meanwhile', ...names.map((name) => `Note ${name}`)])
  const bodies = JSON.stringify(await ask('GET', 'api/notes?include=body'))
  for (const name of names) expect(bodies.split(`Text of Note ${name}`)).toHaveLength(3) // in the body and the excerpt
  // The stream goes on as well.
  await page.evaluate(() => {
    location.hash = '#/tasks'
  })
  await ask('POST', 'api/tasks', { title: 'From elsewhere' })
  await page.getByRole('row').getByText('From elsewhere').waitFor()
}, 60_000)
