import { afterAll, beforeAll, expect, test } from 'bun:test'
import { PostgresDatabase } from '../../src/db/postgres/postgres'
import { type Cluster, startCluster } from '../support/cluster'
import { FULL } from '../support/full'
import { makeKey } from '../support/keys'
import { contradictionsIn } from '../support/recount'
import { MixedWriter } from '../torture/mixed-writer'
import { chance } from '../torture/row'

/** Three processes behind HAProxy under load, while each of them and both engines go and come back. */

const PROCESSES = 3
const SEED = Number(process.env.TORTURE_SEED ?? Math.floor(Math.random() * 1e9))
/** Answers between two faults. */
const ANSWERS = 20

let cluster: Cluster
beforeAll(async () => {
  // What Redis has counted is there after its restart.
  cluster = await startCluster(PROCESSES, {}, { appendonly: 'yes', appendfsync: 'always' })
})
afterAll(() => cluster.stop())

/** Asks through HAProxy. */
const ask = (path: string, key: string, init: RequestInit = {}) =>
  fetch(`${cluster.url}${path}`, { ...init, headers: { 'X-API-Key': key, ...init.headers } })

/** Calls until it succeeds. A try that gets no answer, or one of 502 to 504, is none. */
async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Fault) throw error
    }
  }
}

class Fault extends Error {}

interface Change {
  readonly type: string
  readonly id: string
  readonly seq: number
}

/** Reads the feed from a place to its end. */
async function readFeed(key: string, since: number): Promise<Change[]> {
  const all: Change[] = []
  for (;;) {
    const items = await persistently(async () => {
      const response = await ask(`/api/changes?since=${all.at(-1)?.seq ?? since}&limit=200`, key)
      if (response.status >= 502) throw new Error('away')
      if (!response.ok) throw new Fault(`the feed: ${response.status} ${await response.text()}`)
      return ((await response.json()) as { items: Change[] }).items
    })
    if (items.length === 0) return all
    all.push(...items)
  }
}

/** Counts the answers of the writers for those who wait for some. */
class Answers {
  #count = 0
  #waiting: { readonly from: number; readonly resolve: () => void }[] = []

  tell(): void {
    this.#count++
    const due = this.#waiting.filter(({ from }) => from <= this.#count)
    this.#waiting = this.#waiting.filter(({ from }) => from > this.#count)
    for (const { resolve } of due) resolve()
  }

  /** Resolves after so many more, or at the end. */
  after(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.areOver) resolve()
    this.#waiting.push({ from: this.#count + count, resolve })
    return promise
  }

  get areOver(): boolean {
    return this.#count === Number.POSITIVE_INFINITY
  }

  end(): void {
    this.#count = Number.POSITIVE_INFINITY
    this.tell()
  }
}

/** Creates notes, each sent with one Idempotency-Key until it is acknowledged. */
class Persistent {
  readonly titles: string[] = []

  constructor(
    readonly key: string,
    readonly number: number,
  ) {}

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const title = `once-${this.number}-${this.titles.length}`
      await persistently(async () => {
        const response = await ask('/api/notes', this.key, {
          method: 'POST',
          headers: { 'Idempotency-Key': title, 'Content-Type': 'application/json' },
          body: JSON.stringify({ title }),
        })
        const text = await response.text()
        if (response.status >= 502) {
          if (response.status === 503 && text.startsWith('{') && !response.headers.has('x-tier'))
            throw new Fault(`503 without the headers: ${text}`)
          throw new Error('away')
        }
        if (response.status !== 201) throw new Fault(`${title}: ${response.status} ${text}`)
      })
      this.titles.push(title)
    }
  }
}

/** Follows the feed as a client does: never from before what it has seen. */
async function follow(key: string, answers: Answers): Promise<Map<string, number>> {
  const seen = new Map<string, number>()
  let since = 0
  for (let last = false; ; ) {
    for (const { type, id, seq } of await readFeed(key, since)) {
      expect(seq).toBeGreaterThan(since)
      seen.set(`${type} ${id}`, seq)
      since = seq
    }
    if (last) return seen
    await answers.after(5)
    last = answers.areOver
  }
}

/** Changes things, and sees after each outage that nothing is lost. */
async function writeOn(writer: MixedWriter, answers: Answers, lost: string[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      await writer.write(cluster.url)
      answers.tell()
    } catch {
      // A change of the same workspace waits for one that a dead process may have left behind.
      await persistently(async () => {
        const headers = { 'Content-Type': 'application/json' }
        const response = await ask('/api/notes', writer.key, { method: 'POST', headers, body: '{"title":"After it"}' })
        if (response.status !== 201) throw new Error('away')
      })
      lost.push(...(await persistently(() => writer.losses(cluster.url))))
    }
  }
}

/** What goes and comes back, one after the other; in the quick run one of each kind. */
function listFaults(answers: Answers): (() => Promise<void>)[] {
  const { database, counters, servers } = cluster
  return [
    ...Array.from({ length: FULL ? PROCESSES : 1 }, (_, place) => async () => {
      await servers[place]?.stop('SIGKILL')
      await answers.after(15)
      await cluster.restart(place)
    }),
    ...(FULL ? [() => database.restart()] : []),
    async () => {
      await database.kill()
      await database.restart()
    },
    () => counters.restart(),
  ]
}

/** Each acknowledged note is there once, and all that is counted is counted right. */
async function expectSound(acknowledged: string[]): Promise<void> {
  const db = new PostgresDatabase(cluster.database.url)
  try {
    const titles = await db.all<{ title: string }>("SELECT title FROM notes WHERE title LIKE 'once-%' ORDER BY title")
    expect(titles.map(({ title }) => title).toSorted()).toEqual(acknowledged)
    expect(await contradictionsIn(db)).toEqual([])
    const ends = await db.all(
      'SELECT id FROM workspaces WHERE seq <> (SELECT max(seq) FROM changes WHERE workspace = id)',
    )
    expect(ends).toEqual([])
  } finally {
    await db.close()
  }
}

const bySeq = (feed: Map<string, number> = new Map()) => [...feed].toSorted(([, one], [, other]) => one - other)

/** The seed is in the name: `TORTURE_SEED` chooses it again. */
test(`whatever is killed under load, what was acknowledged is there, once and in order (seed ${SEED})`, async () => {
  const random = chance(SEED)
  const [mixed, counted] = [makeKey(6001), makeKey(6002)]
  const writers = Array.from({ length: 3 }, (_, n) => new MixedWriter(mixed, n, SEED, true))
  const persistent = Array.from({ length: 2 }, (_, n) => new Persistent(counted, n))
  const found: string[] = []
  let over = false
  const answers = new Answers()
  // On a busy machine HAProxy may still miss the first signs of life.
  for (const writer of writers) await persistently(() => writer.prepare(cluster.url))

  const working = Promise.all([
    ...writers.map((writer) => writeOn(writer, answers, found, () => over)),
    ...persistent.map((writer) => writer.run(() => over)),
  ])
  const following = [mixed, counted].map((key) => follow(key, answers))

  for (const fault of listFaults(answers)
    .map((run) => ({ run, at: random() }))
    .sort((a, b) => a.at - b.at)) {
    await answers.after(ANSWERS + Math.floor(random() * 20))
    await fault.run()
  }
  await answers.after(ANSWERS)
  over = true
  await working
  for (const writer of writers) found.push(...(await writer.losses(cluster.url, true)), ...writer.faults)
  answers.end()
  const seen = await Promise.all(following)
  const acknowledged = persistent.flatMap(({ titles }) => titles).toSorted()
  expect(found).toEqual([])
  expect(Math.min(...writers.map(({ done }) => done), acknowledged.length)).toBeGreaterThan(20)

  await expectSound(acknowledged)
  const feeds = await Promise.all([mixed, counted].map((key) => readFeed(key, 0)))
  for (const [i, feed] of feeds.entries())
    expect(bySeq(seen[i])).toEqual(bySeq(new Map(feed.map(({ type, id, seq }) => [`${type} ${id}`, seq]))))
  expect(feeds[1]?.map(({ seq }) => seq)).toEqual(acknowledged.map((_, at) => at + 1))
})
