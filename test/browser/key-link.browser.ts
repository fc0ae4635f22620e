/** A key on its way to a telephone: the QR code, and the link that it holds. */
import { describe, expect, test } from 'bun:test'
import jsQR from 'jsqr'
import type { Page } from 'playwright-core'
import { makeKey, maskKey } from '../../public/key-format.js'
import { action, browserSession, make, stored } from './session'
import { expectAccessible, startServer, untilText } from './support'

const { open, visitAs } = browserSession({}, startServer)

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

describe('the code of a key', () => {
  test('is shown after a press, and holds a link that adds the key elsewhere', async () => {
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

  test('is hidden after a minute, and said to be', async () => {
    const page = await open()
    await make(page, 'Mine')
    await page.clock.install()
    await action(page, 'To a phone').click()
    await code(page).waitFor()
    await page.clock.runFor(59_000)
    expect(await code(page).count()).toBe(1)
    await page.clock.runFor(1000)
    await code(page).waitFor({ state: 'detached' })
    await untilText(page, '#said', 'The code is hidden again.')
  })

  test('is hidden once the page is', async () => {
    const page = await open()
    await make(page, 'Mine')
    await action(page, 'To a phone').click()
    await code(page).waitFor()
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await code(page).waitFor({ state: 'detached' })
  })

  test('is none for a key that is too long for one, and that is said', async () => {
    const page = await open()
    await page.getByText('Add a key you already have').click()
    await page.locator('#import-text').fill('long'.repeat(60))
    await page.getByRole('button', { name: 'Add this key' }).click()
    await action(page, 'To a phone').click()
    await page.getByText('too long for a code').waitFor()
    expect(await code(page).count()).toBe(0)
  })
})

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

  test('takes the place of the link before it, and of a code', async () => {
    const page = await open()
    await make(page, 'Mine')
    await action(page, 'To a phone').click()
    await code(page).waitFor()
    for (const key of [makeKey(), KEY]) {
      await page.evaluate((hash) => {
        location.hash = hash
      }, `#key=${key}`)
      await page.getByRole('dialog').getByText(maskKey(key)).waitFor()
    }
    await page.waitForFunction(() => document.querySelectorAll('dialog[open], #link-title').length === 2)
    await page.keyboard.press('Escape')
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
    expect((await stored(page)).keys).toHaveLength(1)
  })

  test('of somebody else changes nothing, by Enter, Escape or a button, in a page that is open already', async () => {
    const page = await open()
    const key = await make(page, 'Mine')
    for (const leave of ['Enter', 'Escape', 'Leave it']) {
      await page.evaluate((hash) => {
        location.hash = hash
      }, `#key=${KEY}`)
      await page.getByText('Go on only if you made the link yourself.').waitFor()
      expect(page.url()).not.toContain('#')
      if (leave === 'Leave it') await page.getByRole('button', { name: leave }).click()
      else await page.keyboard.press(leave)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await stored(page)).toMatchObject({ chosen: key, keys: [{ key }] })
    }
  })

  test('with a key that is here already says so, and chooses it after a press', async () => {
    const page = await open()
    const key = await make(page, 'Mine')
    await page.getByRole('radio', { name: 'Without a key' }).check()
    await page.evaluate((hash) => {
      location.hash = hash
    }, `#key=${key}`)
    await page.getByRole('dialog').getByText('which is here already as “Mine”').waitFor()
    expect((await stored(page)).chosen).toBeNull()
    await page.getByRole('button', { name: 'Use this key' }).click()
    expect(await stored(page)).toMatchObject({ chosen: key, keys: [{ key, name: 'Mine' }] })
  })

  test.each([
    ['', 'It is empty. Nothing was added.'],
    ['short', 'That is too short: a key has at least 8 characters.'],
    [`${KEY.slice(0, -1)}i`, 'That key has a typo'],
    ['%E0%A4%A', 'There is a character in it that no key can have.'],
    ['a%20b%0Ac-------', 'There is a blank or a line break in it'],
  ])('that is malformed adds nothing and says why: "%s"', async (text, words) => {
    const page = await open()
    const address = page.url()
    await page.goto(`${address}#key=${text}`)
    await page.getByRole('dialog').getByText(words).waitFor()
    expect(page.url()).toBe(address)
    await page.getByRole('button', { name: 'Close' }).click()
    expect((await stored(page)).keys).toEqual([])
  })

  test('is no file of keys, whatever it looks like', async () => {
    const page = await open()
    const file = `{"keys":[{"key":"${KEY}"},{"key":"another-key"}]}`
    await page.goto(`${page.url()}#key=${encodeURIComponent(file)}`)
    await page.getByRole('button', { name: 'Add this key' }).last().click()
    expect((await stored(page)).keys.map(({ key }) => key)).toEqual([file])
  })

  test('leaves other fragments alone', async () => {
    const page = await visitAs()
    for (const hash of ['#try-title', '#keys', '#KEY=x']) {
      await page.goto(page.url().replace(/#.*/, '') + hash)
      expect(page.url()).toEndWith(hash)
    }
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})

test('axe-core finds nothing wrong with a code, and with a key from a link', async () => {
  const page = await open()
  await make(page, 'Mine')
  await action(page, 'To a phone').click()
  await code(page).waitFor()
  await expectAccessible(page, 'code')
  await page.keyboard.press('Escape')
  await page.evaluate((hash) => {
    location.hash = hash
  }, `#key=${KEY}`)
  await page.getByText('Add this key?').waitFor()
  await expectAccessible(page, 'link-page')
})
