/**
 * `bun run pictures` draws the pictures of README.md: the app as somebody sees it who uses it. Run it when a page has changed
 * its looks. It is a test so that what starts servers in tests can be used.
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type Ask, appSession, day } from './app-session'

const { openApp } = appSession()
const FOLDER = join(import.meta.dir, '../../docs/pictures')
/** Both are shown to everybody who opens the repository. */
const MOST_BYTES = 75 * 1024

/** Writes what the window shows, as WebP, which has a third of the bytes of PNG. */
async function draw(page: Page, name: string) {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  expect(await Bun.write(join(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'))).toBeLessThan(MOST_BYTES)
}

async function fill(ask: Ask) {
  const add = (title: string, offset: number, more = {}) =>
    ask('POST', 'api/tasks', { title, due: { date: day(offset) }, ...more })
  const home = await ask('POST', 'api/tasks/projects', { name: 'Home' })
  await add('Renew the library card', -1, { labels: ['errand'] })
  await add('Call the plumber about the boiler', 0, {
    due: { date: day(0), time: '23:30' },
    project_id: home.id,
    priority: 1,
  })
  await add('Water the plants', 0, { recurrence: { rrule: 'FREQ=DAILY;INTERVAL=3' }, project_id: home.id })
  await add('Book the train to Porto', 1, { labels: ['trip'] })
  const deck = await ask('POST', 'api/flashcards/decks', { name: 'Portuguese' })
  const cards = [
    ['o comboio', 'the train'],
    ['a estação', 'the station'],
    ['o bilhete de ida e volta', 'the return ticket'],
    ['amanhã de manhã', 'tomorrow morning'],
  ]
  for (const [front, back] of cards)
    await ask('POST', 'api/flashcards/facts', { type: 'basic', deck_id: deck.id, front, back })
  await ask('PUT', `api/notes/daily/${day(0)}`, {
    body: 'The plumber comes before nine. Ana has found a room near the river, with breakfast at eight.',
  })
}

test('draws Today and a card of the app', async () => {
  const { page } = await openApp('', fill, { viewport: { width: 1120, height: 760 } })
  await page.getByText('Study 4 cards').waitFor()
  await draw(page, 'app-today')
  await page.goto(`${page.url().split('#')[0]}#/study/go`)
  await page.getByRole('button', { name: 'Show the answer' }).waitFor()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: /^Easy/ }).waitFor()
  await draw(page, 'app-study')
})
