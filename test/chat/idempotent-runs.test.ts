import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, MANY_CALLERS, makeWorld, stranger } from '../support/world'
import { calls, fails, makeModel, says, waitsAfter } from './model'

/** Requests under an Idempotency-Key: what is done is done once, whatever happens on the way. */

const model = makeModel()
const SETTINGS = { ...MANY_CALLERS, ...model.settings }
const world = await makeWorld({ settings: SETTINGS })
const base = world.listen().slice(0, -1)
let me = { key: '' }

afterAll(async () => {
  await world.close()
  model.stop()
})
beforeEach(() => {
  me = stranger()
})

const DAY = 86_400_000
const ONE = { 'Idempotency-Key': 'one' }
const BODY = { messages: [{ role: 'user', content: 'Note: milk' }] }
const MILK = calls('create_note', { title: 'Milk' })
const ask = (body: object = BODY): Promise<Answer> => world.call(me, 'POST', '/api/chat', body, ONE)
const titles = async () =>
  (await world.call(me, 'GET', '/api/notes')).body.items.map(({ title }: { title: string }) => title)

describe('the same request again', () => {
  test('of one that is finished gets its answer, and the model is not asked', async () => {
    model.plays(MILK, says('Done', '.'))
    const first = await ask()
    expect(first.body.actions).toMatchObject([{ n: 1, tool: 'create_note', status: 'done' }])
    expect(first.headers.get('Idempotency-Replayed')).toBeNull()
    model.plays(fails(500))
    const again = await ask()
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(again.headers.get('Idempotency-Replayed')).toBe('true')
    expect([model.asked.length, await titles()]).toEqual([0, ['Milk']])
  })

  test('as a stream gets the answer as one delta and the end', async () => {
    model.plays(MILK, says('All', ' done', '.'))
    const body = { ...BODY, stream: true }
    await ask(body)
    const again = await ask(body)
    expect(again.headers.get('Idempotency-Replayed')).toBe('true')
    const lines = (again.body as string)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ message, done }) => [message.content, done])).toEqual([
      ['All done.', false],
      ['', true],
    ])
    expect(lines[1].actions).toHaveLength(1)
  })

  test('of one that is open is refused, also before it wrote anything', async () => {
    const end = Promise.withResolvers<void>()
    model.plays(waitsAfter([], end.promise, ['Done.']))
    const first = ask()
    while (model.asked.length === 0) await Bun.sleep(0)
    expect(await ask()).toMatchObject({ status: 409, body: { code: 'conflict' } })
    end.resolve()
    expect((await first).body.message.content).toBe('Done.')
    expect((await ask()).status).toBe(200)
  })

  test('of one that failed after a write gets the write, and nothing is done anew', async () => {
    model.plays(MILK, fails(500))
    const failed = await ask()
    expect(failed.status).toBe(502)
    model.plays(MILK, says('Done.'))
    const again = await ask()
    expect(again.body).toMatchObject({ engine: 'local', warnings: ['interrupted'], actions: failed.body.actions })
    expect(again.body.undo).toEqual(failed.body.actions[0].undo)
    expect([model.asked.length, await titles()]).toEqual([0, ['Milk']])
  })

  test('of one that failed before any write is answered anew', async () => {
    model.plays(fails(500))
    expect((await ask({ ...BODY, model: 'big-model' })).status).toBe(502)
    model.plays(says('Done.'))
    expect((await ask({ ...BODY, model: 'big-model' })).body.message.content).toBe('Done.')
  })

  test('of one whose caller went away gets what was written', async () => {
    model.plays(MILK, waitsAfter([], new Promise(() => {})))
    const leave = new AbortController()
    const headers = { ...ONE, 'X-API-Key': me.key, 'Content-Type': 'application/json' }
    const sent = fetch(`${base}/api/chat`, {
      method: 'POST',
      headers,
      body: JSON.stringify(BODY),
      signal: leave.signal,
    })
    while (model.asked.length < 2) await Bun.sleep(0)
    const { signal } = model.asked[1] as { signal: AbortSignal }
    const closed = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    leave.abort()
    await Promise.all([closed, expect(sent).rejects.toThrow()])
    let again = await ask()
    for (; again.status === 409; again = await ask()) await Bun.sleep(1)
    expect(again.body).toMatchObject({ warnings: ['interrupted'], actions: [{ n: 1, tool: 'create_note' }] })
    expect(await titles()).toEqual(['Milk'])
  })
})

describe('another request under the same key is refused', () => {
  test('whether the first is finished, open, or of another path', async () => {
    model.plays(says('Hi'))
    await ask()
    expect((await ask({ ...BODY, mode: 'read' })).status).toBe(409)
    expect((await world.call(me, 'POST', '/api/notes', { title: 'x' }, ONE)).status).toBe(409)
    expect((await world.call(me, 'POST', '/api/openai/chat/completions', BODY, ONE)).status).toBe(409)
  })

  test('also when the first died after a write', async () => {
    model.plays(MILK, fails(500))
    await ask()
    expect((await ask({ ...BODY, mode: 'read' })).status).toBe(409)
    expect((await world.call(me, 'POST', '/api/notes', { title: 'x' }, ONE)).status).toBe(409)
  })
})

test('the record of a run counts towards the quota, until it is a day old, and a full workspace is answered all the same', async () => {
  await using small = await makeWorld({ settings: { ...SETTINGS, WORKSPACE_BYTES: '1200' } })
  const send = (key: string) => small.call(me, 'POST', '/api/chat', BODY, { 'Idempotency-Key': key })
  model.plays(says('x'.repeat(400)))
  const first = await send('a')
  const second = await send('b')
  expect([first.body.warnings, second.body.warnings]).toEqual([[], ['answer_not_recorded']])
  const usedBytes = async () => (await small.call(me, 'GET', '/api/usage')).body.workspace.size_bytes
  const bytesOf = ({ body }: Answer) => '{}'.length + JSON.stringify(body).length
  expect(await usedBytes()).toBe(bytesOf(first))
  // The first record is replayed for a day, and has its bytes for so long.
  small.clock.now += DAY
  expect((await send('c')).body.warnings).toEqual(['answer_not_recorded'])
  small.clock.now += 1
  const last = await send('d')
  expect([last.body.warnings, await usedBytes()]).toEqual([[], bytesOf(last)])
})
