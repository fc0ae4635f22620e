/** The app where the browser stores nothing, or no more: it says so, and goes on with the server. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Ask, appSession } from './app-session'

const { openApp } = appSession()

const NOTE = '01980000-0000-7000-8000-0000000000b0'
const fill = (ask: Ask) => ask('POST', 'api/notes', { id: NOTE, title: 'Garden', body: 'Sow the beans.\n' })

/** Another page of the browser, whose scripts run after `fault`. */
async function openWith(page: Page, fault: () => void): Promise<Page> {
  await page.context().addInitScript(fault)
  const other = await page.context().newPage()
  const errors: Error[] = []
  other.on('pageerror', (error) => errors.push(error))
  await other.goto(page.url())
  await other.locator('main h1').first().waitFor()
  expect(errors).toEqual([])
  return other
}

/** A note is read and written, and what was typed reaches the server. */
async function writeOnline(page: Page, ask: Ask, typed: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to
  }, `#/notes/${NOTE}`)
  await page.getByText('Sow the beans.').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText(typed)
  const sent = page.waitForResponse(/\/batch/)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText(typed).first().waitFor()
  await page.evaluate(() => {
    location.hash = '#/today'
  })
  await sent
  expect((await ask('GET', `api/notes/${NOTE}`)).body as unknown).toBe(`Sow the beans.\n${typed}`)
}

const refuseToOpen = () => {
  indexedDB.open = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError')
  }
}
const failToOpen = () => {
  const open = indexedDB.open.bind(indexedDB)
  indexedDB.open = (name) => {
    const request = open(`${name} broken`)
    const error = new DOMException('Internal error opening backing store.', 'UnknownError')
    Object.defineProperty(request, 'error', { value: error })
    request.addEventListener('upgradeneeded', (event) => event.stopImmediatePropagation())
    request.addEventListener('success', (event) => {
      event.stopImmediatePropagation()
      request.dispatchEvent(new Event('error'))
    })
    return request
  }
}
const haveNone = () => {
  Object.defineProperty(globalThis, 'indexedDB', { value: undefined })
}

test.each([
  ['refuses to open a storage', refuseToOpen],
  ['fails to open a storage', failToOpen],
  ['has no storage', haveNone],
] as const)('where the browser %s, the app says so and goes on online', async (_, fault) => {
  const { page, ask } = await openApp('', fill)
  const other = await openWith(page, fault)
  await other.getByText('This browser stores nothing: what has not reached the server').waitFor()
  await writeOnline(other, ask, 'Dig the pond.')
})

test('a copy of a later version of the app is left alone, and the app says so and goes on online', async () => {
  const { page, ask } = await openApp('', fill)
  const address = page.url()
  await page.goto(new URL('/icon.svg', address).href)
  await page.evaluate(async () => {
    for (const { name = '' } of await indexedDB.databases())
      await new Promise<void>((resolve, reject) => {
        const request = indexedDB.open(name, 1000)
        request.onsuccess = () => {
          request.result.close()
          resolve()
        }
        request.onerror = () => reject(request.error)
      })
  })
  await page.goto(address)
  await page.getByText('This page is older than what this browser has stored').waitFor()
  await writeOnline(page, ask, 'Dig the pond.')
})

test('what only a later version of the app knows of the copy is left out', async () => {
  const { page } = await openApp('', fill)
  const address = page.url()
  await page.goto(new URL('/icon.svg', address).href)
  await page.evaluate(async () => {
    const [{ name = '' } = {}] = await indexedDB.databases()
    await new Promise<void>((resolve, reject) => {
      const request = indexedDB.open(name)
      request.onerror = () => reject(request.error)
      request.onsuccess = () => {
        const writing = request.result.transaction('resources', 'readwrite')
        writing.objectStore('resources').put({ type: 'garden_plan', id: 'x', resource: { id: 'x', revision: 1 } })
        writing.oncomplete = () => {
          request.result.close()
          resolve()
        }
      }
    })
  })
  await page.goto(`${address}#/notes`)
  await page.locator('.note-row', { hasText: 'Garden' }).waitFor()
})

test('where the storage never answers, the app opens without it, says so and goes on online', async () => {
  const { page, ask } = await openApp('', fill)
  const address = page.url()
  // Another tab keeps the database of an earlier version open, and does not let go.
  const old = await page.context().newPage()
  await page.goto(new URL('/icon.svg', address).href)
  await old.goto(new URL('/icon.svg', address).href)
  await old.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name = '' }) => name)
    for (const name of names) {
      await new Promise((resolve) => {
        indexedDB.deleteDatabase(name).onsuccess = resolve
      })
      // Version 1 without tables: any other version of the app has to wait for this one.
      const open = indexedDB.open(name, 1)
      await new Promise((resolve) => {
        open.onsuccess = resolve
      })
      ;(globalThis as { kept?: unknown }).kept = open.result
    }
    // What asks for the database now waits until this one is gone.
    for (const name of names) indexedDB.deleteDatabase(name)
  })
  await page.goto(address)
  await page.getByText('The storage of this browser does not answer').waitFor()
  await writeOnline(page, ask, 'Dig the pond.')
})

/** Opens the app anew in a browser that has little room for it. */
async function reopenWithLittleRoom(page: Page) {
  const address = page.url()
  const session = await page.context().newCDPSession(page)
  const { origin, href } = new URL('/icon.svg', address)
  await page.goto(href)
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 300_000 })
  // It looks at the room that is left only when it opens a storage, and now and then.
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
  await page.goto(address)
  await page.locator('main h1').first().waitFor()
  return () => session.send('Storage.overrideQuotaForOrigin', { origin })
}

const FULL = 'The storage of this browser is full: what has not reached the server is gone when you close the page.'

test('a storage that is full while one types is told, and what is typed reaches the server', async () => {
  const { page, ask } = await openApp('', fill)
  await reopenWithLittleRoom(page)
  expect(await page.getByText(FULL).count()).toBe(0)
  await writeOnline(page, ask, 'Dig the pond. '.repeat(30_000).trim())
  await page.getByText(FULL).waitFor()
  await page.getByText('Make room on the device').waitFor()
})

test('a storage that is full while notes are copied is told; with room again, the copy is whole', async () => {
  const { page, ask } = await openApp('', fill)
  const release = await reopenWithLittleRoom(page)
  const body = 'word '.repeat(80_000)
  for (const title of ['First', 'Second']) await ask('POST', 'api/notes', { title, body })
  await page.getByText(FULL).waitFor()
  await writeOnline(page, ask, 'Dig the pond.')
  await page.evaluate(() => {
    location.hash = '#/notes'
  })
  await page.getByText('Second').first().waitFor()
  await release()
  await page.goto(new URL('/icon.svg', page.url()).href)
  await page.goBack()
  for (const title of ['First', 'Second']) await page.getByText(title).first().waitFor()
  expect(await page.getByText(FULL).count()).toBe(0)
})

test('a private window keeps a copy as long as it is open: nothing is told', async () => {
  const { page, ask } = await openApp('', fill)
  await writeOnline(page, ask, 'Dig the pond.')
  expect(await page.locator('main .notice').count()).toBe(0)
})
