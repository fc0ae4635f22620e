import { afterAll, describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/server'
import type { Session } from '../../src/db/database'
import { createSubscriptions } from '../../src/mcp/subscriptions'
import type { ToolServices } from '../../src/tools/services'
import { createListeners } from '../../src/workspace/processes'
import { createChangeStreams } from '../../src/workspace/stream'
import { listeningWorld, Visitor } from '../support/visitor'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { addNote, ask, Listener, messageOf, noteUri, send } from './messages'

const world = await listeningWorld({ ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '10000' })
afterAll(() => world.close())

const { newcomer } = world

const AGENDA = 'satchel://agenda/today'

/** Watches URIs, and the list if `list`. */
async function listen(me: Visitor, uris: readonly string[], list = false): Promise<Listener> {
  const notifications = {
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
    ...(list && { resourcesListChanged: true }),
  }
  const listener = await Listener.open(me, notifications)
  expect(listener.response.status).toBe(200)
  await listener.until(1)
  expect(listener.told[0]).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications },
  })
  return listener
}

/** Sends requests, each once the listener was told of the one before: of so many resources. */
async function hearSteps(
  me: Visitor,
  listener: Listener,
  each: number,
  steps: readonly [method: string, path: string, body?: unknown][],
): Promise<void> {
  for (const step of steps) {
    const known = listener.told.length
    await send(me, ...step)
    await listener.until(known + each)
  }
}

/**
 * What a listener was told, up to an event that comes after all others: a note of its own title, which must be watched
 * as END.
 */
const END = noteUri('The end')
async function eventsOf(listener: Listener, me: Visitor): Promise<unknown[]> {
  await addNote(me, { title: 'The end' })
  await listener.untilTold((_, uri) => uri === END)
  await listener.cut()
  return listener.events.slice(0, listener.events.indexOf(END))
}

describe('a watched note', () => {
  test('is told of when it changes, is trashed, restored and erased, by the URI that was given', async () => {
    const me = newcomer()
    const { id } = await addNote(me, { title: 'Plan', body: 'a' })
    const uris = [noteUri(id), noteUri('PLAN'), 'satchel://note/Plan']
    const listener = await listen(me, [...uris, END])
    await hearSteps(me, listener, 3, [
      ['PATCH', `/api/notes/${id}`, { body: 'b' }],
      ['DELETE', `/api/notes/${id}`],
      ['POST', `/api/notes/${id}/restore`],
      ['PATCH', `/api/notes/${id}`, { title: 'Renamed' }],
    ])
    expect(listener.events).toEqual([uris, uris, uris, uris].flat())
    // It is called otherwise now, so only its id names it.
    await send(me, 'PATCH', `/api/notes/${id}`, { body: 'c' })
    await send(me, 'DELETE', `/api/notes/${id}?permanent=true`)
    const events = await eventsOf(listener, me)
    expect(new Set(events.slice(12))).toEqual(new Set([noteUri(id)]))
  })

  test('by a title is told of when a note gets the title, and when the one that has it loses it', async () => {
    const me = newcomer()
    const listener = await listen(me, [noteUri('Plan'), END])
    const { id } = await addNote(me, { title: 'Draft' })
    await send(me, 'PATCH', `/api/notes/${id}`, { title: 'plan' })
    await listener.until(2)
    await send(me, 'PATCH', `/api/notes/${id}`, { title: 'Done' })
    await listener.until(3)
    await send(me, 'PATCH', `/api/notes/${id}`, { body: 'x' })
    expect(await eventsOf(listener, me)).toEqual([noteUri('Plan'), noteUri('Plan')])
  })

  test('is not told of when others change', async () => {
    const me = newcomer()
    const { id } = await addNote(me, { title: 'Plan' })
    const other = await addNote(me, { title: 'Other' })
    const listener = await listen(me, [noteUri(id), END])
    await send(me, 'PATCH', `/api/notes/${other.id}`, { title: 'Plan' })
    await send(me, 'POST', '/api/tasks', { title: 'Plan' })
    await send(me, 'PUT', '/api/notes/daily/2026-03-02', { body: 'x' })
    await send(me, 'POST', '/api/flashcards/decks', { name: 'Plan' })
    expect(await eventsOf(listener, me)).toEqual([])
  })

  test('erased at once is told of by its title, too', async () => {
    const me = newcomer()
    const { id } = await addNote(me, { title: 'Plan' })
    const listener = await listen(me, [noteUri('Plan'), END])
    await send(me, 'DELETE', `/api/notes/${id}?permanent=true`)
    expect(await eventsOf(listener, me)).toEqual([noteUri('Plan')])
  })
})

test('a watched day is told of when its note is created, changed, trashed and erased', async () => {
  const me = newcomer()
  const day = 'satchel://daily/2026-03-02'
  const listener = await listen(me, [day, 'satchel://daily/2026-03-03', END])
  const { id } = await send(me, 'PUT', '/api/notes/daily/2026-03-02', { body: 'x' })
  await listener.until(2)
  await hearSteps(me, listener, 1, [
    ['PATCH', `/api/notes/${id}`, { body: 'b' }],
    ['DELETE', `/api/notes/${id}`],
    ['POST', `/api/notes/${id}/restore`],
    ['DELETE', `/api/notes/${id}?permanent=true`],
  ])
  await addNote(me, { title: 'Of no day' })
  expect(await eventsOf(listener, me)).toEqual([day, day, day, day, day])
})

describe('the agenda', () => {
  test('is told of when tasks, projects or the zone change', async () => {
    const me = newcomer()
    const listener = await listen(me, [AGENDA, END])
    const task = await send(me, 'POST', '/api/tasks', { title: 'Pay rent' })
    await listener.until(2)
    await hearSteps(me, listener, 1, [
      ['POST', `/api/tasks/${task.id}/complete`, {}],
      ['POST', '/api/tasks/projects', { name: 'Home' }],
      ['PATCH', '/api/workspace/settings', { time_zone: 'Europe/Lisbon' }],
    ])
    await addNote(me, { title: 'Not in the agenda' })
    await send(me, 'POST', '/api/tasks/labels', { name: 'home' })
    await send(me, 'POST', '/api/flashcards/decks', { name: 'Home' })
    expect(await eventsOf(listener, me)).toEqual([AGENDA, AGENDA, AGENDA, AGENDA])
  })

  test('is told of when a day begins in the zone of the workspace', async () => {
    await using mine = await makeWorld({ settings: MANY_CALLERS })
    const me = new Visitor(mine.listen().slice(0, -1), makeKey(1))
    const [before, after] = [noteUri('Still the same day'), noteUri('Another day')]
    const listener = await listen(me, [AGENDA, before, after, END])
    await send(me, 'PATCH', '/api/workspace/settings', { time_zone: 'America/New_York' })
    await listener.until(2)
    mine.clock.now = Date.parse('2026-03-03T04:59:59.000Z')
    await addNote(me, { title: 'Still the same day' })
    await listener.until(3)
    mine.clock.now = Date.parse('2026-03-03T05:00:00.000Z')
    await addNote(me, { title: 'Another day' })
    await listener.until(5)
    await addNote(me, { title: 'Still that day' })
    expect(await eventsOf(listener, me)).toEqual([AGENDA, before, after, AGENDA])
  })
})

describe('the list', () => {
  test('is told of when a note is created, renamed, archived, trashed, restored or erased', async () => {
    const me = newcomer()
    const listener = await listen(me, [END], true)
    const { id } = await addNote(me, { title: 'Plan' })
    await listener.until(2)
    await hearSteps(me, listener, 1, [
      ['PATCH', `/api/notes/${id}`, { title: 'Renamed' }],
      ['PATCH', `/api/notes/${id}`, { archived_at: '2026-03-01T00:00:00.000Z' }],
      ['DELETE', `/api/notes/${id}`],
      ['POST', `/api/notes/${id}/restore`],
      ['DELETE', `/api/notes/${id}?permanent=true`],
    ])
    expect(await eventsOf(listener, me)).toEqual(['list', 'list', 'list', 'list', 'list', 'list'])
  })

  test('is not told of when the text of a note changes, nor for other resources', async () => {
    const me = newcomer()
    const { id } = await addNote(me, { title: 'Plan' })
    const listener = await listen(me, [END], true)
    for (const body of ['a', 'b', 'c']) await send(me, 'PATCH', `/api/notes/${id}`, { body })
    await send(me, 'PATCH', `/api/notes/${id}`, { tags: ['x'], pinned: true })
    await send(me, 'POST', '/api/tasks', { title: 'Plan' })
    expect(await eventsOf(listener, me)).toEqual([])
  })

  test('is told of only if that was asked for', async () => {
    const me = newcomer()
    const listener = await listen(me, [END])
    await addNote(me, { title: 'Plan' })
    expect(await eventsOf(listener, me)).toEqual([])
  })
})

describe('two keys', () => {
  test('never hear each other, whatever they name', async () => {
    const [me, other] = [newcomer(), newcomer()]
    const mine = await addNote(me, { title: 'Plan' })
    const foreign = await addNote(other, { title: 'Plan' })
    const uris = [mine.id, foreign.id, 'Plan'].map(noteUri)
    const listener = await listen(me, [...uris, AGENDA, 'satchel://daily/2026-03-02', END], true)
    await send(other, 'PATCH', `/api/notes/${foreign.id}`, { body: 'x' })
    await send(other, 'PATCH', `/api/notes/${foreign.id}`, { title: 'Other plan' })
    await send(other, 'PUT', '/api/notes/daily/2026-03-02', { body: 'x' })
    await send(other, 'POST', '/api/tasks', { title: 'x' })
    await send(other, 'DELETE', `/api/notes/${foreign.id}?permanent=true`)
    await send(other, 'DELETE', '/api/workspace?confirm=erase')
    expect(await eventsOf(listener, me)).toEqual([])
  })

  test('each hear their own note of one title', async () => {
    const callers = [newcomer(), newcomer(), new Visitor(world.base)]
    const listeners = await Promise.all(callers.map((one) => listen(one, [noteUri('Plan'), END])))
    for (const one of callers.slice(1)) await addNote(one, { title: 'Plan' })
    const told = await Promise.all(callers.map((one, i) => eventsOf(listeners[i] as Listener, one)))
    expect(told).toEqual([[], [noteUri('Plan')], [noteUri('Plan')]])
  })
})

describe('the limits of streams', () => {
  test('are shared with the stream of changes: ten of a workspace', async () => {
    const me = newcomer()
    const listeners = await Promise.all(Array.from({ length: 9 }, () => listen(me, [AGENDA])))
    const changes = await me.send({ path: '/api/changes/stream' })
    expect(changes.status).toBe(200)
    const message = messageOf('modern', 'subscriptions/listen', { notifications: { resourcesListChanged: true } }, 'x')
    const open = () => me.send({ method: 'POST', path: '/api/mcp', ...message })
    const refused = await open()
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ id: 'x', error: { data: { code: 'too_many_streams' } } })
    expect((await me.send({ path: '/api/changes/stream' })).status).toBe(429)
    // Others have streams of their own.
    await (await listen(newcomer(), [AGENDA])).cut()
    await changes.body?.cancel()
    await expectRoom(open)
    await listeners[0]?.cut()
    await expectRoom(open)
    await Promise.all(listeners.map((one) => one.cut()))
  })

  /** Asks until there is room: the server hears of a closed connection a little later. */
  async function expectRoom(open: () => Promise<Response>): Promise<void> {
    let status = 429
    for (let i = 0; i < 1000 && status === 429; i++) {
      const response = await open()
      status = response.status
      await response.body?.cancel()
    }
    expect(status).toBe(200)
  }

  test('hold for URIs, too: at most 200', async () => {
    const me = newcomer()
    const uris = (length: number) => Array.from({ length }, (_, i) => noteUri(`Note ${i}`))
    const refused = await Listener.open(me, { resourceSubscriptions: uris(201) })
    expect(refused.response.status).toBe(400)
    const listener = await listen(me, uris(200))
    await addNote(me, { title: 'Note 199' })
    await listener.until(2)
    expect(listener.events).toEqual([noteUri('Note 199')])
    await listener.cut()
  })
})

describe('the end', () => {
  test('comes with the result when the server stops, and no subscription begins after it', async () => {
    await using mortal = await makeWorld({ settings: MANY_CALLERS })
    const me = new Visitor(mortal.listen().slice(0, -1), makeKey(1))
    const listener = await listen(me, [AGENDA], true)
    mortal.endStreams()
    await listener.until(9)
    expect(listener.isDone).toBe(true)
    expect(listener.told.slice(1)).toMatchObject([{ id: 'sub', result: { resultType: 'complete' } }])
    const late = await Listener.open(me, { resourcesListChanged: true })
    expect(late.response.status).toBe(503)
  })

  test('comes when the workspace is erased', async () => {
    const me = newcomer()
    await addNote(me, { title: 'Plan' })
    const listener = await listen(me, [AGENDA, noteUri('Plan')], true)
    await send(me, 'DELETE', '/api/workspace?confirm=erase')
    await listener.until(99)
    expect(listener.isDone).toBe(true)
    expect(listener.told.at(-1)).toMatchObject({ id: 'sub', result: { resultType: 'complete' } })
    expect(listener.events).toEqual([])
  })

  test('comes at once if nothing of what was asked for exists', async () => {
    const me = newcomer()
    for (const notifications of [
      {},
      { toolsListChanged: true },
      { promptsListChanged: true, resourceSubscriptions: [] },
    ]) {
      const listener = await (await Listener.open(me, notifications)).until(9)
      expect(listener.isDone).toBe(true)
      expect(listener.told).toMatchObject([{ params: { notifications: {} } }, { result: { resultType: 'complete' } }])
    }
  })
})

test('a client that does not read is not remembered by: once it reads, each resource is told of once', async () => {
  const me = newcomer()
  const { id } = await addNote(me, { title: 'Plan' })
  const message = messageOf('modern', 'subscriptions/listen', {
    notifications: { resourceSubscriptions: [noteUri(id), END], resourcesListChanged: true },
  })
  const request = new Request('http://localhost/api/mcp', {
    method: 'POST',
    headers: { ...message.headers, 'X-API-Key': me.key ?? '', 'Content-Type': 'application/json' },
    body: JSON.stringify(message.body),
  })
  // Without a socket, nothing reads before the test does.
  const listener = new Listener(await world.app.handle(request))
  for (let i = 0; i < 300; i++) await send(me, 'PATCH', `/api/notes/${id}`, { title: `Plan ${i}` })
  expect(await eventsOf(listener, me)).toEqual([noteUri(id)])
})

describe('silence', () => {
  const session = { workspace: { id: 'a' } } as unknown as Session
  const nothing = { items: [], forgottenAtStart: 0, latest_seq: 0 }

  /** Listens to the agenda, with comments after each millisecond of silence. */
  function prepare(changes: () => Promise<typeof nothing>, readZone: () => Promise<string>) {
    const errors: string[] = []
    const log = { error: (_: object, text: string) => void errors.push(text) }
    const clock = { now: Date.parse('2026-03-02T12:00:00.000Z') }
    const listeners = createListeners()
    const streams = createChangeStreams({ changes, listeners, log, pingMs: 1 })
    const subscriptions = createSubscriptions({
      ...{ log, now: () => clock.now, readZone, subscribe: streams.subscribe },
      notes: {} as ToolServices['notes'],
    })
    const { headers, body } = messageOf('modern', 'subscriptions/listen', {
      notifications: { resourceSubscriptions: [AGENDA] },
    })
    const aborter = new AbortController()
    const sent = {
      ...{ method: 'POST', signal: aborter.signal },
      headers: { ...headers, 'Content-Type': 'application/json' },
    }
    const listenTo = () =>
      subscriptions.listen({
        ...{ session, body, request: new Request('http://localhost/api/mcp', sent), note: () => {} },
        factory: () => new Server({ name: 'x', version: '1' }, { capabilities: { resources: { subscribe: true } } }),
      })
    return { listenTo, aborter, clock, errors, count: () => listeners.count() }
  }

  async function open(changes: () => Promise<typeof nothing> = async () => nothing) {
    const prepared = prepare(changes, async () => 'Asia/Tokyo')
    return { ...prepared, listener: await new Listener(await prepared.listenTo()).until(1) }
  }

  test('of a client that is gone frees its stream, also if nobody reads', async () => {
    const { listenTo, aborter, count } = prepare(
      async () => nothing,
      async () => 'UTC',
    )
    await listenTo()
    expect(count()).toBe(1)
    aborter.abort()
    for (let i = 0; i < 100 && count() > 0; i++) await setImmediate()
    expect(count()).toBe(0)
  })

  test('of a database that fails at the beginning is an error, and leaves no stream', async () => {
    const { listenTo, count } = prepare(
      async () => nothing,
      () => Promise.reject(new Error('gone')),
    )
    await expect(listenTo()).rejects.toThrow('gone')
    expect(count()).toBe(0)
  })

  test('is broken by comments, and by the next day', async () => {
    const { listener, clock, count } = await open()
    while (listener.comments < 3) await listener.readOnce()
    expect([listener.events, count()]).toEqual([[], 1])
    clock.now = Date.parse('2026-03-02T15:00:00.000Z')
    await listener.until(2)
    expect(listener.events).toEqual([AGENDA])
    await listener.cut()
    expect(count()).toBe(0)
  })

  test('of a database that fails is an end, of which the log tells', async () => {
    let reads = 0
    const { listener, errors, count } = await open(async () => {
      if (++reads > 2) throw new Error('gone')
      return nothing
    })
    await listener.until(9)
    expect(listener.told.slice(1)).toMatchObject([{ result: { resultType: 'complete' } }])
    expect([errors, count()]).toEqual([['a stream of changes failed'], 0])
  })
})

describe('a request that is wrong', () => {
  test.each([
    [{}],
    [{ notifications: 1 }],
    [{ notifications: { resourceSubscriptions: 'x' } }],
    [{ notifications: null }],
  ])('%j is refused, and opens no stream', async (params) => {
    const me = newcomer()
    for (let i = 0; i < 12; i++) expect((await ask(me, 'subscriptions/listen', params)).error?.code).toBe(-32602)
  })

  test('of an older revision has no such method', async () => {
    const me = newcomer()
    const { error } = await ask(me, 'subscriptions/listen', { notifications: {} }, { era: 'legacy' })
    expect(error.code).toBe(-32601)
    const { result } = await ask(
      me,
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      { era: 'legacy' },
    )
    expect(result.capabilities.resources).toEqual({})
    expect((await ask(me, 'resources/subscribe', { uri: AGENDA }, { era: 'legacy' })).error.code).toBe(-32601)
  })
})
