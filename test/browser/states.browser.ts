/** The page in states that are rare: no storage, one key, no server. */
import { expect, test } from 'bun:test'
import { action, browserSession, make, pasted, untilUsage } from './session'
import { expectAccessible, startServer, untilText } from './support'

const { open, stopServer } = browserSession({}, startServer)

/** As in a browser that lets no page store a thing. */
function forbidStorage() {
  for (const kind of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, kind, {
      get() {
        throw new DOMException('Access is denied for this document.', 'SecurityError')
      },
    })
}

test('axe-core finds nothing wrong where nothing can be stored: it works for the moment, and says that keys are lost with the tab', async () => {
  const permissions = ['clipboard-read', 'clipboard-write']
  const page = await open({ permissions }, forbidStorage)
  const trouble = page.getByRole('alert').filter({ hasText: 'are gone when you close this tab' })
  await trouble.waitFor()
  const key = await make(page, 'For the moment')
  await untilUsage(page, '1,000 requests left')
  await action(page, 'Copy').click()
  await action(page, 'Copied').waitFor()
  expect(await pasted(page)).toBe(key)
  expect(await trouble.isVisible()).toBe(true)
  await expectAccessible(page, 'no-storage')
})

test('axe-core finds nothing wrong with one key that was kept, and no server', async () => {
  const page = await open()
  await make(page, 'Mine')
  await action(page, 'Download').click()
  await page.reload()
  await untilUsage(page, '1,000 requests left')
  await expectAccessible(page, 'one-key')
  await stopServer()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await untilText(page, '#usage', 'The server cannot be reached. This does not touch your keys.')
  await expectAccessible(page, 'gone')
})
