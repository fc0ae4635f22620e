import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Queries } from '../../src/db/database'
import { MODEL_PATHS } from '../../src/features/chat'
import { STUDY_EXPORT_PATH } from '../../src/features/flashcards'
import { ANSWER_MS } from '../../src/http/request'
import { makeTimers } from '../imports/timers'
import { spent } from '../support/cost'
import { ON_POSTGRES } from '../support/database'
import { onSqlite } from '../support/full'
import { type Answer, makeKey, makeWorld } from '../support/world'

/** Each request under /api is answered in time, and what would take longer is stopped. The tests say what time it is. */

const KEY = makeKey(1)
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function open() {
  const { timer, pass, waiting, waits } = makeTimers()
  const world = await makeWorld({ timer })
  closers.push(world.close)
  const { db } = world

  /** Keeps the one writer busy until the returned function is called, so that all others wait in line. */
  async function holdWriter(): Promise<() => void> {
    const { promise: freed, resolve: free } = Promise.withResolvers<void>()
    const { promise: held, resolve: hold } = Promise.withResolvers<void>()
    const done = db.transaction(async () => {
      hold()
      await freed
    })
    await held
    const release = () => {
      free()
      return done
    }
    closers.push(release)
    return release
  }

  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    world.call({ key: KEY }, method, path, body, headers)
  /** How many notes are stored. */
  const count = async () => (await call('GET', '/api/notes')).body.items.length
  /** Resolves when a body is read, which has a time limit beside that of the answer. */
  const bodyIsRead = async () => {
    while (waiting() < 2) await setImmediate()
  }
  /** Resolves when these time limits, and no others, run: the milliseconds that they have left, ascending. */
  const waitsAre = async (...left: number[]) => {
    while (!Bun.deepEquals(waits(), left)) await setImmediate()
  }
  return { ...world, pass, waiting, waitsAre, settle: () => settle(db), holdWriter, call, count, bodyIsRead }
}

/** Lets everything happen that needs no more time. */
async function settle(db: Pick<Queries, 'all'>): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet++) {
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    if (ON_POSTGRES && (await db.all(RUNNING)).length > 0) quiet = -1
  }
}

/** What other connections to PostgreSQL are at, but for those that wait for a lock. */
const RUNNING = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND state = 'active' AND wait_event_type IS DISTINCT FROM 'Lock'`

/** Whether a promise is settled. */
function watch(promise: Promise<unknown>): { readonly isSettled: () => boolean } {
  let isSettled = false
  const note = () => {
    isSettled = true
  }
  promise.then(note, note)
  return { isSettled: () => isSettled }
}

function expectStopped({ status, headers, body }: Answer, detail = 'was stopped'): void {
  expect([status, body.code, headers.get('Retry-After')]).toEqual([503, 'unavailable', '5'])
  expect(body.detail).toContain(detail)
  expect(body.detail).toContain('Nothing was changed')
  expect([headers.get('X-Tier'), headers.get('X-RateLimit-Limit')]).toEqual(['api', '1000'])
  expect(headers.get('X-RateLimit-Remaining')).toMatch(/^\d+$/)
}

const NOTE = { title: 'Late', body: 'b' }

describe('a change that waits for the writer', () => {
  test('is made when its turn comes just in time', async () => {
    const { call, pass, settle, holdWriter, count } = await open()
    const release = await holdWriter()
    const answer = call('POST', '/api/notes', NOTE)
    await settle()
    pass(ANSWER_MS - 1)
    expect(ANSWER_MS).toBeLessThan(25_000)
    release()
    expect((await answer).status).toBe(201)
    expect(await count()).toBe(1)
  })

  test.each<[string, string, string, unknown]>([
    ['a new note', 'POST', '/api/notes', NOTE],
    ['a batch', 'POST', '/api/notes/batch', { ops: [{ op: 'create', data: NOTE }] }],
    ['a call of an agent', 'POST', '/api/mcp', toolCall('create_note', NOTE)],
    ['a deck', 'POST', '/api/flashcards/decks', { name: 'Late' }],
    ['erasing the workspace', 'DELETE', '/api/workspace', { confirm: 'erase' }],
    ['settings', 'PATCH', '/api/workspace/settings', { time_zone: 'Europe/Berlin' }],
  ])('is refused when the time is over, and is not made later: %s', async (_, method, path, body) => {
    const { call, db, pass, settle, holdWriter, logged } = await open()
    const before = (await call('POST', '/api/notes', { title: 'Before' })).body
    const release = await holdWriter()
    const answer = call(method, path, body)
    await settle()
    pass(ANSWER_MS)
    const { status, headers } = await answer
    expect([status, headers.get('Retry-After'), headers.get('X-Tier')]).toEqual([503, '5', 'api'])
    await release()
    await db.transaction(async () => {})
    const { items } = (await call('GET', '/api/changes?since=0')).body
    expect(items.map(({ id }: { id: string }) => id)).toEqual([before.id])
    expect(logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('is refused with the error object, and done once by a repeat with its Idempotency-Key', async () => {
    const { call, pass, settle, holdWriter, count } = await open()
    const release = await holdWriter()
    const send = () => call('POST', '/api/notes', NOTE, { 'Idempotency-Key': 'one' })
    const answer = send()
    await settle()
    pass(ANSWER_MS)
    expectStopped(await answer)
    await release()
    const repeats = [await send(), await send()]
    expect(repeats.map(({ status }) => status)).toEqual([201, 201])
    expect(repeats.map(({ headers }) => headers.has('Idempotency-Replayed'))).toEqual([false, true])
    expect(await count()).toBe(1)
  })

  test('is not made for a caller who has disconnected', async () => {
    const { listen, db, settle, holdWriter, count } = await open()
    const url = listen()
    const release = await holdWriter()
    const leaving = new AbortController()
    const sent = { method: 'POST', body: JSON.stringify(NOTE), signal: leaving.signal }
    const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' }
    const left = fetch(`${url}api/notes`, { ...sent, headers })
    // A request that came later is answered by the time the first one waits in line.
    expect((await fetch(`${url}api/notes`, { headers: { 'X-API-Key': KEY } })).status).toBe(200)
    await settle()
    leaving.abort()
    expect(left).rejects.toThrow()
    for (let n = 0; n < 20; n++) await (await fetch(`${url}healthz`)).text()
    await release()
    await db.transaction(async () => {})
    expect(await count()).toBe(0)
  })
})

describe('HTML', () => {
  const SEVERAL = Array.from({ length: 12 }, (_, n) => n)

  /** Makes hostile sources, which take seconds of the processor's time, and one that is not. Returns their paths. */
  type MakeSources = (call: Awaited<ReturnType<typeof open>>['call']) => Promise<{ hostile: string[]; plain: string }>

  const notes: MakeSources = async (call) => {
    const make = async (body: string) =>
      `/api/notes/${(await call('POST', '/api/notes', { title: 'n', body })).body.id}`
    const hostile = SEVERAL.map((n) => make('*a* '.repeat(2 ** 17).slice(n)))
    return { hostile: await Promise.all(hostile), plain: await make('*a*') }
  }
  const cards: MakeSources = async (call) => {
    const deck = (await call('POST', '/api/flashcards/decks', { name: 'Deck' })).body
    const make = async (back: string) => {
      const fact = { deck_id: deck.id, type: 'basic', front: 'f', back }
      const { body } = await call('POST', '/api/flashcards/facts', fact)
      return `/api/flashcards/cards/${body.cards[0].id}?render=html`
    }
    const hostile = SEVERAL.map((n) => make('> '.repeat(9980 + n)))
    return { hostile: await Promise.all(hostile), plain: await make('*a*') }
  }

  test.each<[string, MakeSources]>([
    ['notes', notes],
    ['cards', cards],
  ])('of %s is not rendered any longer when the time is over, by the worker or in its line', async (_, make) => {
    const { call, pass, settle } = await open()
    const { hostile, plain } = await make(call)
    const [first = '', ...others] = hostile
    const render = (path: string) => call('GET', path, undefined, { Accept: path.includes('?') ? '*/*' : 'text/html' })
    const { ms: costOfOne } = await spent(() => render(first))
    const answers = others.map(render)
    await settle()
    pass(ANSWER_MS)
    for (const answer of answers) expectStopped(await answer)
    const { ms, value } = await spent(() => render(plain))
    expect([value.status, value.body.answer_html ?? value.body]).toEqual([200, expect.stringContaining('<em>a</em>')])
    // The others would have been rendered before it.
    expect(ms).toBeLessThan((others.length / 2) * costOfOne)
  })
})

describe('a body that arrives slowly', () => {
  const head = `POST /api/notes HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nContent-Type: application/json\r\n`
  const json = JSON.stringify(NOTE)

  type Time = Pick<Awaited<ReturnType<typeof open>>, 'pass' | 'bodyIsRead'>

  /** Sends a body in parts, and lets `ms` pass after each, until it is answered. */
  async function trickle(
    url: string,
    { pass, bodyIsRead }: Time,
    ms: number,
    parts: readonly string[],
    length: number,
  ) {
    const { hostname, port } = new URL(url)
    const { promise: answered, resolve } = Promise.withResolvers<string>()
    const data = (_: unknown, chunk: Buffer) => resolve(String(chunk))
    const close = () => resolve('')
    const socket = await Bun.connect({ hostname, port: Number(port), socket: { data, close } })
    const { isSettled } = watch(answered)
    socket.write(`${head}Content-Length: ${length}\r\n\r\n`)
    await bodyIsRead()
    for (const part of parts) {
      if (isSettled()) break
      socket.write(part)
      // What was sent has arrived when what another sends later is answered.
      for (let n = 0; n < 3; n++) await (await fetch(`${url}healthz`)).text()
      pass(ms)
    }
    const text = await answered
    socket.end()
    return text
  }

  test('may take longer than an answer, as long as it goes on', async () => {
    const { listen, count, ...time } = await open()
    const text = await trickle(listen(), time, ANSWER_MS - 1, [...json].slice(0, 4).concat(json.slice(4)), json.length)
    expect(text).toStartWith('HTTP/1.1 201')
    expect(await count()).toBe(1)
  })

  test.each<[string, number, number]>([
    ['that stops', ANSWER_MS, 1],
    ['that takes minutes in all', ANSWER_MS - 1, 1000],
  ])('is answered with 503 and the headers: one %s', async (_, ms, count) => {
    const { listen, count: countNotes, ...time } = await open()
    const text = await trickle(listen(), time, ms, Array(count).fill(' '), 2000)
    expect(text).toStartWith('HTTP/1.1 503')
    for (const header of ['Retry-After: 5', 'X-Tier: api', 'X-RateLimit-Limit: 1000', 'X-RateLimit-Remaining: '])
      expect(text.toLowerCase()).toContain(header.toLowerCase())
    expect(text).toContain('The body took too long to arrive. Nothing was changed.')
    expect(await countNotes()).toBe(0)
  })

  test('leaves nothing of an attachment of which a part is stored already', async () => {
    const { app, pass, settle, db, call } = await open()
    await call('POST', '/api/notes', NOTE)
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/zip' }
    const sent = { method: 'POST', headers, body: readable }
    const answer = app.handle(new Request('http://localhost/api/notes/attachments?name=a.bin', sent))
    const staged = () => db.all('SELECT key FROM blobs WHERE size_bytes > 0')
    while ((await staged()).length === 0) {
      await writer.write(new Uint8Array(64 * 1024))
      await setImmediate()
    }
    await settle()
    pass(ANSWER_MS)
    const response = await answer
    expectStopped({ status: response.status, headers: response.headers, body: await response.json() }, 'too long')
    while ((await staged()).length > 0) await setImmediate()
  })
})

describe('an import', () => {
  /** Sends a note as a file. `hold` keeps the writer busy from the moment at which so many runs have begun. */
  async function begin({ call, db, holdWriter }: Awaited<ReturnType<typeof open>>, runs: number) {
    const answer = call('POST', '/api/notes/import', `# ${runs}`, { 'Content-Type': 'text/markdown' })
    const hold = async () => {
      for (;;) {
        // Always next in line, so that no run gets further than its first transaction.
        const release = await holdWriter()
        if ((await db.all('SELECT id FROM import_runs')).length >= runs) return release
        await release()
      }
    }
    return { answer, hold }
  }

  // On PostgreSQL transactions do not always run in the order in which they were begun.
  onSqlite('that waited in line is answered with 202 by then, and goes on', async () => {
    const world = await open()
    const first = await begin(world, 1)
    const release = await first.hold()
    const second = await begin(world, 2)
    const { isSettled } = watch(second.answer)
    // The first waits for its run and the second for its turn, 20 s each, beside the time limits of both answers.
    await world.waitsAre(20_000, 20_000, ANSWER_MS, ANSWER_MS)
    world.pass(ANSWER_MS - 5000)
    release()
    const releaseSecond = await second.hold()
    // The first has its answer; the second waits for its run, which has begun.
    await world.waitsAre(5000, 20_000)
    world.pass(4999)
    await world.settle()
    expect(isSettled()).toBe(false)
    world.pass(1)
    const { status, headers } = await second.answer
    expect(status).toBe(202)
    releaseSecond()
    expect((await first.answer).status).toBe(200)
    // Asked of the database: requests that ask for long on a busy machine would use up the hour's.
    while ((await world.db.all("SELECT id FROM import_runs WHERE state = 'done'")).length < 2) await setImmediate()
    expect((await world.call('GET', headers.get('Location') ?? '')).body.state).toBe('done')
    expect(await world.count()).toBe(2)
  })

  test('that waited for its turn to arrive has as long for its file as any other', async () => {
    const { app, pass, waiting } = await open()
    const headers = { 'X-API-Key': KEY, 'Content-Type': 'text/markdown' }
    const send = () => {
      const { readable: body, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const answer = app.handle(new Request('http://localhost/api/notes/import', { method: 'POST', headers, body }))
      return { answer, writer: writable.getWriter() }
    }
    const waitFor = async (timers: number) => {
      while (waiting() !== timers) await setImmediate()
    }
    const first = send()
    // The time limits between two chunks, and of the whole file.
    await waitFor(2)
    const second = send()
    // Those of the second answer and of its wait as well; then the two of the second alone.
    for (const [{ answer, writer }, timers] of [
      [first, 4],
      [second, 2],
    ] as const) {
      await waitFor(timers)
      pass(19_999)
      await writer.write(Buffer.from('a'))
      await writer.close()
      expect((await answer).status).toBe(200)
    }
  })

  test('whose run has not begun when the time is over is refused, and leaves no file', async () => {
    const world = await open()
    const release = await world.holdWriter()
    const { answer } = await begin(world, 1)
    const sizeOf = (path: string) => Bun.file(join(world.folder, path)).size
    while (![...new Bun.Glob('imports/*/*').scanSync(world.folder)].some(sizeOf)) await setImmediate()
    // The file has arrived: only the answer has a time limit.
    await world.waitsAre(ANSWER_MS)
    await world.settle()
    world.pass(ANSWER_MS)
    expectStopped(await answer)
    await release()
    await world.db.transaction(async () => {})
    expect(await world.db.all('SELECT id FROM import_runs')).toEqual([])
    while (readdirSync(join(world.folder, 'imports')).length > 0) await setImmediate()
    expect(await world.count()).toBe(0)
  })
})

describe('what may take longer', () => {
  test('has what sets its own limits: models, and the export built as a whole', () => {
    expect([...MODEL_PATHS, STUDY_EXPORT_PATH].toSorted()).toEqual([
      '/api/chat',
      '/api/embed',
      '/api/embeddings',
      '/api/flashcards/export',
      '/api/generate',
      '/api/openai/chat/completions',
      '/api/openai/embeddings',
      '/api/openai/v1/chat/completions',
      '/api/openai/v1/embeddings',
    ])
  })

  test('is answered after any time', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: told, resolve: tell } = Promise.withResolvers<void>()
    const model = Bun.serve({
      port: 0,
      idleTimeout: 0,
      async fetch() {
        ask()
        await told
        const message = { role: 'assistant', content: 'At last.' }
        return Response.json({ choices: [{ message, finish_reason: 'stop' }] })
      },
    })
    closers.push(() => model.stop(true))
    const { timer, pass } = makeTimers()
    const settings = { CHAT_BASE_URL: `${model.url}v1`, CHAT_MODEL: 'slow' }
    const world = await makeWorld({ timer, settings })
    closers.push(world.close)
    const messages = [{ role: 'user', content: 'hello' }]
    const answer = world.call({ key: KEY }, 'POST', '/api/chat', { messages, model: 'slow' })
    await asked
    pass(2 * ANSWER_MS)
    await settle(world.db)
    tell()
    const { status, body } = await answer
    expect([status, body.message.content]).toEqual([200, 'At last.'])
  })
})

function toolCall(name: string, args: object) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
}
