/** What the app keeps of a workspace, and how changes go to the server and to other tabs. */
import { expect, test } from 'bun:test'
import type { Page, Request } from 'playwright-core'
import { makeKey } from '../support/keys'
import { untilNoneWaits } from './app-cards'
import { type Ask, appSession, crash, openTab, sendAgain } from './app-session'
import { readDownload, startServer } from './support'

const { openApp } = appSession({}, startServer)

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
  // Nothing is left that a third tab would do again.
  await untilNoneWaits(second)
})

test('without Web Locks, as on an address of the LAN, a tab leaves to another what that can still send', async () => {
  const { page, ask } = await openApp('', (ask) => addDueTask(ask, 'One'))
  await page.context().addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }))
  await page.reload()
  await task(page, 'One').waitFor()
  await holdBatches(page)
  await complete(page, 'One')
  await page.getByText('One change waits').waitFor()
  const asked = page.evaluate(waitForQuestions)
  const second = await page.context().newPage()
  const ofSecond = countRequests(second)
  await second.goto(page.url())
  await task(second, 'One').waitFor()
  await asked
  expect(ofSecond).not.toContain('/api/tasks/batch')
  const sent = second.waitForResponse(/\/batch/)
  await page.close()
  await (await sent).finished()
  expect((await ask('GET', 'api/tasks?status=done')).items).toHaveLength(1)
})

/** Resolves when other tabs have asked more often than silence would take. Runs in the page. */
function waitForQuestions(): Promise<void> {
  return new Promise((resolve) => {
    let questions = 0
    new BroadcastChannel('satchel tabs').onmessage = () => {
      questions += 1
      if (questions === 5) resolve()
    }
  })
}

test('a change that the server refuses is told and taken back; one that meets a gone server waits for it', async () => {
  const { page, ask } = await openApp('', (ask) => addDueTask(ask, 'One'))
  await task(page, 'One').waitFor()
  const release = await holdBatches(page)
  await complete(page, 'One')
  await page.getByText('One change waits for the server').waitFor()
  const [{ id }] = ((await ask('GET', 'api/tasks')) as unknown as { items: [{ id: string }] }).items
  await ask('DELETE', `api/tasks/${id}?permanent=true`)
  await release()
  await sendAgain(page)
  await page.getByText('A change was not taken').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  expect(await page.getByText('A change was not taken').count()).toBe(0)
  await task(page, 'One').waitFor({ state: 'detached' })
})

test('what waits is still there, and sent, after another key was chosen and the first one again', async () => {
  const { page, ask } = await openApp('', async (ask) => {
    await addDueTask(ask, 'One')
    await addDueTask(ask, 'Two')
  })
  await task(page, 'Two').waitFor()
  await page.evaluate(addKey, makeKey(2))
  await page.getByRole('checkbox', { name: 'Complete One' }).waitFor()
  const release = await holdBatches(page)
  await complete(page, 'One')
  await page.getByText('One change waits').waitFor()
  await switchKey(page, 'Second')
  await page.getByText('Nothing is due today.').waitFor()
  await switchKey(page, 'Test')
  await task(page, 'Two').waitFor()
  await page.getByText('One change waits').waitFor()
  expect(await task(page, 'One').count()).toBe(0)
  await complete(page, 'Two')
  await page.getByText('2 changes wait').waitFor()
  // Both are stored, the one of before and the one of now.
  await page.reload()
  await page.getByText('2 changes wait').waitFor()
  const sent = waitForBatches(page, 2)
  await release()
  await sendAgain(page)
  await sent
  expect((await ask('GET', 'api/tasks?status=done')).items).toHaveLength(2)
})

test('a text that is refused while another key is chosen and the first one again gets one conflicting copy', async () => {
  const id = '01980000-0000-7000-8000-0000000000b0'
  const { page, ask } = await openApp(`#/notes/${id}?edit=1`, async (ask) => {
    await ask('POST', 'api/notes', { id, title: 'Garden', body: 'Sow' })
    await addDueTask(ask, 'One')
  })
  await page.evaluate(addKey, makeKey(2))
  const { arrived, release } = await holdAnswer(page)
  await ask('PATCH', `api/notes/${id}`, { body: 'Sow peas' })
  await page.locator('.cm-content').fill('Sow beans')
  await page.keyboard.press('Escape')
  await page.evaluate(() => {
    location.hash = '#/today'
  })
  await arrived
  await task(page, 'One').waitFor()
  await switchKey(page, 'Second')
  await page.getByText('Nothing is due today.').waitFor()
  const kept = page.waitForResponse((response) => response.request().postData()?.includes('conflicting') ?? false)
  await switchKey(page, 'Test')
  await task(page, 'One').waitFor()
  await page.getByText('was changed elsewhere').waitFor()
  await kept
  const copies = async () =>
    ((await ask('GET', 'api/notes')) as unknown as { items: { title: string }[] }).items
      .map(({ title }) => title)
      .toSorted()
  await untilNoneWaits(page)
  const answered = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/batch'))
  await release()
  await answered
  // What the workspace of before would have made of it is sent by the next page.
  await page.reload()
  await page.locator('main h1').waitFor()
  await untilNoneWaits(page)
  expect(await copies()).toEqual(['Garden', 'Garden (conflicting copy)'])
})

/** The answer to the next batch is held until `release`. */
async function holdAnswer(page: Page) {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(
    '**/batch',
    async (route) => {
      const response = await route.fetch()
      arrived.resolve()
      await released.promise
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  return { arrived: arrived.promise, release: released.resolve }
}

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

test.each([200, 403])('a change waits while a network answers %d with a page of its own', async (status) => {
  const { page, ask } = await openApp('', (ask) => addDueTask(ask, 'One'))
  await task(page, 'One').waitFor()
  await page.route('**/batch', (route) => route.fulfill({ status, contentType: 'text/html', body: '<p>Sign in</p>' }))
  await complete(page, 'One')
  await page.getByText('One change waits').waitFor()
  await page.unroute('**/batch')
  await sendAgain(page)
  await untilNoneWaits(page)
  expect((await ask('GET', 'api/tasks?status=done')).items).toHaveLength(1)
})

test('a workspace that is erased elsewhere is empty here, too', async () => {
  const { page, ask } = await openApp('', (ask) => addDueTask(ask, 'One'))
  await task(page, 'One').waitFor()
  await ask('DELETE', 'api/workspace?confirm=erase')
  await page.getByText('Nothing is due today.').waitFor()
})

test('a stream that a proxy ends at once is asked for ever less often', async () => {
  const { page } = await openApp()
  await page.clock.install()
  await page.route('**/stream*', (route) => route.fulfill({ contentType: 'text/event-stream', body: '' }))
  const first = page.waitForResponse(/\/stream/)
  await page.reload()
  await (await first).finished()
  const seen = countRequests(page)
  for (const seconds of [2, 4, 8]) {
    const next = page.waitForResponse(/\/stream/)
    await page.clock.runFor((seconds - 1) * 1000)
    expect(seen.splice(0)).toEqual([])
    await page.clock.runFor(2000)
    await (await next).finished()
    seen.splice(0)
  }
})

test('long texts that waited are sent in requests that the server takes', async () => {
  const titles = ['One', 'Two', 'Three']
  const { page, ask } = await openApp('#/notes')
  const release = await holdBatches(page)
  for (const title of titles) {
    await page.evaluate(() => {
      location.hash = '#/notes'
    })
    await page.keyboard.press('n')
    await page.getByLabel('Title', { exact: true }).fill(title)
    await page.locator('.cm-content').evaluate(pasteLongText)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: title }).first().waitFor()
  }
  await page.getByText('3 changes wait').waitFor()
  const sent = waitForBatches(page, 3)
  await release()
  await sendAgain(page)
  await sent
  expect((await ask('GET', 'api/notes')).items).toHaveLength(3)
})

/** As Ctrl+V does, some 800 KB. */
function pasteLongText(editor: HTMLElement): void {
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', `${'word '.repeat(1000)}\n\n`.repeat(160))
  editor.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
}

/** Resolves when the server has answered so many batches. */
async function waitForBatches(page: Page, count: number) {
  for (let answered = 0; answered < count; answered++) await page.waitForResponse(/\/batch/)
}

async function switchKey(page: Page, name: string) {
  await page.keyboard.press('Control+K')
  await page.keyboard.type(`Switch to key ${name}`)
  await page.getByRole('option', { name: `Switch to key ${name}` }).waitFor()
  await page.keyboard.press('Enter')
}

/** As another page of this browser keeps one more key. */
function addKey(key: string): void {
  const stored = JSON.parse(localStorage.getItem('satchel.keys') ?? '{}')
  stored.keys.push({ key, name: 'Second', made_at: '2026-01-01T00:00:00.000Z', saved: true })
  stored.recent.push(key)
  localStorage.setItem('satchel.keys', JSON.stringify(stored))
  dispatchEvent(new StorageEvent('storage', { key: 'satchel.keys' }))
}

test('a text that the server never takes can be saved', async () => {
  const { page, ask } = await openApp('', (ask) => addDueTask(ask, 'One'))
  await task(page, 'One').waitFor()
  const [{ id }] = ((await ask('GET', 'api/tasks')) as unknown as { items: [{ id: string }] }).items
  await page.evaluate((to) => {
    location.hash = to
  }, `#/tasks/task/${id}`)
  const notes = 'long '.repeat(14_000)
  await page.getByRole('textbox', { name: 'Notes', exact: true }).fill(notes)
  const save = async (page: Page) => {
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save what you wrote' }).click()
    return String(await readDownload(await saving))
  }
  expect(await save(page)).toBe(notes)
  // Whoever has not seen it is told after a reload, and in the next tab after a crash.
  await page.reload()
  expect(await save(page)).toBe(notes)
  const next = await openTab(page)
  await crash(page)
  expect(await save(next)).toBe(notes)
  expect(await next.getByText('waits for the server').count()).toBe(0)
  await next.getByRole('button', { name: 'Dismiss' }).click()
  await untilNoneWaits(next)
  await next.reload()
  await next.getByRole('textbox', { name: 'Notes', exact: true }).waitFor()
  expect(await next.getByText('A change was not taken').count()).toBe(0)
})

test.each([500, 503, 429])(
  'while the server answers %d from the start, no list is said to be empty',
  async (status) => {
    const body = { status, code: 'internal', detail: 'It failed.', error: 'It failed.' }
    const fail = (page: Page) =>
      page.route('**/api/**', (route) => route.fulfill({ status, contentType: 'application/problem+json', json: body }))
    const { page } = await openApp('', (_, page) => fail(page))
    await page.getByText('Nothing could be read yet. It failed.').waitFor()
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
    const open = (address: string) =>
      page.evaluate((to) => {
        location.hash = to
      }, address)
    for (const [address] of screens) {
      await open(address)
      await page.waitForFunction(
        ({ address }) => document.querySelector('.navigation [aria-current="page"]')?.getAttribute('href') === address,
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
  },
)
