/** The conversations of the chat that the browser keeps: as many as have room, and by any tab. */
import { afterAll, expect, test } from 'bun:test'
import { makeDevices, type Tab } from '../support/device'
import { MANY_CALLERS, makeWorld } from '../support/world'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(() => world.close())
const { openDevice, stranger, until, clock } = makeDevices(world)

const openPast = async () => {
  const device = openDevice([stranger().key])
  const tab = await device.openTab()
  return { device, tab, past: tab.app.conversationsOf(tab.workspace) }
}
type Past = Awaited<ReturnType<typeof openPast>>['past']

const turn = (conversation: string, id: string, question: string, text = '') => ({
  ...{ conversation, id, question },
  answer: { text },
})
/** Keeps a turn, a millisecond after the one before. */
const keep = (past: Past, ...given: Parameters<typeof turn>) => {
  clock.now += 1
  return past.keep(turn(...given))
}
const titles = ({ list }: Past) => list.peek().map(({ title }) => title)

test('of more than 200 the one that rested longest is forgotten, with its turns', async () => {
  const { tab, past, device } = await openPast()
  const { MAX_CONVERSATIONS } = tab.app
  expect(MAX_CONVERSATIONS).toBe(200)
  for (let place = 0; place < MAX_CONVERSATIONS; place++) await keep(past, `${place}`, 'a', `Question ${place}`)
  await keep(past, '0', 'b', 'And then?')
  expect([past.list.peek().length, titles(past)[0], titles(past).at(-1)]).toEqual([200, 'Question 0', 'Question 1'])
  await keep(past, 'next', 'a', 'What is next?')
  expect([past.list.peek().length, titles(past)[0], titles(past).at(-1)]).toEqual([200, 'What is next?', 'Question 2'])
  expect([await past.read('1'), (await device.read('turns')).length]).toEqual([[], 201])
})

test('of more than 8 MB the oldest are forgotten; a turn kept again counts once', async () => {
  const { tab, past } = await openPast()
  const max = tab.app.MAX_CONVERSATION_BYTES
  expect(max).toBe(8 * 1024 * 1024)
  await keep(past, 'old', 'a', 'Old', 'ü'.repeat(1000))
  await keep(past, 'new', 'a', 'New')
  const room = max - past.list.peek().reduce((sum, { bytes }) => sum + bytes, 0)
  for (let times = 0; times < 2; times++) await keep(past, 'new', 'a', 'New', 'x'.repeat(room))
  expect(past.list.peek().reduce((sum, { bytes }) => sum + bytes, 0)).toBe(max)
  expect(titles(past)).toEqual(['New', 'Old'])
  await keep(past, 'new', 'a', 'New', 'x'.repeat(room + 1))
  expect([titles(past), await past.read('old')]).toEqual([['New'], []])
})

test('a conversation that alone is too long loses its first turns', async () => {
  const { tab, past } = await openPast()
  const third = 'x'.repeat(tab.app.MAX_CONVERSATION_BYTES / 3 - 200)
  for (const id of ['a', 'b', 'c']) await keep(past, 'one', id, id, third)
  const ids = async () => (await past.read('one')).map(({ id }) => id)
  expect(await ids()).toEqual(['a', 'b', 'c'])
  await keep(past, 'one', 'd', 'd', third)
  expect(await ids()).toEqual(['b', 'c', 'd'])
  expect(titles(past)).toEqual(['a'])
})

test('two tabs go on with one conversation, which is found by words of either, deleted, and brought back', async () => {
  const { device, past } = await openPast()
  const other: Tab = await device.openTab()
  const theirs = other.app.conversationsOf(other.workspace)
  const heard: string[] = []
  theirs.watch((id) => heard.push(id))
  await keep(past, 'one', 'a', 'Where is Lima?', 'In Peru.')
  await until(() => titles(theirs).length === 1)
  await keep(theirs, 'one', 'c', 'And Quito?', 'In ECUADOR.')
  await keep(past, 'one', 'b', 'And La Paz?', 'In Bolivia.')
  await keep(past, 'two', 'a', 'Who is Ann?')
  await until(() => heard, ['one', 'one', 'two'])
  expect((await past.read('one')).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  const found = async (text: string) => (await theirs.find(text)).map(({ id }) => id)
  expect(await found('ecuador  lim')).toEqual(['one'])
  expect(await found('ecuador ann')).toEqual([])
  await keep(theirs, 'two', 'b', 'And Bob?')
  expect([await found('bob'), await found('a')]).toEqual([['two'], ['two', 'one']])
  const one = theirs.list.peek().find(({ id }) => id === 'one')
  if (!one) throw new Error('It is not listed')
  const turns = await theirs.remove(one)
  await past.load()
  expect([titles(past), await past.read('one'), await found('lima')]).toEqual([['Who is Ann?'], [], []])
  await theirs.restore(one, turns)
  expect([titles(theirs), (await past.read('one')).length]).toEqual([['Who is Ann?', 'Where is Lima?'], 3])
  expect(await found('lima')).toEqual(['one'])
})
