/**
 * What the app keeps of a workspace, between real tabs: the browser's own storage, channels and locks. The rest, such as keys
 * and refusals, is in test/app/tabs.test.ts.
 */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { untilNoneWaits } from './app-cards'
import { type Ask, appSession, crash, day, goTo, openTab } from './app-session'
import { readDownload } from './support'

const { openApp } = appSession()

const addDueTask = (ask: Ask, title: string) => ask('POST', 'api/tasks', { title, due: { date: day() } })
const task = (page: Page, title: string) => page.getByRole('link', { name: title, exact: true })
const complete = (page: Page, title: string) => page.getByRole('checkbox', { name: `Complete ${title}` }).click()

test('a change of another device arrives, and one of this tab in the other, of which one follows the server', async () => {
  const { page, ask } = await openApp('', (ask) => addDueTask(ask, 'Call mum'))
  await task(page, 'Call mum').waitFor()
  const second = await openTab(page)
  await task(second, 'Call mum').waitFor()
  await addDueTask(ask, 'From elsewhere')
  await task(page, 'From elsewhere').waitFor()
  await task(second, 'From elsewhere').waitFor()
  await complete(page, 'Call mum')
  await task(second, 'Call mum').waitFor({ state: 'detached' })
  // The other one takes over when the first is closed.
  const taken = second.waitForRequest(/\/stream/)
  await page.close()
  await taken
  await addDueTask(ask, 'Later')
  await task(second, 'Later').waitFor()
  expect(await task(second, 'Call mum').count()).toBe(0)
})

test('changes are sent when the browser stops storing them, which the page says', async () => {
  const { page, ask } = await openApp('', (ask) => addDueTask(ask, 'One'))
  await task(page, 'One').waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin: new URL(page.url()).origin, storageTypes: 'indexeddb' })
  const sent = page.waitForResponse(/\/batch/)
  await complete(page, 'One')
  await sent
  await page.getByText('This browser stores nothing').waitFor()
  expect((await ask('GET', 'api/tasks?status=done')).items).toHaveLength(1)
  await addDueTask(ask, 'From elsewhere')
  await task(page, 'From elsewhere').waitFor()
})

test('a text that the server never takes can be saved, also after its tab was killed', async () => {
  const { page, ask } = await openApp('', (ask) => addDueTask(ask, 'One'))
  await task(page, 'One').waitFor()
  const [{ id }] = (await ask('GET', 'api/tasks')).items
  await goTo(page, `#/tasks/task/${id}`)
  const notes = 'long '.repeat(14_000)
  await page.getByRole('textbox', { name: 'Notes', exact: true }).fill(notes)
  await page.getByText('A change was not taken').waitFor()
  const next = await openTab(page)
  await crash(page)
  const saving = next.waitForEvent('download')
  await next.getByRole('button', { name: 'Save what you wrote' }).click()
  expect(String(await readDownload(await saving))).toBe(notes)
  await next.getByRole('button', { name: 'Dismiss' }).click()
  await untilNoneWaits(next)
  expect(await next.getByText('A change was not taken').count()).toBe(0)
})

test('while the server answers with an error from the start, no list is said to be empty', async () => {
  const status = 500
  const body = { status, code: 'internal', detail: 'It failed.', error: 'It failed.' }
  const fail = (page: Page) =>
    page.route('**/api/**', (route) => route.fulfill({ status, contentType: 'application/problem+json', json: body }))
  const { page } = await openApp('', (_, page) => fail(page))
  await page.getByText('Not everything could be read yet. It failed.').waitFor()
  const screens: [address: string, empty: string][] = [
    ['#/notes', 'There are no notes yet.'],
    ['#/tasks', 'The inbox is empty.'],
    ['#/tasks/upcoming', 'Nothing is planned.'],
    ['#/tasks/done', 'Nothing is done yet.'],
    ['#/tasks/project/0', 'There is nothing here'],
    ['#/study', 'There are no cards yet.'],
    ['#/chat', 'Nothing is stored yet.'],
    ['#/today', 'Nothing is due today.'],
  ]
  const open = (address: string) => goTo(page, address)
  for (const [address] of screens) {
    await open(address)
    await page.waitForFunction(
      ({ address }) =>
        document.querySelector('.navigation [aria-current="page"]')?.getAttribute('href')?.startsWith(address),
      { address: address.split('/').slice(0, 2).join('/') },
    )
    await page.locator('main').getByText('This is not on this device yet.').first().waitFor()
    for (const [, empty] of screens) expect([address, await page.getByText(empty).count()]).toEqual([address, 0])
  }
  await page.unroute('**/api/**')
  await page.getByRole('button', { name: 'Try now' }).click()
  for (const [address, empty] of screens) {
    await open(address)
    await page.locator('main').getByText(empty).waitFor()
  }
})
