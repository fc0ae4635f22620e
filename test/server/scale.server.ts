import { afterAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { freePort } from '../../bench/server'
import { startCluster } from '../support/cluster'
import { startPostgres, startRedis } from '../support/engines'
import { makeFolder } from '../support/folder'
import { slow } from '../support/full'
import { beWithinAnHour, stranger } from '../support/keys'
import { launch, serving } from '../support/process'
import { failToStart, runCommand } from '../support/server'

/** Four processes behind HAProxy, on one PostgreSQL and one Redis. */

const PROCESSES = 4
const cluster = await startCluster(PROCESSES, { WORKSPACE_RESOURCES: '100' })
afterAll(() => cluster.stop())

interface Asked {
  readonly key?: string
  readonly from?: string
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

async function ask(path: string, { key, from, method = 'GET', body, headers = {} }: Asked = {}, url = cluster.url) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'X-API-Key': key }),
      ...(from === undefined ? {} : { 'X-Forwarded-For': from }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  const read: any = await response.json().catch(() => null)
  return { status: response.status, headers: response.headers, body: read }
}

const newKey = () => stranger().key
const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))
const urlOf = (place: number) => cluster.servers[place % PROCESSES]?.url ?? ''
const count = (statuses: readonly number[], status: number) => statuses.filter((one) => one === status).length
/** Waits until each process serves again, and HAProxy knows. What it says of being ready it may have found out a moment ago. */
const untilServing = async (key: string) => {
  for (const { url } of cluster.servers) while ((await ask('/readyz', {}, url)).status !== 200);
  for (const url of [...cluster.servers.map((server) => server.url), cluster.url])
    while ((await ask('/api/notes', { key }, url)).status === 503);
}

const write = (key: string, title: string, url?: string) =>
  ask('/api/notes', { key, method: 'POST', body: { title } }, url)

test.each(['backup', 'restore', 'check'])('%s says which tools of PostgreSQL to use', async (command) => {
  const parameters = command === 'check' ? [] : ['file.db']
  const { code, stderr } = await runCommand(makeFolder(), [command, ...parameters], cluster.settings)
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^Satchel cannot \w+\. All data is in PostgreSQL .*pg_dump.*pg_amcheck.*\n$/),
  ])
})

test('doctor tells of both engines, and of the process on this machine', async () => {
  const settings = { ...cluster.settings, PORT: new URL(urlOf(0)).port }
  const { code, stdout, stderr } = await runCommand(makeFolder(), ['doctor'], settings)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^PostgreSQL \d+\S* .*has the database postgres, \d+ MiB at version \d+\.$/m)
  expect(stdout).toMatch(/^\d+ of its \d+ connections are in use\.$/m)
  expect(stdout).toMatch(/^(Redis|Valkey) \S+ has \S+ in memory\.$/m)
  expect(stdout).toEndWith('\nNothing is to be mended.\n')
})

test('doctor says what is to be mended of them', async () => {
  await using database = await startPostgres({ settings: { max_connections: '40' } })
  await using counters = await startRedis({ settings: { maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' } })
  const settings = {
    ...cluster.settings,
    DATABASE_URL: database.url,
    REDIS_URL: counters.url,
    PORT: new URL(urlOf(0)).port,
  }
  const { code, stdout } = await runCommand(makeFolder(), ['doctor'], settings)
  const faults = stdout.split('\n').filter((line) => line.startsWith('To mend: '))
  expect([code, faults]).toEqual([
    2,
    [
      expect.stringMatching(/the database is at version 0 of \d+: start this Satchel, or migrate it\.$/),
      expect.stringContaining('PostgreSQL takes 40 connections'),
      expect.stringContaining('set maxmemory-policy to noeviction, which is allkeys-lru.'),
    ],
  ])
})

test('of 60 requests at once from one address exactly 20 pass HAProxy, which says whom it asks for', async () => {
  await beWithinAnHour()
  const statuses = await times(60, async () => (await ask('/api/tasks', { from: '198.51.100.8' })).status)
  expect([count(statuses, 200), count(statuses, 429)]).toEqual([20, 40])
})

test.each<[string, string, object, string, string, object]>([
  ['a note', '/api/notes', { title: 'First' }, 'PATCH', '', { title: 'Second' }],
  [
    'a repeating task',
    '/api/tasks',
    { title: 'Water', due: { date: '2026-03-02' }, recurrence: { rrule: 'FREQ=DAILY' } },
    'POST',
    '/complete',
    {},
  ],
])('of changes of %s at once that name one version exactly one is made', async (_, path, made, method, rest, body) => {
  const key = newKey()
  const answer = await ask(path, { key, method: 'POST', body: made }, urlOf(0))
  const headers = { 'If-Match': answer.headers.get('etag') ?? '' }
  const where = `${path}/${answer.body.id}`
  const change = (i: number) => ask(where + rest, { key, method, body, headers }, urlOf(i))
  const statuses = (await times(30, change)).map(({ status }) => status)
  expect([count(statuses, 200), count(statuses, 412)]).toEqual([1, 29])
  expect((await ask(where, { key })).body.revision).toBe(2)
})

test('a request that is sent to all processes with one Idempotency-Key is done once', async () => {
  const key = newKey()
  const body = { title: 'Once' }
  const headers = { 'Idempotency-Key': 'the-same' }
  const answers = await times(15, (i) => ask('/api/notes', { key, method: 'POST', body, headers }, urlOf(i)))
  expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(201))
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1)
  expect((await ask('/api/notes', { key })).body.items).toHaveLength(1)
})

test('a workspace is filled to its quota and no further', async () => {
  const key = newKey()
  const answers = await times(150, (i) => write(key, `Note ${i}`, urlOf(i)))
  const refused = answers.filter(({ body }) => body.code === 'quota_exceeded')
  expect([answers.filter(({ status }) => status === 201).length, refused.length]).toEqual([100, 50])
  expect((await ask('/api/usage', { key })).body.workspace.resources).toBe(100)
})

/** Reads from the stream of one process until it has had as many changes. @returns their numbers */
async function hear(key: string, changes: number): Promise<{ heard: Promise<number[]> }> {
  const stopping = new AbortController()
  const open = () =>
    fetch(`${urlOf(0)}/api/changes/stream?since=0`, { headers: { 'X-API-Key': key }, signal: stopping.signal })
  let stream = await open()
  while (stream.status === 503) stream = await open()
  const read = async () => {
    const heard: number[] = []
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of stream.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events)
        for (const [, seq] of event.matchAll(/^data: \{"seq":(\d+)/gm)) heard.push(Number(seq))
      if (heard.length >= changes) break
    }
    stopping.abort()
    return heard
  }
  return { heard: read() }
}

test('the feed has each change once, in the order of the commits, also as a stream of another process', async () => {
  const key = newKey()
  const { heard } = await hear(key, 60)
  await times(60, (i) => write(key, `Note ${i}`, urlOf(1 + (i % 2))))
  const all = Array.from({ length: 60 }, (_, i) => i + 1)
  expect(await heard).toEqual(all)
  const { body } = await ask('/api/changes?since=0&limit=200', { key })
  expect(body.items.map((change: { seq: number }) => change.seq)).toEqual(all)
})

test('a workspace has ten streams open in all processes together', async () => {
  const key = newKey()
  const stopping = new AbortController()
  const follow = (i: number) =>
    fetch(`${urlOf(i)}/api/changes/stream`, { headers: { 'X-API-Key': key }, signal: stopping.signal })
  const statuses = (await times(20, follow)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
  stopping.abort()
})

test('tasks that all processes add and move at once stand in a strict order', async () => {
  const key = newKey()
  const add = (i: number) => ask('/api/tasks', { key, method: 'POST', body: { title: `Task ${i}` } }, urlOf(i))
  const made = await times(24, add)
  expect(made.map(({ status }) => status)).toEqual(Array(24).fill(201))
  const first = made[0]?.body.id
  const moved = await times(48, async (i) => {
    const path = `/api/tasks/${made[1 + (i % 23)]?.body.id}/move`
    return (await ask(path, { key, method: 'POST', body: { [i % 2 ? 'after' : 'before']: first } }, urlOf(i))).status
  })
  expect(moved).toEqual(Array(48).fill(200))
  const { body } = await ask('/api/tasks?limit=100', { key })
  expect(new Set(body.items.map((task: { position: string }) => task.position)).size).toBe(24)
})

test('a workspace that one process erases is empty in all, and no process writes into it meanwhile', async () => {
  const key = newKey()
  await times(80, (i) => write(key, `Note ${i}`, urlOf(i)))
  const writing = times(40, async (i) => (await write(key, `Late ${i}`, urlOf(1 + (i % 2)))).status)
  const erased = await ask('/api/workspace?confirm=erase', { key, method: 'DELETE' }, urlOf(0))
  const statuses = await writing
  expect([200, 204]).toContain(erased.status)
  expect(statuses.filter((status) => ![201, 403, 503, 507].includes(status))).toEqual([])
  // Others hear a moment later that it is erased.
  await untilServing(key)
  const usage = await ask('/api/usage', { key })
  expect([usage.status, usage.body.detail]).toEqual([200, undefined])
  const notes = await ask('/api/notes?limit=100', { key })
  expect(notes.body.items).toHaveLength(usage.body.workspace.resources)
})

describe('faults', () => {
  test('while PostgreSQL restarts requests get 503, and then it goes on by itself', async () => {
    const key = newKey()
    expect((await write(key, 'Before')).status).toBe(201)
    await cluster.database.kill()
    const refused = await ask('/api/notes', { key }, urlOf(0))
    expect([refused.status, refused.body.code, refused.headers.get('x-tier')]).toEqual([503, 'unavailable', 'api'])
    // What it says was found out up to a second ago.
    while ((await ask('/readyz', {}, urlOf(1))).status !== 503);
    await cluster.database.restart()
    await untilServing(key)
    const { body } = await ask('/api/notes', { key })
    expect(body.items.map((note: { title: string }) => note.title)).toEqual(['Before'])
    expect((await write(key, 'After')).status).toBe(201)
  })

  /** What is left of the requests of an hour, once it is known. */
  const remaining = async (key: string): Promise<number> => {
    let usage = await ask('/api/usage', { key }, urlOf(0))
    while (usage.status === 503) usage = await ask('/api/usage', { key }, urlOf(0))
    return usage.body.remaining
  }
  /** A key that a process knows, and what is left of its requests. */
  const known = async () => {
    const key = newKey()
    expect((await write(key, 'Before', urlOf(0))).status).toBe(201)
    return { key, before: await remaining(key) }
  }

  test('what PostgreSQL cannot begin to serve costs nothing', async () => {
    await beWithinAnHour(60)
    const { key, before } = await known()
    await cluster.database.kill()
    const refused = await times(40, async (i) => (await ask('/api/notes', { key }, urlOf(i))).status)
    expect(refused).toEqual(Array(40).fill(503))
    await cluster.database.restart()
    expect(await remaining(key)).toBe(before)
    await untilServing(key)
  })

  // It waits for a lock for as long as it may, which is ten seconds.
  slow(
    'what PostgreSQL has worked for in vain costs a request',
    async () => {
      await beWithinAnHour(60)
      const { key, before } = await known()
      const operator = new SQL({ url: cluster.database.url, max: 1 })
      await operator.unsafe('BEGIN; LOCK TABLE satchel.notes IN ACCESS EXCLUSIVE MODE').simple()
      const waiting = await ask('/api/notes', { key }, urlOf(0))
      await operator.unsafe('ROLLBACK').simple()
      await operator.close()
      expect([waiting.status, await remaining(key)]).toEqual([503, before - 1])
    },
    60_000,
  )

  test('while PostgreSQL is read-only reads go on, changes get 503, and then it goes on by itself', async () => {
    const key = newKey()
    expect((await write(key, 'Before', urlOf(0))).status).toBe(201)
    const operator = new SQL({ url: cluster.database.url, max: 1 })
    await operator`SELECT 1`
    // This is of connections that begin meanwhile, until their end: as after a failover, when they lead to a standby.
    await operator.unsafe('ALTER DATABASE postgres SET default_transaction_read_only = on')
    await operator`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'satchel'`
    await times(PROCESSES, async (i) => {
      while ((await ask('/api/notes', { key }, urlOf(i))).status === 503);
    })
    const refused = await times(60, (i) => write(key, 'Meanwhile', urlOf(i)))
    for (const { status, body, headers } of refused)
      expect([status, body.code, headers.get('retry-after'), headers.get('x-tier')]).toEqual([
        503,
        'unavailable',
        '5',
        'api',
      ])
    const { body } = await ask('/api/notes', { key }, urlOf(1))
    expect(body.items.map((note: { title: string }) => note.title)).toEqual(['Before'])
    await operator.unsafe('ALTER DATABASE postgres RESET default_transaction_read_only')
    await operator.close()
    await times(PROCESSES, async (i) => {
      while ((await write(key, 'After', urlOf(i))).status === 503);
    })
    await untilServing(key)
  })

  test('while Redis is away no request passes for free', async () => {
    const key = newKey()
    await write(key, 'Before')
    await cluster.counters.kill()
    const statuses = await times(6, async (i) => (await ask('/api/notes', { key }, urlOf(i))).status)
    expect(statuses).toEqual(Array(6).fill(503))
    const free = await ask('/api/notes', { from: '198.51.100.9' }, urlOf(0))
    expect([free.status, free.headers.get('x-ratelimit-limit')]).toEqual([503, '20'])
    await cluster.counters.restart()
    await untilServing(key)
    expect((await ask('/api/notes', { key })).status).toBe(200)
  })

  test('a stream of another process goes on while Redis restarts, with each change once and in order', async () => {
    const key = newKey()
    const { heard } = await hear(key, 60)
    const restarted = times(60, async (i) => {
      if (i === 20) await cluster.counters.restart()
      while ((await write(key, `Note ${i}`, urlOf(1 + (i % 2)))).status === 503);
    })
    expect(await heard).toEqual(Array.from({ length: 60 }, (_, i) => i + 1))
    await restarted
    await untilServing(key)
  })
})

test('while PostgreSQL has no connection left a start says so, requests get 503, and then it goes on by itself', async () => {
  await using database = await startPostgres({
    settings: { max_connections: '20', superuser_reserved_connections: '0' },
  })
  await using counters = await startRedis()
  const settings = { ...cluster.settings, DATABASE_URL: database.url, REDIS_URL: counters.url }
  const folder = makeFolder()
  const server = await serving(folder, launch({ folder, settings: { ...settings, PORT: String(freePort()) } }))
  const key = newKey()
  expect((await write(key, 'Before', server.url)).status).toBe(201)
  const others: SQL[] = []
  const countConnections = async () =>
    (await others[0]?.unsafe("SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend'"))?.length ?? 0
  const fill = async () => {
    // One that ends has a place for a moment after it is no longer listed.
    for (let isRoom = true; isRoom || (await countConnections()) < 20; ) {
      const one = new SQL({ url: database.url, max: 1 })
      others.push(one)
      isRoom = await one`SELECT 1`.then(
        () => true,
        () => false,
      )
    }
  }
  try {
    await fill()
    const { code, stderr } = await failToStart({ settings })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Satchel cannot start\. .*too many clients already.*\n$/),
    ])
    // What it has is enough for all, one after the other.
    const statuses = await times(30, async (i) => (await write(newKey(), `Note ${i}`, server.url)).status)
    expect(statuses).toEqual(Array(30).fill(201))
    const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'satchel'"
    const endAll = async () => (await others[0]?.unsafe(end))?.length ?? 0
    // Those that end have a place until then, and a job of the process may be faster than we are.
    do {
      while ((await endAll()) > 0);
      await fill()
    } while ((await endAll()) > 0)
    const refused = await times(30, (i) => write(newKey(), `Note ${i}`, server.url))
    expect(refused.map(({ status, body, headers }) => [status, body.code, headers.get('x-tier')])).toEqual(
      Array(30).fill([503, 'unavailable', 'api']),
    )
  } finally {
    await Promise.all(others.map((one) => one.close({ timeout: 0 })))
  }
  const after = await times(30, async (i) => (await write(newKey(), `Later ${i}`, server.url)).status)
  expect(after).toEqual(Array(30).fill(201))
  await server.stop('SIGKILL')
})

describe('a start', () => {
  const start = async (settings: Readonly<Record<string, string>>) => {
    const { code, stderr } = await failToStart({ settings: { ...cluster.settings, ...settings } })
    return [code, stderr]
  }
  const withDatabase = (change: (url: URL) => void) => {
    const url = new URL(cluster.database.url)
    change(url)
    return url.href
  }

  test.each<[string, () => Record<string, string>, RegExp]>([
    [
      'where nothing listens',
      () => ({ DATABASE_URL: 'postgres://satchel:horse@127.0.0.1:1/satchel' }),
      /^Satchel cannot start\. DATABASE_URL cannot be used \(PostgreSQL: .*connect.*\)\.\n$/,
    ],
    [
      'with a wrong password',
      () => ({
        DATABASE_URL: withDatabase((url) => {
          url.password = 'wrong-horse'
        }),
      }),
      /^Satchel cannot start\. DATABASE_URL cannot be used \(PostgreSQL: password authentication failed for user "postgres"\)\.\n$/,
    ],
    [
      'with a database that is none',
      () => ({
        DATABASE_URL: withDatabase((url) => {
          url.pathname = '/nowhere'
        }),
      }),
      /^Satchel cannot start\. DATABASE_URL cannot be used \(PostgreSQL: database "nowhere" does not exist\)\.\n$/,
    ],
    [
      'without Redis',
      () => ({ REDIS_URL: 'redis://127.0.0.1:1' }),
      /^Satchel cannot start\. Redis at 127\.0\.0\.1:1 cannot be reached/,
    ],
    [
      'with another secret',
      () => ({ SATCHEL_SECRET: 'cd'.repeat(32) }),
      /^Satchel cannot start\. .* belongs to another secret/,
    ],
    ['without a secret', () => ({ SATCHEL_SECRET: '' }), /SATCHEL_SECRET must be set with DATABASE_URL/],
    [
      'with one of the two addresses',
      () => ({ REDIS_URL: '' }),
      /DATABASE_URL and REDIS_URL must both be set, or neither/,
    ],
    [
      'with an address of something else',
      () => ({ DATABASE_URL: 'mysql://127.0.0.1/satchel' }),
      /DATABASE_URL must be an address of postgres:\/\/ or postgresql:\/\//,
    ],
  ])('%s is refused in words', async (_, settings, sentence) => {
    const [code, stderr] = await start(settings())
    expect(stderr).toMatch(sentence)
    expect(stderr).not.toMatch(/horse@|wrong-horse/)
    expect(code).toBe(1)
  })

  test.each([
    ['a newer Satchel', 'schema_versions', 'The database is at version 4300, and this Satchel knows'],
    [
      'one before the first release',
      'migrations',
      'The database in PostgreSQL was made before Satchel 0.1.0, the first release, and cannot be opened: begin with an empty database.\n',
    ],
  ])('on a database of %s is refused, by the commands as well', async (_, table, sentence) => {
    await using database = await startPostgres()
    await using counters = await startRedis()
    const sql = new SQL({ url: database.url, max: 1 })
    await sql
      .unsafe(`CREATE SCHEMA satchel; CREATE TABLE satchel.${table} (version bigint, applied_at bigint);
      INSERT INTO satchel.${table} VALUES (4300, 0)`)
      .simple()
    const settings = { ...cluster.settings, DATABASE_URL: database.url, REDIS_URL: counters.url }
    expect(await start(settings)).toEqual([1, expect.stringContaining(sentence)])
    const { code, stderr } = await runCommand(makeFolder(), ['migrate'], settings)
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
    if (table === 'migrations') {
      const doctor = await runCommand(makeFolder(), ['doctor'], settings)
      expect([doctor.code, doctor.stderr]).toEqual([1, expect.stringContaining(sentence)])
    }
    const tables = await sql`SELECT tablename FROM pg_tables WHERE schemaname = 'satchel'`
    expect([...tables]).toEqual([{ tablename: table }])
    await sql.close()
  })
})
