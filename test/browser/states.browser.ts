/** The page in states that are rare: no storage, one key, an import that failed, a workspace that was erased. */
import { expect, test } from 'bun:test'
import { action, browserSession, make, pasted } from './session'
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
  await untilText(page, '#usage-tier', 'API, with a key')
  await action(page, 'Copy').click()
  await action(page, 'Copied').waitFor()
  expect(await pasted(page)).toBe(key)
  expect(await trouble.isVisible()).toBe(true)
  const buffer = Buffer.from('# A note')
  await page.locator('#upload-file').setInputFiles({ name: 'a.md', mimeType: 'text/markdown', buffer })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await untilText(page, '#upload-state', 'Imported: 1 created.')
  await expectAccessible(page, 'no-storage')
})

test('axe-core finds nothing wrong with one key that was kept, a workspace that was erased, an import that failed, and no server', async () => {
  const page = await open()
  await make(page, 'Mine')
  await action(page, 'Download').click()
  await page.reload()
  await untilText(page, '#usage-tier', 'API, with a key')
  await expectAccessible(page, 'one-key')
  await page.getByRole('button', { name: 'Erase everything' }).first().click()
  await page.locator('#erase-confirm').fill('erase')
  await page.locator('#erase-confirm').press('Tab')
  await page.keyboard.press('Enter')
  await untilText(page, '#leave-state', 'Everything is erased.')
  const buffer = Buffer.from('PK\u0003\u0004 but no zip')
  await page.locator('#upload-file').setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.locator('#upload-state').filter({ hasText: /zip/ }).waitFor()
  await page.locator('#upload-moving').waitFor({ state: 'hidden' })
  await expectAccessible(page, 'erased-failed')
  await stopServer()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.locator('#usage-trouble').waitFor()
  expect(await page.locator('#usage-figures').isVisible()).toBe(true)
  await expectAccessible(page, 'gone')
})
