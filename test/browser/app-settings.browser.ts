/** The settings of the app: keys, usage, feeds, import and export, trash. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeKey } from '../support/keys'
import { zipOfTexts } from '../support/zip'
import { type Ask, appSession } from './app-session'
import { expectAccessible, readDownload, violations } from './support'

const { openApp, key } = appSession()

async function fill(ask: Ask) {
  const note = await ask('POST', 'api/notes', { body: '# Garden\n\nBeans and peas.' })
  await ask('POST', 'api/notes', { body: '# Thrown away' }).then(({ id }) => ask('DELETE', `api/notes/${id}`))
  await ask('POST', 'api/tasks', { title: 'Gone' }).then(({ id }) => ask('DELETE', `api/tasks/${id}`))
  await ask('POST', 'api/tasks/feeds', { name: 'Work', filter: 'p1 or p2' })
  return note
}

const PARTS = {
  '': 'in use',
  '/workspace': 'As a table',
  '/import': 'Choose files',
  '/export': 'Flashcards for Anki',
  '/calendars': 'Events: p1 or p2',
  '/trash': 'Thrown away',
}

test('Settings have no fault that axe finds, and fit any window', async () => {
  const { page } = await openApp('#/settings', fill)
  for (const [part, words] of Object.entries(PARTS)) {
    await page.evaluate((address) => location.assign(address), `#/settings${part}`)
    await page.getByText(words).first().waitFor()
    if (part === '/import') {
      const bytes = zipOfTexts({ 'Garden/Beans.md': '# Beans', [`${'long'.repeat(40)}.md`]: '# Long' })
      const file = { name: `${'vault'.repeat(40)}.zip`, mimeType: 'application/zip', buffer: Buffer.from(bytes) }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByRole('button', { name: 'Import this' }).click()
      await page.getByRole('link', { name: 'Garden/Beans.md' }).waitFor()
    }
    await expectAccessible(page, `app-settings${part.replace('/', '-')}`)
  }
})

/** What lies in the browser's databases, as text: nothing of another workspace may. */
const storedTexts = (page: Page) =>
  page.evaluate(async () => {
    const found: Record<string, string> = {}
    for (const { name = '' } of await indexedDB.databases()) {
      const open = indexedDB.open(name)
      await new Promise((resolve) => (open.onsuccess = resolve))
      const all: unknown[] = []
      for (const store of open.result.objectStoreNames) {
        const items = open.result.transaction(store).objectStore(store).getAll()
        await new Promise((resolve) => (items.onsuccess = resolve))
        all.push(items.result)
      }
      open.result.close()
      found[name] = JSON.stringify(all)
    }
    return found
  })

/** Waits until the browser has no database of this name; fails after five seconds. */
async function untilGone(name: string): Promise<void> {
  const deadline = performance.now() + 5000
  while ((await indexedDB.databases()).some((database) => database.name === name))
    if (performance.now() > deadline) throw new Error(`${name} is still there`)
}

/** A button of a key in the list. */
const ofKey = (page: Page, key: string, name: string) =>
  page.getByRole('group', { name: key }).getByRole('button', { name })

const go = (page: Page, part: string) => page.evaluate((address) => location.assign(address), `#/settings${part}`)

test('a key is made, renamed and removed by keyboard alone, and nothing of it stays in the browser', async () => {
  const { page } = await openApp('', fill)
  await page.keyboard.press('g')
  await page.keyboard.press(',')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  const field = page.getByLabel('Name for the new key')
  for (let presses = 0; presses < 40 && !(await field.evaluate((it) => it === document.activeElement)); presses++)
    await page.keyboard.press('Tab')
  await page.keyboard.type('Second')
  await page.keyboard.press('Enter')
  await page.getByText('“Second” is made.').waitFor()
  await page.getByText('Never copied').waitFor()
  await page.locator('h3:focus').getByText('Second').waitFor()
  for (let presses = 0; presses < 4; presses++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.locator('input:focus').waitFor()
  await page.keyboard.type('<b>Two</b>')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: '<b>Two</b>' }).waitFor()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Rename')
  const key = await page.evaluate(() => JSON.parse(localStorage.getItem('satchel.keys') ?? '').chosen)
  expect(Object.keys(await storedTexts(page))).toContain(`satchel ${key}`)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('You have never copied this key.').waitFor()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Remove')
  await page.keyboard.press('Enter')
  await page.locator('dialog button:focus').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('“<b>Two</b>” is removed from this browser.').waitFor()
  await page.getByRole('heading', { name: 'Test in use' }).waitFor()
  await page.evaluate(untilGone, `satchel ${key}`)
})

test('another key shows another workspace and never a trace of the first; one with a typo is refused in words', async () => {
  const secret = 'Zanzibar'
  const { page } = await openApp('', async (ask) => {
    await ask('POST', 'api/notes', { body: `# ${secret}` })
    await ask('POST', 'api/tasks', { title: `Fly to ${secret}`, due: { date: '2020-01-01' } })
  })
  await page.getByText(`Fly to ${secret}`).waitFor()
  await page.getByRole('checkbox', { name: `Complete Fly to ${secret}` }).click()
  await page.getByText(`Completed “Fly to ${secret}”.`).waitFor()
  await go(page, '')
  const field = page.getByLabel('Key, or the text of a key file')
  const other = makeKey(2)
  for (const [text, fault] of [
    [`${other.slice(0, -1)}${other.endsWith('x') ? 'y' : 'x'}`, 'That key has a typo'],
    ['two words', 'There is a blank'],
    ['', 'Paste or type the key first.'],
    ['{"keys": 3}', 'This is not a key file'],
  ] as const) {
    await field.fill(text)
    await field.press('Enter')
    await page.getByText(fault).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
  }
  await field.fill(other)
  await field.press('Enter')
  await page.getByRole('heading', { name: 'Key 2 in use' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do' }).fill(secret)
  await page.getByText('No results.').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('z')
  await page.getByText('There is nothing to undo.').waitFor()
  for (const address of ['/workspace', '/trash', '/calendars', '/import', '/export']) {
    await go(page, address)
    await page.locator(`.settings-parts [aria-current][href$="${address}"]`).waitFor()
    expect(await page.content()).not.toContain(secret)
  }
  expect((await storedTexts(page))[`satchel ${other}`]).not.toContain(secret)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do' }).fill('switch to key test')
  await page.keyboard.press('Enter')
  await page.getByText('This is the workspace of “Test”.').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do' }).fill(secret)
  await page.getByRole('option', { name: `${secret} Note`, exact: true }).waitFor()
})

test('a key is copied, shown and downloaded, and the address of a feed is shown once', async () => {
  const { page } = await openApp('#/settings', fill, { permissions: ['clipboard-read', 'clipboard-write'] })
  await ofKey(page, 'Test', 'Copy').click()
  await page.getByText('Copied.').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key())
  await ofKey(page, 'Test', 'Show').click()
  await page.getByText(key()).waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), ofKey(page, 'Test', 'Download').click()])
  expect(file.suggestedFilename()).toBe('satchel-key-test.json')
  expect(JSON.parse(String(await readDownload(file)))).toMatchObject({
    server: new URL('..', page.url()).href.replace(/\/$/, ''),
    keys: [{ name: 'Test', key: key() }],
  })

  await go(page, '/calendars')
  await page.getByLabel('Name').fill('<i>Mine</i>')
  await page.getByLabel('Which tasks').fill('p1 or (')
  await page.getByRole('button', { name: 'Make a feed' }).click()
  await page.locator('.fault:not(:empty)').waitFor()
  await page.getByLabel('Which tasks').fill('p1')
  await page.getByRole('button', { name: 'Make a feed' }).click()
  const address = await page.getByLabel('Address').inputValue()
  const calendar = await fetch(address)
  expect([calendar.status, (await calendar.text()).slice(0, 15)]).toEqual([200, 'BEGIN:VCALENDAR'])
  await page.getByRole('button', { name: 'Copy the address' }).click()
  await page.getByText('Copied.').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address)
  await page.getByRole('button', { name: 'Revoke <i>Mine</i>' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('“<i>Mine</i>” is revoked').waitFor()
  expect((await fetch(address)).status).toBe(404)
})

test('the time zone and the language are saved, unless somebody else changed them meanwhile, and the app speaks the language', async () => {
  const { page, ask } = await openApp('#/settings/workspace')
  await page.getByText('Private, still empty').waitFor()
  await page.getByRole('button', { name: 'Use Europe/Berlin, as this browser' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The time zone and the language are saved.').waitFor()
  await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Einstellungen' }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('de')
  expect(await ask('GET', 'api/workspace/settings')).toMatchObject({ time_zone: 'Europe/Berlin', language: 'de' })
  await page.route('**/api/changes**', (route) => route.abort())
  await page.reload()
  await page.getByRole('combobox', { name: 'Sprache' }).selectOption('Français')
  await ask('PATCH', 'api/workspace/settings', { language: 'es' })
  await page.getByRole('button', { name: 'Speichern' }).click()
  await page.locator('.fault:not(:empty)').waitFor()
  expect(await ask('GET', 'api/workspace/settings')).toMatchObject({ language: 'es' })
})
