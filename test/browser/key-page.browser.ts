import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { isSatchelKey } from '../../public/key-format.js'
import { launchBrowser, picture, type RunningServer, startServer, untilText, visit } from './support'

let browser: Browser
let server: RunningServer
let faults: string[][] = []

beforeAll(async () => {
  browser = await launchBrowser()
})
beforeEach(async () => {
  server = await startServer()
  faults = []
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
  await server.stop()
  expect(faults.flat()).toEqual([]) // no breach of the policy, no script error, no other host, in any test
})
afterAll(() => browser?.close())

async function open(options?: BrowserContextOptions): Promise<Page> {
  const opened = await visit(browser, server.url, options)
  faults.push(opened.faults)
  await opened.page.locator('#usage-figures').waitFor()
  return opened.page
}

/** Makes a key through the form and returns it as the page shows it. */
async function make(page: Page, name = '') {
  await page.getByLabel('Name for the key').fill(name)
  await page.getByRole('button', { name: 'Make a key' }).click()
  return (await page.locator('.key-text:visible').textContent()) ?? ''
}

/** The keys as the browser's storage holds them. */
async function stored(page: Page): Promise<{ chosen: string | null; keys: Record<string, unknown>[] }> {
  return JSON.parse((await page.evaluate(() => localStorage.getItem('satchel.keys'))) ?? '{"chosen":null,"keys":[]}')
}

const action = (page: Page, name: string) =>
  page.locator('.key-detail:visible').getByRole('button', { name, exact: true })
const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click()

/** What Ctrl+V would give. */
async function pasted(page: Page) {
  await page.locator('#try-body').fill('')
  await page.locator('#try-body').press('Control+V')
  return page.locator('#try-body').inputValue()
}

describe('a key', () => {
  test('is made in the browser with the right checksum, named, chosen and kept', async () => {
    const page = await open()
    const key = await make(page, '  My   laptop ')
    expect(isSatchelKey(key)).toBe(true)
    await page.reload()
    expect(await page.getByRole('radio', { name: 'My laptop' }).isChecked()).toBe(true)
    expect(await stored(page)).toMatchObject({ chosen: key, keys: [{ key, name: 'My laptop', saved: false }] })
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

  test('made in one tab is there in the other', async () => {
    const page = await open()
    const other = await page.context().newPage()
    await other.goto(server.url)
    await make(page, 'Shared')
    await other.getByRole('radio', { name: 'Shared' }).waitFor()
  })
})

describe('bringing keys along', () => {
  test('a slip is refused in words, the right key is taken', async () => {
    const page = await open()
    await page.getByText('Add a key you already have').click()
    const field = page.getByLabel('Key', { exact: true })
    await field.fill('satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA23finxh')
    await page.getByRole('button', { name: 'Add this key' }).click()
    await untilText(page, '#import-fault', 'There is a slip in it: its last six characters do not fit the rest.')
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
    await elsewhere.locator('#import-file').setInputFiles(await file.path())
    await elsewhere.getByRole('radio', { name: 'Zwei 🎒' }).waitFor()
    const keysOf = async (from: Page) => (await stored(from)).keys.map(({ key }) => key).sort()
    expect(await keysOf(elsewhere)).toEqual(await keysOf(page))
    expect((await stored(page)).keys.map(({ saved }) => saved)).toEqual([true, true])
  })
})

describe('the first request', () => {
  test('with a key writes a note, shows the answer with its limits, and the chat finds it', async () => {
    const page = await open()
    await make(page, 'First')
    await page.getByLabel('Title').fill('House')
    await send(page)
    await untilText(page, '#answer-title', '201 Created')
    expect(await page.locator('#answer-headers').textContent()).toBe(
      'X-TierapiX-RateLimit-Limit1000X-RateLimit-Remaining999',
    )
    await untilText(page, '#usage-remaining', '999')
    await page.getByText('Ask the chat').click()
    await send(page)
    await untilText(page, '#answer-title', '200 OK')
    expect(await page.locator('#answer-words').textContent()).toContain('The boiler warranty ends on 3 May 2027.')
    await page.getByText('List my notes').click()
    await send(page)
    await untilText(page, '#usage-remaining', '997')
    expect(await page.locator('#answer-body').textContent()).toContain('"House"')
    await picture(page, 'first-request')
  })

  test('without a key is free, and a refusal is told in the words of the server', async () => {
    const page = await open()
    await send(page)
    await untilText(page, '#answer-title', '201 Created')
    expect(await page.locator('#answer-headers').textContent()).toContain('X-Tierfree')
    await page.evaluate(async () => {
      for (let call = 0; call < 19; call++) await fetch('/api/notes')
    })
    await send(page)
    await untilText(page, '#answer-title', '429 Too Many Requests')
    expect(await page.locator('#answer-words').textContent()).toContain('Slow down, or add an API key')
    expect(await page.locator('#answer-headers').textContent()).toContain('Retry-After')
    await untilText(page, '#usage-remaining', '0')
  })

  test('sends the key in X-API-Key and nowhere else', async () => {
    const page = await open()
    const key = await make(page)
    const asked = page.waitForRequest('**/api/notes')
    await send(page)
    const request = await asked
    expect(request.headers()['x-api-key']).toBe(key)
    const { 'x-api-key': _, ...others } = await request.allHeaders()
    expect(JSON.stringify([request.url(), request.postData(), others])).not.toContain(key)
  })

  test('as a program shows a masked key and copies the whole one', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const key = await make(page)
    for (const language of ['curl', 'TypeScript', 'Python']) {
      await page.locator('#languages').getByText(language).click()
      expect(await page.locator('#program').textContent()).not.toContain(key)
      await page.locator('#copy-program').click()
      await untilText(page, '#said', language === 'TypeScript' ? 'Program copied. ' : 'Program copied.')
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(key)
    }
  })

  test('answer of one key is not shown beside another', async () => {
    const page = await open()
    await make(page, 'One')
    await send(page)
    await page.locator('#answer').waitFor()
    await page.getByRole('radio', { name: 'Without a key' }).check()
    expect(await page.locator('#answer').isVisible()).toBe(false)
  })
})

describe('when something is missing', () => {
  test('storage: said in words, and keys still work until the tab closes', async () => {
    const context = await browser.newContext()
    await context.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('denied', 'SecurityError')
      }
      Object.defineProperty(window, 'localStorage', { get: refuse })
    })
    const page = await context.newPage()
    await page.goto(server.url)
    expect(await page.getByRole('alert').first().textContent()).toContain('does not store')
    expect(isSatchelKey(await make(page))).toBe(true)
    await send(page)
    await untilText(page, '#answer-title', '201 Created')
  })

  test('the server: said in words, keys stay, and trying again works', async () => {
    const page = await open()
    await page.route('**/api/**', (route) => route.abort())
    await make(page, 'Safe')
    await untilText(page, '#usage-reason', 'The server cannot be reached. This does not touch your keys.')
    await send(page)
    await untilText(page, '#answer-words', 'The server cannot be reached. Nothing is known about the request.')
    await picture(page, 'unreachable')
    await page.unroute('**/api/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('#usage-figures').waitFor()
    expect((await stored(page)).keys).toHaveLength(1)
  })

  test('an answer that is not ours is shown as text', async () => {
    const page = await open()
    const body = '<h1>Bad gateway</h1><script>document.title = "taken"</script>'
    await page.route('**/api/notes', (route) => route.fulfill({ status: 502, contentType: 'text/html', body }))
    await send(page)
    await page.locator('#answer').waitFor()
    expect(await page.locator('#answer-body').textContent()).toBe(body)
    expect(await page.locator('#answer-words').textContent()).toContain('The server answered 502')
    expect(await page.title()).not.toBe('taken')
  })

  test('a slow answer can be stopped', async () => {
    const page = await open()
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/api/notes', async (route) => {
      await promise
      await route.abort()
    })
    await send(page)
    await page.getByRole('button', { name: 'Stop' }).click()
    await untilText(page, '#answer-words', 'Stopped. The server may have received the request.')
    resolve()
  })

  test('a copy: the page asks before it is left, and does not once there is one', async () => {
    const page = await open()
    await make(page)
    const asked = page.waitForEvent('dialog')
    const leaving = page.close({ runBeforeUnload: true })
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await leaving
    await action(page, 'Copy').click()
    await action(page, 'Copied').waitFor()
    let askedAgain = false
    page.on('dialog', (again) => {
      askedAgain = true
      return again.accept()
    })
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
    expect(askedAgain).toBe(false)
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

  test.each(['light', 'dark'] as const)(
    'in %s it fits 320 and 1280 pixels without sideways scrolling',
    async (colorScheme) => {
      for (const width of [320, 1280]) {
        const page = await open({ colorScheme, viewport: { width, height: 800 } })
        await make(page, 'A key with a rather long name, as people like to give them')
        await send(page)
        await page.locator('#answer').waitFor()
        await picture(page, `page-${colorScheme}-${width}`)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      }
    },
  )
})
