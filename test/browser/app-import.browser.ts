/** What goes into and out of a workspace by the app's settings: imports, exports, the trash, and erasing all of it. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { zipOf, zipOfTexts } from '../support/zip'
import { appSession } from './app-session'
import { readDownload, violations } from './support'

const { openApp, stopServer, key } = appSession()

const go = (page: Page, part: string) => page.evaluate((address) => location.assign(address), `#/settings${part}`)

async function choose(page: Page, name: string, content: string | Uint8Array) {
  const buffer = Buffer.from(content)
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
}

/** So many notes that an import of them can be stopped before its end. */
const COUNT = 8000

const importThis = (page: Page) => page.getByRole('button', { name: 'Import this' })
const cells = (page: Page) => page.locator('.outcome :is(th, td)').allTextContents()

/** Drops files on the page, as a person does with the mouse. */
async function drop(page: Page, files: Record<string, string>) {
  const dataTransfer = await page.evaluateHandle((contents) => {
    const dropped = new DataTransfer()
    for (const [name, content] of Object.entries(contents)) dropped.items.add(new File([content], name))
    return dropped
  }, files)
  for (const type of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent('h1', type, { dataTransfer })
}

test('files that are dropped are shown as a table first, imported after a press, and linked to', async () => {
  const { page, ask } = await openApp('#/settings')
  await drop(page, { 'Beans.md': '# Beans', 'todo.txt': 'Water the plants\nCall the plumber', 'photo.png': 'PNG' })
  await importThis(page).waitFor()
  expect(page.url()).toEndWith('#/settings/import')
  await page.getByText('photo.png is not a file that can be imported.').waitFor()
  expect(await cells(page)).toEqual(['What', 'New', 'Beans.md: note', '1', 'todo.txt: task', '2'])
  expect((await ask('GET', 'api/notes')).items).toEqual([] as never)
  await importThis(page).click()
  await page.getByRole('link', { name: 'To the tasks' }).waitFor()
  const { items } = await ask('GET', 'api/notes')
  expect(await page.getByRole('link', { name: 'Beans.md' }).getAttribute('href')).toBe(`#/notes/${items[0]?.id}`)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do' }).fill('Beans')
  await page.getByRole('option', { name: 'Beans' }).waitFor()
})

test('a vault and an Anki package are imported, hostile names are shown as text, and failures are listed', async () => {
  const { page, ask } = await openApp('#/settings/import')
  const bad = { name: '<img src=x onerror=alert(1)>.md', data: new Uint8Array([0xff, 0xfe, 0xff]) }
  await choose(page, '\u202e<b>vault</b>.zip', zipOf([{ name: 'Garden/Beans.md', data: '# Beans' }, bad]))
  await importThis(page).waitFor()
  expect(await cells(page)).toEqual(['What', 'New', 'Failed', 'note', '1', '1'])
  expect(await page.locator('.troubles li').allTextContents()).toEqual([expect.stringContaining(bad.name)])
  expect(await violations(page)).toEqual([])
  await importThis(page).click()
  await page.getByRole('link', { name: 'Garden/Beans.md' }).waitFor()
  expect(await page.locator('.settings :is(b, img)').count()).toBe(0)
  const apkg = await Bun.file(join(import.meta.dir, '../fixtures/anki/genanki-js.apkg')).bytes()
  await choose(page, 'deck.apkg', apkg)
  await importThis(page).click()
  await page.getByRole('link', { name: 'To the flashcards' }).waitFor()
  expect((await ask('GET', 'api/flashcards/facts')).items).not.toEqual([] as never)
})

test('an import is found again after a reload; what cannot be imported is told', async () => {
  const { page } = await openApp('#/settings/import')
  await choose(page, 'a.md', `# a\n\n${'word '.repeat(20_000)}`)
  await importThis(page).waitFor()
  await page.route('**/api/imports/*', (route) => route.abort())
  await importThis(page).click()
  await page.waitForEvent('requestfailed')
  await page.waitForEvent('requestfailed')
  await page.unroute('**/api/imports/*')
  await page.reload()
  await page.getByText('Imported: 1 created.').waitFor()
  await page.getByRole('link', { name: 'To the notes' }).waitFor()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)

  // What cannot be imported is told before anything is sent, and a server that is gone in a sentence.
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
  await choose(page, 'empty.md', '')
  await page.getByText('empty.md is empty, or a folder').waitFor()
  await choose(page, 'keys.json', '{\n  "about": "Keys to Satchel workspaces.", "keys": [{"key":"a-secret-key"}] }')
  await page.getByText('keys.json holds keys').waitFor()
  expect(sent).toEqual([])
  const files = { 'broken.zip': 'PK\u0003\u0004 but no zip', 'b.md': '# b', 'c.md': '# c' }
  await page
    .locator('input[type=file]')
    .setInputFiles(Object.entries(files).map(([name, text]) => ({ name, mimeType: '', buffer: Buffer.from(text) })))
  await page.getByText('Not begun: b.md, c.md.').waitFor()
  expect(sent).toHaveLength(1)
  expect(await importThis(page).count()).toBe(0)
  await stopServer()
  await choose(page, 'b.md', '# b')
  await page.getByText('The connection broke while the file was sent.').waitFor()
})

test('an import that was begun elsewhere is shown while it goes on, and what is cancelled stays as far as it came', async () => {
  const { page, ask } = await openApp('#/settings')
  const headers = { 'X-API-Key': key(), 'Content-Type': 'application/zip', Prefer: 'respond-async' }
  const body = zipOfTexts(Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`${i}.md`, `# Note ${i}`])))
  const begun = await fetch(new URL('../api/notes/import', page.url()), { method: 'POST', headers, body })
  expect(begun.status).toBe(202)
  await go(page, '/import')
  await page.getByText('An import that was begun elsewhere').waitFor()
  await go(page, '/export')
  await go(page, '/import')
  await page.getByRole('button', { name: 'Cancel', exact: true }).focus()
  await page.keyboard.press('Enter')
  const words = await page
    .locator('.outcome :focus', { hasText: /^Stopped\. What was imported until then stays: / })
    .textContent()
  const created = Number(/([\d,]+) created/.exec(words ?? '')?.[1]?.replace(',', '') ?? 0)
  const { workspace } = await ask('GET', 'api/usage')
  expect([workspace.resources, created < COUNT]).toEqual([created, true])
})

test('an export has the bytes of the server, and a broken one saves nothing', async () => {
  const { page, ask } = await openApp('#/settings/export', async (ask) => {
    await ask('POST', 'api/notes', { body: '# Beans' })
    await ask('POST', 'api/tasks', { title: 'Water the plants', due: { date: '2026-03-01' } })
  })
  const server = new URL('..', page.url()).href
  const headers = { 'X-API-Key': key() }
  const saved = async (title: string) => {
    const press = page.getByRole('button', { name: `Export: ${title}` }).click()
    const [file] = await Promise.all([page.waitForEvent('download'), press])
    return { name: file.suggestedFilename(), bytes: await readDownload(file) }
  }
  const calendar = await fetch(`${server}api/tasks/export?format=ics`, { headers })
  expect(await saved('Tasks as a calendar file')).toEqual({
    name: 'tasks.ics',
    bytes: Buffer.from(await calendar.bytes()),
  })
  const { name, bytes } = await saved('Everything')
  await page.getByText(/^Exported: the browser saves “satchel.zip”, [\d.]+ KiB\.$/).waitFor()
  expect([name, new TextDecoder().decode(bytes.slice(0, 2))]).toEqual(['satchel.zip', 'PK'])
  await ask('DELETE', 'api/workspace', { confirm: 'erase' })
  await go(page, '/import')
  await choose(page, name, bytes)
  await importThis(page).click()
  await page.getByText(/^Imported: \d+ created/).waitFor()
  expect((await ask('GET', 'api/notes')).items).toEqual([expect.objectContaining({ title: 'Beans' })] as never)
  await go(page, '/export')
  await page.route('**/api/export', () => {})
  await page.getByRole('button', { name: 'Export: Everything' }).click()
  await page.getByRole('progressbar', { name: 'Exporting satchel.zip' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Cancelled: nothing was saved.').waitFor()
  await page.unroute('**/api/export')
  await stopServer()
  await page.getByRole('button', { name: 'Export: Everything' }).click()
  await page.getByText('The server cannot be reached.').first().waitFor()
})

test('what is in the trash is restored one by one, and erased after a question', async () => {
  const { page, ask } = await openApp('', async (ask) => {
    for (const title of ['One', 'Two']) {
      const { id } = await ask('POST', 'api/notes', { body: `# ${title}` })
      await ask('DELETE', `api/notes/${id}`)
    }
    const deck = await ask('POST', 'api/flashcards/decks', { name: 'Capitals' })
    await ask('DELETE', `api/flashcards/decks/${deck.id}`)
  })
  await go(page, '/trash')
  await page.getByRole('button', { name: 'Restore One' }).focus()
  await Promise.all([page.waitForResponse('**/api/notes/batch'), page.keyboard.press('Enter')])
  await page.getByText('Restored “One”.').waitFor()
  await page.locator('[aria-label="Restore Two"]:focus').waitFor()
  await Promise.all([page.waitForResponse('**/api/notes/batch'), page.keyboard.press('z')])
  await page.getByText('Undone: Restored “One”.').waitFor()
  await go(page, '')
  await go(page, '/trash')
  await page.getByRole('button', { name: 'Restore One' }).click()
  await page.getByText('Restored “One”.').waitFor()
  await page.getByText('There are none in the trash.').first().waitFor()
  await page.getByText('Decks').click()
  await page.getByRole('button', { name: 'Restore Capitals' }).click()
  await page.getByText('Restored “Capitals”.').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do' }).fill('One')
  await page.getByRole('option', { name: 'One' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Empty the trash …' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Restore Two' }).waitFor()
  await page.getByRole('button', { name: 'Empty the trash …' }).click()
  await page.getByRole('button', { name: 'Erase it' }).click()
  await page.getByText('Erased one thing.').waitFor()
  expect(await page.getByRole('button', { name: 'Restore Two' }).count()).toBe(0)
  expect((await ask('GET', 'api/notes?trashed=true')).items).toEqual([] as never)
  expect((await ask('GET', 'api/notes')).items).toEqual([expect.objectContaining({ title: 'One' })] as never)
  expect((await ask('GET', 'api/flashcards/decks')).items).toHaveLength(1)
})

test.each([
  { whose: 'of a key', options: {} },
  { whose: 'of nobody, the scratch space,', options: { key: null } },
])('the workspace $whose is erased after a word is typed, also in this browser', async ({ options }) => {
  const { page, ask } = await openApp(
    '#/settings/workspace',
    (ask) => ask('POST', 'api/notes', { body: '# Zanzibar' }),
    options,
  )
  await page.getByRole('button', { name: 'Erase …' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Erase everything' })
  await confirm.click({ force: true })
  await page.getByLabel('Write “erase” to confirm').fill('eras')
  await confirm.click({ force: true })
  expect((await ask('GET', 'api/notes')).items).toHaveLength(1)
  await page.getByLabel('Write “erase” to confirm').fill('erase')
  await page.getByLabel('Write “erase” to confirm').press('Enter')
  await page.getByText('Everything is erased.').waitFor()
  expect((await ask('GET', 'api/notes')).items).toEqual([] as never)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do' }).fill('Zanzibar')
  await page.getByText('No results.').waitFor()
  expect(await page.evaluate(storedResources)).toBe(0)
})

/** How many resources the open copy has in the browser's storage. */
async function storedResources(): Promise<number> {
  let found = 0
  for (const { name = '' } of await indexedDB.databases()) {
    const open = indexedDB.open(name)
    await new Promise((resolve) => (open.onsuccess = resolve))
    const count = open.result.transaction('resources').objectStore('resources').count()
    await new Promise((resolve) => (count.onsuccess = resolve))
    found += count.result
    open.result.close()
  }
  return found
}
