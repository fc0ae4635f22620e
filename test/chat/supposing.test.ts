import { afterAll, describe, expect, test } from 'bun:test'
import { type Caller, makeCallers } from './support'

/** Commands that name a task without saying that it is one, over HTTP: they are done where just one task has that name. */

const { world, caller } = await makeCallers()
afterAll(world.close)

const TASKS = ['Dentist', 'Pay rent', 'Water the plants', 'Water the lawn']

async function makeOwner(): Promise<{ me: Caller; tasks: () => Promise<Record<string, unknown>[]> }> {
  const me = await caller()
  for (const title of TASKS) await world.call(me, 'POST', '/api/tasks', { title })
  await world.call(me, 'POST', '/api/notes', { title: 'Meeting', body: 'The meeting is in the big room.' })
  return { me, tasks: async () => (await world.call(me, 'GET', '/api/tasks')).body.items }
}

const isDue = (title: string) => (tasks: Record<string, unknown>[]) =>
  tasks.some((task) => task.title === title && task.due !== null)
const isGone = (title: string) => (tasks: Record<string, unknown>[]) => !tasks.some((task) => task.title === title)
const isThere = (title: string) => (tasks: Record<string, unknown>[]) => tasks.some((task) => task.title === title)

const supposed: [text: string, done: (tasks: Record<string, unknown>[]) => boolean][] = [
  ['push dentist to monday', isDue('Dentist')],
  ['reschedule the dentist to 5 May at 9am', isDue('Dentist')],
  ['can you postpone pay rent until tomorrow?', isDue('Pay rent')],
  ['verschiebe Dentist auf Freitag', isDue('Dentist')],
  ['kannst du Dentist auf morgen verschieben', isDue('Dentist')],
  ['reporte Dentist à vendredi', isDue('Dentist')],
  ['aplaza Dentist hasta mañana', isDue('Dentist')],
  ['rename dentist to Doctor', isThere('Doctor')],
  ['complete pay rent', isGone('Pay rent')],
  ['erledige Pay rent', isGone('Pay rent')],
  ['delete dentist', isGone('Dentist')],
  ['supprime Dentist', isGone('Dentist')],
]
test.each(supposed)('%j is done where one task is meant, and a deletion is asked about', async (text, done) => {
  const { me, tasks } = await makeOwner()
  const before = await tasks()
  const { actions } = await me.ask(text)
  const code = actions[0]?.confirm?.code
  expect(code === undefined).toBe(!/^(?:delete|supprime)/.test(text))
  if (code !== undefined) {
    expect(await tasks()).toEqual(before)
    await me.ask(`confirm ${code}`)
  }
  expect(done(await tasks())).toBeTrue()
})

describe('nothing is asked and nothing done', () => {
  test.each([
    'push water to monday',
    'move the meeting to friday',
    'reschedule the dentist to the big room',
    'move to Berlin on monday',
    'why did you push dentist to monday',
    'verschiebe Dentist nicht auf Freitag',
    'ne reporte pas Dentist à vendredi',
    'no aplaza Dentist hasta mañana',
    'complete the square',
    'delete my account',
    'rename my cat to Tom',
  ])('where no single task is meant: %j', async (text) => {
    const { me, tasks } = await makeOwner()
    const before = await tasks()
    expect((await me.ask(text)).actions).toEqual([])
    expect(await tasks()).toEqual(before)
  })

  test('in a chat that only reads', async () => {
    const { me } = await makeOwner()
    expect(
      (await me.ask({ messages: [{ role: 'user', content: 'push dentist to monday' }], mode: 'read' })).actions,
    ).toEqual([])
  })
})
