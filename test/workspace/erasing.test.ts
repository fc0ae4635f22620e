import { afterAll, expect, test } from 'bun:test'
import { contradictions } from '../support/recount'
import { type As, MANY_CALLERS, makeWorld, stranger } from '../support/world'

/** DELETE /api/workspace: how it is confirmed, and what others see of it while it is under way. */

const SETTINGS = { ...MANY_CALLERS, API_LIMIT_PER_HOUR: '1000000' }
type World = Awaited<ReturnType<typeof makeWorld>>
const world = await makeWorld({ settings: SETTINGS })
afterAll(world.close)
const ERASE = '/api/workspace'

function finishErasing({ jobs }: Pick<World, 'jobs'>) {
  return jobs.find(({ name }) => name.includes('finish erasing'))?.run(new AbortController().signal)
}

async function fill({ call }: World, as: As, count: number): Promise<void> {
  for (let at = 0; at < count; at += 100) {
    const ops = Array.from({ length: 100 }, (_, i) => ({
      op: 'create',
      data: { title: `n${at + i}`, body: 'some words' },
    }))
    expect((await call(as, 'POST', '/api/notes/batch', { ops })).status).toBe(200)
  }
}

const resources = async ({ call }: World, as: As) => (await call(as, 'GET', '/api/usage')).body.workspace.resources

test('it is confirmed in the body, in the query, or in both', async () => {
  const confirmed: [string, unknown][] = [
    [ERASE, { confirm: 'erase' }],
    [`${ERASE}?confirm=erase`, undefined],
    [`${ERASE}?confirm=erase`, {}],
    [`${ERASE}?confirm=erase`, { confirm: 'erase' }],
    [`${ERASE}?confirm=%65rase`, undefined],
  ]
  for (const [path, body] of confirmed) {
    const me = stranger()
    await world.call(me, 'POST', '/api/notes', { title: 'A' })
    const { status } = await world.call(me, 'DELETE', path, body)
    expect([path, body, status, await resources(world, me)]).toEqual([path, body, 204, 0])
  }
})

test('without a confirmation, or with anything else in either place, nothing is erased', async () => {
  const me = stranger()
  await world.call(me, 'POST', '/api/notes', { title: 'A' })
  const refused: [string, unknown][] = [
    [ERASE, undefined],
    [ERASE, {}],
    [ERASE, null],
    [ERASE, { confirm: 'yes' }],
    [ERASE, { confirm: '' }],
    [ERASE, { confirm: true }],
    [`${ERASE}?confirm=`, undefined],
    [`${ERASE}?confirm=yes`, undefined],
    [`${ERASE}?confirm=ERASE`, undefined],
    [`${ERASE}?erase`, undefined],
    [`${ERASE}?confirm=erase&confirm=erase`, undefined],
    [`${ERASE}?confirm=no`, { confirm: 'erase' }],
    [`${ERASE}?confirm=erase`, { confirm: 'no' }],
    [`${ERASE}?confirm=erase`, ['erase']],
  ]
  for (const [path, body] of refused) {
    const { status, body: told } = await world.call(me, 'DELETE', path, body)
    expect([path, body, status, told.code, /\w+ \w+/.test(told.detail)]).toEqual([
      path,
      body,
      400,
      'invalid_request',
      true,
    ])
  }
  expect((await world.call(me, 'DELETE', ERASE)).body.detail).toBe(
    'confirm must be erase, in the body or as ?confirm=erase',
  )
  expect(await resources(world, me)).toBe(1)
})

test('others write while a workspace is erased, and requests to it wait until that is done', async () => {
  const [me, other] = [stranger(), stranger()]
  await fill(world, me, 1000)
  await world.call(other, 'POST', '/api/notes', { title: 'A' })
  let isErased = false
  const erasing = world.call(me, 'DELETE', ERASE, { confirm: 'erase' }).then(({ status }) => {
    isErased = true
    return status
  })
  // It has begun when the first request is refused.
  while (!isErased && (await world.call(me, 'GET', '/api/notes')).status === 200);
  let written = 0
  const mine = new Set<number>()
  while (!isErased) {
    expect((await world.call(other, 'POST', '/api/tasks', { title: 't' })).status).toBe(201)
    expect((await world.call(other, 'GET', '/api/notes')).status).toBe(200)
    const [read, write, again] = [
      await world.call(me, 'GET', '/api/notes'),
      await world.call(me, 'POST', '/api/tasks', { title: 't' }),
      await world.call(me, 'DELETE', ERASE, { confirm: 'erase' }),
    ]
    if (isErased) break
    for (const { status, headers } of [read, write, again]) {
      mine.add(status)
      expect(headers.get('Retry-After')).toBe('5')
    }
    written++
  }
  expect(await erasing).toBe(204)
  expect([...mine]).toEqual([503])
  expect(written).toBeGreaterThan(20)
  // On a slow machine the request leaves the rest to the job.
  await finishErasing(world)
  expect((await world.call(me, 'GET', '/api/notes')).status).toBe(200)
  expect(await resources(world, other)).toBeGreaterThan(written)
  expect(await contradictions(world.folder)).toEqual([])
})

test('an erasure that a crash cut off is finished by the next process; until then the workspace is closed', async () => {
  const first = await makeWorld({ settings: SETTINGS })
  const [me, other] = [stranger(), stranger()]
  await fill(first, me, 100)
  await fill(first, other, 100)
  const note = await first.db.get<{ workspace: string }>('SELECT workspace FROM notes ORDER BY key LIMIT 1')
  // As a process leaves it that was killed after its first step.
  await first.db.run('INSERT INTO erasures (workspace, forget) VALUES ($1, 0)', [note?.workspace ?? ''])
  await first.close()

  const second = await makeWorld({ settings: SETTINGS, folder: first.folder })
  expect((await second.call(me, 'GET', '/api/notes')).status).toBe(503)
  expect((await second.call(other, 'GET', '/api/notes')).status).toBe(200)
  const finish = () => finishErasing(second)
  await Promise.all([finish(), finish()])
  expect((await second.call(me, 'GET', '/api/notes')).body.items).toEqual([])
  expect((await second.call(me, 'POST', '/api/notes', { title: 'new' })).status).toBe(201)
  await finish()
  expect([await resources(second, me), await resources(second, other)]).toEqual([1, 100])
  await second.close()
  expect(await contradictions(first.folder)).toEqual([])
})
