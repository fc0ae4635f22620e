import { afterAll, describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import type { Session } from '../../src/db/database'
import { createListeners } from '../../src/workspace/processes'
import { createChangeStreams } from '../../src/workspace/stream'
import { runs } from '../support/full'
import { listeningWorld, Visitor } from '../support/visitor'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'

const world = await listeningWorld({ ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '10000' })
afterAll(() => world.close())

interface Told {
  readonly seq: number
  readonly type: string
  readonly op: string
}

/** A client of Server-Sent Events that connects again wherever it is cut off, as browsers do. */
class Client {
  readonly told: Told[] = []
  /** The `id` of the last event. */
  last = ''
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #unread = ''
  readonly #decoder = new TextDecoder()

  constructor(
    readonly visitor: Visitor,
    readonly since = '',
  ) {}

  async connect(): Promise<this> {
    const headers = this.last === '' ? {} : { 'Last-Event-ID': this.last }
    const response = await this.visitor.send({ path: `/api/changes/stream${this.since}`, headers })
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    this.#reader = response.body?.getReader()
    this.#unread = ''
    return this
  }

  /** Reads until so many changes were told in all, or to the end. */
  async until(count: number): Promise<this> {
    while (this.told.length < count) {
      const chunk = await this.#reader?.read()
      if (!chunk || chunk.done) break
      this.#take(this.#decoder.decode(chunk.value, { stream: true }))
    }
    return this
  }

  async cut(): Promise<void> {
    await this.#reader?.cancel()
  }

  #take(text: string): void {
    const events = (this.#unread + text).split('\n\n')
    this.#unread = events.pop() ?? ''
    for (const event of events) {
      const fields = new Map(event.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]))
      if (!fields.has('data')) continue
      expect(fields.get('event')).toBe('change')
      this.last = fields.get('id') ?? ''
      const told = JSON.parse(fields.get('data') ?? '')
      expect(String(told.seq)).toBe(this.last)
      this.told.push(told)
    }
  }
}

const { newcomer } = world

test('a stream tells what was before, then each change as it is written', async () => {
  const me = newcomer()
  const path = await me.note()
  const client = await (await new Client(me).connect()).until(1)
  await me.send({ method: 'PATCH', path, body: { title: 'U' } })
  await client.until(2)
  await me.send({ method: 'DELETE', path })
  await client.until(3)
  await client.cut()
  expect(client.told.map(({ seq, op }) => [seq, op])).toEqual([
    [1, 'upsert'],
    [2, 'upsert'],
    [3, 'delete'],
  ])
})

test('it begins after `since`, and after Last-Event-ID rather than that', async () => {
  const me = newcomer()
  for (let i = 0; i < 3; i++) await me.note()
  const after = async (client: Client) => {
    await (await client.connect()).until(1)
    await client.cut()
    return client.told[0]?.seq
  }
  expect(await after(new Client(me, '?since=2'))).toBe(3)
  const again = new Client(me, '?since=2')
  again.last = '1'
  expect(await after(again)).toBe(2)
})

test('a client that is cut off anywhere and comes back misses nothing and is told nothing twice', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ writes: fc.integer({ min: 1, max: 4 }), read: fc.integer({ min: 0, max: 5 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
      async (rounds) => {
        const me = newcomer()
        const client = new Client(me)
        let written = 0
        for (const { writes, read } of rounds) {
          await client.connect()
          await Promise.all(Array.from({ length: writes }, () => me.note()))
          written += writes
          await client.until(Math.min(written, client.told.length + read))
          await client.cut()
        }
        await (await client.connect()).until(written)
        await client.cut()
        expect(client.told.map(({ seq }) => seq)).toEqual(Array.from({ length: written }, (_, i) => i + 1))
      },
    ),
    { numRuns: runs(15) },
  ))

test('one workspace is told nothing of another', async () => {
  const [me, other] = [newcomer(), newcomer()]
  const client = await new Client(me).connect()
  for (let i = 0; i < 5; i++) await other.note()
  await me.note()
  await client.until(1)
  await client.cut()
  expect(client.told).toHaveLength(1)
})

test('a refused write is not told', async () => {
  const me = newcomer()
  const client = await new Client(me).connect()
  const taken = { method: 'POST', path: '/api/notes', body: { id: '01890000-0000-7000-8000-000000000001', title: 'T' } }
  expect((await me.send(taken)).status).toBe(201)
  expect((await me.send(taken)).status).toBe(409)
  await me.note()
  await client.until(2)
  await client.cut()
  expect(client.told.map(({ seq }) => seq)).toEqual([1, 2])
})

test('ten streams of a workspace may be open, and one more when another is closed', async () => {
  const me = newcomer()
  const clients = await Promise.all(Array.from({ length: 10 }, () => new Client(me).connect()))
  const refused = await me.send({ path: '/api/changes/stream' })
  expect([refused.status, (await refused.json()).code]).toEqual([429, 'too_many_streams'])
  await clients[0]?.cut()
  // The server hears of it a little later: ask until it does.
  let status = 429
  for (let i = 0; i < 1000 && status === 429; i++) {
    const response = await me.send({ path: '/api/changes/stream' })
    status = response.status
    await response.body?.cancel()
  }
  expect(status).toBe(200)
  await Promise.all(clients.map((client) => client.cut()))
})

test('HEAD tells of a stream and opens none', async () => {
  const me = newcomer()
  for (let i = 0; i < 12; i++) expect((await me.send({ method: 'HEAD', path: '/api/changes/stream' })).status).toBe(200)
})

test('a server that stops ends its streams, and begins no more', async () => {
  await using mortal = await makeWorld()
  const visitor = new Visitor(mortal.listen().slice(0, -1), makeKey(1))
  const client = await new Client(visitor).connect()
  mortal.endStreams()
  await client.until(1)
  expect(client.told).toEqual([])
  // A connection that is kept open can still ask for one.
  const late = await visitor.send({ path: '/api/changes/stream' })
  expect([late.status, (await late.json()).code, late.headers.get('retry-after')]).toEqual([503, 'unavailable', '5'])
})

describe('silence', () => {
  const session = { workspace: { id: 'a' } } as unknown as Session
  const nothing = { items: [], forgottenAtStart: 0, latest_seq: 0 }
  const open = (changes: () => Promise<typeof nothing>, pingMs = 1) => {
    const errors: string[] = []
    const log = { error: (_: object, message: string) => void errors.push(message) }
    const listeners = createListeners()
    return { errors, listeners, streams: createChangeStreams({ changes, listeners, log, pingMs }) }
  }

  test('is broken by comments, so that nobody in between takes the stream for dead', async () => {
    const { streams, listeners } = open(async () => nothing)
    const reader = (await streams.follow(session, { seq: 0, forgottenAtStart: 0 })).getReader()
    for (let i = 0; i < 3; i++) expect(new TextDecoder().decode((await reader.read()).value)).toBe(': ping\n\n')
    await reader.cancel()
    expect(listeners.count()).toBe(0)
  })

  test('of changes is not broken by news for a subscriber of changes alone', async () => {
    const change = { seq: 1, type: 'note', id: 'x', op: 'upsert' as const, revision: 1, changed_at: '' }
    let items: (typeof change)[] = []
    const { streams, listeners } = open(async () => ({ ...nothing, items: items.splice(0) as [] }), 100_000)
    const subscription = await streams.subscribe(session)
    const next = subscription.next()
    for (let i = 0; i < 3; i++) {
      listeners.sendNews(session.workspace.id, { event: 'import', id: 'y', data: {} })
      await setImmediate()
    }
    items = [change]
    listeners.notify(session.workspace.id)
    expect(await next).toEqual([change])
    streams.end()
    expect(await subscription.next()).toBeNull()
    expect(listeners.count()).toBe(0)
  })

  test('a database that fails ends the stream, which the log tells, and the client comes again', async () => {
    let reads = 0
    const { streams, errors, listeners } = open(async () => {
      if (++reads > 2) throw new Error('gone')
      return nothing
    })
    const reader = (await streams.follow(session, { seq: 0, forgottenAtStart: 0 })).getReader()
    await reader.read()
    expect((await reader.read()).done).toBe(true)
    expect(errors).toEqual(['a stream of changes failed'])
    expect(listeners.count()).toBe(0)
  })
})
