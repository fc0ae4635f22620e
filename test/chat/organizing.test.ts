import { afterAll, expect, test } from 'bun:test'
import type { ChatAction } from '../../src/tools/schema'
import { type Caller, makeCallers } from './support'

/** Changes of what notes and tasks are called and where they are, over HTTP: done, undone, and refused. */

const { world, caller } = await makeCallers()
afterAll(world.close)

const send = async (me: Caller, method: string, path: string, body?: object) =>
  (await world.call(me, method, path, body)).body

/** A workspace with a note "Plan" to which another note links, and a task "Pay rent". */
async function makeOwner() {
  const me = await caller()
  const note = (await send(me, 'POST', '/api/notes', { title: 'Plan', body: 'Two eggs.', tags: ['old'] })).id
  const link = (await send(me, 'POST', '/api/notes', { title: 'Index', body: 'See [[Plan]].' })).id
  const task = (await send(me, 'POST', '/api/tasks', { title: 'Pay rent', due: { date: '2026-05-01' } })).id
  await send(me, 'POST', '/api/tasks/projects', { name: 'House' })
  return { me, note: `/api/notes/${note}`, link: `/api/notes/${link}`, task: `/api/tasks/${task}` }
}

async function undo(me: Caller, action: ChatAction | undefined): Promise<void> {
  const { method = '', path = '', body, if_match } = action?.undo ?? {}
  const answer = await world.call(me, method, path, body ?? undefined, if_match ? { 'If-Match': if_match } : {})
  expect([path, answer.status < 300]).toEqual([path, true])
}

const orders: [order: string, what: 'note' | 'task', member: string, after: unknown, said: string][] = [
  ['tag the note Plan with travel', 'note', 'tags', ['old', 'travel'], 'Changed tags of the note "Plan".'],
  ['remove the tag OLD from the note Plan', 'note', 'tags', [], 'Changed tags of the note "Plan".'],
  ['label the task "Pay rent" as bills', 'task', 'labels', ['bills'], 'Changed labels of the task "Pay rent".'],
  ['remove the due date of the task Pay rent', 'task', 'due', null, 'Changed due of the task "Pay rent".'],
]
test.each(orders)('%j is done at once, and undone', async (order, what, member, after, said) => {
  const owner = await makeOwner()
  const before = (await send(owner.me, 'GET', owner[what]))[member]
  const { actions, message } = await owner.me.ask(order)
  expect(message.content).toBe(said)
  expect((await send(owner.me, 'GET', owner[what]))[member]).toEqual(after)
  await undo(owner.me, actions[0])
  expect((await send(owner.me, 'GET', owner[what]))[member]).toEqual(before)
})

test('a task is moved to a project by its name, and back', async () => {
  const { me, task } = await makeOwner()
  const { actions } = await me.ask('move the task Pay rent to the project house')
  expect((await send(me, 'GET', task)).project_id).not.toBeNull()
  await undo(me, actions[0])
  expect((await send(me, 'GET', task)).project_id).toBeNull()
  const { message } = await me.ask('move the task Pay rent to the project Garden')
  expect(message.content).toBe('I could not do that: There is no project named Garden.')
})

const asked: [order: string, member: string, after: unknown][] = [
  ['rename the note Plan to Trip', 'title', 'Trip'],
  ['move the note Plan to the folder Work/Plans', 'folder', 'Work/Plans'],
]
test.each(asked)('%j waits for its confirmation', async (order, member, after) => {
  const { me, note, link } = await makeOwner()
  const before = (await send(me, 'GET', note))[member]
  const { actions } = await me.ask(order)
  expect(actions.map(({ status }) => status)).toEqual(['pending'])
  expect((await send(me, 'GET', note))[member]).toEqual(before)
  const done = await me.ask(`confirm ${actions[0]?.confirm?.code}`)
  expect((await send(me, 'GET', note))[member]).toEqual(after)
  if (member === 'title') expect((await send(me, 'GET', link)).body).toBe('See [[Trip]].')
  await undo(me, done.actions[0])
  expect((await send(me, 'GET', note))[member]).toEqual(before)
})

test('a change cites nothing, whatever it looked through to be made, confirmed and undone', async () => {
  const { me, task } = await makeOwner()
  await me.ask('create a note called "Terms": q\n\nQ: What is hot?\nA: The boiler')
  const changes = [...orders, ...asked].map(([order]) => order)
  const more = ['move the task Pay rent to friday', 'make cards from the note Terms and save them in the deck "D"']
  for (const order of [...changes, ...more, 'complete the task Pay rent', 'trash the note Index']) {
    const messages: { role: 'user' | 'assistant'; content: string }[] = []
    for (const say of [order, 'confirm', 'undo that', 'confirm']) {
      const code = /Reply: confirm (\w+)/.exec(messages.at(-1)?.content ?? '')?.[1]
      if (say === 'confirm' && code === undefined) continue
      messages.push({ role: 'user', content: say === 'confirm' ? `confirm ${code}` : say })
      const { message, citations, grounded, actions } = await me.ask({ messages })
      expect([order, say, citations, grounded, actions.length]).toEqual([order, say, [], false, 1])
      messages.push({ role: 'assistant', content: message.content })
    }
  }
  expect((await send(me, 'GET', task)).status).toBe('open')
})

test('what is in the trash is restored by its name, and what is not there is not', async () => {
  const { me, note, task } = await makeOwner()
  expect((await me.ask('restore the note Plan')).message.content).toStartWith('I found no note called "Plan"')
  await world.call(me, 'DELETE', note)
  await world.call(me, 'DELETE', task)
  const { message, actions } = await me.ask('restore the note Plan\nbring back the task "Pay rent"')
  expect(message.content).toBe('Restored the note "Plan".\nRestored the task "Pay rent".')
  expect((await send(me, 'GET', note)).deleted_at).toBeNull()
  expect((await send(me, 'GET', task)).deleted_at).toBeNull()
  await undo(me, actions[0])
  expect((await send(me, 'GET', note)).deleted_at).not.toBeNull()
})

test('a scope that hides a note in the trash does not restore it', async () => {
  const { me, note } = await makeOwner()
  await world.call(me, 'DELETE', note)
  const ask = (scope: object) => me.ask({ messages: [{ role: 'user', content: 'restore the note Plan' }], scope })
  for (const scope of [{ types: ['task'] }, { tags: ['other'] }, { ids: [] }])
    expect((await ask(scope)).actions).toEqual([])
})

test('cards of a list are added to the deck that is named, else to the usual one', async () => {
  const { me } = await makeOwner()
  expect((await me.ask('Q: capital of Norway?\nA: Oslo')).message.content).toBe(
    'Added 1 card to the deck "Flashcards".',
  )
  const { message } = await me.ask('flashcards: der Hund / the dog; die Katze / the cat in the deck "German"')
  expect(message.content).toBe('Added 2 cards to the deck "German".')
  const many = Array.from({ length: 21 }, (_, i) => `${i} / a${i}`).join('\n')
  expect((await me.ask(`flashcards:\n${many}`)).message.content).toStartWith('I add at most 20 cards at once')
})
