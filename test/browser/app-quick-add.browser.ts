/** Cards that quick add makes: kept without network, made once, and given back if the server takes none. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { untilNoneWaits } from './app-cards'
import { type Ask, appSession, sendAgain, until } from './app-session'
import { readDownload } from './support'

const { openApp } = appSession()

const DECK = '01980000-0000-7000-8000-0000000000e0'
const BATCH = '**/facts/batch'
const fill = (ask: Ask) => ask('POST', 'api/flashcards/decks', { id: DECK, name: 'Capitals' })

async function add(page: Page, ...lines: readonly string[]) {
  await page.locator('h1').click()
  await page.keyboard.press('q')
  for (const line of lines) {
    const field = page.getByRole('dialog').locator('textarea')
    await field.fill(line)
    await page.getByRole('button', { name: 'Add card' }).click()
    await until(
      () => field.inputValue(),
      (text) => text === '',
    )
  }
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function fronts(ask: Ask): Promise<string[]> {
  const { items } = (await ask('GET', 'api/flashcards/facts?limit=200')) as unknown as { items: { front: string }[] }
  return items.map(({ front }) => front).toSorted()
}
const untilServerHas = (ask: Ask, ...wanted: readonly string[]) =>
  until(
    () => fronts(ask),
    (found) => JSON.stringify(found) === JSON.stringify(wanted),
  )
const waits = (page: Page, words: string) => page.getByText(words).waitFor({ timeout: 8000 })

test('cards that are added without network are kept over a reload, and made once though an answer is lost', async () => {
  const { page, ask } = await openApp('', fill)
  const context = page.context()
  await waits(page, 'Nothing is due today.')
  await context.route('**/api/**', (route) => route.abort())
  await add(page, 'Peru :: Lima', 'Chile :: Santiago', 'Peru :: Lima')
  await waits(page, '3 changes wait for the server')
  await page.reload()
  await waits(page, '3 changes wait for the server')
  expect(await fronts(ask)).toEqual([])
  let lost = 0
  await page.route(
    BATCH,
    async (route) => {
      await route.fetch()
      lost += 1
      await route.abort()
    },
    { times: 1 },
  )
  await context.unroute('**/api/**')
  await sendAgain(page)
  await untilServerHas(ask, 'Chile', 'Peru', 'Peru')
  // It is sent again after some seconds.
  await untilNoneWaits(page)
  expect([lost, await fronts(ask)]).toEqual([1, ['Chile', 'Peru', 'Peru']])
})

test('undo takes back a card that was not sent, and one that was', async () => {
  const { page, ask } = await openApp('', fill)
  await waits(page, 'Nothing is due today.')
  await page.context().setOffline(true)
  await add(page, 'Peru :: Lima', 'Chile :: Santiago')
  await waits(page, '2 changes wait for the server')
  await page.keyboard.press('z')
  await waits(page, 'Undone: Added a card to “Capitals”.')
  await page.context().setOffline(false)
  await untilServerHas(ask, 'Peru')
  await untilNoneWaits(page)
  await page.keyboard.press('z')
  await untilServerHas(ask)
  await untilNoneWaits(page)
  expect(await fronts(ask)).toEqual([])
})

test('a card whose deck is gone is given back, and the others are made', async () => {
  const { page, ask } = await openApp('', async (ask) => {
    await fill(ask)
    await ask('POST', 'api/flashcards/decks', { name: 'Rivers' })
  })
  await waits(page, 'Nothing is due today.')
  await page.context().setOffline(true)
  await add(page, 'Peru :: Lima')
  await page.locator('h1').click()
  await page.keyboard.press('q')
  await page.getByRole('dialog').locator('textarea').fill('Lisbon :: Tagus')
  await page.getByRole('combobox', { name: 'Deck' }).selectOption({ label: 'Rivers' })
  await page.getByRole('button', { name: 'Add card' }).click()
  await waits(page, '2 changes wait for the server')
  await page.keyboard.press('Escape')
  await ask('DELETE', `api/flashcards/decks/${DECK}?permanent=true`)
  await page.context().setOffline(false)
  await waits(page, 'A change was not taken')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save what you wrote' }).click()
  expect(String(await readDownload(await download))).toBe('Peru :: Lima')
  await untilServerHas(ask, 'Lisbon')
})
