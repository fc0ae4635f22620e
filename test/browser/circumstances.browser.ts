/** The page where something about the visitor's browser, tabs, paper or line is not as usual. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { action, browserSession, make, pasted, send, stored, untilAnswer, untilUsage } from './session'
import { picture, startServer, untilText } from './support'

const { open, visitAs } = browserSession({}, startServer)

/** As browsers do that let no page write to the clipboard. */
function forbidCopying() {
  Object.defineProperty(navigator, 'clipboard', { value: undefined })
  document.execCommand = () => false
}

/** Whether the whole element lies within the window. */
const inSight = (page: Page, selector: string) =>
  page.locator(selector).evaluate((at) => {
    const { top, bottom } = at.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })

/** The colour that the element is painted with, and the one that stands for the name in this browser. */
const colours = (page: Page, selector: string, property: 'color' | 'backgroundColor', name: string) =>
  page.locator(selector).evaluate(
    (at, [property, name]) => {
      const probe = document.body.appendChild(document.createElement('i'))
      probe.style.color = name ?? ''
      const painted = Reflect.get(getComputedStyle(at), property ?? '')
      return [painted, getComputedStyle(probe).color]
    },
    [property, name],
  )

test('a browser that lets no page copy says so for all to see, selects what is to be copied, and masks it again later', async () => {
  const page = await open({}, forbidCopying)
  const key = await make(page)
  await page.locator('#copy-program').click()
  await page.locator('#program-note').getByText('copy it yourself').waitFor()
  expect(await page.evaluate(() => String(getSelection()))).toContain(key)
  await page.getByText('List notes').click()
  expect(await page.locator('#program').textContent()).not.toContain(key)
  expect(await page.locator('#program-note').textContent()).toStartWith('Shown without')
  await page.getByText('Write a note').click()
  await action(page, 'Hide').click()
  await action(page, 'Copy').click()
  await page.locator('.key-detail:visible').getByText('copy it yourself').waitFor()
  expect((await stored(page)).keys[0]?.saved).toBe(false)
  await page.keyboard.press('Control+C')
  await page.getByRole('link', { name: 'Send a first request' }).waitFor()
  expect((await stored(page)).keys[0]?.saved).toBe(true)
  expect(await pasted(page)).toBe(key)
})

test('of a slow server no figures of one key stand under another, and a file of many keys asks it once', async () => {
  const page = await open()
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/api/usage', async (route) => {
    await promise
    await route.continue()
  })
  await make(page, 'Waiting')
  await untilText(page, '#usage', 'Asking the server…')
  resolve()
  await untilUsage(page, '1,000 requests left this hour')

  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/api/usage')) asked++
  })
  const names = Array.from({ length: 40 }, (_, place) => `Number ${place}`)
  const keys = names.map((name) => ({ key: `a-key-called-${name.replace(' ', '-')}`, name }))
  await page.getByText('Add a key you already have').click()
  const file = { name: 'keys.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify({ keys })) }
  const answered = page.waitForResponse('**/api/usage')
  await page.locator('#import-file').setInputFiles(file)
  await answered
  await untilText(page, '#try-as', 'with the key “Number 0”')
  expect((await stored(page)).keys.map(({ name }) => name)).toEqual([...names, 'Waiting'])
  expect(asked).toBe(1)
})

describe('a slow line', () => {
  test('a click before the script is here leads nowhere and loses nothing', async () => {
    const page = await open()
    const address = page.url()
    await page.route('**/app.js', (route) => route.abort())
    await page.reload()
    await page.getByLabel('Name for the key').fill('Early')
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    expect(page.url()).toBe(address)
    expect(await page.getByLabel('Name for the key').inputValue()).toBe('Early')
  })
})

test('the answer comes into sight by itself on a telephone, but does not pull the page away from another field', async () => {
  const page = await open({ viewport: { width: 320, height: 640 } })
  await make(page)
  await action(page, 'Copy').click()
  await page.getByRole('link', { name: 'Send a first request' }).click()
  await untilText(page, '#try-target', 'POST /api/notes')
  expect(await inSight(page, '#try-send')).toBe(true)
  await page.locator('#try-send').evaluate((button) => {
    button.scrollIntoView({ block: 'end' })
    button.focus()
  })
  await page.keyboard.press('Enter')
  await untilAnswer(page, '201 Created')
  expect(await inSight(page, '#answer-words')).toBe(true)
  expect(await inSight(page, '#try-send')).toBe(true)

  await page.getByText('List notes').click()
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/api/notes*', async (route) => {
    await promise
    await route.continue()
  })
  await send(page)
  await page.getByLabel('Name for the key').focus()
  resolve()
  await untilAnswer(page, '200 OK')
  expect(await inSight(page, '#make-name')).toBe(true)
})

describe('the same page elsewhere', () => {
  test('entries that another program left in the storage do not break the page', async () => {
    const page = await open({}, () => {
      const good = { key: 'a-key-that-is-good', name: 'Good', made_at: '2026-03-01T08:15:00Z', saved: true }
      const bad = [{ made_at: 'yesterday' }, { key: 'kéy-with-é' }].map((part) => ({ ...good, ...part }))
      localStorage.setItem('satchel.keys', JSON.stringify({ keys: [good, ...bad], chosen: good.key }))
    })
    expect(await page.getByRole('radio', { name: 'Good' }).isChecked()).toBe(true)
    expect(await page.locator('.key-name').count()).toBe(2)
    expect(await page.locator('#storage-trouble').textContent()).toContain('could not be read')
  })

  test('without JavaScript it says how to get a key all the same, and shows nothing that cannot work', async () => {
    const page = await visitAs({ javaScriptEnabled: false })
    await page.locator('noscript').getByRole('paragraph').last().waitFor()
    expect(await page.locator('noscript').textContent()).toContain('Any long random word is a key')
    await page.getByRole('heading', { name: 'What the server knows' }).waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['In plain words'])
    await picture(page, 'no-script')
  })

  test('on paper it is the keys that show and what they mean, dark on white', async () => {
    const page = await open({ colorScheme: 'dark' })
    const key = await make(page, 'For the drawer')
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('button').count()).toBe(0)
    await page.getByText(key).waitFor()
    await page.getByText('Treat it like a password.').waitFor()
    expect(await colours(page, 'body', 'color', '#1b1e1a')).toEqual(['rgb(27, 30, 26)', 'rgb(27, 30, 26)'])
    await picture(page, 'print')
  })

  test('in forced colours the choice is drawn', async () => {
    const page = await open({ forcedColors: 'active' })
    const bottoms = await page
      .locator('.segments span')
      .evaluateAll((tabs) => tabs.map((tab) => getComputedStyle(tab).borderBottomStyle))
    expect(bottoms.filter((style) => style !== 'none')).toHaveLength(2) // one of each group
    await picture(page, 'forced-colours')
  })
})
