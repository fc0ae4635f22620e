/** What the app keeps of a workspace, and how changes go to the server and to other tabs. */
import { afterAll, expect, test } from 'bun:test'
import { type Ask, hold, loseAnswer, lost, makeDevices, type Tab, textOfKeys } from '../support/device'
import { MANY_CALLERS, makeWorld } from '../support/world'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(() => world.close())
const { openDevice, stranger, until, pass, clock } = makeDevices(world)

const NOTE = '01980000-0000-7000-8000-0000000000b0'
const TURN = { conversation: 'one', id: '1', question: 'What is one?', answer: { text: 'A number.' } }
const BATCH = /\/batch/
const STREAM = /changes\/stream/

/** The titles of the open tasks that a tab shows. */
const shown = ({ workspace }: Tab) =>
  [...workspace.copy.shown.task.peek().values()].flatMap(({ title, status }) => (status === 'open' ? [title] : []))
const untilShown = (tab: Tab, ...titles: string[]) => until(() => shown(tab).toSorted(), titles.toSorted())
const listDone = async (ask: Ask): Promise<{ title: string; revision: number }[]> =>
  (await ask('GET', 'api/tasks?status=done')).items
const untilDone = (ask: Ask, count: number) => until(async () => (await listDone(ask)).length, count)
const told = ({ app, workspace }: Tab) => workspace.outbox.refused.told.peek().map(app.typedText)

function complete({ app, workspace }: Tab, title: string): void {
  const task = [...workspace.copy.shown.task.peek().values()].find((each) => each.title === title)
  app.completeTasks(workspace, task ? [task] : [])
}

/** A tab that shows these tasks. */
async function openTasks(titles: readonly string[], options?: { hasLocks: boolean }) {
  const { key, ...caller } = stranger()
  for (const title of titles) await caller.ask('POST', 'api/tasks', { title })
  const device = openDevice([key], options)
  const tab = await device.openTab()
  await untilShown(tab, ...titles)
  return { key, ...caller, device, tab }
}

test('a change of another device arrives, and one of this tab in the other, of which one follows the server', async () => {
  const { ask, device, tab } = await openTasks(['Call mum'])
  const second = await device.openTab()
  await untilShown(second, 'Call mum')
  await until(() => second.workspace.sync.state.peek().is === 'current')
  const before = second.countSent(/./)
  await ask('POST', 'api/tasks', { title: 'From elsewhere' })
  for (const each of [tab, second]) await untilShown(each, 'Call mum', 'From elsewhere')
  complete(tab, 'Call mum')
  await untilShown(second, 'From elsewhere')
  expect(second.countSent(/./)).toBe(before)
  // The other one takes over when the first is closed.
  tab.close()
  await until(() => second.countSent(STREAM) > 0)
  await ask('POST', 'api/tasks', { title: 'Later' })
  await untilShown(second, 'From elsewhere', 'Later')
})

test('what could not be sent is sent by another tab once its own is closed, and once only', async () => {
  const { ask, device, tab } = await openTasks(['One', 'Two'])
  tab.route(BATCH, lost)
  complete(tab, 'One')
  await tab.untilWaiting()
  const second = await device.openTab()
  await pass(10_000)
  expect([shown(second).toSorted(), await listDone(ask)]).toEqual([['One', 'Two'], []])
  tab.close()
  await untilDone(ask, 1)
  expect((await listDone(ask))[0]).toMatchObject({ title: 'One', revision: 2 })
  await untilShown(second, 'Two')
  // Nothing is left that a third tab would do again.
  await device.untilKept(0)
})

test('without Web Locks, as on an address of the LAN, a tab leaves to another what that can still send', async () => {
  const { ask, device, tab } = await openTasks(['One'], { hasLocks: false })
  tab.route(BATCH, lost)
  complete(tab, 'One')
  await tab.untilWaiting()
  const second = await device.openTab()
  // Longer than a tab that is closed is silent.
  await pass(10_000)
  expect([shown(second), second.countSent(BATCH)]).toEqual([['One'], 0])
  tab.close()
  await untilDone(ask, 1)
})

test('a refused change is shown as such and taken back; one that meets no server waits for it', async () => {
  const { ask, tab } = await openTasks(['One'])
  const unroute = tab.route(BATCH, lost)
  complete(tab, 'One')
  await tab.untilWaiting()
  const [{ id }] = (await ask('GET', 'api/tasks')).items
  await ask('DELETE', `api/tasks/${id}?permanent=true`)
  unroute()
  const { refused } = tab.workspace.outbox
  await until(() => refused.told.peek().length, 1)
  const [write] = refused.told.peek()
  if (write) await refused.dismiss(write)
  expect(refused.told.peek()).toEqual([])
  await untilShown(tab)
})

test('what was deleted here and restored elsewhere before the late answer came is there', async () => {
  const { ask, device, tab } = await openTasks(['One'])
  const [task] = [...tab.workspace.copy.shown.task.peek().values()]
  const unroute = tab.route(BATCH, loseAnswer)
  if (task) tab.app.deleteTasks(tab.workspace, [task])
  await tab.untilWaiting()
  await ask('POST', `api/tasks/${task?.id}/restore`)
  await tab.workspace.sync.pull()
  unroute()
  await device.untilKept(0)
  expect(shown(tab)).toEqual(['One'])
})

test('what waits is still there, and sent, after another key was chosen and the first one again', async () => {
  const { key, ask, device, tab } = await openTasks(['One', 'Two'])
  const { key: other } = stranger()
  device.keepKeys(key, other)
  const unroute = tab.route(BATCH, lost)
  complete(tab, 'One')
  await tab.untilWaiting()
  await tab.choose(other)
  await until(() => tab.workspace.sync.state.peek().is === 'current')
  expect([shown(tab), tab.workspace.outbox.waiting.peek()]).toEqual([[], 0])
  await tab.choose(key)
  await untilShown(tab, 'Two')
  await tab.untilWaiting()
  complete(tab, 'Two')
  await tab.untilWaiting(2)
  // Both are stored, the one of before and the one of now.
  tab.close()
  unroute()
  await device.openTab()
  await untilDone(ask, 2)
})

test('a text refused while another key is chosen and the first one again gets one conflicting copy', async () => {
  const { key, ask, listTitles, device, tab } = await openTasks([])
  await ask('POST', 'api/notes', { id: NOTE, title: 'Garden', body: 'Sow' })
  const { key: other } = stranger()
  device.keepKeys(key, other)
  await until(() => tab.workspace.copy.shown.note.peek().has(NOTE))
  const note = await tab.app.editNote(NOTE)
  const held = hold(tab, BATCH, 'answer')
  await ask('PATCH', `api/notes/${NOTE}`, { body: 'Sow peas' })
  note.type({ body: 'Sow beans' })
  await until(() => held.isThere)
  note.close()
  await tab.choose(other)
  await tab.choose(key)
  await until(() => tab.workspace.kept.peek().length > 0)
  await device.untilKept(0)
  held.release()
  await pass(5000)
  // What the workspace of before would have made of it is sent by the next page.
  tab.close()
  await device.openTab()
  await pass(5000)
  await device.untilKept(0)
  expect(await listTitles('api/notes')).toEqual(['Garden', 'Garden (conflicting copy)'])
})

test.each([200, 403])('a change waits while a network answers %d with a sign-in page', async (status) => {
  const { ask, device, tab } = await openTasks(['One'])
  const headers = { 'Content-Type': 'text/html' }
  const unroute = tab.route(BATCH, async () => new Response('<p>Sign in</p>', { status, headers }))
  complete(tab, 'One')
  await tab.untilWaiting()
  unroute()
  tab.sendAgain()
  await device.untilKept(0)
  expect(await listDone(ask)).toHaveLength(1)
})

test('a workspace erased elsewhere is empty here, too, and so are its conversations', async () => {
  const { ask, device, tab } = await openTasks(['One'])
  await tab.app.conversationsOf(tab.workspace).keep(TURN)
  await ask('DELETE', 'api/workspace?confirm=erase')
  expect(await untilShown(tab)).toEqual([])
  await until(async () => [await device.read('conversations'), await device.read('turns')], [[], []])
})

test('a stream that a proxy ends at once is opened ever less often, up to a limit', async () => {
  const { key } = stranger()
  const device = openDevice([key])
  const asked: number[] = []
  const headers = { 'Content-Type': 'text/event-stream' }
  device.route(STREAM, async () => {
    asked.push(clock.now)
    return new Response('', { headers })
  })
  await device.openTab()
  await pass(600_000)
  const pauses = asked.slice(1).map((at, place) => (at - (asked[place] ?? 0)) / 1000)
  expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 120, 120, 120])
})

test('long texts that waited are sent in requests that the server takes', async () => {
  const { listTitles, tab } = await openTasks([])
  const unroute = tab.route(BATCH, lost)
  const { newId, noteWrite } = tab.app
  const body = `${'word '.repeat(1000)}\n\n`.repeat(160)
  for (const title of ['One', 'Two', 'Three'])
    await tab.workspace.outbox.add([noteWrite({ op: 'create', id: newId(), data: { title, body } })])
  await tab.untilWaiting(3)
  unroute()
  tab.sendAgain()
  await until(() => listTitles('api/notes'), ['One', 'Three', 'Two'])
  expect(tab.countSent(BATCH)).toBe(3)
})

test('a text that the server never takes is shown until dismissed, also after a reload and a crash', async () => {
  const { device, tab } = await openTasks(['One'])
  const [task] = [...tab.workspace.copy.shown.task.peek().values()]
  const notes = 'long '.repeat(14_000)
  if (task) await tab.workspace.outbox.add([tab.app.updateOf(tab.workspace, task, { notes })])
  const untilTold = (tab: Tab) => until(() => told(tab), [notes])
  await untilTold(tab)
  tab.close()
  const again = await device.openTab()
  await untilTold(again)
  const next = await device.openTab()
  again.kill()
  await untilTold(next)
  expect(next.workspace.outbox.waiting.peek()).toBe(0)
  const [write] = next.workspace.outbox.refused.told.peek()
  if (write) await next.workspace.outbox.refused.dismiss(write)
  await device.untilKept(0)
  next.close()
  expect(told(await device.openTab())).toEqual([])
})

test.each([500, 503, 429])('while the server answers %d from the start, no list counts as read', async (status) => {
  const { key } = stranger()
  const device = openDevice([key])
  const headers = { 'Content-Type': 'application/problem+json' }
  const problem = JSON.stringify({ status, code: 'internal', detail: 'It failed.' })
  const unroute = device.route(/./, async () => new Response(problem, { status, headers }))
  const { sync } = (await device.openTab()).workspace
  await until(() => sync.state.peek().is === 'failed')
  expect(sync.state.peek()).toMatchObject({ message: 'It failed.' })
  expect(sync.unread.peek()).toBe('This is not on this device yet.')
  unroute()
  await sync.pull()
  expect([sync.state.peek(), sync.unread.peek()]).toEqual([{ is: 'current' }, null])
})

test('a key removed on the key page leaves what was not sent, alone, which is sent when the key is back, and then nothing', async () => {
  const { key, listTitles, device, tab } = await openTasks(['Secret'])
  const { key: other } = stranger()
  device.keepKeys(key, other)
  const unroute = device.route(/./, lost)
  tab.app.addTask(tab.workspace, 'Buy rye', null, null)
  await tab.app.conversationsOf(tab.workspace).keep(TURN)
  await tab.untilWaiting()
  expect([await tab.app.countUnsent(key), await tab.app.countUnsent(other)]).toEqual([1, 0])
  const reopen = async (tab: Tab, ...kept: string[]) => {
    device.keepKeys(...kept)
    await until(() => tab.app.workspace.peek()?.key === kept[0])
    tab.close()
    return device.openTab()
  }
  const second = await reopen(tab, other)
  expect([shown(second), second.workspace.sync.unread.peek()]).toEqual([[], 'This is not on this device yet.'])
  expect([await device.read('resources'), (await device.read('writes')).length]).toEqual([[], 1])
  expect([await device.read('conversations'), await device.read('turns')]).toEqual([[], []])
  unroute()
  await pass(10_000)
  expect(await listTitles('api/tasks')).toEqual(['Secret'])
  device.keepKeys(key, other)
  await until(() => listTitles('api/tasks'), ['Buy rye', 'Secret'])
  await device.untilKept(0)
  await reopen(second, other)
  expect(await device.listDatabases()).toEqual([`satchel ${other}`])
})

test('of copies whose keys were removed all are deleted but those that a tab has open, and none if the keys cannot be read', async () => {
  const [key, kept, open, removed] = [stranger().key, stranger().key, stranger().key, stranger().key]
  const device = openDevice([open, key, kept, removed])
  const touch = (name: string) =>
    new Promise<void>((resolve) => {
      const request = device.storage.open(name)
      request.onsuccess = () => resolve(request.result.close())
    })
  const others = ['notes of another program', `satchel ${kept}`]
  for (const name of [...others, `satchel ${removed}`]) await touch(name)
  const busy = await device.openTab()
  await until(() => busy.countSent(STREAM) > 0)
  device.storeKeys(textOfKeys(key, kept))
  const opened = [`satchel ${key}`, `satchel ${open}`]
  const tab = await device.openTab()
  await until(async () => (await device.listDatabases()).toSorted(), [...others, ...opened].toSorted())
  tab.close()
  await touch(`satchel ${removed}`)
  device.storeKeys('{')
  await device.openTab()
  expect(await device.listDatabases()).toContain(`satchel ${removed}`)
})

test('what is typed and not added belongs to its tab, and comes back once in a tab that has nothing typed', async () => {
  const { device, tab } = await openTasks([])
  const draftIn = (tab: Tab, name = 'box ') => tab.app.draftOf(name)
  const busy = await device.openTab()
  draftIn(busy).change('Sweep')
  draftIn(tab).change('Buy rye')
  draftIn(tab, 'line ').change('It rained')
  const line = draftIn(busy, 'line ')
  await pass(1000)
  expect([draftIn(tab).text.peek(), line.text.peek()]).toEqual(['Buy rye', ''])
  tab.kill()
  await until(() => line.text.peek() === 'It rained')
  const next = await device.openTab()
  await until(() => draftIn(next).text.peek() === 'Buy rye')
  await pass(1000)
  expect([draftIn(busy).text.peek(), draftIn(next, 'line ').text.peek()]).toEqual(['Sweep', ''])
  next.close()
  const last = await device.openTab()
  await until(() => draftIn(last).text.peek() === 'Buy rye')
})
