/** What was typed in two places at once, and what waits until the server can take it. */
import { expect, test } from 'bun:test'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { makeKey } from '../support/keys'
import { countKept } from './app-cards'
import { type Ask, appSession, sendAgain, until } from './app-session'
import { startServer } from './support'

const { openApp } = appSession({ API_LIMIT_PER_HOUR: '100000' }, startServer)

const PLAN = '01980000-0000-7000-8000-000000000001'
const OTHER = '01980000-0000-7000-8000-000000000002'
const BODY = 'Pack the bag.\n\nBuy a ticket.\n\nCall Ana.'

async function fill(ask: Ask) {
  await ask('POST', 'api/notes', { id: PLAN, title: 'Porto', body: BODY })
  await ask('POST', 'api/notes', { id: OTHER, title: 'Other', body: 'Nothing.' })
}

const text = (page: Page) => page.locator('.cm-content')
const bodyOf = async (ask: Ask, id = PLAN) => String((await ask('GET', `api/notes/${id}`)).body)
const changeElsewhere = (ask: Ask, from: string, to: string, body = BODY) =>
  ask('PATCH', `api/notes/${PLAN}`, { body: body.replace(from, to) })
const titles = async (ask: Ask) =>
  ((await ask('GET', 'api/notes')).items as unknown as { title: string }[]).map(({ title }) => title).toSorted()

/** Types behind the first paragraph, and waits until it is stored. */
async function typeIntoFirst(page: Page, typed: string) {
  await text(page).press('Control+Home')
  await page.keyboard.press('End')
  await page.keyboard.type(typed)
}

/** Opens the note to edit it. */
async function openPlan() {
  const opened = await openApp(`#/notes/${PLAN}?edit=1`, fill)
  await text(opened.page).getByText('Call Ana').waitFor()
  return opened
}

/** Opens the note to edit it in two tabs, and takes their network away. */
async function openTwoTabs() {
  const opened = await openPlan()
  const second = await opened.page.context().newPage()
  await second.goto(opened.page.url())
  await text(second).getByText('Call Ana').waitFor()
  await opened.page.context().setOffline(true)
  return { ...opened, second }
}

/** Types into the note without network, while another device changes it. */
async function changeBoth(from: string, to: string) {
  const { page, ask } = await openPlan()
  await page.context().setOffline(true)
  await typeIntoFirst(page, ' The blue one.')
  await changeElsewhere(ask, from, to)
  return { page, ask }
}

/** Brings the network back, and resolves when the server has answered so many batches. */
async function comeBack(page: Page, context: BrowserContext, batches: number) {
  await page.getByText('One change waits for the server').waitFor()
  let answered = 0
  const done = page.waitForResponse((response) => response.url().endsWith('/batch') && ++answered === batches)
  await context.setOffline(false)
  await (await done).finished()
}

/** Holds the batch that a page sends next, before it reaches the server. The one that was held last is the first. */
async function holdBatch(page: Page) {
  const [sent, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold = async (route: Route) => {
    sent.resolve()
    await released.promise
    await route.continue()
  }
  await page.route('**/batch', hold, { times: 1 })
  return { sent: sent.promise, release: released.resolve }
}

/** Waits until the browser keeps so many changes that the server has not confirmed. */
const untilKept = (page: Page, changes: number) =>
  until(
    () => countKept(page, makeKey(1), 'writes'),
    (count) => count === changes,
  )

test('edits of two devices in different paragraphs are both in the note, also in the open editor', async () => {
  const { page, ask } = await changeBoth('Call Ana.', 'Call Ana and Rui.')
  await comeBack(page, page.context(), 2)
  await text(page).getByText('Call Ana and Rui.').waitFor()
  // The caret is where it was.
  await page.keyboard.type(' Not the red one.')
  await page.keyboard.press('Escape')
  await page.getByText('Not the red one').waitFor()
  const whole = 'Pack the bag. The blue one. Not the red one.\n\nBuy a ticket.\n\nCall Ana and Rui.'
  await untilMerged(
    () => bodyOf(ask),
    (body) => body === whole,
  )
  expect(await titles(ask)).toEqual(['Other', 'Porto'])
})

test('what is typed while the server refuses the first edit is merged with it', async () => {
  const { page, ask } = await openPlan()
  await page.route('**/batch', (route) => route.abort())
  await typeIntoFirst(page, ' The blue one.')
  await changeElsewhere(ask, 'Call Ana.', 'Call Ana and Rui.')
  await page.getByText('One change waits for the server').waitFor()
  // The first batch may have been sent: what is typed on becomes a write of its own.
  await page.keyboard.type(' Typed on.')
  await page.getByText('2 changes wait for the server').waitFor()
  await page.unroute('**/batch')
  const whole = 'Pack the bag. The blue one. Typed on.\n\nBuy a ticket.\n\nCall Ana and Rui.'
  await untilMerged(
    () => bodyOf(ask),
    (body) => body === whole,
  )
  expect(await titles(ask)).toEqual(['Other', 'Porto'])
})

test('edits of two devices of the same line are both kept, each in its note', async () => {
  const { page, ask } = await changeBoth('the bag.', 'the red bag.')
  await comeBack(page, page.context(), 2)
  await page.getByText('was changed elsewhere while you changed it here').waitFor()
  expect(await titles(ask)).toEqual(['Other', 'Porto', 'Porto (conflicting copy)'])
  expect(await bodyOf(ask)).toBe(BODY.replace('the bag.', 'the red bag.'))
  expect(JSON.stringify(await ask('GET', 'api/notes?include=body'))).toContain('Pack the bag. The blue one.')
})

test('a merged text that is refused, since the note was changed once more, is merged again', async () => {
  const { page, ask } = await changeBoth('Call Ana.', 'Call Ana and Rui.')
  const second = BODY.replace('Call Ana.', 'Call Ana and Rui.')
  let reads = 0
  await page.route(`**/api/notes/${PLAN}`, async (route) => {
    const response = await route.fetch()
    if (reads++ === 0) await changeElsewhere(ask, 'a ticket.', 'two tickets.', second)
    await route.fulfill({ response })
  })
  await comeBack(page, page.context(), 3)
  const whole = 'Pack the bag. The blue one.\n\nBuy two tickets.\n\nCall Ana and Rui.'
  await text(page).getByText('two tickets').waitFor()
  expect(await bodyOf(ask)).toBe(whole)
  expect(await titles(ask)).toEqual(['Other', 'Porto'])
})

test('what two tabs typed into one note without network is all in it', async () => {
  const { page, ask, second } = await openTwoTabs()
  await typeIntoFirst(page, ' The blue one.')
  await text(second).press('Control+End')
  await second.keyboard.type(' And Rui.')
  await second.getByText('One change waits for the server').waitFor()
  await comeBack(page, page.context(), 1)
  const whole = 'Pack the bag. The blue one.\n\nBuy a ticket.\n\nCall Ana. And Rui.'
  await untilMerged(
    () => bodyOf(ask),
    (body) => body === whole,
  )
  await text(page).getByText('And Rui').waitFor()
  await text(second).getByText('The blue one').waitFor()
  expect(await titles(ask)).toEqual(['Other', 'Porto'])
})

test('what one tab types without network is shown by the other, which can type on in the same line', async () => {
  const { page, ask, second } = await openTwoTabs()
  await typeIntoFirst(page, ' The blue one.')
  await text(second).getByText('The blue one.').waitFor()
  await typeIntoFirst(second, ' Not the red one.')
  await text(page).getByText('Not the red one.').waitFor()
  await typeIntoFirst(page, ' Today.')
  await text(second).getByText('Today.').waitFor()
  await page.context().setOffline(false)
  const whole = BODY.replace('bag.', 'bag. The blue one. Not the red one. Today.')
  await untilMerged(
    () => bodyOf(ask),
    (body) => body === whole,
  )
  for (const tab of [page, second]) await tab.getByText('for the server').waitFor({ state: 'detached' })
  expect(await bodyOf(ask)).toBe(whole)
  expect(await titles(ask)).toEqual(['Other', 'Porto'])
})

test('what two tabs typed on each other’s text is no conflict if the first sends all of its own before the other', async () => {
  const { page, ask, second } = await openTwoTabs()
  const held = await holdBatch(second)
  await typeIntoFirst(page, ' The blue one.')
  await text(second).getByText('The blue one.').waitFor()
  await typeIntoFirst(second, ' Not the red one.')
  await text(page).getByText('Not the red one.').waitFor()
  await typeIntoFirst(page, ' Today.')
  await text(second).getByText('Today.').waitFor()
  await page.context().setOffline(false)
  await untilKept(page, 1)
  await held.release()
  await untilKept(page, 0)
  const whole = BODY.replace('bag.', 'bag. The blue one. Not the red one. Today.')
  for (const tab of [page, second]) expect(await text(tab).textContent()).toContain('Not the red one. Today.')
  expect([await bodyOf(ask), await titles(ask)]).toEqual([whole, ['Other', 'Porto']])
})

test('what was typed on the text of a tab that is then closed stays as it is', async () => {
  const { page, ask, second } = await openTwoTabs()
  const context = page.context()
  await typeIntoFirst(page, ' The blue one.')
  await text(second).getByText('The blue one.').waitFor()
  await typeIntoFirst(second, ' Not the red one.')
  await text(page).getByText('Not the red one.').waitFor()
  await second.getByText('One change waits for the server').waitFor()
  await page.close()
  await context.setOffline(false)
  const whole = BODY.replace('bag.', 'bag. The blue one. Not the red one.')
  await untilMerged(
    () => bodyOf(ask),
    (body) => body === whole,
  )
  await second.getByText('for the server').waitFor({ state: 'detached' })
  expect(await text(second).textContent()).toContain('The blue one. Not the red one.')
  expect([await bodyOf(ask), await titles(ask)]).toEqual([whole, ['Other', 'Porto']])
})

test('what was typed on the text of another tab stays while that text is still on its way, and can be typed on', async () => {
  const { page, ask, second } = await openTwoTabs()
  const held = await holdBatch(page)
  await typeIntoFirst(page, ' The blue one.')
  await text(second).getByText('The blue one.').waitFor()
  await typeIntoFirst(second, ' Not the red one.')
  await text(page).getByText('Not the red one.').waitFor()
  await comeBack(second, page.context(), 1)
  await untilKept(second, 1)
  expect(await text(second).textContent()).toContain('The blue one. Not the red one.')
  await typeIntoFirst(second, ' Today.')
  await text(page).getByText('Today.').waitFor()
  await held.release()
  await untilKept(page, 0)
  const whole = BODY.replace('bag.', 'bag. The blue one. Not the red one. Today.')
  for (const tab of [page, second])
    expect(await text(tab).textContent()).toContain('The blue one. Not the red one. Today.')
  expect([await bodyOf(ask), await titles(ask)]).toEqual([whole, ['Other', 'Porto']])
})

test('what is typed back while it is on its way is not shown again', async () => {
  const { page, ask } = await openPlan()
  const [second, first] = [await holdBatch(page), await holdBatch(page)]
  await typeIntoFirst(page, '!')
  await first.sent
  await page.keyboard.press('Backspace')
  await untilKept(page, 2)
  await first.release()
  await second.sent
  expect(await text(page).textContent()).not.toContain('!')
  await second.release()
  await untilKept(page, 0)
  expect([await text(page).textContent(), await bodyOf(ask)]).toEqual([BODY.replaceAll('\n', ''), BODY])
})

test('what is typed back is taken out of the note, though another device has changed its title', async () => {
  const { page, ask } = await openPlan()
  const answer = page.waitForResponse(/\/batch/)
  await typeIntoFirst(page, '!')
  await (await answer).finished()
  await untilKept(page, 0)
  await page.context().setOffline(true)
  await page.keyboard.press('Backspace')
  await untilKept(page, 1)
  await ask('PATCH', `api/notes/${PLAN}`, { title: 'Lisbon' })
  await comeBack(page, page.context(), 2)
  await untilKept(page, 0)
  expect([await text(page).textContent(), await bodyOf(ask)]).toEqual([BODY.replaceAll('\n', ''), BODY])
})

test('a tab that is opened without network shows what another has typed, and another device loses nothing', async () => {
  const { page, ask } = await openPlan()
  await page.context().route('**/api/**', (route) => route.abort())
  await typeIntoFirst(page, ' The blue one.')
  await page.getByText('waits for the server').waitFor()
  const second = await page.context().newPage()
  await second.goto(page.url())
  await text(second).getByText('The blue one.').waitFor()
  await text(second).press('Control+End')
  await second.keyboard.type(' And Rui.')
  await second.getByText('waits for the server').waitFor()
  await page.context().setOffline(true)
  await page.context().unroute('**/api/**')
  await changeElsewhere(ask, 'a ticket', 'two tickets')
  await page.context().setOffline(false)
  const whole = 'Pack the bag. The blue one.\n\nBuy two tickets.\n\nCall Ana. And Rui.'
  await untilMerged(
    () => bodyOf(ask),
    (body) => body === whole,
  )
  expect(await titles(ask)).toEqual(['Other', 'Porto'])
})

const LIMIT = {
  status: 429,
  contentType: 'application/problem+json',
  headers: { 'Retry-After': '2' },
  body: JSON.stringify({ code: 'rate_limit_exceeded', detail: 'The limit of this hour is used up.' }),
}

test('in the middle of a sync the requests of the hour are used up: what is left waits, and arrives by itself', async () => {
  const { page, ask } = await openApp(`#/notes/${PLAN}?edit=1`, fill)
  await text(page).getByText('Call Ana').waitFor()
  await page.context().setOffline(true)
  await typeIntoFirst(page, ' The blue one.')
  await page.getByText('One change waits for the server').waitFor()
  await page.keyboard.press('Escape')
  // Until it is shown to be read, what is typed goes into the note.
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  await page.keyboard.press('q')
  await page.getByRole('textbox', { name: 'New task' }).fill('Buy stamps')
  await page.keyboard.press('Enter')
  await page.getByText('2 changes wait for the server').waitFor()
  const taken = page.waitForResponse((answer) => answer.url().endsWith('/api/tasks/batch') && answer.ok())
  let refusals = 0
  await page.route('**/api/tasks/batch', (route) => (refusals++ === 0 ? route.fulfill(LIMIT) : route.continue()))
  await page.context().setOffline(false)
  await page.getByText(/One change waits until .*: the requests of this hour are used up/).waitFor()
  expect(await bodyOf(ask)).toContain('The blue one.')
  await (await taken).finished()
  expect(((await ask('GET', 'api/tasks')).items as unknown as { title: string }[]).map(({ title }) => title)).toEqual([
    'Buy stamps',
  ])
  expect(refusals).toBe(2)
})

test('a note that cannot be read for the merge, as the hour is used up, is merged later', async () => {
  const { page, ask } = await changeBoth('Call Ana.', 'Call Ana and Rui.')
  let refusals = 0
  await page.route(`**/api/notes/${PLAN}`, (route) => (refusals++ === 0 ? route.fulfill(LIMIT) : route.continue()))
  await page.getByText('One change waits for the server').waitFor()
  await page.context().setOffline(false)
  await page.getByText(/One change waits until .*: the requests of this hour are used up/).waitFor()
  await text(page).getByText('Call Ana and Rui.').waitFor()
  await untilMerged(
    () => bodyOf(ask),
    (body) => body === 'Pack the bag. The blue one.\n\nBuy a ticket.\n\nCall Ana and Rui.',
  )
  expect(await titles(ask)).toEqual(['Other', 'Porto'])
})

test('a batch whose answer is lost is not done twice', async () => {
  const { page, ask } = await openPlan()
  const keys: (string | undefined)[] = []
  await page.route('**/batch', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.continue()
    await route.fetch()
    return route.abort()
  })
  await typeIntoFirst(page, ' The blue one.')
  const again = page.waitForResponse(/\/batch/)
  await page.getByText('One change waits for the server').waitFor()
  expect(await bodyOf(ask)).toContain('The blue one.')
  await (await again).finished()
  expect(keys).toEqual([keys[0], keys[0]])
  expect(await ask('GET', `api/notes/${PLAN}`)).toMatchObject({ revision: 2 })
  expect(await titles(ask)).toEqual(['Other', 'Porto'])
})

/** A merge waits for the answer to what was sent before. */
const untilMerged = <Answer>(look: () => Promise<Answer>, isRight: (answer: Answer) => boolean) =>
  until(look, isRight, 15_000)

/**
 * Lets the server do what the next batch asks for, of which the page does not hear. Resolves when that is so. No further
 * batch arrives until the route is taken away, or another is put in front of it: the app repeats it by itself.
 */
async function loseAnswer(page: Page) {
  const lost = Promise.withResolvers<void>()
  const lose = async (route: Route) => {
    await route.fetch()
    await route.abort()
    lost.resolve()
  }
  await page.route('**/batch', (route) => route.abort())
  await page.route('**/batch', lose, { times: 1 })
  return { lost: lost.promise }
}

async function quickAdd(page: Page, line: string) {
  await page.locator('h1').click()
  await page.keyboard.press('q')
  await page.getByRole('dialog').locator('textarea').fill(line)
  await page.keyboard.press('Enter')
  await page.locator('.notice-bar', { hasText: 'Added' }).waitFor()
  await page.keyboard.press('Escape')
}

test('what is made and was not answered for a day is there once, and no change is told that was not taken', async () => {
  const { page, ask } = await openApp('', (ask) => ask('POST', 'api/flashcards/decks', { name: 'Capitals' }))
  for (const line of ['Sweep', 'Peru :: Lima']) {
    const { lost } = await loseAnswer(page)
    await quickAdd(page, line)
    await lost
    await page.getByText('One change waits for the server').waitFor()
    // The server has forgotten the key of the batch.
    await page.route(
      '**/batch',
      (route) => route.continue({ headers: { ...route.request().headers(), 'idempotency-key': `${line.length}` } }),
      { times: 1 },
    )
    await sendAgain(page)
    await untilKept(page, 0)
  }
  expect(await page.getByText('A change was not taken').count()).toBe(0)
  for (const path of ['api/tasks', 'api/flashcards/facts']) expect((await ask('GET', path)).items).toHaveLength(1)
})

test('what is typed into what was made here, and changed elsewhere before the answer came, is merged with that', async () => {
  const { page, ask } = await openApp('#/notes')
  await page.keyboard.press('n')
  await page.getByLabel('Title', { exact: true }).fill('Porto')
  const note = await loseAnswer(page)
  await text(page).click()
  await page.keyboard.insertText(BODY)
  await note.lost
  const [{ id = '' } = {}] = (await ask('GET', 'api/notes')).items as unknown as { id: string }[]
  const changed = BODY.replace('Call Ana.', 'Call Ana and Rui.')
  await ask('PATCH', `api/notes/${id}`, { body: changed })
  await typeIntoFirst(page, ' The blue one.')
  await page.getByText('2 changes wait for the server').waitFor()
  await page.unroute('**/batch')
  await sendAgain(page)
  await untilMerged(
    () => bodyOf(ask, id),
    (body) => body === changed.replace('bag.', 'bag. The blue one.'),
  )

  await page.goto(new URL('#/tasks', page.url()).href)
  const task = await loseAnswer(page)
  await quickAdd(page, 'Sweep')
  await task.lost
  const [{ id: taskId = '' } = {}] = (await ask('GET', 'api/tasks')).items as unknown as { id: string }[]
  await ask('PATCH', `api/tasks/${taskId}`, { notes: 'With the dustpan.' })
  await page.goto(new URL(`#/tasks/task/${taskId}`, page.url()).href)
  await page.getByRole('textbox', { name: 'Notes' }).fill('With a brush.')
  await page.getByText('2 changes wait for the server').waitFor()
  await page.unroute('**/batch')
  await sendAgain(page)
  await untilMerged(
    async () => String((await ask('GET', `api/tasks/${taskId}`)).notes),
    (notes) => notes === 'With a brush.\n\nWith the dustpan.',
  )
})
