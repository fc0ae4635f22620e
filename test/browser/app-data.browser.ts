/** What the app keeps of a workspace, and how changes go to the server and to other tabs. */
import { expect, test } from 'bun:test'
import type { Page, Request } from 'playwright-core'
import { type Ask, appSession } from './app-session'

const { openApp } = appSession()

const today = () => new Date().toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })
const addDueTask = (ask: Ask, title: string) => ask('POST', 'api/tasks', { title, due: { date: today() } })
const task = (page: Page, title: string) => page.getByRole('link', { name: title, exact: true })
const complete = (page: Page, title: string) => page.getByRole('checkbox', { name: `Complete ${title}` }).click()

/** Counts the requests of a page from now on, by what follows the server's address. */
function countRequests(page: Page): string[] {
  const seen: string[] = []
  page.on('request', (request: Request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) seen.push(pathname)
  })
  return seen
}

/** Until `release` no batch reaches the server. */
async function holdBatches(page: Page) {
  await page.route('**/batch', (route) => route.abort())
  return () => page.unroute('**/batch')
}

/** Another tab of the same browser. */
async function openTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  await tab.locator('main h1').waitFor()
  return tab
}

test('a change of another device arrives, and one of this tab in the other, of which one follows the server', async () => {
  const { page, ask } = await openApp('', (ask) => addDueTask(ask, 'Call mum'))
  await task(page, 'Call mum').waitFor()
  const second = await openTab(page)
  await task(second, 'Call mum').waitFor()
  const ofSecond = countRequests(second)
  await addDueTask(ask, 'From elsewhere')
  await task(page, 'From elsewhere').waitFor()
  await task(second, 'From elsewhere').waitFor()
  await complete(page, 'Call mum')
  await task(second, 'Call mum').waitFor({ state: 'detached' })
  expect(ofSecond).toEqual([])
  // The other one takes over when the first is closed.
  const taken = second.waitForRequest(/\/stream/)
  await page.close()
  await taken
  await addDueTask(ask, 'Later')
  await task(second, 'Later').waitFor()
})

test('what could not be sent is sent by another tab once its own is closed', async () => {
  const { page, ask } = await openApp('', async (ask) => {
    await addDueTask(ask, 'One')
    await addDueTask(ask, 'Two')
  })
  await task(page, 'Two').waitFor()
  await holdBatches(page)
  await complete(page, 'One')
  await page.getByText('One change waits').waitFor()
  const second = await openTab(page)
  await task(second, 'One').waitFor()
  expect((await ask('GET', 'api/tasks?status=done')).items).toHaveLength(0)
  const sent = second.waitForResponse(/\/batch/)
  await page.close()
  await (await sent).finished()
  await task(second, 'Two').waitFor()
  await task(second, 'One').waitFor({ state: 'detached' })
  const done = (await ask('GET', 'api/tasks?status=done')) as unknown as {
    items: { title: string; revision: number }[]
  }
  expect(done.items.map(({ title, revision }) => [title, revision])).toEqual([['One', 2]])
})

test('a change that the server refuses is told and taken back; one that meets a gone server waits for it', async () => {
  const { page, ask } = await openApp('', (ask) => addDueTask(ask, 'One'))
  await task(page, 'One').waitFor()
  const release = await holdBatches(page)
  await complete(page, 'One')
  await page.getByText('One change waits for the server').waitFor()
  const [{ id }] = ((await ask('GET', 'api/tasks')) as unknown as { items: [{ id: string }] }).items
  await ask('DELETE', `api/tasks/${id}?permanent=true`)
  await release()
  await page.getByRole('button', { name: 'Try now' }).click()
  await page.getByText('A change was not taken').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  expect(await page.getByText('A change was not taken').count()).toBe(0)
  await task(page, 'One').waitFor({ state: 'detached' })
})
