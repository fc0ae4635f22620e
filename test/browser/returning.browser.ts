/** Who comes back: their keys first, then what is left of the hour, and when it goes on once nothing is. */
import { describe, expect, test } from 'bun:test'
import { action, browserSession, make, untilUsage } from './session'
import { expectAccessible, startServer, untilText } from './support'

const { open } = browserSession({}, startServer)

const titles = ['Make yourself a key', 'Your keys', 'First request', 'Connect a program']
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
    const [, ...others] = titles
    await page.getByRole('heading', { name: 'Make another key' }).waitFor()
    expect(await headings()).toEqual([...others, 'Make another key', 'In plain words'])
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
  test('is told with its end, by the minute, until it is over', async () => {
    const page = await open()
    await page.evaluate(spend)
    await page.clock.install({ time: new Date('2026-11-23T08:33:00Z') })
    const rest = [1565, 1505]
    await page.route('**/api/usage', async (route) => {
      const real = await route.fetch()
      const reset_seconds = rest.shift()
      const change = reset_seconds === undefined ? { remaining: 20 } : { reset_seconds }
      await route.fulfill({ response: real, json: { ...(await real.json()), ...change } })
    })
    await page.reload()
    const words = (minutes: number) =>
      `The 20 requests of this hour are used up. They return in ${minutes} minutes, at 09:59. With a key you can go on at once.`
    await untilText(page, '#usage', words(27))
    await page.clock.runFor(60_000)
    await untilText(page, '#usage', words(26))
    await page.clock.runFor(60_000)
    await untilText(page, '#usage', '20 of 20 requests left this hour.')
  })

  test('is not said of another caller, nor when nobody knows', async () => {
    const page = await open()
    await page.evaluate(spend)
    await page.reload()
    await untilUsage(page, 'With a key you can go on at once.')
    await make(page, 'Mine')
    await untilUsage(page, 'of 1,000 requests left')
    await page.getByRole('radio', { name: 'Without a key' }).check()
    await untilUsage(page, 'used up')
    await page.route('**/api/**', (route) => route.abort())
    await make(page, 'Other')
    await untilText(page, '#usage', 'The server cannot be reached. This does not touch your keys.')
    await page.unroute('**/api/**')
    await page.route('**/api/usage', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }))
    await page.getByRole('radio', { name: 'Mine' }).check()
    await untilText(page, '#usage', 'The server answered 502 Bad Gateway.')
  })
})

test('axe-core finds nothing wrong with ten keys, and with an hour that is used up', async () => {
  const page = await open()
  for (let number = 1; number <= 10; number++) await make(page)
  await page.getByRole('radio', { name: 'Without a key' }).check()
  await page.evaluate(spend)
  await page.reload()
  await untilUsage(page, 'used up')
  await expectAccessible(page, 'returning')
})
