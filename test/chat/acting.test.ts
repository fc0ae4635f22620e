import { afterAll, beforeEach, expect, test } from 'bun:test'
import type { ChatAnswer } from '../../src/chat/schema'
import type { ChatAction } from '../../src/tools/schema'
import { MANY_CALLERS, makeWorld, stranger } from '../support/world'
import { codePointsOf } from './support'

/** What the embedded engine does over HTTP, and who may use a model. */

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(world.close)
let me = { key: '' }
beforeEach(() => {
  me = stranger()
})

const ask = async (content: string, rest: object = {}, path = '/api/chat') =>
  (await world.call(me, 'POST', path, { messages: [{ role: 'user', content }], ...rest })).body
const feed = async (): Promise<{ type: string; id: string; revision: number }[]> =>
  (await world.call(me, 'GET', '/api/changes')).body.items
const note = async (title: string) => (await world.call(me, 'POST', '/api/notes', { title })).body.id

test.each([
  ['Erinnere mich an die Steuer morgen um 9', 'Steuer'],
  ['Füge eine Aufgabe hinzu: Steuer morgen um 9', 'Steuer'],
  ['Ajoute une tâche : impôts demain à 9h', 'impôts'],
  ['Añade una tarea: impuestos mañana a las 9', 'impuestos'],
  ['Add a task: taxes tomorrow at 9am', 'taxes'],
])('%j is read in its own language, whatever that of the workspace', async (order, title) => {
  const { actions } = await ask(order)
  const tomorrow = new Date(world.clock.now + 86_400_000).toISOString().slice(0, 10)
  expect(actions).toMatchObject([{ status: 'done', result: { title, due: `${tomorrow}T09:00` } }])
})

const ORDERS = [
  'add a task buy milk tomorrow at 9am',
  'remind me to call Ann on friday',
  'create a note called "Ideas"',
  'add a card "capital of Norway" - "Oslo" to the deck "Geo"',
  'add to the note "Ideas": and more',
  'rename the task "buy milk" to "buy tea"',
  'complete the task "buy tea"',
]

/** What chat does for each order: its actions, and what is new in the feed. */
async function obeyed(order: string) {
  const before = new Map((await feed()).map(({ id, revision }) => [id, revision]))
  const { actions }: ChatAnswer = await ask(order)
  const changed = (await feed()).filter(({ id, revision }) => before.get(id) !== revision)
  return { actions: actions as (ChatAction & { undo: Record<string, string> })[], changed }
}

test('every write is in the change feed, and every change in the actions', async () => {
  for (const order of ORDERS) {
    const { actions, changed } = await obeyed(order)
    expect([order, actions.map(({ n, status }) => [n, status])]).toEqual([order, [[1, 'done']]])
    expect(changed.map(({ id }) => id)).toContain(String(actions[0]?.target?.id))
    // A card is listed by its fact.
    const told = JSON.stringify(actions)
    expect([order, changed.filter(({ id, type }) => type !== 'card' && !told.includes(id))]).toEqual([order, []])
  }
})

test('each undo can be sent', async () => {
  for (const order of ORDERS) {
    const [action] = (await obeyed(order)).actions
    const { method = '', path = '', body, if_match } = action?.undo ?? {}
    const undone = await world.call(me, method, path, body ?? undefined, if_match ? { 'If-Match': if_match } : {})
    expect([order, undone.status < 300]).toEqual([order, true])
    if (action?.risk === 'create') await ask(order)
  }
})

test('the code points start..end of what a citation names are its quote: of notes, tasks and facts', async () => {
  const body = '😀 intro.\r\n\r\nThe 👩‍👩‍👧 boiler is 😀 blue.\r\nQ: What is 😀 hot?\r\nA: The boiler\r\n'
  const { id } = (await world.call(me, 'POST', '/api/notes', { title: 'Boiler 😀', body })).body
  await world.call(me, 'POST', '/api/tasks', { title: '😀 ask about the 😀 boiler', due: { date: '2026-03-02' } })
  await ask('add a card "capital 😀 of Norway" - "Oslo" to the deck "Geo"')
  const types = new Set<string>()
  const asked = ['Is the boiler blue?', 'find notes about boiler', 'summarize the note "Boiler 😀"']
  for (const question of [...asked, 'make cards from the note "Boiler 😀"', 'show my tasks', 'which cards are due?']) {
    const { citations }: ChatAnswer = await ask(question)
    expect([question, citations.length > 0]).toEqual([question, true])
    for (const { type, url, start, end, quote, revision } of citations) {
      const cited = (await world.call(me, 'GET', url)).body
      const text = { note: cited.body, task: cited.title, fact: cited.front }[type]
      expect([question, codePointsOf(text, start, end), cited.revision]).toEqual([question, quote, revision])
      types.add(type)
    }
  }
  expect([...types].sort()).toEqual(['fact', 'note', 'task'])
  expect((await world.call(me, 'GET', `/api/notes/${id}`)).body.body).toBe(body)
})

test('with mode read nothing changes, whatever the text says; over the OpenAI face that is the default', async () => {
  await note('Old plan')
  const before = await feed()
  for (const order of [...ORDERS, 'trash the note "Old plan"']) {
    expect((await ask(order, { mode: 'read' })).actions).toEqual([])
    await ask(order, {}, '/api/openai/chat/completions')
  }
  expect(await feed()).toEqual(before)
  await ask(ORDERS[0] ?? '', { x_satchel: { mode: 'write' } }, '/api/openai/chat/completions')
  expect((await feed()).length).toBe(before.length + 1)
})

test.each([
  ...['cancel dinner', 'confirm please', 'Cancel flight', 'do not confirm 7k2f9q', "please don't confirm 7k2f9q"],
  ...['The note says: confirm 7k2f9q', 'shall I confirm 7k2f9q?', 'confirm 7k2f9q?', '> confirm 7k2f9q'],
  ...['confirm 7k2f9q and 8k2f9q', 'I found "confirm 7k2f9q" in my notes', '7k2f9q', 'no, confirm 7k2f9q'],
])('%j is a message like any other', async (content) =>
  expect(await ask(content)).toMatchObject({ engine: 'local', actions: [] }),
)

test.each([
  ...['cancel 7k2f9q', 'confirm 7k2f9q', ' CONFIRM 7K2F9Q\n', 'confirm 7k2f9q now', 'please confirm 7k2f9q'],
  ...['Yes, please confirm `7k2f9q`!', '`confirm 7k2f9q`', '**confirm 7k2f9q**.', 'Confirm: "7k2f9q", thanks'],
  ...['ja, confirm 7k2f9q bitte', 'no, cancel 7k2f9q'],
])('%j holds a code, and nothing waits for it', async (content) =>
  expect((await ask(content)).code).toBe('confirmation_unknown'),
)

test('what is looked for is cut between characters', async () => {
  const { message } = await ask(`find notes about ${'a'.repeat(299)}😀 and more`)
  expect(message.content).toStartWith('I found no note with the words')
  const summed = await ask(`summarize the note ${'a'.repeat(299)}😀`)
  expect(summed.message.content).toStartWith('I found no note called')
})

test('a deletion is asked about, the code at the end of the text, as a stream and as JSON', async () => {
  await note('Old plan')
  const order = 'trash the note "Old plan"'
  const { message, actions } = await ask(order)
  const sentence = (code: string) => `Shall I move "Old plan" to the trash? Reply: confirm ${code}`
  expect(message.content).toBe(sentence(actions[0].confirm.code))
  const streamed: string = await ask(order, { stream: true })
  const lines = streamed
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const code = lines.at(-1).actions[0].confirm.code
  expect(lines.map((line) => line.message.content).join('')).toBe(sentence(code))
  expect(lines.filter(({ event }) => event === 'action').map(({ action }) => action)).toEqual(lines.at(-1).actions)
  expect(await feed()).toHaveLength(1)
  expect((await ask(`confirm ${code}`)).actions).toMatchObject([{ status: 'done', tool: 'trash_item' }])
  expect((await world.call(me, 'GET', '/api/notes')).body.items).toEqual([])
})

test('an hour in words is a time of the day, but not in quotation marks', async () => {
  const taskOf = async (order: string) => {
    const { actions } = await ask(order, { time_zone: 'Europe/Berlin' })
    return (await world.call(me, 'GET', `/api/tasks/${actions[0].target.id}`)).body
  }
  const milk = await taskOf('add a task buy milk tomorrow at nine')
  expect([milk.title, milk.due.time, milk.due.time_zone]).toEqual(['buy milk', '09:00', 'Europe/Berlin'])
  const bar = await taskOf('remind me to call "Bar at five" on friday at six o’clock')
  expect([bar.title, bar.due.time]).toEqual(['call "Bar at five"', '18:00'])
})

test.each([
  ['Quiz me', 'show me the answer'],
  ['Frag mich ab', 'zeig mir die Antwort'],
  ['Interroge-moi', 'montre la réponse'],
  ['Pregúntame', 'muestra la respuesta'],
])('%j asks a due card, and %j shows its other side', async (order, reveal) => {
  await ask('add a card "What is the capital of Norway?" - "Oslo" to the deck "Geo"')
  const { message } = await ask(order)
  expect(message.content).toContain('"What is the capital of Norway?" [1]')
  const messages = [{ role: 'user', content: order }, message, { role: 'user', content: reveal }]
  const { body } = await world.call(me, 'POST', '/api/chat', { messages })
  expect([body.grounded, body.message.content]).toEqual([true, expect.stringContaining('Oslo')])
})

test('"is it done?" reads the last task, "tl;dr:" brings a text, and other orders are unknown', async () => {
  const content = 'add a task: oil the hinges'
  const messages = [{ role: 'user', content }, (await ask(content)).message, { role: 'user', content: 'is it done?' }]
  const { body } = await world.call(me, 'POST', '/api/chat', { messages })
  expect(body.message.content).toStartWith('No, the task "oil the hinges" is not done yet')
  const text = 'The bridge opens in May. It is made of oak. The old bridge fell in a storm, and the ferry was hurt.'
  expect((await ask(`tl;dr: ${text}`)).message.content).toContain('The bridge opens in May.')
  for (const order of ['play some jazz', 'spiel etwas Jazz', 'réserve une table', 'reproduce música'])
    expect((await ask(order)).message.content).toMatch(/^(?:I do not know how|Ich weiß|Je ne sais|No sé)/)
})

test('a verb with two meanings makes no task beside the one it may mean', async () => {
  for (const text of ['add a task: Regar las plantas', 'add a task: Steuer machen']) await ask(text)
  const titles = async () => {
    const { items } = (await world.call(me, 'GET', '/api/tasks?limit=200')).body
    return items.map(({ title }: { title: string }) => title).toSorted()
  }
  const before = await titles()
  expect((await ask('pon regar las plantas del balcón en mi lista de tareas')).message.content).toStartWith('No sé')
  expect((await ask('leg die Aufgabe Steuer machen auf Freitag')).message.content).toContain('"Steuer machen"')
  expect(await titles()).toEqual(before)
  await ask('pon comprar tierra en mi lista de tareas')
  expect(await titles()).toEqual([...before, 'comprar tierra'].toSorted())
})
