/** A workspace as a whole: what was tried comes along to a key, all is exported, all is erased. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserSession, make, send } from './session'
import { expectAccessible, picture, readDownload, startServer, untilText } from './support'

const { open, stopServer } = browserSession({}, startServer)

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
/** Makes a note each without a key. */
const tryNotes = (page: Page, titles: string[]) =>
  page.evaluate(async (all) => {
    const headers = { 'Content-Type': 'application/json' }
    for (const title of all) await fetch('api/notes', { method: 'POST', headers, body: JSON.stringify({ title }) })
  }, titles)
/** How many notes the key that the page works with has. */
const notesOf = (page: Page, key: string) =>
  page.evaluate(async (sent) => {
    const response = await fetch('api/notes', { headers: sent ? { 'X-API-Key': sent } : {} })
    return (await response.json()).items.length
  }, key)

describe('what was tried without a key', () => {
  test('is offered to a key that was just made, also after a refusal, and comes along', async () => {
    const page = await open()
    await tryNotes(page, ['One', 'Two', 'Three'])
    const key = await make(page, 'Mine')
    const words = 'Bring along the 3 notes you tried without a key? A copy goes into this key’s workspace.'
    await untilText(page, '#adopt-words', words)
    await picture(page, 'adopt')
    await page.route('**/api/workspace/adopt', (route) => route.fulfill({ status: 503, json: { detail: 'Too busy.' } }))
    await press(page, 'Bring them along')
    await untilText(page, '#adopt-words', 'Too busy.')
    await page.unroute('**/api/workspace/adopt')
    await press(page, 'Bring them along')
    await page.locator('#adopt').waitFor({ state: 'hidden' })
    await untilText(page, '#said', 'Copied the 3 notes into this key’s workspace.')
    expect(await page.locator('.key-detail:visible button:focus').count()).toBe(1)
    await page.waitForFunction(() => document.getElementById('usage-stored')?.textContent?.startsWith('3 of'))
    expect(await notesOf(page, key)).toBe(3)
  })

  test('is not offered where nothing was, stays where it is when dismissed, and is not offered to another key that is chosen', async () => {
    const page = await open()
    const asked = page.waitForResponse(
      (response) => response.url().endsWith('/api/usage') && !response.request().headers()['x-api-key'],
    )
    await make(page, 'Mine')
    await asked
    await send(page)
    await untilText(page, '#usage-remaining', '998')
    expect(await page.locator('#adopt').isVisible()).toBe(false)

    await tryNotes(page, ['One'])
    const key = await make(page, 'Second')
    await page.locator('#adopt').waitFor()
    await press(page, 'Leave them there')
    expect(await page.locator('#adopt').isVisible()).toBe(false)
    expect([await notesOf(page, key), await notesOf(page, '')]).toEqual([0, 1])
    await make(page, 'Other')
    await page.locator('#adopt').waitFor()
    await page.getByRole('radio', { name: 'Second' }).check()
    expect(await page.locator('#adopt').isVisible()).toBe(false)
  })
})

describe('an export', () => {
  test('that is refused, broken off or cancelled saves nothing and says why; else it is one zip of everything the key has', async () => {
    const page = await open()
    let downloads = 0
    page.on('download', () => downloads++)
    await page.route('**/api/export', (route) => route.fulfill({ status: 429, json: { detail: 'Slow down.' } }))
    await press(page, 'Export everything')
    await untilText(page, '#leave-state', 'Slow down.')
    await page.unroute('**/api/export')
    await page.route('**/api/export', (route) => route.abort())
    await press(page, 'Export everything')
    await untilText(page, '#leave-state', 'The connection broke: nothing was saved.')
    await page.unroute('**/api/export')
    await page.route('**/api/export', () => {})
    await press(page, 'Export everything')
    await page.getByRole('progressbar', { name: 'Export' }).waitFor()
    await press(page, 'Cancel')
    await untilText(page, '#leave-state', 'Cancelled: nothing was saved.')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('export-start')
    expect(downloads).toBe(0)

    await page.unroute('**/api/export')
    await make(page, 'Mine')
    await send(page)
    await untilText(page, '#answer-title', '201 Created')
    const coming = page.waitForEvent('download')
    await press(page, 'Export everything')
    const file = await coming
    expect(file.suggestedFilename()).toBe('satchel.zip')
    const bytes = await readDownload(file)
    expect([...bytes.slice(0, 2)]).toEqual([0x50, 0x4b])
    expect(new TextDecoder().decode(bytes)).toContain('data/note.jsonl')
    await untilText(page, '#leave-state', 'Exported. The browser saves it as “satchel.zip”.')
    await page.getByRole('radio', { name: 'Without a key' }).check()
    expect(await page.locator('#leave-state').textContent()).toBe('')
  })
})

describe('erasing', () => {
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Erase the workspace of “Mine”?' })

  test('is given up with Escape, Enter or the button, an export is offered first; with the word nothing is left but the key', async () => {
    const page = await open()
    const key = await make(page, 'Mine')
    await send(page)
    await untilText(page, '#answer-title', '201 Created')
    const dialog = dialogOf(page)
    const ways = [
      () => page.keyboard.press('Escape'),
      () => dialog.getByLabel('To erase it').press('Enter'),
      () => dialog.getByRole('button', { name: 'Keep everything' }).click(),
    ]
    for (const giveUp of ways) {
      await press(page, 'Erase everything')
      await dialog.getByLabel('To erase it').fill('erase')
      await giveUp()
      await dialog.waitFor({ state: 'hidden' })
    }
    const coming = page.waitForEvent('download')
    await press(page, 'Erase everything')
    await dialog.getByRole('button', { name: 'Export it first' }).click()
    expect((await coming).suggestedFilename()).toBe('satchel.zip')
    expect(await notesOf(page, key)).toBe(1)

    await press(page, 'Erase everything')
    const erase = dialog.getByRole('button', { name: 'Erase everything' })
    for (const wrong of ['', 'Erase', 'erase it']) {
      await dialog.getByLabel('To erase it, write erase').fill(wrong)
      await erase.click()
      expect(await dialog.isVisible()).toBe(true)
    }
    await dialog.getByLabel('To erase it, write erase').fill('erase')
    await picture(page, 'erase')
    await erase.click()
    await untilText(page, '#leave-state', 'Everything is erased.')
    expect(await notesOf(page, key)).toBe(0)
    expect(await page.getByRole('radio', { name: 'Mine' }).isChecked()).toBe(true)
  })

  test('without a key says that it is shared, and without a server that nothing is known', async () => {
    const page = await open()
    await press(page, 'Erase everything')
    const dialog = page.getByRole('dialog', { name: 'Erase the scratch space of your address?' })
    await dialog.getByText('for everyone who shares it').waitFor()
    await stopServer()
    await dialog.getByLabel('To erase it').fill('erase')
    await dialog.getByRole('button', { name: 'Erase everything' }).click()
    await untilText(page, '#leave-state', 'The server cannot be reached. Nothing is known about the request.')
  })
})

test('axe-core finds nothing wrong with an offer, an export under way and the question before erasing', async () => {
  const page = await open()
  await tryNotes(page, ['One'])
  await make(page, 'Mine')
  await page.locator('#adopt').waitFor()
  await page.route('**/api/export', () => {})
  await press(page, 'Export everything')
  await page.getByRole('progressbar', { name: 'Export' }).waitFor()
  await expectAccessible(page, 'workspace')
  await press(page, 'Erase everything')
  await page.getByRole('dialog').waitFor()
  await expectAccessible(page, 'erase')
  await page.keyboard.press('Escape')
  await press(page, 'Cancel')
})
