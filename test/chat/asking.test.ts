import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ChatRequest } from '../../src/chat/schema'
import { type Caller, makeCallers } from './support'

/** Questions that the query languages answer, over HTTP. */

const { world, caller } = await makeCallers()
afterAll(world.close)
let me: Caller
/** A day as YYYY-MM-DD, some days after today. */
const day = (after: number) => new Date(world.clock.now + after * 86_400_000).toISOString().slice(0, 10)
const send = async (method: string, path: string, body?: object) => (await world.call(me, method, path, body)).body
const say = async (content: string, scope: ChatRequest['scope'] = {}) =>
  (await me.ask({ messages: [{ role: 'user', content }], ...(Object.keys(scope).length > 0 && { scope }) })).message
    .content

let recipe = ''
beforeAll(async () => {
  me = await caller()
  recipe = (await send('POST', '/api/notes', { title: 'Soup', body: 'Leeks.', tags: ['recipes'], folder: 'Kitchen' }))
    .id
  await send('POST', '/api/notes', { title: 'Bread', body: 'Rye.', tags: ['recipes'] })
  await send('POST', '/api/notes', { title: 'Garden', body: 'Roses.' })
  const { id: gone } = await send('POST', '/api/notes', { title: 'Old plan', body: 'x' })
  await send('DELETE', `/api/notes/${gone}`)
  const { id: project_id } = await send('POST', '/api/tasks/projects', { name: 'House' })
  await send('POST', '/api/tasks', { title: 'Paint the door', project_id, priority: 1 })
  await send('POST', '/api/tasks', { title: 'Post the parcel', labels: ['errand'], due: { date: day(40) } })
  await send('POST', '/api/tasks', { title: 'Fix the tap', priority: 4 })
  const { id } = await send('POST', '/api/tasks', { title: 'Call Ann' })
  await send('POST', `/api/tasks/${id}/complete`, {})
})

/** All notes and tasks were made today. */
const CHANGED = (notes: string, tasks: string, due = 'due') =>
  `${notes}: 3\n- "Garden"\n- "Bread"\n- "Soup"\n` +
  `${tasks}: 4\n- "Post the parcel", ${due} ${day(40)}\n- "Paint the door"\n- "Fix the tap"\n- "Call Ann"`

const answers: [string, () => string][] = [
  ['high priority tasks', () => 'Tasks, urgent: 1\n- "Paint the door" [1]'],
  ['show me tasks labelled errand', () => `Tasks, label errand: 1\n- "Post the parcel", due ${day(40)} [1]`],
  ['which tasks are in the House project?', () => 'Tasks, project House: 1\n- "Paint the door" [1]'],
  ['what did I complete today?', () => 'Tasks, done, completed today: 1\n- "Call Ann" [1]'],
  ['completed this week', () => 'Tasks, done, completed this week: 1\n- "Call Ann" [1]'],
  ['what tasks have I finished last month', () => 'Tasks, done, completed last month: none.'],
  [
    'how many tasks without a due date do I have?',
    () => 'Tasks, no date: 2\n- "Paint the door" [1]\n- "Fix the tap" [2]',
  ],
  ['how many notes do I have?', () => 'Notes: 3.'],
  ['show notes tagged recipes', () => 'Notes, tag recipes: 2\n- "Bread"\n- "Soup"'],
  ['how many notes are in the folder Kitchen?', () => 'Notes, folder Kitchen: 1\n- "Soup"'],
  ['notes created today', () => 'Notes, created today: 3\n- "Garden"\n- "Bread"\n- "Soup"'],
  ['notes from last year', () => 'Notes, created last year: none.'],
  ['show my last 2 notes', () => 'Latest notes:\n- "Garden"\n- "Bread"'],
  ['what is in the trash?', () => 'In the trash: 1\n- "Old plan"'],
  ['what changed yesterday?', () => 'Notes, changed yesterday: none.\nTasks, changed yesterday: none.'],
  ['what changed since yesterday', () => CHANGED('Notes, changed since yesterday', 'Tasks, changed since yesterday')],
  ['Was hat sich heute geändert?', () => CHANGED('Notizen, geändert heute', 'Aufgaben, geändert heute', 'fällig')],
  [
    "Qu'est-ce qui a changé cette semaine ?",
    () => CHANGED('Notes, modifiées cette semaine', 'Tâches, modifiées cette semaine', 'pour'),
  ],
  ['¿Qué ha cambiado hoy?', () => CHANGED('Notas, cambiadas hoy', 'Tareas, cambiadas hoy', 'para')],
  ['Was liegt im Papierkorb?', () => 'Im Papierkorb: 1\n- "Old plan"'],
  ['Wie viele Notizen habe ich?', () => 'Notizen: 3.'],
  ['Combien de notes ai-je ?', () => 'Notes: 3.'],
  ['¿Cuántas notas tengo?', () => 'Notas: 3.'],
  ['Zeige mir die Aufgaben mit hoher Priorität', () => 'Aufgaben, wichtig: 1\n- "Paint the door" [1]'],
  ['Quelles tâches sont dans le projet House ?', () => 'Tâches, projet House: 1\n- "Paint the door" [1]'],
  ['¿Qué tareas he terminado esta semana?', () => 'Tareas, hechas, esta semana: 1\n- "Call Ann" [1]'],
  ['what changed today?', () => CHANGED('Notes, changed today', 'Tasks, changed today')],
  ['what did I change before today?', () => 'Notes, changed before today: none.\nTasks, changed before today: none.'],
  ['what is due in the next 50 days?', () => `Tasks, due the next 50 days: 1\n- "Post the parcel", due ${day(40)} [1]`],
]
test.each(answers)('%j is answered by a query', async (question, answer) => {
  expect(await say(question)).toBe(answer())
})

test('a date in words is a condition', async () => {
  const spoken = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' })
  const on = spoken.format(world.clock.now + 40 * 86_400_000)
  expect(await say(`what is due on ${on}?`)).toBe(`Tasks, due ${on}: 1\n- "Post the parcel", due ${day(40)} [1]`)
  expect(await say(`which tasks are due before ${on}`)).toBe(`Tasks, due before ${on}: none.`)
})

test('the date and the time are told in the zone of the request', async () => {
  const at = new Date(world.clock.now).toISOString()
  expect(await say('what day is it?')).toContain(`, ${at.slice(0, 10)}, ${at.slice(11, 16)} (UTC).`)
})

describe('a scope', () => {
  test('hides notes from lists and counts', async () => {
    expect(await say('how many notes do I have?', { ids: [recipe] })).toBe('Notes: 1\n- "Soup"')
    expect(await say('how many notes do I have?', { types: ['task'] })).toBe('Notes: none.')
    expect(await say('what is in the trash?', { tags: ['recipes'] })).toBe('In the trash: none.')
    expect(await say('show notes tagged recipes', { types: ['task'] })).toBe('Notes, tag recipes: none.')
  })

  test('and nothing of another workspace is shown', async () => {
    const other = await caller()
    for (const [question] of answers) {
      const { message } = await other.ask(question)
      for (const title of ['Soup', 'Bread', 'Garden', 'Old plan', 'Paint', 'parcel', 'tap"', 'Ann'])
        expect([question, message.content.includes(title)]).toEqual([question, false])
    }
  })
})
