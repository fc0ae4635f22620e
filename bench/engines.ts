/** Satchel on PostgreSQL and Redis beside Satchel on SQLite. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { RedisClient, SQL } from 'bun'
import { type Engine, findPostgres, findRedis, startPostgres, startRedis } from '../test/support/engines'
import { makeKey } from '../test/support/keys'
import { load, type Side } from './against'
import { type Effort, type Figure, median, NotMeasured, type Row, spread } from './figures'
import { processorSeconds } from './proc'
import { get, NOTE, post } from './requests'
import { freePort, SATCHEL, type Server, start, startSatchel, withNotes } from './server'

/** Of the note that is read, and of the deck of all cards. */
const ID = '0190d5f0-0000-7000-8000-000000000001'
const TASK = { title: 'Water the plants', due: { date: '2030-01-05' }, labels: ['garden'] }
const DECK = { id: ID, name: 'Garden' }
const FACT = { type: 'basic', deck_id: ID, front: 'What do the plants need?', back: 'Water, each Saturday' }
const GET_NOTE = get(`/api/notes/${ID}`)
const POST_NOTE = post('/api/notes', NOTE)
/** Times of SQLite's that a read on PostgreSQL may take, and the questions that a new note may ask one after the other. */
const TIMES = 2
const ROUND_TRIPS = 8

/** With twenty notes, of which one has a known id. */
const filled = (starting: Promise<Server>) =>
  withNotes(
    starting,
    Array.from({ length: 20 }, (_, i) => (i === 0 ? { ...NOTE, id: ID } : NOTE)),
  )

/** PostgreSQL and Redis, both with what is acknowledged on disk, as SQLite has it. */
interface Engines {
  readonly database: Engine
  readonly counters: Engine
}

async function withEngines(work: (engines: Engines) => Promise<Figure>): Promise<Figure> {
  try {
    findPostgres()
    findRedis()
  } catch (error) {
    throw new NotMeasured(Error.isError(error) ? error.message : String(error))
  }
  const settings = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', autovacuum: 'on' }
  await using database = await startPostgres({ settings })
  await using counters = await startRedis({ settings: { appendonly: 'yes' } })
  return await work({ database, counters })
}

/** A process of Satchel on the engines; `database` is another address of PostgreSQL. */
const startOn = ({ database, counters }: Engines, url = database.url) =>
  start({
    ...SATCHEL,
    settings: { ...SATCHEL.settings, DATABASE_URL: url, REDIS_URL: counters.url, SATCHEL_SECRET: 'ab'.repeat(32) },
  })

/** Seconds of the processor of PostgreSQL with all its backends, and of Redis. */
function enginesSeconds({ database, counters }: Engines): number {
  const backends = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === database.pid)
  return [database.pid, counters.pid, ...backends.map(Number)].reduce((sum, pid) => sum + processorSeconds(pid), 0)
}

function parentOf(pid: string): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])
  } catch {
    // It has ended meanwhile.
    return null
  }
}

/** How long answers of PostgreSQL take in addition while round trips are counted, in milliseconds: what is sent meanwhile did not wait. */
const ANSWER_MS = 5

/** A way to PostgreSQL that counts how often somebody asks and then waits: what is sent together counts once. */
async function countingProxy(url: string): Promise<{ url: string; waits: () => number; close: () => void }> {
  const { hostname: host, port: target } = new URL(url)
  let waits = 0
  const sockets = new Set<Socket>()
  const listener = createServer({ noDelay: true }, (client) => {
    const server = connect({ port: Number(target), host, noDelay: true })
    let isAsking = false
    client.on('data', () => {
      if (!isAsking) waits++
      isAsking = true
    })
    server.on('data', async (data) => {
      await Bun.sleep(ANSWER_MS)
      isAsking = false
      client.write(data)
    })
    client.pipe(server)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  const port = freePort()
  await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve))
  const own = Object.assign(new URL(url), { port })
  const close = () => {
    listener.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: own.href, waits: () => waits, close }
}

/** How often a request asks PostgreSQL and waits before it is answered. What is indexed after the answer does not count. */
async function roundTrips(engines: Engines, request: Side['request'], { quick }: Effort): Promise<number> {
  const proxy = await countingProxy(engines.database.url)
  const counts: number[] = []
  try {
    const server = await startOn(engines, proxy.url)
    const socket = connect(server.port, '127.0.0.1')
    try {
      // Each connection of the pool learns the statements first.
      for (let i = 0; i < (quick ? 3 : 60); i++) {
        await quiet(proxy.waits)
        const before = proxy.waits()
        socket.write(request(server))
        await once(socket, 'data')
        counts.push(proxy.waits() - before)
      }
    } finally {
      socket.destroy()
      await server.stop()
    }
  } finally {
    proxy.close()
  }
  return median(counts)
}

/** Waits until a count has stayed the same for a while. */
async function quiet(count: () => number): Promise<void> {
  for (let last = -1; last !== count(); await Bun.sleep(100)) last = count()
}

/** One caller who asks one thing after the other: p50 on both in turn, what it costs, and how often PostgreSQL is asked. */
function latencyRow(name: string, request: Side['request'], isReached: (times: number, trips: number) => boolean): Row {
  const target = name.startsWith('GET') ? `p50 ≤ ${TIMES} ×` : `≤ ${ROUND_TRIPS} round trips`
  return {
    name: `${name} on PostgreSQL and Redis against SQLite, one connection`,
    target,
    measure: (effort) =>
      withEngines(async (engines) => {
        const [ours, sqlite] = [await filled(startOn(engines)), await filled(startSatchel())]
        const rounds: { ratio: number; p50: number; satchel: number; engines: number; sqlite: number }[] = []
        try {
          const plan = { name, connections: 1, request }
          for (let round = 0; round <= effort.rounds; round++) {
            const used = enginesSeconds(engines)
            const mine = await load(plan, ours, effort)
            const spent = ((enginesSeconds(engines) - used) / mine.answers) * 1e6
            const theirs = await load(plan, sqlite, effort)
            const ratio = mine.p50 / theirs.p50
            // The first round warms up.
            if (round > 0 || effort.quick)
              rounds.push({ ratio, p50: mine.p50, satchel: mine.server, engines: spent, sqlite: theirs.server })
          }
        } finally {
          await Promise.all([ours.stop(), sqlite.stop()])
        }
        const trips = await roundTrips(engines, request, effort)
        const ratios = rounds.map(({ ratio }) => ratio)
        const middle = (cost: 'satchel' | 'engines' | 'sqlite') => median(rounds.map((one) => one[cost])).toFixed(0)
        return {
          measured:
            `p50 ${spread(ratios, '×', 2)}, ${median(rounds.map(({ p50 }) => p50)).toFixed(2)} ms; ${trips} round trips; ` +
            `${middle('satchel')} µs of processor and ${middle('engines')} of the engines, SQLite ${middle('sqlite')}`,
          reached: isReached(median(ratios), trips),
        }
      }),
  }
}

const processesRow: Row = {
  name: 'GET a note from 2 processes on PostgreSQL against 1, 32 connections in all',
  target: 'as it is',
  measure: (effort) =>
    withEngines(async (engines) => {
      const first = await filled(startOn(engines))
      const second = await startOn(engines)
      const plan = (connections: number) => ({ name: 'processes', connections, request: GET_NOTE })
      const ratios: number[] = []
      try {
        for (let round = 0; round <= effort.rounds; round++) {
          const one = await load(plan(32), first, effort)
          const two = await Promise.all([first, second].map((server) => load(plan(16), server, effort)))
          if (round > 0 || effort.quick)
            ratios.push(two.reduce((sum, { perSecond }) => sum + perSecond, 0) / one.perSecond)
        }
      } finally {
        await Promise.all([first.stop(), second.stop()])
      }
      return { measured: spread(ratios, '×', 2), reached: true }
    }),
}

/** Bytes that all tables with their indexes have, and Redis. */
async function held({ database, counters }: Engines): Promise<{ tables: number; redis: number }> {
  const sql = new SQL({ url: database.url, max: 1 })
  const redis = new RedisClient(counters.url)
  try {
    const [row] = await sql`SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
      WHERE relnamespace = 'satchel'::regnamespace AND relkind = 'r'`
    const info = String(await redis.send('INFO', ['memory']))
    return { tables: row.bytes, redis: Number(/used_memory:(\d+)/.exec(info)?.[1]) }
  } finally {
    redis.close()
    await sql.close()
  }
}

const sizesRow: Row = {
  name: 'What PostgreSQL and Redis keep: bytes of a note of 2 KiB, a task, a card, an answer, and a key',
  target: 'as it is',
  measure: ({ quick }) =>
    withEngines(async (engines) => {
      const server = await startOn(engines)
      const keys = Array.from({ length: quick ? 2 : 200 }, (_, i) => makeKey(100 + i))
      const each = quick ? 2 : 50
      const post = async (key: string, path: string, body: object) => {
        const answer = await fetch(`http://127.0.0.1:${server.port}/api/${path}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
          body: JSON.stringify(body),
        })
        if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}`)
        return await answer.json()
      }
      const empty = await held(engines)
      for (const key of keys) await post(key, 'flashcards/decks', DECK)
      let last = await held(engines)
      /** KiB that each of them adds. */
      const measure = async (make: (key: string) => Promise<unknown>) => {
        for (const key of keys) await Promise.all(Array.from({ length: each }, () => make(key)))
        const before = last
        last = await held(engines)
        return ((last.tables - before.tables) / (keys.length * each) / 1024).toFixed(1)
      }
      const note = { title: NOTE.title, body: NOTE.body.repeat(16).slice(0, 2048) }
      const cards: { readonly key: string; readonly id: string }[] = []
      try {
        const kib = [
          await measure((key) => post(key, 'notes', note)),
          await measure((key) => post(key, 'tasks', TASK)),
          await measure(async (key) => {
            const {
              cards: [card],
            } = await post(key, 'flashcards/facts', FACT)
            cards.push({ key, id: card.id })
          }),
          await measure(async () => {
            const card = cards.pop()
            if (card) await post(card.key, `flashcards/cards/${card.id}/reviews`, { rating: 3 })
          }),
          ((last.redis - empty.redis) / keys.length / 1024).toFixed(1),
        ]
        return { measured: `${kib.join(', ')} KiB`, reached: true }
      } finally {
        await server.stop()
      }
    }),
}

export const engineRows: readonly Row[] = [
  latencyRow('GET a note', GET_NOTE, (times) => times <= TIMES),
  latencyRow('POST a note', POST_NOTE, (_, trips) => trips <= ROUND_TRIPS),
  processesRow,
  sizesRow,
]
