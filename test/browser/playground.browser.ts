/** What answers are on the key page: notes, tasks, cards and what the chat says and does, with buttons that work. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserSession, make, send } from './session'
import { expectAccessible, startServer, untilText } from './support'

const { open } = browserSession({}, startServer)

const pick = (page: Page, name: string) => page.locator('#try-form').getByText(name, { exact: true }).click()
const press = (page: Page, name: string) => page.locator('#answer').getByRole('button', { name }).click()
const parts = (page: Page) => page.locator('#answer-parts')
async function ask(page: Page, question: string) {
  await pick(page, 'Ask the chat')
  await page.locator('#try-question').fill(question)
  await send(page)
}
/** The requests of the page to the API but for what is left of the hour. */
function requestsOf(page: Page): string[] {
  const seen: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/') && pathname !== '/api/usage') seen.push(`${request.method()} ${pathname}`)
  })
  return seen
}

describe('the answer is', () => {
  test('a note with its title and text, whatever it looks like, and a short list of notes', async () => {
    const page = await open()
    await make(page)
    const title = '<img src=x onerror=alert(1)>'
    await page.getByLabel('Title').fill(title)
    await send(page)
    await parts(page).getByRole('heading', { name: title }).waitFor()
    expect(await parts(page).textContent()).toContain('The boiler warranty ends on 3 May 2027.')
    expect(await page.locator('main img').count()).toBe(0)
    for (let more = 0; more < 6; more++) {
      await page.getByLabel('Title').fill(`Number ${more}`)
      await send(page)
      await parts(page)
        .getByRole('heading', { name: `Number ${more}` })
        .waitFor()
    }
    await pick(page, 'List notes')
    await send(page)
    await untilText(page, '#answer-words', '7 notes, the latest first.')
    const items = await parts(page).getByRole('listitem').allTextContents()
    expect(items).toHaveLength(6)
    expect(items[0]).toMatch(/^Number 5today at \d\d:\d\dThe boiler warranty/)
    expect(items[5]).toBe('and 2 more')
  })

  test('a task with its date, its repeat and its doubts in words, by the clock of the reader, or why the server refuses it', async () => {
    const page = await open({ timezoneId: 'America/New_York' })
    await pick(page, 'Add a task')
    await untilText(page, '#try-cost', 'costs 1 request')
    await send(page)
    await parts(page).getByRole('heading', { name: 'Call mum' }).waitFor()
    expect(await parts(page).locator('dl').textContent()).toBe('Duetomorrow at 17:00')
    await page.getByLabel('Task', { exact: true }).fill('Water the plants every day at 9am #Home p1')
    await send(page)
    await parts(page).getByRole('heading', { name: 'Water the plants #Home' }).waitFor()
    expect(await parts(page).locator('dl').textContent()).toMatch(/^Duet\w+ at 09:00Repeatsevery day$/)
    expect(await parts(page).textContent()).toContain('“#Home” was left as it is: there is no project of this name.')
    await page.getByLabel('Task', { exact: true }).fill('Read tomorrow')
    await send(page)
    await parts(page).getByRole('heading', { name: 'Read' }).waitFor()
    expect(await parts(page).locator('dl').textContent()).toBe('Duetomorrow')

    await page.getByLabel('Task', { exact: true }).fill('')
    await send(page)
    await untilText(page, '#answer-title', '400 Bad Request')
    expect(await page.locator('#answer-words').textContent()).toBe('The text leaves nothing for a title.')
    expect(await page.locator('#answer-body').textContent()).toContain('"code": "empty_title"')
    expect(await parts(page).textContent()).toBe('')
  })

  test('what the chat says, with the note and the sentence it is from, and what it asks before it deletes', async () => {
    const page = await open()
    await make(page)
    await send(page)
    await untilText(page, '#answer-title', '201 Created')
    await ask(page, 'When does the boiler warranty end?')
    await parts(page).locator('cite').waitFor()
    expect(await parts(page).textContent()).toBe('[1] First noteThe boiler warranty ends on 3 May 2027.')
    expect(await page.locator('#answer-body').isVisible()).toBe(false)
    await page.locator('#answer-raw summary').click()
    expect(await page.locator('#answer-body').textContent()).toStartWith('POST /api/chat\n{')

    // Where it deletes it waits for the person, who may refuse and confirm.
    await ask(page, 'Delete the note First note')
    await press(page, 'No')
    await page.locator('#answer-words', { hasText: 'Cancelled, nothing was done' }).waitFor()
    await ask(page, 'Delete the note First note')
    await press(page, 'Confirm')
    await parts(page).getByText('Done: Moved the note "First note" to the trash').waitFor()
    await press(page, 'Undo')
    await untilText(page, '#answer-words', 'Undone.')
    await pick(page, 'List notes')
    await send(page)
    await untilText(page, '#answer-words', 'One note.')
  })
})

describe('what the chat does', () => {
  test('is undone by a button, all of it', async () => {
    const page = await open()
    await make(page)
    await ask(page, 'Add tasks: milk, eggs')
    await parts(page).getByText('Done: Created the task "milk"').waitFor()
    const seen = requestsOf(page)
    await press(page, 'Undo all')
    await untilText(page, '#answer-words', 'Undone.')
    expect(seen.map((one) => one.replace(/[\w-]{36}$/, 'ID'))).toEqual(['DELETE /api/tasks/ID', 'DELETE /api/tasks/ID'])
    expect(await page.locator(':focus').getAttribute('id')).toBe('answer-words')
  })

  test('cannot be undone once it was changed: the server says so', async () => {
    const page = await open()
    await ask(page, 'Add a task: milk')
    await parts(page).getByText('Done: Created the task "milk"').waitFor()
    await page.evaluate(async () => {
      const { items } = await (await fetch('api/tasks')).json()
      const headers = { 'Content-Type': 'application/json' }
      await fetch(`api/tasks/${items[0].id}`, { method: 'PATCH', headers, body: '{"title":"oat milk"}' })
    })
    await press(page, 'Undo')
    await untilText(page, '#answer-title', '412 Precondition Failed')
    expect(await page.evaluate(async () => (await (await fetch('api/tasks')).json()).items.length)).toBe(1)
  })
})

describe('a card', () => {
  test('is made, turned and rated, by the keyboard alone, in the requests that the page tells', async () => {
    const page = await open()
    const seen = requestsOf(page)
    await pick(page, 'Learn a card')
    await untilText(page, '#try-cost', 'the first of 3 requests')
    await page.locator('#try-back').press('Enter')
    const turn = parts(page).getByRole('button', { name: 'Show the answer' })
    await turn.waitFor()
    expect(seen).toEqual(['POST /api/flashcards/decks', 'POST /api/flashcards/facts', 'GET /api/flashcards/queue'])
    expect(await parts(page).textContent()).toBe('la casaShow the answer')
    await turn.press('Enter')
    const ratings = parts(page).getByRole('button')
    const titles = ['Again 1 minute', 'Hard 6 minutes', 'Good 10 minutes']
    expect((await ratings.allTextContents()).slice(0, 3)).toEqual(titles)
    expect((await ratings.allTextContents())[3]).toMatch(/^Easy \d+ days$/)
    expect(await page.locator(':focus').textContent()).toBe('Good 10 minutes')
    seen.length = 0
    await page.keyboard.press('Enter')
    const done = 'Good: the card comes back in 10 minutes. Nothing more to learn now.'
    await untilText(page, '#answer-words', done)
    expect(seen.map((one) => one.split('/').at(-1) ?? '')).toEqual(['reviews', 'queue'])
    expect(await page.locator(':focus').getAttribute('id')).toBe('answer-words')
  })

  test('follows another in the same deck, which may have been there before', async () => {
    const page = await open()
    await make(page, 'Mine')
    await pick(page, 'Learn a card')
    await send(page)
    await parts(page).getByText('la casa').waitFor()
    await untilText(page, '#try-target', 'POST /api/flashcards/facts')
    await page.reload()
    await pick(page, 'Learn a card')
    await page.getByLabel('Front').fill('la mesa')
    await page.getByLabel('Back').fill('the table')
    await send(page)
    await untilText(page, '#answer-words', 'The card is stored.')
    for (const [front, back] of [
      ['la casa', 'the house'],
      ['la mesa', 'the table'],
    ] as const) {
      await parts(page).getByText(front).waitFor()
      await press(page, 'Show the answer')
      await parts(page).getByText(back).waitFor()
      await press(page, 'Easy')
    }
    await page.locator('#answer-words', { hasText: 'Nothing more to learn now.' }).waitFor()
  })

  test('of a scratch space that was erased meanwhile is told by the server, and made at the next try', async () => {
    const page = await open()
    await pick(page, 'Learn a card')
    await send(page)
    await untilText(page, '#try-target', 'POST /api/flashcards/facts')
    await page.evaluate(async () => {
      const headers = { 'Content-Type': 'application/json' }
      await fetch('api/workspace', { method: 'DELETE', headers, body: '{"confirm":"erase"}' })
    })
    await send(page)
    await untilText(page, '#try-target', 'POST /api/flashcards/decks')
    expect(await page.locator('#answer-title').textContent()).toStartWith('4')
    await send(page)
    await untilText(page, '#answer-words', 'The card is stored.')
  })
})

test('an answer of another make is told as one', async () => {
  const page = await open()
  for (const [what, json] of [
    ['List notes', { hello: 'world' }],
    ['List notes', { items: [{ title: 'a', excerpt: 'b', updated_at: 'soon' }] }],
    ['List notes', { items: [{ title: null, excerpt: 'b', updated_at: '2026-01-01T00:00:00Z' }] }],
    ['List notes', { items: [null] }],
    ['List notes', 'a text'],
    ['Write a note', {}],
    ['Write a note', { title: 'a', body: null }],
    ['Add a task', { task: { title: 'a', due: { date: 'never' }, due_at: null }, spans: [], warnings: [] }],
  ] as const) {
    await page.route(/\/api\/(notes|tasks\/quick)$/, (route) => route.fulfill({ status: 200, json }), { times: 1 })
    await pick(page, what)
    await page.locator('#answer-words').evaluate((words) => words.replaceChildren())
    await send(page)
    await untilText(page, '#answer-words', 'The server answered something that this page does not know.')
    expect([json, await parts(page).textContent()]).toEqual([json, ''])
    const body = (await page.locator('#answer-body').textContent()) ?? ''
    expect(body).toContain(typeof json === 'string' ? json : JSON.stringify(json, null, 2))
  }
})

test('what is pressed in an answer can be pressed again after any failure', async () => {
  const page = await open()
  await make(page)
  for (const status of [429, 503, null]) {
    await ask(page, 'Add tasks: milk, eggs')
    await parts(page).getByText('Done: Created the task "milk"').waitFor()
    let deleted = 0
    await page.route('**/api/tasks/*', (route) => {
      deleted++
      if (deleted !== 2) return route.continue()
      return status === null ? route.abort() : route.fulfill({ status, json: { detail: 'Not now.' } })
    })
    await press(page, 'Undo all')
    const words = status === null ? 'The server cannot be reached. Nothing is known about the request.' : 'Not now.'
    await untilText(page, '#answer-words', words)
    await press(page, 'Undo all')
    await untilText(page, '#answer-words', 'Undone.')
    expect(deleted).toBe(3)
    await page.unroute('**/api/tasks/*')
  }
})

test('without its script the answer is that the server cannot be reached', async () => {
  const page = await open()
  await page.route('**/answers*.js', (route) => route.abort())
  await send(page)
  await untilText(page, '#answer-words', 'The server cannot be reached. Nothing was sent.')
})

test('axe-core finds nothing wrong with any answer, which is as wide as the window', async () => {
  const page = await open()
  const look = (state: string) => expectAccessible(page, state)
  await make(page, 'Mine')
  await page.getByLabel('Title').fill('W'.repeat(200))
  await send(page)
  await parts(page).getByRole('heading').waitFor()
  await look('note')
  await pick(page, 'Add a task')
  await page.getByLabel('Task', { exact: true }).fill('Water the plants every Monday at 9am #Home p1')
  await send(page)
  await parts(page).locator('dl').waitFor()
  await look('task')
  await pick(page, 'Learn a card')
  await send(page)
  await press(page, 'Show the answer')
  await look('card')
  await ask(page, 'Delete the note WWWW')
  await untilText(page, '#answer-title', '200 OK')
  await page.locator('#answer-raw summary').click()
  await look('chat')
})
