import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { isSatchelKey } from '../../public/key-format.js'
import { action, browserSession, make, pasted, send, stored } from './session'
import { picture, readDownload, startServer, untilText, WINDOWS } from './support'

const { open } = browserSession({}, startServer)

describe('a key', () => {
  test('is made in the browser with the right checksum, named, chosen and kept', async () => {
    const page = await open()
    const key = await make(page, '  My   laptop ')
    expect(isSatchelKey(key)).toBe(true)
    await page.reload()
    expect(await page.getByRole('radio', { name: 'My laptop' }).isChecked()).toBe(true)
    expect(await stored(page)).toMatchObject({ chosen: key, keys: [{ key, name: 'My laptop', saved: false }] })
  })

  test('tells its workspace the time zone and the language of the browser, in one request, and only when made', async () => {
    const page = await open({ timezoneId: 'Europe/Vienna', locale: 'de-AT' })
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/workspace')) sent.push(`${request.method()} ${request.postData()}`)
    })
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/workspace/settings'))
    await make(page)
    expect((await answered).status()).toBe(200)
    await page.reload()
    await page.locator('#usage-figures').waitFor()
    expect(sent).toEqual(['PATCH {"time_zone":"Europe/Vienna","language":"de"}'])
  })

  test('is masked after a reload, shown and hidden on demand', async () => {
    const page = await open()
    const key = await make(page)
    await page.reload()
    const text = page.locator('.key-text:visible')
    expect(await text.textContent()).toBe(`${key.slice(0, 12)}…${key.slice(-4)}`)
    await action(page, 'Show').click()
    expect(await text.textContent()).toBe(key)
    await action(page, 'Hide').click()
    expect(await text.textContent()).not.toBe(key)
  })

  test('is copied whole, and counts as saved from then on', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const key = await make(page)
    await action(page, 'Copy').click()
    await action(page, 'Copied').waitFor()
    expect(await pasted(page)).toBe(key)
    expect((await stored(page)).keys[0]?.saved).toBe(true)
  })

  test('is copied where the browser has no clipboard for the page, as over plain http', async () => {
    const page = await open()
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    const key = await make(page)
    await action(page, 'Copy').click()
    await action(page, 'Copied').waitFor()
    expect(await pasted(page)).toBe(key)
  })

  test('is renamed, and its name is text whatever it looks like', async () => {
    const page = await open()
    await make(page, 'Old')
    const name = '<img src=x onerror=alert(1)>'
    await action(page, 'Rename').click()
    await page.getByLabel('New name').fill(name)
    await page.keyboard.press('Enter')
    await page.getByRole('radio', { name }).waitFor()
    await untilText(page, '#try-as', `with the key “${name}”`)
    expect(await page.locator('main img').count()).toBe(0)
    expect((await stored(page)).keys[0]?.name).toBe(name)
  })

  test('keeps its name when the new one is empty or given up', async () => {
    const page = await open()
    await make(page, 'Steady')
    for (const [typed, pressed] of [
      ['  ', 'Enter'],
      ['Other', 'Escape'],
    ] as const) {
      await action(page, 'Rename').click()
      await page.getByLabel('New name').fill(typed)
      await page.keyboard.press(pressed)
      expect(await page.locator(':focus').textContent()).toBe('Rename')
      expect((await stored(page)).keys[0]?.name).toBe('Steady')
    }
  })

  test('is deleted only after a plain warning, and leaves nothing in the browser', async () => {
    const page = await open()
    const key = await make(page, 'Doomed')
    await action(page, 'Delete').click()
    const dialog = page.getByRole('dialog', { name: 'Delete “Doomed”?' })
    expect(await dialog.textContent()).toContain('its workspace cannot be reached again')
    await picture(page, 'delete')
    await page.keyboard.press('Escape')
    expect((await stored(page)).keys).toHaveLength(1)
    await action(page, 'Delete').click()
    await dialog.getByRole('button', { name: 'Delete the key' }).click()
    await page.getByRole('radio', { name: 'Doomed' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('radio', { name: 'Without a key' }).isChecked()).toBe(true)
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(key)
  })

  test('that is deleted while chosen gives way to the one used before, and the last one to none', async () => {
    const page = await open()
    for (const name of ['Laptop', 'Phone', 'Script']) await make(page, name)
    await page.getByRole('radio', { name: 'Laptop' }).check()
    await page.reload()
    await page.locator('#usage-figures').waitFor()
    const remove = async () => {
      await action(page, 'Delete').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete the key' }).click()
    }
    for (const [gone, next] of [
      ['Laptop', 'Script'],
      ['Script', 'Phone'],
    ] as const) {
      await remove()
      await untilText(page, '#said', `“${gone}” is deleted. “${next}” is now chosen.`)
      const focused = page.getByRole('radio', { name: next, checked: true }).and(page.locator(':focus'))
      expect(await focused.count()).toBe(1)
      await untilText(page, '#try-as', `with the key “${next}”`)
      await page.getByRole('group', { name: next }).getByRole('button', { name: 'Copy' }).waitFor()
      await picture(page, `deleted-${gone}`)
    }
    await remove()
    await untilText(page, '#said', '“Phone” is deleted. This page now works without a key.')
    const none = page.getByRole('radio', { name: 'Without a key', checked: true }).and(page.locator(':focus'))
    expect(await none.count()).toBe(1)
    await picture(page, 'deleted-Phone')
    expect(await stored(page)).toMatchObject({ chosen: null, keys: [] })
  })

  test('made in one tab is there in the other', async () => {
    const page = await open()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await make(page, 'Shared')
    await other.getByRole('radio', { name: 'Shared' }).waitFor()
  })
})

describe('bringing keys along', () => {
  test('a typo is refused in words, the right key is taken', async () => {
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
  })

  test('all keys are downloaded and opened again in another browser', async () => {
    const page = await open()
    await make(page, 'One')
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
})

describe('for everybody', () => {
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
    await untilText(page, '#answer-title', '201 Created')
    expect(await page.locator(':focus').getAttribute('id')).toBe('try-send')
  })

  test.each(WINDOWS)('it fits a window of $width px without sideways scrolling', async (viewport) => {
    const page = await open({ viewport })
    await make(page, 'A key with a rather long name, as people like to give them')
    await send(page)
    await page.locator('#answer').waitFor()
    await picture(page, `page-${viewport.width}`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
  })
})
