import { afterAll, expect, test } from 'bun:test'
import { makeCallers } from './support'

/** Messages with several actions, over HTTP. */

const { world, caller } = await makeCallers()
afterAll(world.close)

const titles = async (me: { key: string }) =>
  (await world.call(me, 'GET', '/api/tasks')).body.items.map(({ title }: { title: string }) => title).toSorted()

test('each line of a message is an action of the answer, and all are undone together', async () => {
  const me = await caller()
  const { message, actions, warnings, undo } = await me.ask('Add a task: pay rent\nAdd a task: call mum')
  expect(message.content).toBe('Created the task "pay rent".\nCreated the task "call mum".')
  expect(actions.map(({ n, status }) => [n, status])).toEqual([
    [1, 'done'],
    [2, 'done'],
  ])
  expect(warnings).toEqual([])
  expect(undo?.next).toHaveLength(1)
  expect(await titles(me)).toEqual(['call mum', 'pay rent'])
})

test('items go to the list that is named: a note, which is made if there is none, or the tasks', async () => {
  const me = await caller()
  const listed = async () => (await world.call(me, 'GET', '/api/notes')).body.items
  await me.ask('shopping list: milk, eggs')
  const { message } = await me.ask('put flour and two onions on my shopping list')
  expect(message.content).toBe('Added to the note "Shopping list".')
  const [{ id, title }] = await listed()
  const { body } = (await world.call(me, 'GET', `/api/notes/${id}`)).body
  expect([title, body.split(/\n+/)]).toEqual(['Shopping list', ['- milk', '- eggs', '- flour', '- two onions']])
  await me.ask('add to my list: sweep, mow, dust')
  expect(await titles(me)).toEqual(['dust', 'mow', 'sweep'])
})

test('what was not read is told in the answer and by a warning, and a repeat is told', async () => {
  const me = await caller()
  const { message, warnings } = await me.ask('Add a task: swim\nThe [1] sky is blue\nadd a task: swim')
  expect(message.content).toBe(
    'Created the task "swim".\nYou wanted the same thing more than once: I did it once.\n' +
      'I left out what I did not understand, or what was too much at once: "The (1) sky is blue".',
  )
  expect(warnings).toEqual(['read_in_part'])
  expect(await titles(me)).toEqual(['swim'])
  const half = await me.ask('Add a task: call Ann #Nowhere')
  expect(half.message.content).toContain('I did not understand "call Ann #Nowhere": "#Nowhere" was left in the title')
  expect(half.warnings).toEqual(['read_in_part'])
})

test('a message that takes itself back does nothing', async () => {
  const me = await caller()
  const { message, actions } = await me.ask('Add a task: swim\nno wait, forget it')
  expect([message.content.slice(0, 16), actions]).toEqual(['You took it back', []])
  expect(await titles(me)).toEqual([])
})

test('one action that fails does not keep the others from being done', async () => {
  const me = await caller()
  await me.ask('Add a task: swim')
  const { actions } = await me.ask('check off dancing and check off swim')
  expect(actions.map(({ summary }) => summary)).toEqual(['Completed the task "swim"'])
})

test('where only reading is allowed, changes are refused once', async () => {
  const me = await caller()
  const content = 'Add a task: eat\nadd a task: sleep'
  const { message, actions } = await me.ask({ messages: [{ role: 'user', content }], mode: 'read' })
  expect(message.content.match(/may only read/g)).toHaveLength(1)
  expect(actions).toEqual([])
})

test('a change cites nothing that it only looked through', async () => {
  const me = await caller([{ title: 'Plan', body: 'Paint.' }])
  await me.ask('Add tasks: pay rent, pay Ann')
  for (const order of ['check off "pay rent"', 'add to the note "Plan": and more', 'trash the note "Plan"']) {
    const { citations, actions } = await me.ask(order)
    expect([order, citations, actions.length]).toEqual([order, [], 1])
  }
})

test('a card that is there already is told', async () => {
  const me = await caller()
  const order = 'add a card "capital of Norway" - "Oslo" to the deck "Geo"'
  await me.ask(order)
  expect((await me.ask(order)).message.content).toBe('Added 0 cards to the deck "Geo"; 1 was there already.')
})
