/** The app where the browser has no room, or another copy: it says so. What becomes of what is typed is in test/app/storage.test.ts. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Ask, appSession, goTo } from './app-session'

const { openApp } = appSession()

const NOTE = '01980000-0000-7000-8000-0000000000b0'
const fill = (ask: Ask) => ask('POST', 'api/notes', { id: NOTE, title: 'Garden', body: 'Sow the beans.\n' })

/** A note is read and written, and what was typed reaches the server. */
async function writeOnline(page: Page, ask: Ask, typed: string): Promise<void> {
  await goTo(page, `#/notes/${NOTE}`)
  await page.getByText('Sow the beans.').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText(typed)
  const sent = page.waitForResponse(/\/batch/)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText(typed).first().waitFor()
  await goTo(page, '#/today')
  await sent
  expect((await ask('GET', `api/notes/${NOTE}`)).body).toBe(`Sow the beans.\n${typed}`)
}

test('a copy of a later version of the app is left alone, which the app says', async () => {
  const { page } = await openApp('', fill)
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
})

test('where the storage never answers, the app opens without it, and says so', async () => {
  const { page } = await openApp('', fill)
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

test('a storage that is full is told, and what is typed reaches the server; with room again, the copy is whole', async () => {
  const { page, ask } = await openApp('', fill)
  expect(await page.locator('main .notice').count()).toBe(0)
  const release = await reopenWithLittleRoom(page)
  const body = 'word '.repeat(80_000)
  for (const title of ['First', 'Second']) await ask('POST', 'api/notes', { title, body })
  await page.getByText(FULL).waitFor()
  await page.getByText('Make room on the device').waitFor()
  await writeOnline(page, ask, 'Dig the pond.')
  await goTo(page, '#/notes')
  await page.getByText('Second').first().waitFor()
  await release()
  await page.goto(new URL('/icon.svg', page.url()).href)
  await page.goBack()
  for (const title of ['First', 'Second']) await page.getByText(title).first().waitFor()
  expect(await page.getByText(FULL).count()).toBe(0)
})
