/** What is added to the note of the day, as Today and the editor show it. What the server has of it is in test/app/days.test.ts. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Ask, appSession, day, type Shown, sendAgain, until } from './app-session'

const { openApp } = appSession()

const field = (page: Page) => page.getByLabel('Add to the note of the day')
const section = (page: Page) => page.getByRole('region', { name: 'Note of the day' })
const waits = (page: Page, words: string) => page.getByText(words).waitFor()

async function add(page: Page, ...lines: readonly string[]) {
  for (const line of lines) {
    await field(page).fill(line)
    await field(page).press('Enter')
    await section(page).getByText(line).last().waitFor()
    expect(await field(page).inputValue()).toBe('')
  }
}

/** Waits until the server has one note, with these lines. */
const untilServerHas = (ask: Ask, lines: readonly string[]) =>
  until(
    async () => (await ask('GET', 'api/notes?include=body')).items.map(({ body }: Shown) => body),
    (bodies) => JSON.stringify(bodies) === JSON.stringify([lines.join('\n\n')]),
  )

/** What Today shows of the note of the day: its beginning on one line, then what waits. */
const shown = async (page: Page) => (await section(page).locator('p').allTextContents()).join(' ')

const slept = (ask: Ask) => ask('PUT', `api/notes/daily/${day()}`, { body: 'Slept well.' })

test('lines that are added without network are shown at once, also in another tab after a kill, and sent in order', async () => {
  const { page, ask } = await openApp('')
  const context = page.context()
  await waits(page, 'Nothing is due today.')
  await context.setOffline(true)
  await add(page, 'One', 'Two', 'One')
  await waits(page, '3 changes wait for the server')
  expect(await shown(page)).toBe('One Two One')
  // A page comes from the network, but no answer of the server.
  await context.route('**/api/**', (route) => route.abort())
  await context.setOffline(false)
  await page.reload()
  await section(page).getByText('Two').waitFor()
  expect(await shown(page)).toBe('One Two One')
  await field(page).fill('Not yet add')
  const second = await context.newPage()
  await page.close({ runBeforeUnload: false })
  await second.goto(page.url())
  await section(second).getByText('Two').waitFor()
  expect(await field(second).inputValue()).toBe('Not yet add')
  await context.unroute('**/api/**')
  await sendAgain(second)
  await untilServerHas(ask, ['One', 'Two', 'One'])
  await until(
    () => shown(second),
    (text) => text === 'One Two One',
  )
})

/** Lists what the section says from when it has the line. Runs in the page. */
function watchLines(): string[] {
  const seen: string[] = []
  const box = document.querySelector('[aria-labelledby=daily]')
  new MutationObserver(() => {
    const text = [...(box?.querySelectorAll('p') ?? [])].map((each) => each.textContent).join(' ')
    if (text.includes('Called')) seen.push(text)
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
  return seen
}

test('a line is shown once while it is sent and then; the open editor takes over those of another tab', async () => {
  const { page, ask } = await openApp('', slept)
  await waits(page, 'Slept well.')
  const seen = await page.evaluateHandle(watchLines)
  await add(page, 'Called Ana')
  await untilServerHas(ask, ['Slept well.', 'Called Ana'])
  await section(page).getByRole('link', { name: 'Open' }).waitFor()
  await until(
    () => section(page).locator('p').count(),
    (count) => count === 1,
  )
  expect(await seen.evaluate((texts) => [...new Set(texts)])).toEqual(['Slept well. Called Ana'])

  const other = await page.context().newPage()
  await other.goto(`${page.url().split('#')[0]}`)
  await page.bringToFront()
  await section(page).getByRole('link', { name: 'Open' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  const text = page.locator('.cm-content')
  await text.press('Control+Home')
  await page.keyboard.type('Monday. ')
  await add(other, 'Called Rui')
  await untilServerHas(ask, ['Monday. Slept well.', 'Called Ana', 'Called Rui'])
  await text.getByText('Called Rui').waitFor()
})

test('the note of the day has what is typed and the lines that were added before it, without network', async () => {
  const { page, ask } = await openApp('', slept)
  await waits(page, 'Slept well.')
  await page.context().route('**/api/**', (route) => route.abort())
  await add(page, 'Called Ana')
  await section(page).getByRole('link', { name: 'Open' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.locator('.cm-content').press('Control+End')
  // At once: what is not stored when the network is back would be a change of a line beside the one that was added.
  await page.keyboard.insertText(' Until nine.')
  await waits(page, '2 changes wait for the server')
  await page.context().unroute('**/api/**')
  await sendAgain(page)
  await untilServerHas(ask, ['Slept well. Until nine.', 'Called Ana'])
  await page.locator('.cm-content').getByText('Called Ana').waitFor()
})
