/** A key on its way to a telephone: the QR code, and the link that it holds. */
import { describe, expect, test } from 'bun:test'
import jsQR from 'jsqr'
import type { Page } from 'playwright-core'
import { makeKey, maskKey } from '../../public/key-format.js'
import { action, browserSession, make, stored } from './session'
import { expectAccessible, startServer, untilText } from './support'

const { open } = browserSession({}, startServer)

const KEY = 'satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA13finxh'
const code = (page: Page) => page.getByRole('img', { name: 'QR code with the key' })

/** What another program reads in a picture of the code as it is on the screen. */
async function scanned(page: Page) {
  const image = (await code(page).screenshot()).toString('base64')
  const blank = await page.context().newPage()
  const { data, width, height } = await blank.evaluate(async (source) => {
    const picture = new Image()
    picture.src = source
    await picture.decode()
    const paper = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
    paper?.drawImage(picture, 0, 0)
    const seen = paper?.getImageData(0, 0, picture.width, picture.height)
    return { data: [...(seen?.data ?? [])], width: picture.width, height: picture.height }
  }, `data:image/png;base64,${image}`)
  await blank.close()
  return jsQR(new Uint8ClampedArray(data), width, height)?.data
}

test('the code of a key is shown after a press, and holds a link that adds the key elsewhere', async () => {
  const page = await open()
  const key = await make(page, 'Mine')
  expect(await code(page).count()).toBe(0)
  await action(page, 'To a phone').click()
  await page.getByText('Treat it like a password: who sees it has the key.').waitFor()
  await page.getByText('A phone cannot reach 127.0.0.1').waitFor()
  const link = await scanned(page)
  expect(link).toBe(`${page.url()}#key=${key}`)
  await page.getByRole('button', { name: 'Hide it' }).click()
  expect(await code(page).count()).toBe(0)
  expect(await action(page, 'To a phone').and(page.locator(':focus')).count()).toBe(1)
})

test('the code is hidden once the page is, and after a minute; there is none for a key that is too long', async () => {
  const page = await open()
  await make(page, 'Mine')
  await action(page, 'To a phone').click()
  await code(page).waitFor()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await code(page).waitFor({ state: 'detached' })
  await page.clock.install()
  await action(page, 'To a phone').click()
  await code(page).waitFor()
  await page.clock.runFor(59_000)
  expect(await code(page).count()).toBe(1)
  await page.clock.runFor(1000)
  await code(page).waitFor({ state: 'detached' })
  await untilText(page, '#said', 'The code is hidden again.')
  await page.getByText('Add a key you already have').click()
  await page.locator('#import-text').fill('long'.repeat(60))
  await page.getByRole('button', { name: 'Add this key' }).click()
  await action(page, 'To a phone').click()
  await page.getByText('too long for a code').waitFor()
  expect(await code(page).count()).toBe(0)
})

const follow = (page: Page, key: string) =>
  page.evaluate((hash) => {
    location.hash = hash
  }, `#key=${key}`)

describe('a link with a key', () => {
  test('is out of the address at once, goes to no server, and adds the key only after a press', async () => {
    const page = await open()
    const address = page.url()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url() + JSON.stringify(request.headers())))
    await page.goto('about:blank')
    await page.goto(`${address}#key=${KEY}`)
    await page.getByRole('heading', { name: 'Add this key?' }).waitFor()
    expect(page.url()).toBe(address)
    await page.getByRole('dialog').getByText(maskKey(KEY)).waitFor()
    expect(await page.getByText(KEY).count()).toBe(0)
    expect((await stored(page)).keys).toEqual([])
    await untilText(page, '#try-as', 'without a key')
    expect(asked.filter((request) => request.includes(KEY))).toEqual([])
    await page.getByRole('button', { name: 'Add this key' }).last().click()
    expect(await stored(page)).toMatchObject({ chosen: KEY, keys: [{ key: KEY, saved: true }] })
    await page.goBack()
    await page.goForward()
    expect(page.url()).toBe(address)
  })

  test('of somebody else changes nothing, and takes the place of a code and of the link before it', async () => {
    const page = await open()
    const key = await make(page, 'Mine')
    await action(page, 'To a phone').click()
    await code(page).waitFor()
    for (const other of [makeKey(), KEY]) {
      await follow(page, other)
      await page.getByRole('dialog').getByText(maskKey(other)).waitFor()
    }
    await page.waitForFunction(() => document.querySelectorAll('dialog[open], #link-title').length === 2)
    await page.keyboard.press('Escape')
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
    for (const leave of ['Enter', 'Escape', 'Leave it']) {
      await follow(page, KEY)
      await page.getByRole('dialog').getByText('Go on only if you made the link yourself.').waitFor()
      expect(page.url()).not.toContain('#')
      if (leave === 'Leave it') await page.getByRole('button', { name: leave }).click()
      else await page.keyboard.press(leave)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await stored(page)).toMatchObject({ chosen: key, keys: [{ key }] })
    }
    // A key that is here already is said to be, and chosen after a press.
    await page.getByRole('radio', { name: 'Without a key' }).check()
    await follow(page, key)
    await page.getByRole('dialog').getByText('which is here already as “Mine”').waitFor()
    expect((await stored(page)).chosen).toBeNull()
    await page.getByRole('button', { name: 'Use this key' }).click()
    expect(await stored(page)).toMatchObject({ chosen: key, keys: [{ key, name: 'Mine' }] })
  })

  test('that is malformed adds nothing and says why; other fragments are left alone; a file of keys is one key', async () => {
    const page = await open()
    const address = page.url()
    for (const hash of ['#try-title', '#keys', '#KEY=x']) {
      await page.goto(address + hash)
      expect(page.url()).toEndWith(hash)
    }
    expect(await page.getByRole('dialog').count()).toBe(0)
    for (const [text, words] of [
      ['', 'It is empty. Nothing was added.'],
      ['short', 'That is too short: a key has at least 8 characters.'],
      [`${KEY.slice(0, -1)}i`, 'That key has a typo'],
      ['%E0%A4%A', 'There is a character in it that no key can have.'],
      ['a%20b%0Ac-------', 'There is a blank or a line break in it'],
    ]) {
      await page.goto(`${address}#key=${text}`)
      await page.getByRole('dialog').getByText(String(words)).waitFor()
      expect(page.url()).toBe(address)
      await page.getByRole('button', { name: 'Close' }).click()
    }
    expect((await stored(page)).keys).toEqual([])
    const file = `{"keys":[{"key":"${KEY}"},{"key":"another-key"}]}`
    await page.goto(`${address}#key=${encodeURIComponent(file)}`)
    await page.getByRole('button', { name: 'Add this key' }).last().click()
    expect((await stored(page)).keys.map(({ key }) => key)).toEqual([file])
  })
})

test('axe-core finds nothing wrong with a code, and with a key from a link', async () => {
  const page = await open()
  await make(page, 'Mine')
  await action(page, 'To a phone').click()
  await code(page).waitFor()
  await expectAccessible(page, 'code')
  await page.keyboard.press('Escape')
  await follow(page, KEY)
  await page.getByText('Add this key?').waitFor()
  await expectAccessible(page, 'link-page')
})
