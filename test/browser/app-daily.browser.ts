/** What is added to the note of the day: shown at once, sent once, and nobody else's words are in its way. */
import { describe, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { untilNoneWaits } from './app-cards'
import { type Ask, appSession, sendAgain, until } from './app-session'
import { readDownload } from './support'

const { openApp } = appSession()

const EDITS = '**/api/notes/daily/*/edits'
const today = () => new Date().toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })
const field = (page: Page) => page.getByLabel('Add to the note of the day')
const section = (page: Page) => page.getByRole('region', { name: 'Note of the day' })
const waits = (page: Page, words: string) => page.getByText(words).waitFor({ timeout: 8000 })

async function add(page: Page, ...lines: readonly string[]) {
  for (const line of lines) {
    await field(page).fill(line)
    await field(page).press('Enter')
    await section(page).getByText(line).last().waitFor()
    expect(await field(page).inputValue()).toBe('')
  }
}

/** The text of the notes of a day that the server has: of one, or of none. */
async function bodiesOf(ask: Ask, date = today()): Promise<string[]> {
  const { items } = (await ask('GET', 'api/notes?limit=200')) as unknown as {
    items: { id: string; daily_date: string | null }[]
  }
  const found = items.filter(({ daily_date }) => daily_date === date)
  return Promise.all(found.map(async ({ id }) => String((await ask('GET', `api/notes/${id}`)).body)))
}
const untilServerHas = (ask: Ask, lines: readonly string[], date?: string) =>
  until(
    () => bodiesOf(ask, date),
    (bodies) => JSON.stringify(bodies) === JSON.stringify([lines.join('\n\n')]),
  )

/** What Today shows of the note of the day: its beginning on one line, then what waits. */
const shown = async (page: Page) => (await section(page).locator('p').allTextContents()).join(' ')

const slept = (ask: Ask) => ask('PUT', `api/notes/daily/${today()}`, { body: 'Slept well.' })

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
  expect(await bodiesOf(ask)).toEqual([])
  await context.unroute('**/api/**')
  await sendAgain(second)
  await untilServerHas(ask, ['One', 'Two', 'One'])
  await until(
    () => shown(second),
    (text) => text === 'One Two One',
  )
})

test('a line is shown once while it waits, while it is sent, and then', async () => {
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

describe('an answer that is lost', () => {
  /** From the first answer on, which is lost, none comes until the route is taken away. */
  const lose = async (page: Page, answer: (route: Route) => Promise<unknown>) => {
    await page.route(EDITS, (route) => route.abort())
    await page.route(
      EDITS,
      async (route) => {
        await answer(route)
        await route.abort()
      },
      { times: 1 },
    )
  }

  test('adds nothing twice', async () => {
    const { page, ask } = await openApp('', slept)
    await waits(page, 'Slept well.')
    await lose(page, (route) => route.fetch())
    await add(page, 'Called Ana')
    await waits(page, 'One change waits for the server')
    // Meanwhile another device was faster, and the answer to the repeat is older than that.
    await ask('POST', `api/notes/daily/${today()}/edits`, {
      edits: [{ op: 'append', target: { document: true }, content: 'Elsewhere', join: 'block' }],
    })
    await page.unroute(EDITS)
    await section(page).getByText('Elsewhere').waitFor()
    await untilServerHas(ask, ['Slept well.', 'Called Ana', 'Elsewhere'])
    await until(
      () => shown(page),
      (text) => text === 'Slept well. Called Ana Elsewhere',
    )
  })

  test('does not bring back a note that went to the trash meanwhile', async () => {
    const { page, ask } = await openApp('', slept)
    await waits(page, 'Slept well.')
    await lose(page, (route) => route.fetch())
    await add(page, 'Called Ana')
    await waits(page, 'One change waits for the server')
    const [note] = (await ask('GET', 'api/notes')).items as unknown as { id: string }[]
    await ask('DELETE', `api/notes/${note?.id}`)
    await section(page).getByText('Slept well.').waitFor({ state: 'detached' })
    await page.unroute(EDITS)
    await untilNoneWaits(page)
    await until(
      () => shown(page),
      (text) => text === '',
    )
    expect(await bodiesOf(ask)).toEqual([])
  })

  test('adds nothing twice after the server has forgotten the request, and what never arrived once', async () => {
    const { page, ask } = await openApp('', slept)
    await waits(page, 'Slept well.')
    const forgotten = (route: Route) =>
      route.fetch({ headers: { ...route.request().headers(), 'idempotency-key': 'another' } })
    await lose(page, forgotten)
    await add(page, 'Called Ana')
    await waits(page, 'One change waits for the server')
    await page.route(EDITS, (route) => route.abort())
    await add(page, 'Called Rui')
    await waits(page, '2 changes wait for the server')
    await page.clock.setFixedTime(Date.now() + 25 * 3_600_000)
    await page.unroute(EDITS)
    await sendAgain(page)
    await untilNoneWaits(page)
    await untilServerHas(ask, ['Slept well.', 'Called Ana', 'Called Rui'])
    expect(await shown(page)).toBe('Slept well. Called Ana Called Rui')
  })
})

test('lines wait while the requests of the hour are used up, and while a network answers with a page of its own', async () => {
  const { page, ask } = await openApp('', slept)
  await waits(page, 'Slept well.')
  const problem = {
    type: 'about:blank',
    status: 429,
    code: 'rate_limited',
    title: 'Busy',
    detail: 'Too many requests.',
  }
  const answers = [
    { status: 429, headers: { 'Retry-After': '600' }, body: JSON.stringify(problem) },
    { status: 200, contentType: 'text/html', body: '<p>Sign in</p>' },
  ]
  await page.route(EDITS, (route) => route.fulfill(answers.shift()), { times: 2 })
  await add(page, 'Called Ana')
  await waits(page, 'the requests of this hour are used up')
  await page.getByRole('button', { name: 'Try now' }).click()
  await waits(page, 'One change waits for the server')
  expect(await shown(page)).toBe('Slept well. Called Ana')
  await sendAgain(page)
  await untilServerHas(ask, ['Slept well.', 'Called Ana'])
})

test('undo takes back what was not sent, what was sent last, and nothing else', async () => {
  const { page, ask } = await openApp('', slept)
  await waits(page, 'Slept well.')
  await page.context().setOffline(true)
  await add(page, 'Called Ana', 'Called Rui')
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await section(page).getByText('Called Rui').waitFor({ state: 'detached' })
  await page.context().setOffline(false)
  await untilServerHas(ask, ['Slept well.', 'Called Ana'])
  await page.getByText('Undone: Added to the note of the day.').waitFor()
  await section(page).getByText('Called Ana').waitFor()
  await untilNoneWaits(page)
  await page.locator('h1').click()
  await page.keyboard.press('z')
  await untilServerHas(ask, ['Slept well.'])
  await add(page, 'Later')
  await untilServerHas(ask, ['Slept well.', 'Later'])
  await ask('PUT', `api/notes/daily/${today()}`, { body: 'Later, and all was well.' })
  await section(page).getByText('all was well').waitFor()
  await page.locator('h1').click()
  await page.keyboard.press('z')
  await page.getByText('This could not be undone: The note of the day does not end with it.').waitFor()
  expect(await bodiesOf(ask)).toEqual(['Later, and all was well.'])
})

test('a line that the server refuses is given back', async () => {
  const { page, ask } = await openApp('', slept)
  await waits(page, 'Slept well.')
  const problem = { type: 'about:blank', status: 422, code: 'too_many_links', title: 'No', detail: 'Too many links.' }
  await page.route(EDITS, (route) => route.fulfill({ status: 422, body: JSON.stringify(problem) }), { times: 1 })
  await field(page).fill('Called Ana')
  await field(page).press('Enter')
  await waits(page, 'A change was not taken: Too many links.')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save what you wrote' }).click()
  expect(String(await readDownload(await download))).toBe('Called Ana')
  expect(await shown(page)).toBe('Slept well.')
  await add(page, 'Called Rui')
  await untilServerHas(ask, ['Slept well.', 'Called Rui'])
})

test('two devices that add to a day without network come to have one note with all lines, once each', async () => {
  const { page, ask } = await openApp('')
  const { page: other } = await openApp('')
  for (const each of [page, other]) {
    await waits(each, 'Nothing is due today.')
    await each.context().setOffline(true)
  }
  await add(page, 'One', 'Both')
  await add(other, 'Two', 'Both')
  await other.context().setOffline(false)
  await untilServerHas(ask, ['Two', 'Both'])
  await page.context().setOffline(false)
  await untilServerHas(ask, ['Two', 'Both', 'One', 'Both'])
  for (const each of [page, other])
    await until(
      () => shown(each),
      (text) => text === 'Two Both One Both',
    )
})

test('lines of a day are added to that day, though they are sent on the next', async () => {
  const [first, second] = ['2031-03-29', '2031-03-30']
  const { page, ask } = await openApp('')
  await page.clock.install({ time: new Date(`${first}T23:58:00+01:00`) })
  await page.reload()
  await waits(page, 'Saturday 29 March')
  await page.context().setOffline(true)
  await add(page, 'Late')
  await page.clock.fastForward('05:00')
  await waits(page, 'Sunday 30 March')
  expect(await shown(page)).toBe('')
  await add(page, 'Early')
  expect(await shown(page)).toBe('Early')
  await page.context().setOffline(false)
  await untilServerHas(ask, ['Late'], first)
  await untilServerHas(ask, ['Early'], second)
})

describe('the note of the day that is edited', () => {
  async function openNote() {
    const opened = await openApp('', slept)
    await section(opened.page).getByRole('link', { name: 'Open' }).click()
    await opened.page.getByRole('button', { name: 'Edit' }).click()
    return { ...opened, text: opened.page.locator('.cm-content') }
  }
  const titles = async (ask: Ask) => ((await ask('GET', 'api/notes')).items as unknown as object[]).length

  test('has what is typed and the lines that were added before it, without network', async () => {
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
    expect(await titles(ask)).toBe(1)
  })

  test('takes over a line that another tab adds, and what is typed meanwhile stays', async () => {
    const { page, ask, text } = await openNote()
    const other = await page.context().newPage()
    await other.goto(`${page.url().split('#')[0]}`)
    await add(other, 'Called Ana')
    await untilServerHas(ask, ['Slept well.', 'Called Ana'])
    await text.getByText('Called Ana').waitFor()
    await page.bringToFront()
    await text.press('Control+Home')
    await page.keyboard.type('Monday. ')
    await add(other, 'Called Rui')
    await untilServerHas(ask, ['Monday. Slept well.', 'Called Ana', 'Called Rui'])
    await text.getByText('Called Rui').waitFor()
    expect(await titles(ask)).toBe(1)
  })
})
