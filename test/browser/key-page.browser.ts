import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { isSatchelKey } from '../../public/key-format.js'
import { action, browserSession, make, pasted, stored, untilAnswer } from './session'
import { picture, readDownload, startServer, untilText } from './support'

const { open } = browserSession({}, startServer)

test('a key is made with the right checksum, named, chosen and kept, and masked after a reload', async () => {
  const page = await open({ timezoneId: 'Europe/Vienna', locale: 'de-AT' })
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/workspace')) sent.push(`${request.method()} ${request.postData()}`)
  })
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/workspace/settings'))
  const key = await make(page, '  My   laptop ')
  expect(isSatchelKey(key)).toBe(true)
  expect((await answered).status()).toBe(200)
  await page.reload()
  await page.locator('#usage[aria-busy=false]').waitFor()
  expect(await page.getByRole('radio', { name: 'My laptop' }).isChecked()).toBe(true)
  expect(await stored(page)).toMatchObject({ chosen: key, keys: [{ key, name: 'My laptop', saved: false }] })
  // Its workspace is told of the time zone and the language once, when it is made.
  expect(sent).toEqual(['PATCH {"time_zone":"Europe/Vienna","language":"de"}'])
  const text = page.locator('.key-text:visible')
  expect(await text.textContent()).toBe(`${key.slice(0, 12)}…${key.slice(-4)}`)
  await action(page, 'Show').click()
  expect(await text.textContent()).toBe(key)
  await action(page, 'Hide').click()
  expect(await text.textContent()).not.toBe(key)
})

test('a key is copied whole, and counts as saved from then on, also where the browser has no clipboard as over plain http', async () => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
  for (const [place, name] of ['One', 'Two'].entries()) {
    if (place > 0) await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    const key = await make(page, name)
    await action(page, 'Copy').click()
    await action(page, 'Copied').waitFor()
    expect(await pasted(page)).toBe(key)
    expect((await stored(page)).keys[0]).toMatchObject({ key, saved: true })
  }
})

test('a key is renamed, to text whatever it looks like, and keeps its name when the new one is empty or given up', async () => {
  const page = await open()
  await make(page, 'Old')
  const name = '<img src=x onerror=alert(1)>'
  await action(page, 'Rename').click()
  await page.getByLabel('New name').fill(name)
  await page.keyboard.press('Enter')
  await page.getByRole('radio', { name }).waitFor()
  await untilText(page, '#try-as', `with the key “${name}”`)
  expect(await page.locator('main img').count()).toBe(0)
  for (const [typed, pressed] of [
    ['  ', 'Enter'],
    ['Other', 'Escape'],
  ] as const) {
    await action(page, 'Rename').click()
    await page.getByLabel('New name').fill(typed)
    await page.keyboard.press(pressed)
    expect(await page.locator(':focus').textContent()).toBe('Rename')
    expect((await stored(page)).keys[0]?.name).toBe(name)
  }
})

test('a key is deleted only after a plain warning, gives way to the one used before, and leaves nothing in the browser', async () => {
  const page = await open()
  const made = []
  for (const name of ['Laptop', 'Phone', 'Script']) made.push(await make(page, name))
  await page.getByRole('radio', { name: 'Laptop' }).check()
  await page.reload()
  await page.locator('#usage[aria-busy=false]').waitFor()
  const dialog = page.getByRole('dialog')
  await action(page, 'Delete').click()
  expect(await dialog.textContent()).toContain('its workspace cannot be reached again')
  await picture(page, 'delete')
  await page.keyboard.press('Escape')
  expect((await stored(page)).keys).toHaveLength(3)
  const remove = async (name: string) => {
    await action(page, 'Delete').click()
    await page
      .getByRole('dialog', { name: `Delete “${name}”?` })
      .getByRole('button', { name: 'Delete the key' })
      .click()
  }
  for (const [gone, next] of [
    ['Laptop', 'Script'],
    ['Script', 'Phone'],
  ] as const) {
    await remove(gone)
    await untilText(page, '#said', `“${gone}” is deleted. “${next}” is now chosen.`)
    const focused = page.getByRole('radio', { name: next, checked: true }).and(page.locator(':focus'))
    expect(await focused.count()).toBe(1)
    await untilText(page, '#try-as', `with the key “${next}”`)
    await page.getByRole('group', { name: next }).getByRole('button', { name: 'Copy' }).waitFor()
    await picture(page, `deleted-${gone}`)
  }
  await remove('Phone')
  await untilText(page, '#said', '“Phone” is deleted. This page now works without a key.')
  const none = page.getByRole('radio', { name: 'Without a key', checked: true }).and(page.locator(':focus'))
  expect(await none.count()).toBe(1)
  await picture(page, 'deleted-Phone')
  expect(await stored(page)).toMatchObject({ chosen: null, keys: [] })
  const left = await page.evaluate(() => JSON.stringify({ ...localStorage }))
  for (const key of made) expect(left).not.toContain(key)
})

test('a key made in one tab is there in the other, and gone once it is deleted', async () => {
  const page = await open()
  const other = await page.context().newPage()
  await other.goto(page.url())
  const key = await make(page, 'Shared')
  await other.getByRole('radio', { name: 'Shared' }).check()
  await action(other, 'Rename').click()
  await action(page, 'Delete').click()
  await page.getByRole('button', { name: 'Delete the key' }).click()
  await untilText(other, '#try-as', 'without a key')
  expect(await other.getByRole('radio', { name: 'Shared' }).count()).toBe(0)
  expect(await other.getByRole('radio', { name: 'Without a key' }).isChecked()).toBe(true)
  expect(await other.locator('#program').textContent()).not.toContain(key.slice(0, 12))
})

test('a key with a typo is refused in words, the right one taken, and all are downloaded and opened again elsewhere', async () => {
  const page = await open()
  await page.getByText('Add a key you already have').click()
  const field = page.getByLabel('Key', { exact: true })
  await field.fill('satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA23finxh')
  await page.getByRole('button', { name: 'Add this key' }).click()
  await untilText(page, '#import-fault', 'That key has a typo: its last six characters do not match the rest.')
  expect((await stored(page)).keys).toEqual([])
  await field.fill('satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA13finxh')
  await field.press('Enter')
  await page.getByRole('radio', { name: 'Key 1' }).waitFor()
  expect((await stored(page)).keys[0]).toMatchObject({ name: 'Key 1', saved: true })

  await make(page, 'Zwei 🎒')
  const coming = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download all keys' }).click()
  const file = await coming
  expect(file.suggestedFilename()).toBe('satchel-keys-all.json')
  const elsewhere = await open()
  await elsewhere.getByText('Add a key you already have').click()
  await elsewhere.locator('#import-file').setInputFiles({
    name: file.suggestedFilename(),
    mimeType: 'application/json',
    buffer: await readDownload(file),
  })
  await elsewhere.getByRole('radio', { name: 'Zwei 🎒' }).waitFor()
  const keysOf = async (from: Page) => (await stored(from)).keys.map(({ key }) => key).sort()
  expect(await keysOf(elsewhere)).toEqual(await keysOf(page))
  expect((await stored(page)).keys.map(({ saved }) => saved)).toEqual([true, true])
})

test('the keyboard alone makes, copies, chooses and uses a key', async () => {
  const page = await open()
  const press = (...names: string[]) =>
    names.reduce((done, name) => done.then(() => page.keyboard.press(name)), Promise.resolve())
  await press('Tab')
  expect(await page.locator(':focus').textContent()).toBe('Skip to the content')
  await press('Enter', 'Tab')
  await page.keyboard.type('By hand')
  await press('Enter')
  expect(await page.locator(':focus').textContent()).toBe('Copy')
  await press('Enter')
  await untilText(page, '#said', 'Copied.')
  await press('Shift+Tab', 'ArrowDown')
  expect(await page.getByRole('radio', { name: 'Without a key' }).isChecked()).toBe(true)
  await press('ArrowUp')
  expect(await page.getByRole('radio', { name: 'By hand' }).isChecked()).toBe(true)
  await page.locator('#try-send').focus()
  await press('Enter')
  await untilAnswer(page, '201 Created')
  expect(await page.locator(':focus').getAttribute('id')).toBe('try-send')
})
