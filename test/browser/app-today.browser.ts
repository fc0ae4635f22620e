/** The frame of the app, its palette and keys, Today and quick add. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Ask, appSession, day, type Shown, until } from './app-session'
import { expectAccessible, picture, violations } from './support'

const { openApp } = appSession()

async function fill(ask: Ask) {
  const add = (title: string, due: string, more = {}) =>
    ask('POST', 'api/tasks', { title, due: { date: due }, ...more })
  await add('Pay the electricity bill', day(-2), { priority: 1, labels: ['bills'] })
  await add('Call mum', day(0), { due: { date: day(0), time: '23:59' } })
  await add('Water the plants', day(0), { recurrence: { rrule: 'FREQ=WEEKLY' } })
  await add('Plan the trip to Porto', day(3))
  const deck = await ask('POST', 'api/flashcards/decks', { name: 'Capitals' })
  await ask('POST', 'api/flashcards/facts', { type: 'basic', deck_id: deck.id, front: 'Peru', back: 'Lima' })
  await ask('PUT', `api/notes/daily/${day(0)}`, { body: 'Slept well. The heating is fixed.' })
}

test('Today has no fault that axe finds, and fit any window', async () => {
  const { page } = await openApp('', fill)
  await page.getByText('Study 1 card').waitFor()
  await expectAccessible(page, 'app-today')
})

test('a new workspace can be looked around in with sample data, which one click deletes', async () => {
  const { page, ask } = await openApp('')
  const stored = async () => (await ask('GET', 'api/notes')).items.length + (await ask('GET', 'api/tasks')).items.length
  await page.getByRole('button', { name: 'Look around with sample data' }).click()
  await page.getByText('0 of 2 parts').waitFor()
  await until(stored, (count) => count === 9)
  await page.reload()
  await page.getByRole('link', { name: 'Water the plants' }).first().waitFor()
  await page.getByRole('button', { name: 'Delete the sample data' }).click()
  await page.getByRole('button', { name: 'Look around with sample data' }).waitFor()
  await until(stored, (count) => count === 0)
})

/** Whether the marks under a field break lines and end where its text does: both are as high, and as wide, as the other. */
const overlay = (page: Page) =>
  page.locator('.marked').evaluate((box) => {
    const [marks, field] = [box.querySelector('.marks'), box.querySelector('textarea')]
    if (!marks || !field) throw new Error('There are no marks')
    const style = (element: Element) => {
      const { font, letterSpacing, padding, borderWidth, whiteSpace, overflowWrap, direction } =
        getComputedStyle(element)
      return { font, letterSpacing, padding, borderWidth, whiteSpace, overflowWrap, direction }
    }
    const [a, b] = [marks.getBoundingClientRect(), field.getBoundingClientRect()]
    return {
      isAligned: JSON.stringify([a.x, a.y, a.width, a.height]) === JSON.stringify([b.x, b.y, b.width, b.height]),
      isWhole: field.scrollHeight <= field.clientHeight && marks.scrollHeight <= marks.clientHeight,
      isAlike: JSON.stringify(style(marks)) === JSON.stringify(style(field)),
      lines: Math.round((field.clientHeight - 16) / Number.parseFloat(getComputedStyle(field).lineHeight)),
    }
  })
const ALIGNED = { isAligned: true, isWhole: true, isAlike: true }
const chips = (page: Page) => page.locator('.chips li').allTextContents()

test('quick add marks what it understands, and the server has the same', async () => {
  const { page, ask } = await openApp('', fill, { viewport: { width: 320, height: 640 } })
  await page.getByText('Study 1 card').waitFor()
  await page.keyboard.press('q')
  const field = page.getByRole('textbox', { name: 'New task' })
  await field.fill(
    'Pay rent tomorrow 9am every month on the 31st @bills !1 #Garden and then quite some more to make it wrap',
  )
  await page.locator('.chips').getByText('every month on the 31st, or the last day').waitFor()
  expect(await page.locator('.marks mark').allTextContents()).toContain('@bills')
  const { lines, ...found } = await overlay(page)
  expect(found).toEqual(ALIGNED)
  expect(lines).toBeGreaterThan(2)
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%'
  })
  expect(await overlay(page)).toMatchObject(ALIGNED)
  await page.evaluate(() => {
    document.documentElement.style.fontSize = ''
  })
  await picture(page, 'app-quick-add-320')
  expect(await violations(page)).toEqual([])

  // Closed by mistake, or by going elsewhere: it comes back.
  for (const leave of [() => page.keyboard.press('Escape'), () => page.evaluate(() => location.assign('#/today'))]) {
    await leave()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('q')
    expect(await field.inputValue()).toStartWith('Pay rent tomorrow')
  }

  // A project that there is none of is made, and then understood.
  await page.getByRole('button', { name: 'Make the project “Garden”' }).click()
  await page
    .locator('.chips')
    .getByRole('button', { name: /^Do not read “#Garden” as project/ })
    .waitFor()
  await field.fill('Rake leaves tomorrow 9am #Garden @autumn')
  await page.locator('.chips').getByText('Tomorrow', { exact: true }).waitFor()
  await field.press('Enter')
  await page.locator('.notice-bar', { hasText: 'Added “Rake leaves”.' }).waitFor()
  expect(await field.inputValue()).toBe('')
  await field.fill('Nothing to <b>read</b> "tomorrow"')
  await field.press('Enter')
  await page.locator('.notice-bar', { hasText: 'Added “Nothing to' }).waitFor()
  expect(await chips(page)).toEqual([])
  await field.fill('Peru’s neighbour :: Chile')
  await page.getByRole('combobox', { name: 'Deck' }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.notice-bar', { hasText: 'Added a card to “Capitals”.' }).waitFor()
  await page.keyboard.press('Escape')

  const { items } = await ask('GET', 'api/tasks?q=Rake&status=any')
  const projects = await ask('GET', 'api/tasks/projects')
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({
    title: 'Rake leaves',
    labels: ['autumn'],
    due: { date: day(1), time: '09:00', time_zone: 'Europe/Berlin' },
    project_id: projects.items.find(({ name }: Shown) => name === 'Garden')?.id,
  })
})

test('the palette, the keys and undo work by keyboard alone', async () => {
  const { page } = await openApp('#/tasks', fill)
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  // As a Cyrillic keyboard sends g and h.
  await page.evaluate(() => {
    for (const { key, code } of [
      { key: 'п', code: 'KeyG' },
      { key: 'р', code: 'KeyH' },
    ])
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true }))
  })
  await page.getByRole('heading', { name: 'Overdue' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Move to next week').waitFor()
  expect(await page.locator('dialog').evaluate(({ scrollTop }) => scrollTop)).toBe(0)
  // A busy browser tells of the end of a dialog late: a key that comes between is not undone.
  const dialog = page.locator('dialog')
  await dialog.evaluate((element) => {
    element.addEventListener('close', (event) => event.stopImmediatePropagation(), { capture: true, once: true })
  })
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  const isFirst = () => document.activeElement?.textContent?.includes('Pay the electricity bill')
  await page.waitForFunction(isFirst)
  await dialog.dispatchEvent('close')
  await dialog.waitFor({ state: 'detached' })
  expect(await page.evaluate(isFirst)).toBe(true)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do' }).fill('in a month')
  await page.getByRole('option', { name: 'in a month' }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.notice-bar', { hasText: 'Moved “Pay the electricity bill”' }).waitFor()
  await page.getByRole('heading', { name: 'Overdue' }).waitFor({ state: 'detached' })
  await page.keyboard.press('z')
  await page.getByRole('heading', { name: 'Overdue' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do' }).fill('go to tasks')
  await page.getByRole('option', { name: 'Go to tasks' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
})

test('the palette finds tasks, cards and notes by any word; without network, what the copy has', async () => {
  const { page, ask } = await openApp('', fill)
  await ask('POST', 'api/tasks', {
    title: 'Book a table',
    notes: 'ask for the heating lamp',
    due: { date: day(1) },
  })
  await page.getByText('Book a table').first().waitFor()
  const field = page.getByRole('combobox', { name: 'Find or do' })
  const option = (name: string) => page.getByRole('option', { name })
  await page.keyboard.press('Control+k')
  await field.fill('plan trip')
  await option('Plan the trip to Porto Task').waitFor()
  await field.fill('heating')
  await option('Book a table Task · Tomorrow').waitFor()
  await option(`${day(0)} Note`).waitFor()
  await picture(page, 'app-palette-found')
  await field.fill('lima')
  await option('Peru Card · Capitals').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Edit the card' }).waitFor()
  await page.keyboard.press('Escape')
  await page.context().setOffline(true)
  await page.keyboard.press('Control+k')
  await field.fill('electricity')
  await option('Pay the electricity bill Task').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/tasks\/task\//)
})

test('a screen has the focus at once when it is shown, and leaves it to the keys that come after', async () => {
  const { page } = await openApp('#/tasks', fill)
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  // What Preact does after a frame comes late where the machine is busy; keys do not.
  await page.evaluate(() => {
    const later = window.setTimeout
    const delayed = (run: () => void, wait?: number) => later(run, (wait ?? 0) + 400)
    window.setTimeout = delayed as typeof window.setTimeout
  })
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await page.getByRole('heading', { name: 'Overdue' }).waitFor()
  await page.keyboard.press('j')
  expect(
    await page.evaluate(async () => {
      await new Promise((resolve) => setTimeout(resolve, 400))
      return document.activeElement?.textContent
    }),
  ).toContain('Pay the electricity bill')
})

test('on a small window the palette opens by a tap; on a large one by its button at the side', async () => {
  const { page } = await openApp('', fill, { viewport: { width: 320, height: 700 }, hasTouch: true })
  const find = page.getByRole('button', { name: 'Find', exact: true })
  await find.tap()
  await page.getByRole('dialog', { name: 'Find or do' }).waitFor()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Find')
  await page.setViewportSize({ width: 1280, height: 700 })
  expect(await page.locator('main').getByRole('button', { name: 'Find', exact: true }).count()).toBe(0)
})

/** Holds something over an element and drops it; resolves with whether the browser would have acted by itself. */
const drop = (page: Page, selector: string, what: 'file' | 'text') =>
  page.locator(selector).evaluate((element, what) => {
    const dataTransfer = new DataTransfer()
    if (what === 'file') dataTransfer.items.add(new File(['Beans'], 'beans.md'))
    else dataTransfer.setData('text/plain', 'Beans')
    const fire = (type: string) =>
      element.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true, composed: true }))
    return [fire('dragover'), fire('drop')]
  }, what)

test('files that are dropped where none are taken leave the page open, with a way to where they are', async () => {
  const { page } = await openApp('', fill)
  const notice = page.getByText('Drop files on Settings → Import, or into a note.')
  // Text goes where the browser puts it.
  expect(await drop(page, 'main h1', 'text')).toEqual([true, true])
  expect(await notice.count()).toBe(0)
  for (const place of ['main h1', '.navigation', '.add-line']) {
    expect(await drop(page, place, 'file')).toEqual([false, false])
    await notice.waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await notice.waitFor({ state: 'detached' })
  }
  await drop(page, 'main h1', 'file')
  await page.getByRole('button', { name: 'Go to Import' }).click()
  await page.getByRole('heading', { name: 'Import', exact: true }).waitFor()
  // There they are taken.
  expect(await drop(page, 'main h1', 'file')).toEqual([false, false])
  await page.getByRole('button', { name: 'Import this' }).waitFor()
  expect(await notice.count()).toBe(0)
})
