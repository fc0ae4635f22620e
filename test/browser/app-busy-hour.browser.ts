/** An hour of much work in one page, and the requests that it costs: a key has 1,000 of them. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makeKey } from '../support/keys'
import { type Ask, appSession, goTo, type Shown } from './app-session'

/** Some minutes of it, unless all tests run in full (FULL=1). */
const [TASKS, CHATS, NOTES, REVIEWS, MOST] = process.env.FULL ? [60, 20, 30, 200, 250] : [4, 2, 3, 20, 30]

const { openApp } = appSession()
const key = makeKey(1)

/** Requests to the API by kind of work, and in it by their path: `tasks` → `POST tasks/batch` → 60. */
type Counts = Record<string, Record<string, number>>

/** Counts what a page sends to the API with the key; `during` says what kind of work it is for. */
function countRequests(page: Page) {
  const counts: Counts = {}
  let kind = 'opening'
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname
    if (!path.startsWith('/api/') || request.headers()['x-api-key'] !== key) return
    const name = `${request.method()} ${path.slice(5).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')}`
    const paths = counts[kind] ?? {}
    counts[kind] = { ...paths, [name]: (paths[name] ?? 0) + 1 }
  })
  return {
    counts,
    during(next: string) {
      kind = next
    },
  }
}

const total = (counts: Readonly<Record<string, number>> = {}) => Object.values(counts).reduce((sum, n) => sum + n, 0)

/** What the server says is left of the hour, after this request. */
async function remaining(page: Page): Promise<number> {
  const response = await fetch(new URL('/api/workspace/settings', page.url()), { headers: { 'X-API-Key': key } })
  return Number(response.headers.get('X-RateLimit-Remaining'))
}

/** Does something, and waits until the server has taken it as a change of tasks. */
async function untilTaken(page: Page, run: () => Promise<void>): Promise<void> {
  const taken = page.waitForResponse((response) => response.url().endsWith('/api/tasks/batch'))
  await run()
  await taken
}

async function addAndCompleteTasks(page: Page): Promise<void> {
  await page.keyboard.press('q')
  const field = page.getByLabel('New task')
  await field.waitFor()
  for (let n = 1; n <= TASKS; n++) {
    await page.keyboard.type(`Job ${n} today`)
    await page.getByRole('list', { name: 'Understood' }).getByRole('button').waitFor()
    await untilTaken(page, () => page.keyboard.press('Enter'))
    await page.waitForFunction(() => document.querySelector('textarea')?.value === '')
  }
  await page.keyboard.press('Escape')
  const open = page.getByRole('checkbox', { name: /^Complete Job/ })
  for (let left = TASKS; left > 0; left--) {
    expect(await open.count()).toBe(left)
    await open.first().focus()
    await untilTaken(page, () => page.keyboard.press('Space'))
  }
}

/** Half of them ask, half of them have something done. */
async function chat(page: Page): Promise<void> {
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  for (let n = 1; n <= CHATS; n++) {
    await page.getByLabel('Ask, or say what to do').waitFor()
    await page.keyboard.type(n % 2 === 0 ? `add a task: errand ${n}` : 'When does the boiler warranty end?')
    await page.keyboard.press('Enter')
    await page
      .locator('.turn')
      .nth(n - 1)
      .waitFor()
    await page.locator('.chat > [role=status]:not(:empty)').waitFor()
  }
}

async function editNotes(page: Page, ids: readonly string[]): Promise<void> {
  for (const [n, id] of ids.entries()) {
    await goTo(page, `#/notes/${id}?edit=1`)
    const field = page.getByRole('textbox', { name: 'Text of the note' }).filter({ hasText: `Text of note ${n}.` })
    await field.focus()
    await field.press('Control+End')
    await page.keyboard.type(` Edited ${n}.`)
    await page.keyboard.press('Escape')
    await page.locator('.markdown', { hasText: `Text of note ${n}. Edited ${n}.` }).waitFor()
  }
}

async function review(page: Page): Promise<void> {
  await goTo(page, '#/study/go')
  for (let n = 0; n < REVIEWS; n++) {
    await page.getByRole('button', { name: 'Show the answer' }).waitFor()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: /^Easy/ }).waitFor()
    await page.keyboard.press('4')
  }
  await page.getByRole('region', { name: 'Done' }).waitFor()
}

interface Prepared {
  readonly notes: readonly string[]
}

async function prepare(send: Ask): Promise<Prepared> {
  await send('POST', 'api/notes', { title: 'House', body: 'The boiler warranty ends on 3 May 2027.' })
  const note = (n: number) => ({ op: 'create', data: { title: `Note ${n}`, body: `Text of note ${n}.` } })
  const made = await send('POST', 'api/notes/batch', { ops: Array.from({ length: NOTES }, (_, n) => note(n)) })
  const deck = await send('POST', 'api/flashcards/decks', { name: 'Words', settings: { new_limit_per_day: REVIEWS } })
  const fact = (n: number) => ({ type: 'basic', deck_id: deck.id, front: `Question ${n}`, back: `Answer ${n}` })
  await send('POST', 'api/flashcards/facts/batch', { items: Array.from({ length: REVIEWS }, (_, n) => fact(n)) })
  return { notes: made.items.map(({ id }: Shown) => id) }
}

/** Another device adds a task: what the page had planned to read before that is read when this is. */
async function untilFollowed(page: Page, ask: Ask): Promise<void> {
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await ask('POST', 'api/tasks', { title: 'From the other device', due: 'today' })
  await page.getByText('From the other device').waitFor()
}

test(`${process.env.FULL ? 'a busy hour' : 'a part of a busy hour'} costs at most ${MOST} requests`, async () => {
  let prepared: Prepared = { notes: [] }
  let before = 0
  const { promise: counted, resolve: count } = Promise.withResolvers<ReturnType<typeof countRequests>>()
  const { page, ask } = await openApp(
    '',
    async (send, page) => {
      prepared = await prepare(send)
      // From before the app opens: what it has on the way when it is open would be counted by the server alone.
      count(countRequests(page))
      before = await remaining(page)
    },
    { key },
  )
  const { counts, during } = await counted
  during('tasks')
  await addAndCompleteTasks(page)
  during('chats')
  await chat(page)
  during('notes')
  await editNotes(page, prepared.notes)
  during('reviews')
  await review(page)
  during('another device')
  await untilFollowed(page, ask)
  // The request that asks what is left, and that of the other device, are not the page's.
  const used = before - (await remaining(page)) - 2
  const figures = Object.entries(counts).map(([kind, paths]) => `${kind}: ${total(paths)} ${JSON.stringify(paths)}`)
  process.stdout.write(`${figures.join('\n')}\nall, by the server: ${used}\n`)
  expect(used).toBe(Object.values(counts).reduce((sum, paths) => sum + total(paths), 0))
  expect(used).toBeLessThanOrEqual(MOST)
  expect(total(counts.notes)).toBeLessThanOrEqual(2 * NOTES)
  // All of it has arrived.
  const read = async (path: string) => ask('GET', `${path}&limit=200`)
  expect((await read('api/flashcards/reviews?')).items).toHaveLength(REVIEWS)
  expect((await read('api/tasks?status=done')).items).toHaveLength(TASKS)
  const texts = JSON.stringify(await read('api/notes?include=body'))
  for (let n = 0; n < NOTES; n++) expect(texts).toContain(`"body":"Text of note ${n}. Edited ${n}."`)
}, 240_000)
