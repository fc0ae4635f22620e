/** Who comes back: their keys first, then what is left of the hour, and when it goes on once nothing is. */
import { describe, expect, test } from 'bun:test'
import { action, browserSession, make } from './session'
import { expectAccessible, startServer, untilText } from './support'

const { open } = browserSession({}, startServer)

const titles = [
  'Make yourself a key',
  'Your keys',
  'First request',
  'Connect a program',
  'Import a file',
  'Export or erase',
  'This hour',
]
/** Spends the requests of everybody without a key, by asking until the server refuses. */
const spend = async () => {
  while ((await fetch('api/notes')).status !== 429);
}

describe('the order of the page', () => {
  test('begins with making a key for who has none, also once one is made, and with the keys after that', async () => {
    const page = await open()
    const headings = () => page.locator('main :is(h1, h2)').allTextContents()
    expect(await headings()).toEqual([...titles, 'In plain words'])
    await make(page, 'Mine')
    expect(await headings()).toEqual([...titles, 'In plain words'])
    expect(await page.getByRole('link', { name: 'Make another key' }).isVisible()).toBe(false)
    await page.reload()
    await page.locator('#usage-figures').waitFor()
    const [, keys, ...others] = titles
    const hour = others.pop()
    expect(await headings()).toEqual([keys, hour, ...others, 'Make another key', 'In plain words'].map(String))
    await page.getByRole('link', { name: 'Make another key' }).click()
    await page.getByLabel('Name for the key').fill('Second')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('radio', { name: 'Second' }).isChecked()).toBe(true)
    expect(await action(page, 'Copy').and(page.locator(':focus')).count()).toBe(1)

    // It comes without its scripts, too, only a little later.
    await page.route('**/*.js', (route) => route.abort())
    await page.reload()
    await page.getByRole('heading', { name: 'Make yourself a key' }).waitFor()
  })
})

describe('an hour that is used up', () => {
  test('is said at the top, and counts down without being read aloud', async () => {
    const page = await open()
    await page.evaluate(spend)
    await page.clock.install({ time: new Date('2026-11-23T08:33:00Z') })
    const rest = [1565, 20]
    await page.route('**/api/usage', async (route) => {
      const real = await route.fetch()
      const reset_seconds = rest.shift()
      const change = reset_seconds === undefined ? { remaining: 20 } : { reset_seconds }
      await route.fulfill({ response: real, json: { ...(await real.json()), ...change } })
    })
    await page.reload()
    await untilText(page, '#spent-title', 'The 20 requests of this hour are used up.')
    await untilText(page, '#spent-until', 'They return in 27 minutes, at 09:59.')
    const read = 'The 20 requests of this hour are used up. They return in 27 minutes, at 09:59.'
    await untilText(page, '#said', read)
    await page.clock.runFor(50_000)
    await untilText(page, '#spent-until', 'They return in 26 minutes, at 09:59.')
    await untilText(page, '#usage-reset', 'in 26 minutes, at 09:59')
    await page.clock.runFor(10_000)
    await untilText(page, '#spent-until', 'They return in less than a minute, at 09:34.')
    await untilText(page, '#said', read)
    await page.clock.runFor(25_000)
    await page.locator('#spent').waitFor({ state: 'hidden' })
  })

  test('is not said as long as one request is left, nor to another caller, nor when nobody knows', async () => {
    const page = await open()
    await page.evaluate(async () => {
      for (let call = 0; call < 19; call++) await fetch('api/notes')
    })
    await page.reload()
    await untilText(page, '#usage-remaining', '1')
    expect(await page.locator('#spent').isVisible()).toBe(false)
    await page.evaluate(spend)
    await page.reload()
    await page.getByText('With a key you can go on at once.').waitFor()
    await make(page, 'Mine')
    await page.locator('#spent').waitFor({ state: 'hidden' })
    await untilText(page, '#usage-limit', 'of 1,000 requests left')
    await page.getByRole('radio', { name: 'Without a key' }).check()
    await page.locator('#spent').waitFor()
    await page.route('**/api/**', (route) => route.abort())
    await make(page, 'Other')
    await page.locator('#usage-trouble').waitFor()
    expect(await page.locator('#spent').isVisible()).toBe(false)
  })
})

test('axe-core finds nothing wrong with ten keys, and with an hour that is used up', async () => {
  const page = await open()
  for (let number = 1; number <= 10; number++) await make(page)
  await page.getByRole('radio', { name: 'Without a key' }).check()
  await page.evaluate(spend)
  await page.reload()
  await page.locator('#spent').waitFor()
  await expectAccessible(page, 'returning')
})
