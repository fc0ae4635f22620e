/** The tasks screen: lists, several at once, moves, repeats, saved filters and a task opened. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Ask, appSession } from './app-session'
import { LOOKS, picture, violations } from './support'

const { openApp } = appSession()

const day = (offset: number) =>
  new Date(Date.now() + offset * 86_400_000).toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })

const LONG_WORD = 'Donaudampfschifffahrt'.repeat(20)

interface Filled {
  readonly home: string
  readonly kitchen: string
  readonly filter: string
  readonly tasks: Record<string, string>
}

/** A project with sections, parts and hostile names, a saved filter, and tasks that repeat. */
async function fill(ask: Ask, filled: Partial<Filled> = {}): Promise<Filled> {
  const tasks: Record<string, string> = {}
  const home = await ask('POST', 'api/tasks/projects', { name: 'Home' })
  const kitchen = await ask('POST', 'api/tasks/sections', { project_id: home.id, name: 'Kitchen' })
  await ask('POST', 'api/tasks/projects', { name: `<b>‮Travel ${LONG_WORD.slice(0, 60)}` })
  const filter = await ask('POST', 'api/tasks/filters', { name: 'Urgent', filter: 'p1 or overdue' })
  const add = async (title: string, more = {}) => {
    tasks[title] = String((await ask('POST', 'api/tasks', { title, ...more })).id)
  }
  await add('Fix the door', { project_id: home.id })
  await add('Oil the hinges', { parent_id: tasks['Fix the door'] })
  await add('Paint the wall', { project_id: home.id, priority: 1, labels: ['weekend'] })
  await add('Descale the kettle', {
    project_id: home.id,
    section_id: kitchen.id,
    due: { date: day(1), time: '09:00' },
    recurrence: { rrule: 'FREQ=WEEKLY' },
    reminders: ['2 hours before'],
    notes: 'With *vinegar*.',
  })
  await add('Write to Ann', { due: { date: day(-1) } })
  await add('Buy milk', { due: { date: day(2) }, labels: ['errand'] })
  await add(`<img src=x onerror=alert(1)> ‮${LONG_WORD}`)
  return Object.assign(filled, { home: String(home.id), kitchen: String(kitchen.id), filter: String(filter.id), tasks })
}

const titles = (page: Page) => page.locator('.task-title').allTextContents()
const focused = (page: Page) => page.evaluate(() => document.activeElement?.querySelector('.task-title')?.textContent)
const go = async (page: Page, hash: string, heading: string) => {
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
}

test.each(LOOKS)('Tasks in $name have no fault that axe finds, and fit the window', async (look) => {
  const { name, viewport, colorScheme } = look
  const filled: Partial<Filled> = {}
  const { page } = await openApp('#/tasks', (ask) => fill(ask, filled), { viewport, colorScheme })
  const check = async (what: string) => {
    expect({ what, found: await violations(page) }).toEqual({ what, found: [] })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
    await picture(page, `app-tasks-${what}-${name}`)
  }
  await page.getByText('Buy milk').waitFor()
  await page.locator('[role="row"]').first().focus()
  await page.keyboard.press('x')
  await check('inbox')
  await go(page, `#/tasks/project/${filled.home}`, 'Home')
  await check('project')
  await go(page, '#/tasks/upcoming', 'Upcoming')
  await page.locator('.later').first().waitFor()
  await check('upcoming')
  await go(page, `#/tasks/task/${filled.tasks?.['Descale the kettle']}`, 'Task:')
  await page.getByText('every week', { exact: true }).waitFor()
  await check('task')
  await page.getByRole('button', { name: 'Change the date' }).click()
  await page.getByRole('textbox', { name: 'Date, time or repeat in words' }).fill('every 2 weeks on monday 8am')
  await page.locator('.reading', { hasText: 'every 2 weeks on Monday' }).waitFor()
  await check('date')
})

test('tasks are chosen, changed and undone by keyboard alone', async () => {
  const filled: Partial<Filled> = {}
  const { page, ask } = await openApp('#/tasks', (ask) => fill(ask, filled))
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const say = (words: string) => page.locator('.notice-bar', { hasText: words }).waitFor()
  const task = (title: string) => ask('GET', `api/tasks/${filled.tasks?.[title]}`) as Promise<Record<string, unknown>>
  const stored = async (title: string, member: string, value: unknown) => {
    const deadline = performance.now() + 5000
    let found = (await task(title))[member]
    while (JSON.stringify(found) !== JSON.stringify(value) && performance.now() < deadline)
      found = (await task(title))[member]
    expect(found).toEqual(value as never)
  }
  await page.getByText('Buy milk').waitFor()

  // Several at once, one undo for all.
  await press('j', 'x', 'j', 'x')
  expect(await page.locator('[aria-selected="true"]').count()).toBe(2)
  await press('t')
  await say('Moved 2 tasks to today.')
  await stored('Buy milk', 'due', { date: day(0), time: null, time_zone: null })
  await press('z')
  await say('Undone: Moved 2 tasks to today.')
  await stored('Buy milk', 'due', { date: day(2), time: null, time_zone: null })
  await press('Escape')
  expect(await page.locator('[aria-selected="true"]').count()).toBe(0)

  // Completing goes on to the next row.
  await press('k')
  expect(await focused(page)).toBe('Write to Ann')
  await press(' ')
  await say('Completed “Write to Ann”.')
  await page.waitForFunction(() => document.activeElement?.querySelector('.task-title')?.textContent === 'Buy milk')
  await press('z')
  await page.getByRole('link', { name: 'Write to Ann' }).waitFor()

  // A date in words, with a repeat.
  await press('d')
  await page.getByRole('textbox', { name: 'Date, time or repeat in words' }).waitFor()
  await page.keyboard.type('every 2 weeks on friday 8am')
  await page.locator('.reading', { hasText: 'every 2 weeks on Friday' }).waitFor()
  await press('Enter')
  await say('every 2 weeks on Friday')
  await page.waitForFunction(() => document.activeElement?.querySelector('.task-title')?.textContent === 'Buy milk')
  expect(await page.locator('[role="row"]', { hasText: 'Buy milk' }).locator('.task-facts').textContent()).toContain(
    'repeats',
  )

  // A completed repeat is on its next date, and undone by its completion.
  const before = (await task('Buy milk')).due as { date: string }
  await press('c')
  await say('Completed “Buy milk”.')
  const deadline = performance.now() + 5000
  let after = before.date
  while (after === before.date && performance.now() < deadline)
    after = ((await task('Buy milk')).due as { date: string }).date
  expect(after > before.date).toBe(true)
  await press('z')
  await say('Undone: Completed “Buy milk”.')
  await stored('Buy milk', 'due', before)
  const completions = await ask('GET', `api/tasks/${filled.tasks?.['Buy milk']}/completions`)
  expect(JSON.stringify(completions.items)).toBe('[]')

  // Priority, title, trash.
  await page.getByRole('link', { name: 'Buy milk' }).waitFor()
  await press('Home', '1')
  await say('Gave “Write to Ann” priority 1.')
  await press('e')
  await page.getByRole('textbox', { name: 'Title of Write to Ann' }).fill('Write to Ann and Bob')
  await press('Enter')
  await say('Renamed')
  await stored('Write to Ann', 'title', 'Write to Ann and Bob')
  await stored('Write to Ann', 'priority', 1)
  await press('Delete')
  await say('Deleted “Write to Ann and Bob”.')
  await press('z')
  await page.getByRole('link', { name: 'Write to Ann and Bob' }).waitFor()

  // Order: up and down, into a part and out, and into the next section.
  await press('g', 't')
  await go(page, `#/tasks/project/${filled.home}`, 'Home')
  await press('j', 'Alt+ArrowDown')
  await say('Moved “Fix the door” down.')
  await page.waitForFunction(() => document.querySelector('.task-title')?.textContent === 'Paint the wall')
  expect(await focused(page)).toBe('Fix the door')
  await press('Alt+ArrowRight')
  await say('Moved “Fix the door” into “Paint the wall”.')
  await stored('Fix the door', 'parent_id', filled.tasks?.['Paint the wall'])
  await press('Alt+ArrowLeft', 'Alt+ArrowDown')
  await say('to Home / Kitchen.')
  await stored('Fix the door', 'section_id', filled.kitchen)
  expect(await titles(page)).toEqual(['Paint the wall', 'Fix the door', 'Oil the hinges', 'Descale the kettle'])
  await press('ArrowLeft')
  expect(await titles(page)).toEqual(['Paint the wall', 'Fix the door', 'Descale the kettle'])
  await press('v')
  await page.getByRole('textbox', { name: 'Project or section' }).fill('inb')
  await press('Enter')
  await say('Moved “Fix the door” to Inbox.')
  await stored('Fix the door', 'project_id', null)

  // Enter opens.
  await page.waitForFunction(
    () => document.activeElement?.querySelector('.task-title')?.textContent === 'Descale the kettle',
  )
  await press('Enter')
  await page.getByText('every week', { exact: true }).waitFor()
  await page.getByText('2 hours before').waitFor()
  await press('u')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
})
