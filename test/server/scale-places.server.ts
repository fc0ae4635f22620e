import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { RedisClient, SQL } from 'bun'
import { makeModel, type Reply, says } from '../chat/model'
import { type Cluster, startCluster } from '../support/cluster'
import { slow } from '../support/full'
import { stranger } from '../support/keys'

/** Places at the model and in the queue of imports, of three processes behind HAProxy, on one PostgreSQL and one Redis. */

const PROCESSES = 3
const CONCURRENCY = 3
/** Imports that run at the same time; see MAX_RUNNING. */
const IMPORTS = 2
/** Each answer of the model takes 15, so that 4 of them use up a day. */
const TOKENS_PER_DAY = 60

const model = makeModel()
let cluster: Cluster
let sql: SQL
let counters: RedisClient
beforeAll(async () => {
  cluster = await startCluster(PROCESSES, {
    ...model.settings,
    CHAT_CONCURRENCY: String(CONCURRENCY),
    CHAT_TOKENS_PER_DAY: String(TOKENS_PER_DAY),
  })
  sql = new SQL(cluster.database.url)
  counters = new RedisClient(cluster.counters.url)
  await sql.unsafe(`CREATE FUNCTION hold_import() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(${LOCK}); RETURN NEW; END $$;
    CREATE TRIGGER hold_import BEFORE UPDATE ON satchel.import_runs FOR EACH ROW
      WHEN (OLD.state = 'waiting' AND NEW.state = 'reading') EXECUTE FUNCTION public.hold_import()`)
})
afterAll(async () => {
  await sql.close()
  counters.close()
  await cluster.stop()
  await model.stop()
})

/** What the end of a test does, whether it passed or not. */
const ending: (() => unknown)[] = []
const newKey = () => stranger().key
const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))
const urlOf = (place: number) => cluster.servers[place % PROCESSES]?.url ?? ''
const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).toSorted()

async function post(url: string, key: string, headers: Readonly<Record<string, string>>, body: string) {
  const response = await fetch(url, { method: 'POST', headers: { 'X-API-Key': key, ...headers }, body })
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  const read: any = await response.json()
  return { status: response.status, headers: response.headers, body: read }
}

const chat = (place: number, key: string) =>
  post(
    `${urlOf(place)}/api/chat`,
    key,
    { 'Content-Type': 'application/json' },
    JSON.stringify({ model: 'big-model', messages: [{ role: 'user', content: 'Hello' }] }),
  )

/** Lets the model answer nobody before `open`, and counts who is with it. */
function playGate() {
  const gate = Promise.withResolvers<void>()
  const seen = { now: 0, most: 0 }
  const answer = says('Yes.')
  const reply: Reply = async (asked) => {
    seen.now++
    seen.most = Math.max(seen.most, seen.now)
    await gate.promise
    seen.now--
    return answer(asked)
  }
  model.plays(reply)
  ending.push(gate.resolve)
  return { seen, open: gate.resolve }
}

/** Waits until requests of so many processes wait for a place. */
async function untilWaiting(name: string, processes: number): Promise<void> {
  while ((await counters.send('HLEN', [`satchel:places:${name}:line`])) !== processes);
}

/** Begins the import of a note, and does not wait for it. */
const beginImport = (place: number, key: string) =>
  post(
    `${urlOf(place)}/api/notes/import`,
    key,
    { 'Content-Type': 'text/markdown', Prefer: 'respond-async' },
    '# A note\n',
  )
const countRuns = async (where: string) =>
  Number((await sql.unsafe(`SELECT count(*) AS n FROM satchel.import_runs WHERE ${where}`))[0].n)

/** Imports wait for this advisory lock when their turn has come; see `holdImports`. */
const LOCK = 4242

/** Keeps imports that have a place from going on until `letGo`. */
async function holdImports(): Promise<() => Promise<void>> {
  const connection = await sql.reserve()
  await connection`SELECT pg_advisory_lock(${LOCK})`
  const letGo = async () => {
    await connection`SELECT pg_advisory_unlock_all()`
  }
  ending.push(letGo, () => connection.release())
  return letGo
}

/** Counts the imports that `holdImports` holds: those that are under way. */
async function countHeld(): Promise<number> {
  const [row] =
    await sql`SELECT count(*) AS n FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND objid = ${LOCK}`
  return Number(row.n)
}

afterEach(async () => {
  for (const end of ending.splice(0)) await end()
  while ((await countRuns("state IN ('waiting', 'reading', 'running')")) > 0);
})

test('of 18 chats at once no more are with the model than may be, and all are answered', async () => {
  const { seen, open } = playGate()
  const answers = times(18, (i) => chat(i, newKey()))
  await untilWaiting('chat', PROCESSES)
  while (seen.now < CONCURRENCY) await Bun.sleep(0)
  expect(seen).toEqual({ now: CONCURRENCY, most: CONCURRENCY })
  open()
  expect(statusesOf(await answers)).toEqual(Array(18).fill(200))
  expect([seen, model.asked.length]).toEqual([{ now: 0, most: CONCURRENCY }, 18])
})

test('the tokens of a day are counted in all processes together', async () => {
  const { open } = playGate()
  open()
  const key = newKey()
  const answers = await times(9, (i) => chat(i, key))
  const refused = answers.filter(({ status }) => status !== 200)
  // Two run at the same time, so one of them may begin before the other is counted.
  const answered = answers.length - refused.length
  expect(answered).toBeWithin(4, 6)
  const usedUp = { status: 429, body: { code: 'quota_exceeded' } }
  expect(refused).toMatchObject(refused.map(() => usedUp))
  expect(await times(PROCESSES, (i) => chat(i, key))).toMatchObject(Array(PROCESSES).fill(usedUp))
  expect(model.asked).toHaveLength(answered)
})

test('of imports at once no more are under way than may be, and all are done', async () => {
  const letGo = await holdImports()
  const begun = await times(9, (i) => beginImport(i, newKey()))
  expect(statusesOf(begun)).toEqual(Array(9).fill(202))
  await untilWaiting('imports', PROCESSES)
  while ((await countHeld()) < IMPORTS);
  expect([await countHeld(), await countRuns("state <> 'waiting'")]).toEqual([IMPORTS, 0])
  await letGo()
  while ((await countRuns("state = 'done'")) < 9);
})

const get = async (place: number, path: string, key: string) =>
  (await fetch(`${urlOf(place)}${path}`, { headers: { 'X-API-Key': key } })).json()

/** Waits until so many changes of a run wait for its row, which another transaction holds. */
async function untilBlocked(statements: number): Promise<void> {
  const waiting = () =>
    sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE import_runs SET state%'`
  while ((await waiting()).length < statements);
}

/** Imports cards, the last of which are not accepted. */
const importCards = (place: number, key: string, { accepted, refused }: { accepted: number; refused: number }) =>
  post(
    `${urlOf(place)}/api/flashcards/import?format=csv`,
    key,
    { 'Content-Type': 'text/csv', Prefer: 'respond-async' },
    `front,back\n${Array.from({ length: accepted + refused }, (_, i) => `front ${i},${i < accepted ? 'back' : ''}\n`).join('')}`,
  )

test('any process has the report of an import, page by page', async () => {
  const key = newKey()
  const { body } = await importCards(0, key, { accepted: 150, refused: 3 })
  const path = `/api/imports/${body.id}`
  while (['waiting', 'reading', 'running'].includes((await get(1, path, key)).state));
  const pages = await times(PROCESSES, async (place) => {
    const first = await get(place, `${path}?limit=100`, key)
    const second = await get(place, `${path}?limit=100&cursor=${first.next_cursor}`, key)
    const failed = await get(place, `${path}?action=failed`, key)
    return [...first.items, ...second.items, second.next_cursor, ...failed.items]
  })
  expect(pages[0]).toHaveLength(157)
  expect(pages).toEqual(Array(PROCESSES).fill(pages[0]))
  expect((await get(1, path, newKey())).code).toBe('not_found')
})

test('an import that another process cancels has what it did in its report', async () => {
  const key = newKey()
  const { body } = await importCards(0, key, { accepted: 30_000, refused: 0 })
  const path = `/api/imports/${body.id}`
  while (((await get(1, path, key)).totals.created ?? 0) === 0);
  // Its next step is stored after the other process has read the row, and before that process writes to it.
  let cancelled: Promise<Response> | undefined
  await sql.begin(async (tx) => {
    await tx`SELECT 1 FROM satchel.import_runs WHERE id = ${body.id} FOR UPDATE`
    await untilBlocked(1)
    cancelled = fetch(`${urlOf(1)}${path}`, { method: 'DELETE', headers: { 'X-API-Key': key } })
    await untilBlocked(2)
  })
  await cancelled
  const read = async () => {
    let [found, items] = [await get(2, `${path}?limit=100`, key), 0]
    for (; found.next_cursor; found = await get(2, `${path}?limit=100&cursor=${found.next_cursor}`, key))
      items += found.items.length
    return { state: found.state, items: items + found.items.length, created: found.totals.created }
  }
  let report = await read()
  while (report.items === 0) report = await read()
  expect(report).toEqual({ state: 'cancelled', items: report.created, created: report.items })
  expect(report.items).toBeLessThan(30_000)
})

test('a chat that waits while Redis goes away gets 503 with the headers of limits, and never the model', async () => {
  const { seen, open } = playGate()
  const first = times(CONCURRENCY, (i) => chat(i, newKey()))
  while (seen.now < CONCURRENCY) await Bun.sleep(0)
  const waiting = chat(0, newKey())
  await untilWaiting('chat', 1)
  await cluster.counters.kill()
  const refused = await waiting
  expect([refused.status, refused.body.code, refused.headers.get('x-tier')]).toEqual([503, 'unavailable', 'api'])
  expect(refused.headers.get('x-ratelimit-limit')).toBe('1000000')
  open()
  await first
  expect(model.asked).toHaveLength(CONCURRENCY)
  await cluster.counters.restart()
  counters = new RedisClient(cluster.counters.url)
  for (const place of [0, 1, 2]) while ((await chat(place, newKey())).status !== 200);
})

slow(
  'the places of a process that is killed come back',
  async () => {
    const { seen, open } = playGate()
    const letGo = await holdImports()
    const lost = times(CONCURRENCY, () => chat(0, newKey()).catch(() => null))
    while (seen.now < CONCURRENCY) await Bun.sleep(0)
    await times(IMPORTS, () => beginImport(0, newKey()))
    while ((await countHeld()) < IMPORTS);
    const { body } = await beginImport(1, newKey())
    const waiting = chat(1, newKey())
    await untilWaiting('chat', 1)
    await untilWaiting('imports', 1)
    await cluster.servers[0]?.stop('SIGKILL')
    await Promise.all([lost, letGo()])
    open()
    // Who has waited for 10 seconds is sent away, as if the process lived.
    let answer = await waiting
    while (answer.status !== 200) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      answer = await chat(1, newKey())
    }
    while ((await countRuns(`state = 'done' AND id = '${body.id}'`)) < 1);
    // The files of the others are gone with the process.
    await sql.unsafe("UPDATE satchel.import_runs SET state = 'failed' WHERE state IN ('waiting', 'reading')")
  },
  90_000,
)
