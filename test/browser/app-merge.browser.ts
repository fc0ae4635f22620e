/** What was typed in two places at once, in the editor. What comes of it in all cases is in test/app/merge.test.ts. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Ask, appSession, until } from './app-session'
import { startServer } from './support'

const { openApp } = appSession({ API_LIMIT_PER_HOUR: '100000' }, startServer)

const PLAN = '01980000-0000-7000-8000-000000000001'
const BODY = 'Pack the bag.\n\nBuy a ticket.\n\nCall Ana.'

const text = (page: Page) => page.locator('.cm-content')
const untilMerged = (ask: Ask, whole: string) =>
  until(
    async () => (await ask('GET', `api/notes/${PLAN}`)).body,
    (body) => body === whole,
  )

/** Types behind the first paragraph. */
async function typeIntoFirst(page: Page, typed: string) {
  await text(page).press('Control+Home')
  await page.keyboard.press('End')
  await page.keyboard.type(typed)
}

/** Opens the note to edit it. */
async function openPlan() {
  const opened = await openApp(`#/notes/${PLAN}?edit=1`, (ask) =>
    ask('POST', 'api/notes', { id: PLAN, title: 'Porto', body: BODY }),
  )
  await text(opened.page).getByText('Call Ana').waitFor()
  return opened
}

test('what another device typed comes into the open editor, whose caret stays where it was', async () => {
  const { page, ask } = await openPlan()
  await page.context().setOffline(true)
  await typeIntoFirst(page, ' The blue one.')
  await ask('PATCH', `api/notes/${PLAN}`, { body: BODY.replace('Call Ana.', 'Call Ana and Rui.') })
  await page.getByText('One change waits for the server').waitFor()
  await page.context().setOffline(false)
  await text(page).getByText('Call Ana and Rui.').waitFor()
  await page.keyboard.type(' Not the red one.')
  await page.keyboard.press('Escape')
  await page.getByText('Not the red one').waitFor()
  await untilMerged(ask, 'Pack the bag. The blue one. Not the red one.\n\nBuy a ticket.\n\nCall Ana and Rui.')
})

test('what one tab types without network is shown by the other, which can type on in the same line', async () => {
  const { page, ask } = await openPlan()
  const second = await page.context().newPage()
  await second.goto(page.url())
  await text(second).getByText('Call Ana').waitFor()
  await page.context().setOffline(true)
  await typeIntoFirst(page, ' The blue one.')
  await text(second).getByText('The blue one.').waitFor()
  await typeIntoFirst(second, ' Not the red one.')
  await text(page).getByText('Not the red one.').waitFor()
  await typeIntoFirst(page, ' Today.')
  await text(second).getByText('Today.').waitFor()
  await page.context().setOffline(false)
  const whole = BODY.replace('bag.', 'bag. The blue one. Not the red one. Today.')
  await untilMerged(ask, whole)
  for (const tab of [page, second]) await tab.getByText('for the server').waitFor({ state: 'detached' })
  await untilMerged(ask, whole)
  expect((await ask('GET', 'api/notes')).items).toHaveLength(1)
})

test('what is typed right before the page is loaded again is there, as when a new version is opened', async () => {
  const { page, ask } = await openPlan()
  await page.context().route('**/api/**', (route) => route.abort())
  await typeIntoFirst(page, ' The blue one.')
  await page.getByText('One change waits for the server').waitFor()
  await page.keyboard.insertText(' Not the red one.')
  await page.evaluate(() => location.reload())
  await text(page).getByText('The blue one. Not the red one.').waitFor()
  await untilMerged(ask, BODY)
})
