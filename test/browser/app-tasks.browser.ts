/** The tasks screen: lists, several at once, moves, repeats, saved filters and a task opened. */
import { expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { type Ask, appSession, day, goTo, type Shown, until } from './app-session'
import { expectAccessible } from './support'

const { openApp } = appSession()

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
  return Object.assign(filled, { home: home.id, kitchen: kitchen.id, filter: filter.id, tasks })
}

const titles = (page: Page) => page.locator('.task-title').allTextContents()
const focused = (page: Page) => page.evaluate(() => document.activeElement?.querySelector('.task-title')?.textContent)
const go = async (page: Page, hash: string, heading: string) => {
  await goTo(page, hash)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
}

test('Tasks have no fault that axe finds, and fit any window', async () => {
  const filled: Partial<Filled> = {}
  const prepare = async (ask: Ask) => {
    await fill(ask, filled)
    const project = await ask('POST', 'api/tasks/projects', { name: LONG_WORD.slice(0, 100) })
    await ask('POST', 'api/tasks', { title: 'Pack', project_id: project.id, due: { date: day(3) } })
  }
  const { page } = await openApp('#/tasks', prepare)
  const check = (what: string) => expectAccessible(page, `app-tasks-${what}`)
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
  const task = (title: string) => ask('GET', `api/tasks/${filled.tasks?.[title]}`)
  const stored = async (title: string, member: string, value: unknown) => {
    const found = await until(
      async () => (await task(title))[member],
      (now) => JSON.stringify(now) === JSON.stringify(value),
    )
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
  const repeating = await until(
    () => task('Buy milk'),
    ({ recurrence }) => recurrence !== null,
  )
  const before = repeating.due as { date: string }
  await press('c')
  await say('Completed “Buy milk”.')
  const dueOf = async () => ((await task('Buy milk')).due as { date: string }).date
  const after = await until(dueOf, (date) => date !== before.date)
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
  await page.locator('.markdown em', { hasText: 'vinegar' }).waitFor()
  await page.getByRole('button', { name: 'Change the notes' }).press('Enter')
  await page.getByRole('textbox', { name: 'Notes' }).press('End')
  await page.keyboard.type(' And water.')
  await stored('Descale the kettle', 'notes', 'With *vinegar*. And water.')
  await page.getByRole('textbox', { name: 'New part' }).fill('Buy vinegar')
  await press('Enter')
  await page.getByRole('link', { name: 'Buy vinegar' }).waitFor()
  await page.getByRole('textbox', { name: 'New reminder' }).fill('a day before')
  await press('Enter')
  await page.getByRole('button', { name: 'Remove the reminder a day before' }).waitFor()
  await page.getByRole('heading', { level: 1 }).focus()
  await press('u')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
})

/** Drags a row by its handle to a height of an element, and so many pixels aside; null: into the element. */
async function drag(page: Page, title: string, to: Locator, at: number, aside: number | null = 0): Promise<void> {
  const row = page.locator('[role="row"]', { hasText: title })
  await row.hover()
  const [from, target] = [await row.locator('.grip').boundingBox(), await to.boundingBox()]
  if (!from || !target) throw new Error('There is nothing to drag')
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  const x = aside === null ? target.x + 40 : from.x + from.width / 2 + aside
  await page.mouse.move(x, target.y + target.height * at, { steps: 4 })
  await page.mouse.up()
}

test('tasks are dragged among each other, into each other, into sections and to projects', async () => {
  const filled: Partial<Filled> = {}
  const { page, ask } = await openApp('#/tasks', (ask) => fill(ask, filled))
  await go(page, `#/tasks/project/${filled.home}`, 'Home')
  const row = (title: string) => page.locator('[role="row"]', { hasText: title })
  const dragTo = (title: string, to: Locator, at: number, aside: number | null = 0) => drag(page, title, to, at, aside)
  const say = (words: string) => page.locator('.notice-bar', { hasText: words }).waitFor()
  await dragTo('Paint the wall', row('Fix the door'), 0.2)
  await say('Moved “Paint the wall” before “Fix the door”.')
  expect(await titles(page)).toEqual(['Paint the wall', 'Fix the door', 'Oil the hinges', 'Descale the kettle'])
  await dragTo('Paint the wall', row('Descale the kettle'), 0.8)
  await say('Moved “Paint the wall” after “Descale the kettle”.')
  expect((await titles(page)).at(-1)).toBe('Paint the wall')
  await page.keyboard.press('z')
  await say('Undone')
  expect((await titles(page))[0]).toBe('Paint the wall')
  // To the right it is a part of the row above, with a mark that begins there; to the left again a task beside it.
  await dragTo('Descale the kettle', row('Paint the wall'), 0.8, 20)
  await say('Moved “Descale the kettle” into “Paint the wall”.')
  await dragTo('Descale the kettle', row('Oil the hinges'), 0.8)
  await say('Moved “Descale the kettle” after “Oil the hinges”.')
  await dragTo('Descale the kettle', row('Descale the kettle'), 0.8, -30)
  await say('Moved “Descale the kettle” after “Fix the door”.')
  await dragTo('Oil the hinges', page.locator('.lists a', { hasText: 'Inbox' }), 0.5, null)
  await say('Moved “Oil the hinges” to Inbox.')
  // Onto its own part it does not go, and Escape leaves all as it was.
  await row('Descale the kettle').locator('.grip').hover()
  await page.mouse.down()
  await page.mouse.move(900, 400, { steps: 4 })
  await page.keyboard.press('Escape')
  await page.mouse.up()
  await page.waitForFunction(() => !document.querySelector('[data-drop], [data-dragged]'))
  const read = () => ask('GET', `api/tasks/${filled.tasks?.['Oil the hinges']}`)
  const stored = await until(read, ({ project_id }) => project_id === null)
  expect(stored).toMatchObject({ project_id: null, parent_id: null })
})

test('tasks are moved to other days by dragging and by keys', async () => {
  const filled: Partial<Filled> = {}
  const { page, ask } = await openApp('#/tasks', (ask) => fill(ask, filled))
  const say = (words: string) => page.locator('.notice-bar', { hasText: words }).waitFor()
  const due = async (title: string) => (await ask('GET', `api/tasks/${filled.tasks?.[title]}`)).due
  const group = (name: string) =>
    page.locator('main section[data-group]', { has: page.getByText(name, { exact: true }) })
  await go(page, '#/tasks/upcoming', 'Upcoming')
  await group('Today').getByText('Free').waitFor()
  await drag(page, 'Write to Ann', group('Today'), 0.5)
  await say('Moved “Write to Ann” to today.')
  await group('Today').getByText('1 task').waitFor()
  await group('Today').getByRole('row').focus()
  await page.keyboard.press('Alt+ArrowUp')
  await say('It is due by today already.')
  // One that repeats keeps its time; its later dates cannot be dragged.
  await page.locator('.later').first().waitFor()
  expect(await page.locator('.later .grip').count()).toBe(0)
  const kettle = { date: day(1), time: '09:00', time_zone: null }
  await page.locator('.task:not(.later) >> text=Descale the kettle').locator('xpath=ancestor::*[@role="row"]').focus()
  await page.keyboard.press('Alt+ArrowDown')
  await until(
    () => due('Descale the kettle'),
    (now) => now?.date === day(2),
  )
  expect(await due('Descale the kettle')).toEqual({ ...kettle, date: day(2) })
  await page.keyboard.press('z')
  await until(
    () => due('Descale the kettle'),
    (now) => now?.date === day(1),
  )
  expect((await ask('GET', `api/tasks/${filled.tasks?.['Descale the kettle']}`)).recurrence).not.toBeNull()
})

test('a finger that rests on a task drags it; one that moves scrolls, and a tap opens', async () => {
  const phone = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true }
  const { page, ask } = await openApp(
    '#/today',
    async (ask) => {
      for (let hour = 10; hour < 30; hour++)
        await ask('POST', 'api/tasks', { title: `Task ${hour}`, due: { date: day(0) }, duration_minutes: 15 })
    },
    phone,
  )
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...at: readonly [x: number, y: number][]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: at.map(([x, y]) => ({ x, y })) })
  await page.getByText('20 tasks · 5h').waitFor()
  const box = await page.getByRole('link', { name: 'Task 12' }).boundingBox()
  if (!box) throw new Error('There is no task')
  const [x, y] = [box.x + 20, box.y + 10]
  await touch('touchStart', [x, y])
  await page.locator('[data-dragging]').waitFor()
  const dropped = await page.locator('[data-dragged] .task-title').textContent()
  // At the edge the window scrolls on, until the day is there.
  const tomorrow = page.locator('main section', { has: page.getByRole('heading', { name: 'Tomorrow' }) })
  for (let step = 0, top = 700; top > 600; step++) {
    await touch('touchMove', [x, 680 + (step % 2)])
    top = (await tomorrow.boundingBox())?.y ?? 700
    if (top <= 600) await touch('touchMove', [x, top + 10])
  }
  await touch('touchEnd')
  await page.getByText(`Moved “${dropped}” to tomorrow.`).waitFor()
  await page.getByRole('heading', { name: 'Tomorrow' }).waitFor()
  const isMoved = ({ due }: Shown) => due.date === day(1)
  const stored = async () => (await ask('GET', 'api/tasks')).items.filter(isMoved).map(({ title }: Shown) => title)
  await until(stored, (moved) => String(moved) === dropped)
  await page.evaluate(() => scrollTo(0, 0))
  await touch('touchStart', [x, y])
  for (const moved of [20, 40, 60, 80]) await touch('touchMove', [x, y - moved])
  await touch('touchEnd')
  await page.waitForFunction(() => scrollY > 20)
  expect(await page.locator('[data-dragging]').count()).toBe(0)
  // A tap on a window that still rolls would only stop it.
  await page.evaluate(untilRest)
  await page.getByRole('link', { name: 'Task 20' }).tap()
  await page.getByRole('heading', { level: 1, name: 'Task: Task 20' }).waitFor()
})

/** Resolves once the window has not scrolled for ten frames. Runs in the page. */
function untilRest(): Promise<void> {
  return new Promise((resolve) => {
    const look = (last: number, frames: number) => {
      if (frames === 10) resolve()
      else requestAnimationFrame(() => look(scrollY, scrollY === last ? frames + 1 : 0))
    }
    look(scrollY, 0)
  })
}

test('Tasks opens with what is due and has no date, then with the list that was open last', async () => {
  const { page } = await openApp('', (ask) => fill(ask))
  const open = () => page.getByRole('link', { name: 'Tasks', exact: true }).click()
  await open()
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
  expect((await titles(page)).slice(0, 3)).toEqual(['Write to Ann', 'Paint the wall', 'Fix the door'])
  await page.getByRole('link', { name: 'Upcoming' }).click()
  await page.getByRole('link', { name: 'Buy milk' }).click()
  await goTo(page, '#/today')
  await open()
  await page.getByRole('heading', { level: 1, name: 'Upcoming' }).waitFor()
})

test('a date is chosen by a near day, on the calendar, and by words', async () => {
  const { page, ask } = await openApp('#/tasks', (ask) => ask('POST', 'api/tasks', { title: 'Mow the lawn' }))
  const due = async () => (await ask('GET', 'api/tasks')).items[0].due?.date ?? null
  await page.getByRole('link', { name: 'Mow the lawn' }).click()
  await page.getByRole('button', { name: 'Set a date' }).click()
  await page.getByRole('button', { name: 'Tomorrow' }).click()
  await until(due, (date) => date === day(1))
  await page.getByRole('button', { name: 'Change the date' }).click()
  await page.getByLabel('Day of the calendar').fill(day(40))
  await page.getByLabel('Date, time or repeat').press('Enter')
  await until(due, (date) => date === day(40))
  // The first button of the form is not what Enter means.
  await page.getByRole('button', { name: 'Change the date' }).click()
  await page.keyboard.type('tomorrow')
  await page.keyboard.press('Enter')
  await until(due, (date) => date === day(1))
})

test('a task is found by its words from any list, and nothing typed leads back to that', async () => {
  const filled: Partial<Filled> = {}
  const { page } = await openApp('', (ask) => fill(ask, filled))
  await goTo(page, `#/tasks/project/${filled.home}`)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('vinegar kettle')
  await page.getByText('One task found.').waitFor()
  expect(await titles(page)).toEqual(['Descale the kettle'])
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('hinges wall')
  await page.getByText('No task has all of these words.').waitFor()
  expect((await titles(page)).toSorted()).toEqual(['Oil the hinges', 'Paint the wall'])
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  // On a screen without a search of its own the key finds anything.
  await goTo(page, '#/today')
  await page.keyboard.press('/')
  await page.getByRole('dialog', { name: 'Find or do' }).waitFor()
})

test('a project, a section and a filter are made; lists without end stay quick', async () => {
  const many = 1200
  const { page } = await openApp('#/tasks', async (ask) => {
    for (let from = 0; from < many; from += 100)
      await ask('POST', 'api/tasks/batch', {
        ops: Array.from({ length: 100 }, (_, index) => ({
          op: 'create',
          data: { title: `Task ${from + index}`, priority: 1 },
        })),
      })
  })
  const rows = page.locator('[role="row"]')
  await page.getByRole('link', { name: 'Inbox 1,200 open' }).waitFor()
  expect(await rows.count()).toBeLessThan(400)
  await page.keyboard.press('j')
  await page.keyboard.press('End')
  await page.waitForFunction((last) => document.activeElement?.textContent?.includes(`Task ${last}`), many - 1)
  await page.keyboard.press('Home')
  await page.waitForFunction(() => document.activeElement?.querySelector('.task-title')?.textContent === 'Task 0')

  await page.getByRole('button', { name: 'New project' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Garden')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Garden' }).waitFor()
  await page.getByRole('button', { name: 'New section' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Beds')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 2, name: 'Beds' }).waitFor()
  await page.getByRole('button', { name: 'Add a task' }).click()
  await page.getByRole('textbox', { name: 'New task' }).fill('Dig over /Beds')
  await page.locator('.chips').getByText('/Beds', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('treegrid', { name: 'Beds' }).getByText('Dig over').waitFor()

  await page.getByRole('button', { name: 'New filter' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Weird')
  await page.getByRole('textbox', { name: 'Filter' }).fill('nonsense here')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('nonsense').waitFor()
  await page.getByRole('textbox', { name: 'Filter' }).fill('#Garden')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Weird' }).waitFor()
  await page.getByRole('link', { name: 'Dig over' }).waitFor()
  await page.getByRole('checkbox', { name: 'Complete Dig over' }).click()
  await page.getByText('No task fits this filter now.').waitFor()
  await page.getByRole('link', { name: 'Done', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Reopen Dig over' }).waitFor()
})

test('what is typed at once after the key of quick add is all in it, also on a slow device', async () => {
  const { page, ask } = await openApp('#/tasks')
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  const titles = ['cdx', 'edge', 'quiz', 'tea', 'zip']
  for (const title of titles) {
    const taken = page.waitForResponse('**/api/tasks/batch')
    await page.keyboard.press('q')
    await page.keyboard.type(title)
    await page.keyboard.press('Enter')
    await taken
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Quick add' }).waitFor({ state: 'detached' })
  }
  const { items } = await ask('GET', 'api/tasks')
  expect(items.map(({ title }: Shown) => title)).toEqual(titles)
})
