/** A day without network: study, and what else Today has. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { answerWith, untilDayKept, untilShown } from './app-cards'
import { type Ask, appSession, goTo, type Shown, sendAgain } from './app-session'

const { openApp, key } = appSession()

const DECK = '01980000-0000-7000-8000-0000000000e0'
const FACTS = Array.from({ length: 6 }, (_, at) => ({ type: 'basic', front: `Number ${at}?`, back: `It is ${at}.` }))

async function fill(ask: Ask) {
  await ask('POST', 'api/flashcards/decks', { id: DECK, name: 'Numbers' })
  await ask('POST', 'api/flashcards/facts/batch', { items: FACTS.map((fact) => ({ deck_id: DECK, ...fact })) })
}

const intervals = (page: Page) => page.locator('.study-ratings button small').allTextContents()

test('an answer that was given while the server was away is sent with what waits for it', async () => {
  const { page, ask } = await openApp('#/study', fill)
  await page.getByText('6 cards are left today.').waitFor()
  await goTo(page, `#/study/${DECK}/go`)
  await untilShown(page, 'Number 0?')
  // Without a word of the browser that it is back: the outbox asks again by itself.
  await page.route('**/api/**', (route) => route.abort())
  await page.keyboard.press('q')
  await page.keyboard.type('Buy stamps')
  await page.keyboard.press('Enter')
  await page.getByText('waits for the server').waitFor()
  await page.keyboard.press('Escape')
  await answerWith(page, 'Number 0?', '4')
  await untilShown(page, 'Number 1?')
  await goTo(page, '#/tasks')
  await page.locator('main h1').first().waitFor()
  const sent = page.waitForResponse((response) => response.url().includes('reviews/batch') && response.ok())
  await page.unroute('**/api/**')
  await sent
  const reviews = await ask('GET', 'api/flashcards/reviews?limit=200')
  expect(reviews.items).toHaveLength(1)
})

test('cards are studied without network, come back from learning, and are the same on the server in the end', async () => {
  const { page, ask } = await openApp('#/study', fill)
  await page.getByText('6 cards are left today.').waitFor()
  await untilDayKept(page, key())
  const scheduler = page.waitForResponse((response) => response.url().includes('/schedule-'))
  await goTo(page, '#/study/go')
  await untilShown(page, 'Number 0?')
  await (await scheduler).finished()
  await page.context().setOffline(true)
  await answerWith(page, 'Number 0?', '4')
  await answerWith(page, 'Number 1?', '1')
  await answerWith(page, 'Number 2?', '3')
  // What is not sent is taken back here.
  await untilShown(page, 'Number 3?')
  await page.keyboard.press('u')
  await answerWith(page, 'Number 2?', '4')
  // A session of its own, made from what is kept.
  await goTo(page, '#/study')
  await page.getByText('4 cards are left today.').waitFor()
  await goTo(page, `#/study/${DECK}/go`)
  await answerWith(page, 'Number 3?', '4')
  await answerWith(page, 'Number 4?', '4')
  await answerWith(page, 'Number 5?', '4')
  // It is soon due: no others are left.
  await untilShown(page, 'Number 1?')
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: /^Good/ }).waitFor()
  expect(await intervals(page)).toEqual(['1 min', '6 min', '10 min', expect.stringMatching(/^\d d$/)])
  await page.keyboard.press('4')
  await page.getByText('Done for now').waitFor()
  const sent = page.waitForResponse((response) => response.url().includes('reviews/batch') && response.ok())
  await page.context().setOffline(false)
  await sent
  const reviews = await ask('GET', 'api/flashcards/reviews?limit=200')
  expect(reviews.items.map(({ rating }: Shown) => rating).toSorted()).toEqual([1, 4, 4, 4, 4, 4, 4])
  const { items } = await ask('GET', 'api/flashcards/cards?limit=200')
  expect(items.map(({ state }: Shown) => state)).toEqual(Array(6).fill('review'))
  await page.getByText('Look again').click()
  await page.getByText('Nothing is due now').or(page.getByText('Done for now')).waitFor()
})

test('what is studied without network on a device whose clock is two days ahead is taken by the server', async () => {
  const { page, ask } = await openApp('', fill)
  await page.clock.install({ time: Date.now() + 48 * 3_600_000 })
  await page.reload()
  await untilDayKept(page, key())
  // The page comes from the network, but no answer of the server: it does not know what time it is there.
  await page.route('**/api/**', (route) => route.abort())
  await page.reload()
  await goTo(page, '#/study/go')
  await answerWith(page, 'Number 0?', '4')
  await answerWith(page, 'Number 1?', '4')
  await goTo(page, '#/tasks')
  await page.getByText('2 changes wait').waitFor()
  const sent = page.waitForResponse((response) => response.url().includes('reviews/batch') && response.ok())
  await page.unroute('**/api/**')
  await sendAgain(page)
  await sent
  const reviews = await ask('GET', 'api/flashcards/reviews?limit=200')
  expect(reviews.items).toHaveLength(2)
})

test('a repeating task that is completed without network shows its next date, and can be taken back', async () => {
  const id = '01980000-0000-7000-8000-0000000000d0'
  const { page, ask } = await openApp('#/tasks', (ask) =>
    ask('POST', 'api/tasks', {
      id,
      title: 'Water the plants',
      due: { date: '2031-03-03' },
      recurrence: { rrule: 'FREQ=WEEKLY', anchor: '2031-03-03' },
    }),
  )
  const row = page.locator('main').getByText('Water the plants')
  await row.first().waitFor()
  const loaded = page.waitForResponse((response) => response.url().includes('/occurrences-'))
  const complete = () =>
    page
      .getByRole('checkbox', { name: /Water the plants/ })
      .first()
      .click()
  const shown = (date: string) => page.locator('main').getByText(date).first().waitFor()
  await shown('3 Mar')
  await complete()
  await (await loaded).finished()
  await shown('10 Mar')
  await page.getByRole('button', { name: 'Undo' }).click()
  await shown('3 Mar')
  await page.context().setOffline(true)
  await complete()
  await shown('10 Mar')
  await page.getByRole('button', { name: 'Undo' }).click()
  await shown('3 Mar')
  await complete()
  await shown('10 Mar')
  const sent = page.waitForResponse((response) => response.url().includes('tasks/batch') && response.ok())
  await page.context().setOffline(false)
  await sent
  expect((await ask('GET', `api/tasks/${id}`)).due).toMatchObject({ date: '2031-03-10' })
})
