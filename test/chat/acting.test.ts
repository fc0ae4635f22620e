import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Action, ChatAnswer } from '../../src/chat/schema'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { fails, makeModel, says } from './model'

/** What the embedded engine does over HTTP, and who may use a model. */

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(world.close)
let keys = 0
let me = { key: '' }
beforeEach(() => {
  me = { key: makeKey(++keys) }
})

const ask = async (content: string, rest: object = {}, path = '/api/chat') =>
  (await world.call(me, 'POST', path, { messages: [{ role: 'user', content }], ...rest })).body
const feed = async (): Promise<{ type: string; id: string }[]> =>
  (await world.call(me, 'GET', '/api/changes')).body.items
const note = async (title: string) => (await world.call(me, 'POST', '/api/notes', { title })).body.id

const ORDERS = [
  'add a task buy milk tomorrow at nine',
  'remind me to call Ann on friday',
  'create a note called "Ideas"',
  'create a card in "Geo": capital of Norway :: Oslo',
]

test('every write is in the change feed, every change in the actions, and each undo can be sent', async () => {
  const ids: unknown[] = []
  for (const order of ORDERS) {
    const { actions }: ChatAnswer = await ask(order)
    ids.push(...actions.filter(({ status }) => status === 'done').map(({ target }) => target?.id))
    expect(actions.map(({ n }) => n)).toEqual(actions.map((_, i) => i + 1))
    for (const { undo } of actions as (Action & { undo: Record<string, string> })[]) {
      const headers = undo.if_match ? { 'If-Match': undo.if_match } : undefined
      const undone = await world.call(me, undo.method ?? '', undo.path ?? '', undo.body ?? undefined, headers)
      expect([order, undone.status < 300]).toEqual([order, true])
    }
  }
  expect(ids.length).toBeGreaterThanOrEqual(3)
  const changed = (await feed()).map(({ id }) => id)
  expect(ids.filter((id) => !changed.includes(id as string))).toEqual([])
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

describe('what the operator decides', () => {
  test('a model for callers without a key, and an error where it fails', async () => {
    const model = makeModel()
    const settings = { ...model.settings, CHAT_ANON_UPSTREAM: 'true', CHAT_FALLBACK: 'error' }
    const open = await makeWorld({ settings })
    const hello = { messages: [{ role: 'user', content: 'Hello?' }] }
    model.plays(says('Hi'))
    expect((await open.call({}, 'POST', '/api/chat', hello)).body.engine).toBe('upstream')
    expect((await open.call({}, 'GET', '/api/tags')).body.models).toHaveLength(2)
    model.plays(fails(500))
    expect((await open.call({}, 'POST', '/api/chat', hello)).status).toBe(502)
    await open.close()
    model.stop()
  })
})
