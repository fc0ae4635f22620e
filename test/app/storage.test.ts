/** The app where the browser stores nothing, or no more: it knows why, and goes on with the server. */
import { afterAll, expect, test } from 'bun:test'
import { IDBOpenDBRequest } from 'fake-indexeddb'
import type { StoreFault } from '../../app/data/database'
import { makeDevices, type Tab } from '../support/device'
import { MANY_CALLERS, makeWorld } from '../support/world'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(() => world.close())
const { openDevice, stranger, until, pass } = makeDevices(world)

const NOTE = '01980000-0000-7000-8000-0000000000b0'

async function makeCaller() {
  const caller = stranger()
  await caller.ask('POST', 'api/notes', { id: NOTE, title: 'Garden', body: 'Sow the beans.' })
  const read = async () => (await caller.ask('GET', `api/notes/${NOTE}`)).body
  /** A note is read and written, and what was typed reaches the server. */
  async function expectOnline(tab: Tab, fault: StoreFault | null): Promise<void> {
    await until(() => tab.workspace.copy.shown.note.peek().has(NOTE))
    const note = await tab.app.editNote(NOTE)
    note.typeInto('end', ' Dig the pond.')
    note.close()
    await until(read, 'Sow the beans. Dig the pond.')
    expect(tab.workspace.store.fault.peek()).toBe(fault)
  }
  return { ...caller, expectOnline }
}

const versionOf = (db: IDBFactory, name: string, version?: number) =>
  new Promise<IDBDatabase>((resolve, reject) => {
    const request = db.open(name, version)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** Calls back at once, with the error. */
class FailedRequest extends IDBOpenDBRequest {
  override error = new DOMException('Internal error opening backing store.', 'UnknownError')
  override addEventListener(type: string, run: unknown): void {
    if (type === 'error') queueMicrotask(run as () => void)
  }
}

test.each([
  [
    'refuses to open a storage',
    () => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    },
  ],
  ['fails to open a storage', () => new FailedRequest()],
  ['has no storage', null],
])('where the browser %s, the app goes on online', async (_, opens) => {
  const { key, expectOnline } = await makeCaller()
  await expectOnline(await openDevice([key], { opens }).openTab(), 'blocked')
})

test('where the storage never answers, the app opens without it', async () => {
  const { key, expectOnline } = await makeCaller()
  const opening = openDevice([key], { opens: () => new IDBOpenDBRequest() }).openTab()
  await pass(3000)
  await expectOnline(await opening, 'silent')
})

test('a storage that is full while one types keeps nothing of it, and what is typed reaches the server', async () => {
  const { key, expectOnline } = await makeCaller()
  const device = openDevice([key])
  const tab = await device.openTab()
  await until(() => tab.workspace.sync.state.peek().is === 'current')
  expect(tab.workspace.store.fault.peek()).toBeNull()
  device.refuseToStore(new DOMException('', 'QuotaExceededError'))
  await expectOnline(tab, 'full')
})

test('a copy of a later version of the app is left alone', async () => {
  const { key, expectOnline } = await makeCaller()
  const device = openDevice([key])
  ;(await versionOf(device.storage, `satchel ${key}`, 1000)).close()
  await expectOnline(await device.openTab(), 'newer')
  expect((await versionOf(device.storage, `satchel ${key}`)).version).toBe(1000)
})

test('what only a later version of the app knows of the copy is left out', async () => {
  const { key } = await makeCaller()
  const device = openDevice([key])
  const tab = await device.openTab()
  await until(() => tab.workspace.copy.shown.note.peek().has(NOTE))
  tab.close()
  const db = await versionOf(device.storage, `satchel ${key}`)
  const unknown = { type: 'garden_plan', part: 1, json: '[{"id":"x","revision":1}]' }
  db.transaction('resources', 'readwrite').objectStore('resources').put(unknown)
  db.close()
  const next = await device.openTab()
  expect([...next.workspace.copy.shown.note.peek().keys()]).toEqual([NOTE])
})

test('of a copy that an earlier version made, what was not sent is sent, conversations stay, and the rest is read again', async () => {
  const { key, ask, listTitles } = await makeCaller()
  const device = openDevice([key])
  const tab = await device.openTab()
  await until(() => tab.workspace.copy.shown.note.peek().has(NOTE))
  device.setOnline(false)
  tab.app.addTask(tab.workspace, 'Buy rye', null, null)
  await tab.untilWaiting()
  const name = `satchel ${key}`
  const [writes, cursor] = [await device.read('writes'), (await device.read('state')).at(0)]
  tab.close()
  await versionOf(device.storage, name).then((db) => db.close())
  await new Promise((resolve) => (device.storage.deleteDatabase(name).onsuccess = resolve))
  await ask('PATCH', `api/notes/${NOTE}`, { title: 'Beans' })
  await makeFirstVersion(device.storage, name, writes, cursor)
  device.setOnline(true)
  const next = await device.openTab()
  await until(() => listTitles('api/tasks'), ['Buy rye'])
  await until(() => next.workspace.copy.shown.note.peek().get(NOTE)?.title, 'Beans')
  expect(next.workspace.store.fault.peek()).toBeNull()
  expect((await versionOf(device.storage, name)).version).toBe(2)
  expect(await device.read('turns')).toHaveLength(1)
})

/** Makes a copy as version 1 had it, with a row for each resource, one of which the server does not have; and a conversation. */
function makeFirstVersion(
  factory: IDBFactory,
  name: string,
  writes: readonly unknown[],
  cursor: unknown,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = factory.open(name, 1)
    request.onupgradeneeded = () => {
      const db = request.result
      const resources = db.createObjectStore('resources', { keyPath: ['type', 'id'] })
      for (const id of [NOTE, 'gone'])
        resources.put({ type: 'note', id, resource: { id, title: 'Old', revision: id === NOTE ? 1 : 9 } })
      db.createObjectStore('bodies', { keyPath: 'id' })
      const waiting = db.createObjectStore('writes', { keyPath: ['tab', 'seq'] })
      for (const write of writes) waiting.put(write)
      db.createObjectStore('state').put(cursor, 'cursor')
      db.createObjectStore('queues', { keyPath: 'deck' })
      db.createObjectStore('conversations', { keyPath: 'id' })
      db.createObjectStore('turns', { keyPath: ['conversation', 'id'] }).put({ conversation: 'a', id: '1' })
      for (const table of ['cards', 'files'])
        db.createObjectStore(table, { keyPath: table === 'cards' ? 'id' : 'address' })
    }
    request.onsuccess = () => resolve(request.result.close())
    request.onerror = () => reject(request.error)
  })
}
