/** Today from one day into the next without network: it shows what the server then says, and what a fresh device shows. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Ask, appSession, goTo, type Shown, until } from './app-session'

const { openApp } = appSession()

const DAY = 86_400_000
/** A zone in which it is noon now, so that no test meets the real midnight. */
const hours = 12 - new Date().getUTCHours()
const timezoneId = hours === 0 ? 'Etc/GMT' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
/** The date of so many days after today there, as YYYY-MM-DD. */
const day = (offset: number) => new Date(Date.now() + hours * 3_600_000 + offset * DAY).toISOString().slice(0, 10)
/** The moment of a time of day of yesterday there. */
const yesterdayAt = (time: string) => Date.parse(`${day(-1)}T${time}:00Z`) - hours * 3_600_000

const FACTS = [1, 2, 3].map((at) => ({ type: 'basic', front: `Number ${at}?`, back: `It is ${at}.` }))

async function fill(ask: Ask) {
  const add = (title: string, date: string, more: object = {}) =>
    ask('POST', 'api/tasks', { title, due: { date }, ...more })
  await add('Old bill', day(-4))
  await add('Letter', day(-2))
  await add('Call mum', day(-1), { due: { date: day(-1), time: '23:55' } })
  await add('Pills', day(-1), { recurrence: { rrule: 'FREQ=DAILY' } })
  await add('Filter', day(-1), { recurrence: { rrule: 'FREQ=DAILY;INTERVAL=3', mode: 'completion' } })
  await add('Water', day(-1), { recurrence: { rrule: 'FREQ=WEEKLY' } })
  await add('Report', day(0), { priority: 1 })
  await add('Bus', day(0), { due: { date: day(0), time: '00:20' } })
  await add('Trip', day(1))
  await add('In view after midnight', day(6))
  await add('Not in view', day(7))
  const deck = await ask('POST', 'api/flashcards/decks', { name: 'Numbers' })
  await ask('POST', 'api/flashcards/facts/batch', { items: FACTS.map((fact) => ({ deck_id: deck.id, ...fact })) })
  await ask('PUT', `api/notes/daily/${day(0)}`, { body: 'Planned.' })
}

/** The titles of each group that Today shows, sorted; what is left to study, and the note of the day. */
const shown = (page: Page) =>
  page.evaluate(() => {
    const groups = [...document.querySelectorAll<HTMLElement>('main section[data-group]')].map((section) => [
      section.dataset.group,
      [...section.querySelectorAll('.task-title')].map((title) => title.textContent).toSorted(),
    ])
    const texts = (selector: string) =>
      [...document.querySelectorAll(selector)].map((each) => each.textContent).join(' ')
    return {
      groups: Object.fromEntries(groups.filter(([name, titles]) => name === 'today' || titles?.length)),
      cards: texts('[aria-labelledby=cards] p'),
      note: texts('[aria-labelledby=daily] p'),
    }
  })

/** The same as the server has it. */
async function said(ask: Ask) {
  const query = `time_zone=${encodeURIComponent(timezoneId)}`
  const agenda = await ask('GET', `api/tasks/agenda?${query}`)
  const past = new Set(agenda.overdue.map(({ id }: Shown) => id))
  // A task that is overdue since this morning is also an item of today there.
  const days = agenda.days.map(({ date, items }: Shown) => [
    date === day(0) ? 'today' : date,
    items
      .filter(({ kind, task_id }: Shown) => kind === 'due' && !(date === day(0) && past.has(task_id)))
      .map(({ title }: Shown) => title)
      .toSorted(),
  ])
  const { today } = await ask('GET', 'api/flashcards/stats?parts=today')
  const note = await ask('GET', `api/notes/daily/${day(0)}`)
  return {
    groups: {
      overdue: agenda.overdue.map(({ title }: Shown) => title).toSorted(),
      ...Object.fromEntries(days.filter(([name, titles]: Shown) => name === 'today' || titles?.length)),
    },
    cards: `Study ${today.left} ${today.left === 1 ? 'card' : 'cards'}`,
    note: String(note.body).replace(/\s+/g, ' '),
  }
}

const task = (page: Page, title: string) => page.getByRole('checkbox', { name: `Complete ${title}`, exact: true })

async function complete(page: Page, title: string) {
  await task(page, title).first().click()
  await page.locator('.notice-bar', { hasText: `Completed “${title}”.` }).waitFor()
}

async function quickAdd(page: Page, line: string, title: string) {
  await page.locator('h1').click()
  await page.keyboard.press('q')
  const field = page.getByRole('textbox', { name: 'New task' })
  await field.fill(line)
  await field.press('Enter')
  await page.locator('.notice-bar', { hasText: `Added “${title}”.` }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function moveToToday(page: Page, title: string) {
  await page
    .getByRole('row', { name: new RegExp(title) })
    .first()
    .focus()
  await page.keyboard.press('t')
  await page.locator('.notice-bar', { hasText: `Moved “${title}” to today.` }).waitFor()
}

async function addLine(page: Page, line: string) {
  const field = page.getByLabel('Add to the note of the day')
  await field.fill(line)
  await field.press('Enter')
  await page.getByRole('region', { name: 'Note of the day' }).getByText(line).waitFor()
}

/** Answers one card, so that it is done for today. */
async function answerOne(page: Page) {
  await goTo(page, '#/study/go')
  await page
    .getByText(/^Number \d\?$/)
    .first()
    .waitFor()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: /^Good/ }).waitFor()
  await page.keyboard.press('4')
  await goTo(page, '#/')
}

test('a day without network goes over into the next: what it shows is what the server then says', async () => {
  const { page, ask } = await openApp('', fill, { timezoneId, serviceWorkers: 'allow' })
  page.context().setDefaultTimeout(20_000)
  await page.evaluate(async () => {
    const workers = navigator.serviceWorker
    await workers.ready
    if (!workers.controller) await new Promise((done) => workers.addEventListener('controllerchange', done))
  })
  await page.clock.install({ time: yesterdayAt('23:50') })
  const kept = page.waitForResponse((response) => response.url().includes('flashcards/queue'))
  await page.reload()
  await page.getByText('Study 3 cards').waitFor()
  await (await kept).finished()
  await page.getByRole('heading', { name: 'Today', exact: true }).waitFor()
  await page.context().setOffline(true)
  expect((await shown(page)).groups.today).toEqual(['Call mum', 'Filter', 'Pills', 'Water'])

  await complete(page, 'Old bill')
  await complete(page, 'Pills')
  await complete(page, 'Filter')
  await quickAdd(page, 'Buy milk tomorrow 9am @Shop', 'Buy milk')
  await quickAdd(page, 'Read today', 'Read')
  await addLine(page, 'Late')
  await answerOne(page)
  await page.getByText('Study 2 cards').waitFor()
  await page.clock.fastForward('15:00')
  await task(page, 'Call mum').waitFor()
  await until(
    () => shown(page),
    ({ groups }) => JSON.stringify(groups.today) === JSON.stringify(['Bus', 'Buy milk', 'Pills', 'Report']),
  )
  await complete(page, 'Water')
  await moveToToday(page, 'Letter')
  await quickAdd(page, 'Stretch every mon, wed starting tomorrow', 'Stretch')
  await addLine(page, 'Early')
  await page.clock.fastForward(Date.now() - (await page.evaluate(() => Date.now())))
  const offline = await until(
    () => shown(page),
    ({ groups }) => !groups.today?.includes('Bus'),
  )

  await page.context().setOffline(false)
  await page.getByText('change waits').or(page.getByText('changes wait')).waitFor({ state: 'detached' })
  await until(
    () => said(ask),
    (now) => JSON.stringify(now.note) === JSON.stringify('Planned. Early'),
  )
  const server = await said(ask)
  expect(offline).toEqual(server)
  expect(await shown(page)).toEqual(server)
  expect((await ask('GET', `api/notes/daily/${day(-1)}`)).body).toBe('Late')
  const { page: fresh } = await openApp('', undefined, { timezoneId })
  // The cards, the tasks and the dates to come of what repeats arrive one after the other.
  await until(
    () => shown(fresh),
    (now) => Bun.deepEquals(now, server),
  )
})
