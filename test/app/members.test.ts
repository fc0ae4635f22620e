/** Titles, lists of names and tasks that two devices change while they have no network. */
import { afterAll, expect, test } from 'bun:test'
import { type Ask, hold, makeDevices, type Tab } from '../support/device'
import { MANY_CALLERS, makeWorld } from '../support/world'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(() => world.close())
const { openDevice, stranger, until } = makeDevices(world)

const NOTE = '01980000-0000-7000-8000-000000000001'
const TASK = '01980000-0000-7000-8000-000000000002'
const NOTES = 'Pack the bag.\n\nBuy a ticket.\n\nCall Ana.'

/** Devices without network, each with a tab that shows the note and the task. */
async function openDevices(count = 1) {
  const { key, ask } = stranger()
  await ask('POST', 'api/notes', { id: NOTE, title: 'Porto', body: 'Text.', tags: ['old', 'travel'] })
  await ask('POST', 'api/tasks', { id: TASK, title: 'Pack', notes: NOTES, labels: ['old', 'home'] })
  const opened = []
  for (let place = 0; place < count; place++) {
    const device = openDevice([key])
    const tab = await device.openTab()
    await until(() => tab.workspace.copy.shown.task.peek().has(TASK) && tab.workspace.copy.shown.note.peek().has(NOTE))
    device.setOnline(false)
    opened.push({ tab, reconnect: () => reconnect(device) })
  }
  const [first, second] = opened as [(typeof opened)[0], (typeof opened)[0]]
  return { ask, ...first, second }
}

async function reconnect(device: ReturnType<typeof openDevice>): Promise<void> {
  device.setOnline(true)
  await device.untilKept(0)
}

const taskIn = ({ workspace }: Tab) => shownIn(workspace.copy.shown.task.peek(), TASK)
const noteIn = ({ workspace }: Tab) => shownIn(workspace.copy.shown.note.peek(), NOTE)
function shownIn<Value>(all: ReadonlyMap<string, Value>, id: string): Value {
  const found = all.get(id)
  if (!found) throw new Error('It is not shown')
  return found
}
type Change = Parameters<Tab['app']['updateOf']>[2]
const change = (tab: Tab, data: Change) =>
  tab.workspace.outbox.add([tab.app.updateOf(tab.workspace, taskIn(tab), data)])
const read = (ask: Ask) => ask('GET', `api/tasks/${TASK}`)
/** The titles of elsewhere that those typed here have replaced. */
const replaced = ({ workspace }: Tab) => workspace.replaced.peek().map(({ theirs }) => theirs)

test('what each of two devices adds to the tags of a note and takes from them is all done', async () => {
  const { ask, tab, reconnect, second } = await openDevices(2)
  const tag = ({ app, workspace }: Tab, add: string[], remove: string[] = []) =>
    app.tagNote(workspace, noteIn({ app, workspace } as Tab), 'Tagged.', { add, remove })
  tag(tab, ['x'])
  tag(second.tab, ['y'])
  tag(second.tab, ['X'], ['old'])
  await reconnect()
  await second.reconnect()
  expect((await ask('GET', `api/notes/${NOTE}`)).tags).toEqual(['travel', 'x', 'y'])
  await until(() => [tab, second.tab].every((each) => String(noteIn(each).tags) === 'travel,x,y'))
})

test('what each of two devices adds to the labels of a task and takes from them is all done, and can be undone', async () => {
  const { ask, tab, reconnect, second } = await openDevices(2)
  tab.app.labelTask(tab.workspace, taskIn(tab), 'Labelled.', { add: ['x'], remove: ['home'] })
  second.tab.app.labelTask(second.tab.workspace, taskIn(second.tab), 'Labelled.', { add: ['y'] })
  await reconnect()
  await second.reconnect()
  expect((await read(ask)).labels).toEqual(['old', 'x', 'y'])
  await second.tab.workspace.undo()
  await until(async () => (await read(ask)).labels, ['old', 'x'])
})

test.each([
  ['its title here', { priority: 1 }, { title: 'Pack the bag', priority: 1 }, []],
  ['its title to the same', { title: 'Pack the bag' }, { title: 'Pack the bag' }, []],
  ['its title to another', { title: 'Pack two bags' }, { title: 'Pack the bag' }, ['Pack two bags']],
])('a task that is renamed here, while another device changed %s', async (_, elsewhere, expected, told) => {
  const { ask, tab, reconnect } = await openDevices()
  await change(tab, { title: 'Pack the bag' })
  await ask('PATCH', `api/tasks/${TASK}`, elsewhere)
  await reconnect()
  expect(await read(ask)).toMatchObject(expected)
  expect(replaced(tab)).toEqual(told)
})

test('a title that was typed and typed back is that of elsewhere', async () => {
  const { ask, tab, reconnect } = await openDevices()
  await change(tab, { title: 'Pack the bag' })
  await change(tab, { title: 'Pack' })
  await ask('PATCH', `api/tasks/${TASK}`, { title: 'Pack two bags' })
  await reconnect()
  await until(() => taskIn(tab).title, 'Pack two bags')
  expect([(await read(ask)).title, replaced(tab)]).toEqual(['Pack two bags', []])
})

test('what is chosen while a refused change was under way stays', async () => {
  const { ask, tab, reconnect } = await openDevices()
  await change(tab, { title: 'Pack the bag' })
  await change(tab, { priority: 1 })
  const held = hold(tab, /tasks\/batch/)
  const sent = reconnect()
  await until(() => held.isThere)
  await change(tab, { priority: 2 })
  await ask('PATCH', `api/tasks/${TASK}`, { duration_minutes: 30 })
  held.release()
  await sent
  expect(await read(ask)).toMatchObject({ title: 'Pack the bag', priority: 2, duration_minutes: 30 })
})

test.each([
  [
    'different lines have both',
    'Call Ana',
    NOTES.replace('the bag', 'the blue bag').replace('Call Ana', 'the red bag'),
  ],
  [
    'the same line have both, one below the other',
    'the bag',
    `${NOTES.replace('the bag', 'the blue bag')}\n\n${NOTES.replace('the bag', 'the red bag')}`,
  ],
])('notes of a task of which two devices changed %s', async (_, elsewhere, whole) => {
  const { ask, tab, reconnect } = await openDevices()
  await change(tab, { notes: NOTES.replace('the bag', 'the blue bag') })
  await ask('PATCH', `api/tasks/${TASK}`, { notes: NOTES.replace(elsewhere, 'the red bag') })
  await reconnect()
  await until(async () => (await read(ask)).notes, whole)
  expect(replaced(tab)).toEqual([])
})

test.each([
  [{ body: 'Other text.' }, { title: 'Lisbon', body: 'Other text.' }, []],
  [{ title: 'Porto and Faro' }, { title: 'Lisbon', body: 'Text.' }, ['Porto and Faro']],
])('a note that is renamed here, while another device changed %j', async (elsewhere, expected, told) => {
  const { ask, tab, reconnect } = await openDevices()
  const note = await tab.app.editNote(NOTE)
  note.type({ title: 'Lisbon' })
  await ask('PATCH', `api/notes/${NOTE}`, elsewhere)
  await tab.untilWaiting()
  await reconnect()
  expect(await ask('GET', `api/notes/${NOTE}`)).toMatchObject(expected)
  expect(replaced(tab)).toEqual(told)
})
