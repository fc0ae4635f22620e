import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { ON_POSTGRES, useDatabase, whileHeld } from '../support/database'
import { contradictions } from '../support/recount'
import { type Answer, MANY_CALLERS, makeWorld, stranger } from '../support/world'
import { zipOfTexts } from '../support/zip'

/** The floor of free disk. What each route does on a full disk: see headers.test.ts. */

const FLOOR = 1_000_000
const MIB = 1024 * 1024
const world = await makeWorld({ settings: { ...MANY_CALLERS, MIN_FREE_BYTES: String(FLOOR) } })
let me = { key: '' }

afterAll(world.close)
beforeEach(() => {
  me = stranger()
  leave(2 ** 40)
})

/** The disk has so many bytes free from now on, and the server has time to see it. */
function leave(free: number, of = world): void {
  of.space.free = free
  of.clock.now += 1000
}

/** The database finds room for further notes from now on, or none. */
async function leaveRoom({ db, folder }: typeof world, enough: boolean): Promise<void> {
  if (!ON_POSTGRES) {
    await db.transaction((tx) => tx.run(`PRAGMA max_page_count = ${enough ? 1_000_000 : 1}`))
    return
  }
  const begin = [
    `CREATE FUNCTION find_no_room() RETURNS trigger LANGUAGE plpgsql
     AS $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'; END $$`,
    'CREATE TRIGGER no_room BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION find_no_room()',
  ]
  const end = ['DROP TRIGGER no_room ON notes', 'DROP FUNCTION find_no_room']
  await useDatabase(folder, async (beside) => {
    for (const sql of enough ? end : begin) await beside.run(sql)
  })
}

const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
  world.call(me, method, path, body, headers)
const note = (of = world) => of.call(me, 'POST', '/api/notes', { title: 'T' })
const usage = async () => (await ask('GET', '/api/usage')).body.workspace
const seq = async () => (await ask('GET', '/api/changes')).body.latest_seq
const ofDisk = ({ logged } = world) => logged.filter(({ message }) => message.includes('the disk'))
const ZIP = { 'Content-Type': 'application/zip' }
const LIMITS = ['X-Tier', 'X-RateLimit-Limit', 'X-RateLimit-Remaining']

describe('what adds something', () => {
  test.each([
    ['with a byte more than the floor', FLOOR + 1, 201],
    ['at the floor', FLOOR, 201],
    ['with a byte less', FLOOR - 1, 507],
    ['with nothing', 0, 507],
  ])('%s is answered as it should be', async (_, free, status) => {
    leave(free)
    const answer = await note()
    expect(answer.status).toBe(status)
    expect(LIMITS.filter((name) => !answer.headers.has(name))).toEqual([])
    if (status === 507) expect(answer.body).toMatchObject({ code: 'storage_full', title: 'Storage full' })
    if (status === 507) expect(answer.headers.get('Retry-After')).toBeNull()
  })

  test.each([
    ['512 MiB of a large disk', {}, 1024 * 1024 * MIB, 512 * MIB],
    ['5 % of a small one', {}, 1000 * MIB, 50 * MIB],
    ['what the setting says, of a small disk as well', { MIN_FREE_BYTES: '900000000' }, 1000 * MIB, 900_000_000],
  ])('has to leave %s', async (_, settings, size, floor) => {
    await using own = await makeWorld({ settings, disk: { free: floor, size } })
    expect((await note(own)).status).toBe(201)
    leave(floor - 1, own)
    expect((await note(own)).body.code).toBe('storage_full')
  })

  test('is never refused with a floor of 0', async () => {
    await using own = await makeWorld({ settings: { MIN_FREE_BYTES: '0' }, disk: { free: 0, size: MIB } })
    for (let i = 0; i < 2; i++) expect((await note(own)).status).toBe(201)
    expect(ofDisk(own)).toEqual([])
  })

  test('is refused as a whole, or op by op where the ops of a batch stand alone', async () => {
    const ops = [{ op: 'create', data: { title: 'A' } }]
    const { body: old } = await note()
    leave(0)
    const before = await seq()
    const atomic = await ask('POST', '/api/notes/batch', { ops: [{ op: 'delete', id: old.id }, ...ops] })
    expect([atomic.status, atomic.body.failed_index]).toEqual([507, 1])
    expect(await seq()).toBe(before)
    const each = await ask('POST', '/api/notes/batch', { atomic: false, ops: [...ops, { op: 'delete', id: old.id }] })
    const results = each.body.items.map(({ status, body }: Answer) => [status, body?.code])
    expect([each.status, results[0], results[1][0]]).toEqual([200, [507, 'storage_full'], 204])
    expect(await seq()).toBe(before + 1)
  })

  test('counts at once: what was let in since the last look is taken off', async () => {
    leave(FLOOR + 10)
    expect((await ask('POST', '/api/notes', { body: 'x'.repeat(100) })).status).toBe(201)
    expect((await note()).status).toBe(507)
    // The look that comes next knows what is really free.
    leave(FLOOR + 10)
    expect((await note()).status).toBe(201)
  })

  test.each([
    ['a note', () => ask('POST', '/api/notes/import', '# T', { 'Content-Type': 'text/markdown' })],
    ['an archive', () => ask('POST', '/api/import', ARCHIVE, { 'Content-Type': 'application/zip' })],
    [
      'an archive on trial',
      () => ask('POST', '/api/import?dry_run=true', ARCHIVE, { 'Content-Type': 'application/zip' }),
    ],
    ['the scratch space', () => ask('POST', '/api/workspace/adopt')],
  ])('is refused before it is read: an import of %s', async (_, send) => {
    expect((await send()).status).toBe(200)
    me = stranger()
    leave(0)
    const answer = await send()
    expect([answer.status, answer.body.code]).toEqual([507, 'storage_full'])
    expect((await usage()).resources).toBe(0)
  })

  test('is refused in the middle of an archive, and then nothing of it is imported', async () => {
    leave(FLOOR + 50)
    const lines = Array.from({ length: 5 }, (_, n) => JSON.stringify(lineOf(n, 'x'.repeat(40)))).join('\n')
    const file = zipOfTexts({ 'manifest.json': MANIFEST, 'data/note.jsonl': lines })
    const answer = await ask('POST', '/api/import', file, { 'Content-Type': 'application/zip' })
    expect([answer.status, answer.body.code]).toEqual([507, 'storage_full'])
    expect((await usage()).resources).toBe(0)
    leave(2 ** 40)
    expect((await ask('POST', '/api/import', file, { 'Content-Type': 'application/zip' })).status).toBe(200)
    expect((await usage()).resources).toBe(5)
  })

  test('is a failed action in chat, whose words and questions are answered all the same', async () => {
    await ask('POST', '/api/notes', { title: 'Bees', body: 'Bees dance to tell of flowers.' })
    leave(0)
    const chat = (content: string, headers = {}) =>
      ask('POST', '/api/chat', { stream: false, messages: [{ role: 'user', content }] }, headers)
    const add = await chat('add task buy milk')
    expect(add.status).toBe(200)
    expect(add.body.actions).toMatchObject([{ status: 'failed', error: { code: 'storage_full' } }])
    const question = await chat('What do bees dance for?', { 'Idempotency-Key': 'one' })
    expect([question.status, question.body.message.content]).toEqual([200, expect.stringContaining('flowers')])
    // It is short enough to be stored for a repeat.
    expect(question.body.warnings).not.toContain('answer_not_recorded')
  })
})

describe('on a full disk', () => {
  test('what shrinks, moves to the trash, comes back or is erased goes on, and so do reading and searching', async () => {
    const { body: kept } = await ask('POST', '/api/notes', { title: 'Bees', body: 'flowers '.repeat(500) })
    const { body: task } = await ask('POST', '/api/tasks', { title: 'T', notes: 'long '.repeat(100) })
    leave(0)
    const path = `/api/notes/${kept.id}`
    const statuses = async (...asked: Promise<Answer>[]) => (await Promise.all(asked)).map(({ status }) => status)
    expect(await statuses(ask('GET', path), ask('GET', '/api/search?q=flowers'), ask('GET', '/api/export'))).toEqual([
      200, 200, 200,
    ])
    expect((await ask('PATCH', path, { body: 'x'.repeat(9000) })).status).toBe(507)
    expect((await ask('PATCH', path, { body: 'flowers' })).status).toBe(200)
    expect((await ask('PATCH', `/api/tasks/${task.id}`, { notes: 'longer '.repeat(100) })).status).toBe(507)
    expect((await ask('PATCH', `/api/tasks/${task.id}`, { notes: '' })).status).toBe(200)
    expect((await ask('PATCH', `/api/tasks/${task.id}`, { priority: 1 })).status).toBe(200)
    expect((await ask('DELETE', path)).status).toBe(204)
    expect((await ask('POST', `${path}/restore`)).status).toBe(200)
    expect((await ask('DELETE', path)).status).toBe(204)
    expect((await ask('DELETE', `${path}?permanent=true`)).status).toBe(204)
    expect((await ask('DELETE', '/api/workspace', { confirm: 'erase' })).status).toBe(204)
    expect(await usage()).toMatchObject({ resources: 0, size_bytes: 0 })
    expect(await contradictions(world.folder)).toEqual([])
  })

  test('a completion is undone, though the task gets back what the last occurrence took from it', async () => {
    const recurrence = { rrule: 'FREQ=DAILY;COUNT=10', mode: 'completion' }
    const due = { date: '2026-03-01' }
    const { body: task } = await ask('POST', '/api/tasks', { title: 'T', due, recurrence })
    const { completion } = (await ask('POST', `/api/tasks/${task.id}/complete`)).body
    leave(0)
    expect((await ask('POST', `/api/tasks/${task.id}/complete`)).status).toBe(507)
    const undone = await ask('DELETE', `/api/tasks/${task.id}/completions/${completion.id}`)
    expect([undone.status, undone.body.recurrence]).toEqual([200, task.recurrence])
  })

  test('it is seen within a second, and with space again all goes on without a restart', async () => {
    expect((await note()).status).toBe(201)
    world.space.free = 0
    world.clock.now += 999
    expect((await note()).status).toBe(201)
    world.clock.now += 1
    expect((await note()).status).toBe(507)
    world.space.free = FLOOR
    world.clock.now += 999
    expect((await note()).status).toBe(507)
    world.clock.now += 1
    expect((await note()).status).toBe(201)
    // A clock that is set back holds no look for longer.
    world.space.free = 0
    world.clock.now -= 60_000
    expect((await note()).status).toBe(507)
  })
})

describe('a database that finds no room, where no part of the disk is kept free', () => {
  test('refuses with 507 what would grow, in a batch and in a run too, logs it, and goes on when there is room', async () => {
    await using own = await makeWorld({ settings: { ...MANY_CALLERS, MIN_FREE_BYTES: '0' } })
    const { body: kept } = await own.call(me, 'POST', '/api/notes', { title: 'T', body: 'text' })
    await leaveRoom(own, false)
    const large = { title: 'T', body: 'x'.repeat(500_000) }
    const refused = await own.call(me, 'POST', '/api/notes', large)
    expect([refused.status, refused.body.code, refused.headers.get('Retry-After')]).toEqual([507, 'storage_full', null])
    expect(LIMITS.filter((name) => !refused.headers.has(name))).toEqual([])
    expect(own.logged).toContainEqual(expect.objectContaining({ level: 'error', message: 'answered storage_full' }))
    const ops = [{ op: 'create', data: large }]
    const atomic = await own.call(me, 'POST', '/api/notes/batch', { ops })
    expect([atomic.status, atomic.body.code]).toEqual([507, 'storage_full'])
    const run = await own.call(me, 'POST', '/api/notes/import', zipOfTexts({ 'a.md': large.body }), ZIP)
    expect([run.status, run.body.code ?? run.body.error?.code]).toEqual([run.status, 'storage_full'])
    expect((await own.call(me, 'GET', `/api/notes/${kept.id}`)).body.body).toBe('text')
    expect((await own.call(me, 'GET', '/api/notes')).body.items).toHaveLength(1)
    await leaveRoom(own, true)
    expect((await own.call(me, 'POST', '/api/notes', large)).status).toBe(201)
  })

  test('a database that is locked is unavailable for a moment, as before', async () => {
    await using own = await makeWorld({ settings: { ...MANY_CALLERS, MIN_FREE_BYTES: '0' } })
    await note(own)
    await whileHeld(own.folder, 'workspaces', async () => {
      const refused = await note(own)
      expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
    })
    expect((await note(own)).status).toBe(201)
  })
})

describe('under an Idempotency-Key', () => {
  const ONE = { 'Idempotency-Key': 'one' }

  test('a refused request is not recorded, and the answer of one that was done is replayed', async () => {
    leave(0)
    expect((await ask('POST', '/api/notes', { title: 'T' }, ONE)).status).toBe(507)
    leave(FLOOR)
    const done = await ask('POST', '/api/notes', { title: 'T' }, ONE)
    expect([done.status, done.headers.get('Idempotency-Replayed')]).toEqual([201, null])
    leave(0)
    const again = await ask('POST', '/api/notes', { title: 'T' }, ONE)
    expect([again.status, again.body, again.headers.get('Idempotency-Replayed')]).toEqual([201, done.body, 'true'])
  })

  test('the outcome of an import is replayed', async () => {
    const send = () => ask('POST', '/api/import', ARCHIVE, { 'Content-Type': 'application/zip', ...ONE })
    const done = await send()
    leave(0)
    const again = await send()
    expect([again.status, again.body, again.headers.get('Idempotency-Replayed')]).toEqual([200, done.body, 'true'])
  })

  test.each([
    ['short', 1, 200],
    ['of 4 KiB and more', 4096, 507],
  ])('a restore is stored if its answer is %s', async (_, length, status) => {
    const { body: kept } = await ask('POST', '/api/notes', { body: 'x'.repeat(length) })
    await ask('DELETE', `/api/notes/${kept.id}`)
    leave(0)
    expect((await ask('POST', `/api/notes/${kept.id}/restore`, undefined, ONE)).status).toBe(status)
    expect((await ask('POST', `/api/notes/${kept.id}/restore`)).status).toBe(200)
  })
})

describe('whoever runs the server', () => {
  const gauges = async (of: typeof world) =>
    ((await of.call({ address: '127.0.0.1' }, 'GET', '/metrics')).body as string)
      .split('\n')
      .filter((line) => line.startsWith('satchel_disk_'))

  test('is told once when it begins, once when it ends, and in between the numbers', async () => {
    await using own = await makeWorld({ settings: { MIN_FREE_BYTES: '1000' }, disk: { free: 1000, size: MIB } })
    for (let i = 0; i < 3; i++) expect((await note(own)).status).toBe(i === 0 ? 201 : 507)
    leave(999, own)
    for (let i = 0; i < 3; i++) expect((await note(own)).status).toBe(507)
    expect(await gauges(own)).toEqual(['satchel_disk_free_bytes 999', 'satchel_disk_floor_bytes 1000'])
    leave(5000, own)
    for (let i = 0; i < 3; i++) expect((await note(own)).status).toBe(201)
    expect(ofDisk(own).map(({ level, message }) => [level, message.split(':')[0]])).toEqual([
      ['warn', 'the free space of the disk is below MIN_FREE_BYTES'],
      ['info', 'the disk has enough free space again'],
    ])
  })

  test('is told once that the disk cannot be read, and then nothing is refused', async () => {
    await using own = await makeWorld({ disk: { free: 0, size: 2 ** 40 } })
    const denied = new Error('EACCES')
    let reads = 0
    let broken = false
    Object.defineProperty(own.space, 'free', {
      enumerable: true,
      get() {
        reads++
        if (broken) throw denied
        return 0
      },
    })
    for (let i = 0; i < 20; i++) expect((await note(own)).status).toBe(507)
    expect(reads).toBe(1)
    broken = true
    own.clock.now += 1000
    for (let i = 0; i < 20; i++) expect((await note(own)).status).toBe(201)
    expect([reads, await gauges(own)]).toEqual([2, []])
    own.clock.now += 1000
    expect((await note(own)).status).toBe(201)
    expect(ofDisk(own)).toMatchObject([
      { level: 'warn' },
      { level: 'error', fields: { err: denied }, message: expect.stringContaining('cannot be read') },
    ])
  })
})

const AT = '2026-03-01T08:15:00.000Z'
const MANIFEST = JSON.stringify({ format: 'satchel-workspace', version: 1 })
const ARCHIVE = zipOfTexts({ 'manifest.json': MANIFEST, 'data/note.jsonl': JSON.stringify(lineOf(0, '')) })

function lineOf(n: number, body: string) {
  const id = `01890000-0000-7000-8000-00000000aa0${n}`
  const rest = {
    file_name: null,
    folder: null,
    tags: [],
    pinned: false,
    archived_at: null,
    source: null,
    daily_date: null,
  }
  const stamps = { revision: 1, created_at: AT, updated_at: AT, deleted_at: null }
  return { id, ...stamps, title: 'T', ...rest, imported: null, properties: {}, body }
}
