/** Titles, lists of names and tasks that two devices change while they have no network. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { untilNoneWaits } from './app-cards'
import { type Ask, appSession, until } from './app-session'

const { openApp } = appSession()

const NOTE = '01980000-0000-7000-8000-000000000001'
const TASK = '01980000-0000-7000-8000-000000000002'
const NOTES = 'Pack the bag.\n\nBuy a ticket.\n\nCall Ana.'

async function fill(ask: Ask) {
  await ask('POST', 'api/notes', { id: NOTE, title: 'Porto', body: 'Text.', tags: ['old', 'travel'] })
  await ask('POST', 'api/tasks', { id: TASK, title: 'Pack', notes: NOTES, labels: ['old', 'home'] })
}

/** Opens one of the two on a device, and takes its network away. */
async function openDevice(address: string, prepare?: typeof fill) {
  const { page, ask } = await openApp(address, prepare)
  await page.locator('.note-section, .task-heading').first().waitFor()
  await page.context().setOffline(true)
  return { page, ask }
}

const reconnect = async (page: Page) => {
  await page.getByText(/changes? waits? for the server/).waitFor()
  await page.context().setOffline(false)
  await untilNoneWaits(page)
}

const namesIn = (list: unknown) => list as string[]

const add = async (page: Page, field: string, name: string) => {
  await page.getByLabel(field, { exact: true }).fill(name)
  await page.getByLabel(field, { exact: true }).press('Enter')
}
const remove = (page: Page, what: 'tag' | 'label', name: string) =>
  page.getByRole('button', { name: `Remove the ${what} ${name}` }).click()

test('what each of two devices adds to the tags of a note and takes from them is all done', async () => {
  const { page: first, ask } = await openDevice(`#/notes/${NOTE}`, fill)
  const { page: second } = await openDevice(`#/notes/${NOTE}`)
  await add(first, 'Add a tag', 'x')
  await add(second, 'Add a tag', 'y')
  await add(second, 'Add a tag', 'X')
  await remove(second, 'tag', 'old')
  await reconnect(first)
  await reconnect(second)
  const tags = async () => namesIn((await ask('GET', `api/notes/${NOTE}`)).tags)
  await until(tags, (names) => String(names) === 'travel,x,y')
  for (const page of [first, second]) await page.getByRole('button', { name: 'Remove the tag y' }).waitFor()
})

test('what each of two devices adds to the labels of a task and takes from them is all done, and can be undone', async () => {
  const { page: first, ask } = await openDevice(`#/tasks/task/${TASK}`, fill)
  const { page: second } = await openDevice(`#/tasks/task/${TASK}`)
  await add(first, 'New label', 'x')
  await remove(first, 'label', 'home')
  await add(second, 'New label', 'y')
  await reconnect(first)
  await reconnect(second)
  const labels = async () => namesIn((await ask('GET', `api/tasks/${TASK}`)).labels)
  await until(labels, (names) => names.length === 3)
  expect(await labels()).toEqual(['old', 'x', 'y'])
  await second.getByRole('button', { name: 'Undo' }).click()
  await until(labels, (names) => !names.includes('y'))
  expect(await labels()).toEqual(['old', 'x'])
})

/** Members of the task that are changed here without network, and elsewhere meanwhile, with what they are then. */
const TITLE = { typed: 'Pack the bag', field: 'Title' }
const isTold = (page: Page) => page.getByText('changed elsewhere, too').count()

test.each([
  ['its title here', { priority: 1 }, { title: TITLE.typed, priority: 1 }, 0],
  ['its title to the same', { title: TITLE.typed }, { title: TITLE.typed }, 0],
  ['its title to another', { title: 'Pack two bags' }, { title: TITLE.typed }, 1],
] as const)('a task that is renamed here, while another device changed %s', async (_, elsewhere, expected, told) => {
  const { page, ask } = await openDevice(`#/tasks/task/${TASK}`, fill)
  await page.getByLabel(TITLE.field, { exact: true }).fill(TITLE.typed)
  await ask('PATCH', `api/tasks/${TASK}`, elsewhere)
  await reconnect(page)
  await until(
    () => ask('GET', `api/tasks/${TASK}`) as Promise<object>,
    (task) => (task as { title: string }).title === expected.title,
  )
  expect(await ask('GET', `api/tasks/${TASK}`)).toMatchObject(expected)
  if (told > 0) await page.getByText('Pack two bags').waitFor()
  expect(await isTold(page)).toBe(told)
})

test('a title that was typed and typed back is that of elsewhere', async () => {
  const { page, ask } = await openDevice(`#/tasks/task/${TASK}`, fill)
  const title = page.getByLabel(TITLE.field, { exact: true })
  await title.fill(TITLE.typed)
  await title.blur()
  await page.getByText('One change waits for the server').waitFor()
  await title.fill('Pack')
  await title.blur()
  await ask('PATCH', `api/tasks/${TASK}`, { title: 'Pack two bags' })
  await reconnect(page)
  await until(
    () => title.inputValue(),
    (shown) => shown === 'Pack two bags',
  )
  expect(await ask('GET', `api/tasks/${TASK}`)).toMatchObject({ title: 'Pack two bags' })
  expect(await isTold(page)).toBe(0)
})

test('what is chosen while a refused change was under way stays', async () => {
  const { page, ask } = await openDevice(`#/tasks/task/${TASK}`, fill)
  const choose = (priority: number) =>
    page
      .locator('input[name="priority"]')
      .nth(priority - 1)
      .check({ force: true })
  await page.getByLabel(TITLE.field, { exact: true }).fill(TITLE.typed)
  await choose(1)
  await page.getByText(/changes? waits? for the server/).waitFor()
  const [arrived, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(
    '**/api/tasks/batch',
    async (route) => {
      arrived.resolve()
      await goOn.promise
      await route.continue()
    },
    { times: 1 },
  )
  await page.context().setOffline(false)
  await arrived.promise
  await choose(2)
  await ask('PATCH', `api/tasks/${TASK}`, { duration_minutes: 30 })
  goOn.resolve()
  await until(
    async () => (await ask('GET', `api/tasks/${TASK}`)).title,
    (title) => title === TITLE.typed,
  )
  const expected = { title: TITLE.typed, priority: 2, duration_minutes: 30 }
  expect(await ask('GET', `api/tasks/${TASK}`)).toMatchObject(expected)
})

/** Changes the first line of the notes of the task here, and something elsewhere. */
async function changeNotes(from: string, to: string) {
  const { page, ask } = await openDevice(`#/tasks/task/${TASK}`, fill)
  await page.getByRole('button', { name: 'Change the notes' }).click()
  await page.getByRole('textbox', { name: 'Notes' }).fill(NOTES.replace('the bag', 'the blue bag'))
  await ask('PATCH', `api/tasks/${TASK}`, { notes: NOTES.replace(from, to) })
  await reconnect(page)
  return { page, notes: async () => String((await ask('GET', `api/tasks/${TASK}`)).notes) }
}

test('notes of a task of which two devices changed different lines have both', async () => {
  const { page, notes } = await changeNotes('Call Ana', 'Call Ana and Rui')
  const whole = NOTES.replace('the bag', 'the blue bag').replace('Call Ana', 'Call Ana and Rui')
  await until(notes, (text) => text === whole)
  expect(await isTold(page)).toBe(0)
})

test('notes of a task of which two devices changed the same line have both, one below the other', async () => {
  const { page, notes } = await changeNotes('the bag', 'the red bag')
  const both = `${NOTES.replace('the bag', 'the blue bag')}\n\n${NOTES.replace('the bag', 'the red bag')}`
  await until(notes, (text) => text === both)
  expect(await isTold(page)).toBe(0)
})

test.each([
  [{ body: 'Other text.' }, { title: 'Lisbon', body: 'Other text.' }, 0],
  [{ title: 'Porto and Faro' }, { title: 'Lisbon' }, 1],
])('a note that is renamed here, while another device changed %j', async (elsewhere, expected, told) => {
  const { page, ask } = await openApp(`#/notes/${NOTE}?edit=1`, fill)
  await page.locator('.cm-content').getByText('Text.').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('textbox', { name: 'Title' }).fill('Lisbon')
  await ask('PATCH', `api/notes/${NOTE}`, elsewhere)
  await reconnect(page)
  await until(
    () => ask('GET', `api/notes/${NOTE}`) as Promise<object>,
    (note) => (note as { title: string }).title === 'Lisbon',
  )
  expect(await ask('GET', `api/notes/${NOTE}`)).toMatchObject(expected)
  if (told > 0) await page.getByText('Porto and Faro').waitFor()
  expect(await isTold(page)).toBe(told)
})
