import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { Ollama } from 'ollama'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { breaksAfter, fails, makeModel, says } from './model'

/** The official client of Ollama, as it is published, against a real socket. */

const model = makeModel()
const world = await makeWorld({ settings: { ...MANY_CALLERS, ...model.settings, FREE_LIMIT_PER_HOUR: '1000' } })
const host = world.listen().slice(0, -1)
const key = makeKey(1)
const client = new Ollama({ host, headers: { 'X-API-Key': key } })
const keyless = new Ollama({ host })
await world.call({ key }, 'POST', '/api/notes', { title: 'House', body: 'The boiler warranty ends on 3 May 2027.' })

afterAll(async () => {
  await world.close()
  model.stop()
})
beforeEach(() => model.plays(says('Hello', ' there.')))

const messages = [{ role: 'user', content: 'When does the boiler warranty end?' }]
const local = { model: 'satchel-local', messages }
const ANSWER = 'From "House": "The boiler warranty ends on 3 May 2027." [1]'

test('an answer as JSON', async () => {
  const answer = await client.chat(local)
  expect(answer.message).toEqual({ role: 'assistant', content: ANSWER })
  expect([answer.done, answer.done_reason, answer.model]).toEqual([true, 'stop', 'satchel-local'])
})

test('an answer as a stream, whose last part is the end', async () => {
  const parts = []
  for await (const part of await client.chat({ ...local, stream: true })) parts.push(part)
  expect(parts.map(({ message }) => message.content).join('')).toBe(ANSWER)
  expect(parts.map(({ done }) => done)).toEqual([...parts.slice(1).map(() => false), true])
})

test('a model on another server, as JSON and as a stream', async () => {
  expect((await client.chat({ model: 'big-model', messages })).message.content).toBe('Hello there.')
  const parts = []
  for await (const part of await client.chat({ model: 'big-model', messages, stream: true }))
    parts.push(part.message.content)
  expect(parts.join('')).toBe('Hello there.')
  expect(parts.length).toBeGreaterThan(2)
})

test('an answer is sent back as a part of the conversation', async () => {
  const { message } = await client.chat(local)
  const again = await client.chat({ ...local, messages: [...messages, message, ...messages] })
  expect(again.message.content).toBe(ANSWER)
})

describe('an error', () => {
  test('is thrown with its status and its sentence', async () => {
    const refused = client.chat({ model: 'another', messages })
    await expect(refused).rejects.toMatchObject({
      status_code: 404,
      error: 'There is no such model. Use auto, satchel-local or big-model.',
    })
    await expect(client.chat({ ...local, tools: [{ type: 'function', function: {} }] })).rejects.toThrow('tools')
  })

  test('of the gate is thrown with its sentence', async () => {
    await expect(new Ollama({ host, headers: { 'X-API-Key': 'short' } }).list()).rejects.toThrow('X-API-Key')
  })

  test('before the first byte of a stream has its status', async () => {
    model.plays(fails(500))
    await expect(client.chat({ model: 'big-model', messages, stream: true })).rejects.toMatchObject({
      status_code: 502,
    })
  })

  test('in the middle of a stream is thrown after the text so far', async () => {
    model.plays(breaksAfter('So far', ' so good'))
    const said: string[] = []
    const read = async () => {
      for await (const part of await client.chat({ model: 'big-model', messages, stream: true }))
        said.push(part.message.content)
    }
    await expect(read()).rejects.toThrow('The language model failed to answer.')
    expect(said.join('')).toBe('So far so good')
  })
})

test('models are listed, those that the caller may use', async () => {
  expect((await client.list()).models.map(({ name }) => name)).toEqual(['satchel-local:latest', 'big-model:latest'])
  expect((await keyless.list()).models.map(({ model }) => model)).toEqual(['satchel-local:latest'])
  await expect(keyless.chat({ model: 'big-model', messages })).rejects.toMatchObject({ status_code: 404 })
})

test('a model is shown, and none is loaded', async () => {
  expect((await client.show({ model: 'big-model' })).capabilities).toEqual(['completion'])
  await expect(keyless.show({ model: 'big-model' })).rejects.toMatchObject({ status_code: 404 })
  expect((await client.ps()).models).toEqual([])
  expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/)
})
