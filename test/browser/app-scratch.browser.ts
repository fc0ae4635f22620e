/** The app of somebody who has no key: it works, says where things are, and makes a key that brings them along. */
import { expect, test } from 'bun:test'
import { makeKey } from '../support/keys'
import { appSession } from './app-session'
import { stored } from './session'
import { expectAccessible, startServer, violations } from './support'

const { openApp } = appSession({}, startServer)

test('what was written without a key is brought along to the key that the app makes', async () => {
  const { page } = await openApp('', undefined, { key: null })
  await page.getByText('scratch space of your network address').waitFor()
  await page.keyboard.press('q')
  await page.getByLabel('New task').fill('Call mum today')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Call mum', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Make a key' }).click()
  await page.getByText('You have a key now').waitFor()
  await page.getByRole('link', { name: 'Call mum', exact: true }).waitFor()
  expect(await page.getByText('scratch space').count()).toBe(0)
  const { keys, chosen } = await stored(page)
  expect([keys.length, keys[0]?.key, keys[0]?.saved]).toEqual([1, chosen, false])
  await page.reload()
  await page.getByRole('link', { name: 'Call mum', exact: true }).waitFor()
})

test('a key is added on the page that asks for one', async () => {
  const { page } = await openApp('', undefined, { key: null })
  await page.getByRole('button', { name: 'I have a key' }).click()
  await page.locator('.scratch input[placeholder]:focus').waitFor()
  await page.keyboard.type('satchel_wrong')
  await page.keyboard.press('Enter')
  await page.locator('.scratch [aria-invalid="true"]').waitFor()
  await page.getByLabel('Key, or the text of a key file').fill(makeKey(4711))
  await page.keyboard.press('Enter')
  await page.getByText('scratch space of your network address').waitFor({ state: 'detached' })
  expect((await stored(page)).chosen).toBe(makeKey(4711))
})

test('a used-up hour is told with the time at which it ends, and what waits is sent then', async () => {
  const { page, ask } = await openApp('', undefined, { key: null })
  await page.getByText('scratch space of your network address').waitFor()
  for (let left = 20; left > 0; left--) await ask('GET', 'api/notes').catch(() => {})
  await page.keyboard.press('q')
  await page.getByLabel('New task').fill('Call mum today')
  await page.keyboard.press('Enter')
  await page.getByText(/One change waits until \d\d:\d\d, in [^:]+: the requests of this hour are used up/).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Call mum', exact: true }).waitFor()
  expect(await violations(page)).toEqual([])
})

test('it has no fault that axe finds, and fit any window', async () => {
  const { page } = await openApp('', undefined, { key: null })
  await page.getByText('scratch space of your network address').waitFor()
  await expectAccessible(page, 'app-scratch')
})
