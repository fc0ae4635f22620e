import { afterAll, describe, expect, test } from 'bun:test'
import { makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

const NOW = new Date(world.clock.now).toISOString()
const [EARLY, LATE] = ['2019-05-06T07:08:09.123Z', '2021-05-06T07:08:09.000Z']
const FUTURE = new Date(world.clock.now + 1).toISOString()
const create = (note: object, me = world.stranger()) => world.call(me, 'POST', '/api/notes', note)

describe('the dates of a new note', () => {
  test.each([
    [{}, NOW, NOW],
    [{ created_at: EARLY }, EARLY, NOW],
    [{ updated_at: EARLY }, EARLY, EARLY],
    [{ created_at: EARLY, updated_at: LATE }, EARLY, LATE],
    [{ created_at: LATE, updated_at: LATE }, LATE, LATE],
    [{ created_at: NOW, updated_at: NOW }, NOW, NOW],
  ])('%j', async (dates, created_at, updated_at) => {
    const me = world.stranger()
    const { status, body } = await create({ title: 'T', ...dates }, me)
    expect([status, body.created_at, body.updated_at]).toEqual([201, created_at, updated_at])
    expect((await world.call(me, 'GET', `/api/notes/${body.id}`)).body).toEqual(body)
  })

  test.each([
    [{ created_at: FUTURE }, '/created_at', 'in_future'],
    [{ updated_at: FUTURE }, '/updated_at', 'in_future'],
    [{ created_at: EARLY, updated_at: FUTURE }, '/updated_at', 'in_future'],
    [{ created_at: LATE, updated_at: EARLY }, '/updated_at', 'out_of_range'],
    [{ created_at: '2019-05-06' }, '/created_at', 'invalid_instant'],
    [{ updated_at: '2019-02-30T00:00:00Z' }, '/updated_at', 'invalid_instant'],
  ])('%j is refused', async (dates, pointer, code) => {
    const { status, body } = await create(dates)
    expect([status, body.errors]).toEqual([400, [{ pointer, code, detail: body.detail }]])
  })

  test('are set in a batch as well, by no PATCH, and not for a daily note', async () => {
    const me = world.stranger()
    const ops = [{ op: 'create', data: { title: 'T', created_at: EARLY, updated_at: LATE } }]
    const { body } = await world.call(me, 'POST', '/api/notes/batch', { ops })
    expect(body.items[0].body).toMatchObject({ created_at: EARLY, updated_at: LATE })
    const path = `/api/notes/${body.items[0].id}`
    for (const patch of [{ created_at: EARLY }, { updated_at: LATE }])
      expect((await world.call(me, 'PATCH', path, patch)).status).toBe(400)
    const daily = { body: '', created_at: EARLY }
    expect((await world.call(me, 'PUT', '/api/notes/daily/2026-03-02', daily)).status).toBe(400)
  })

  test('place it in lists; the next change has its own time', async () => {
    const me = world.stranger()
    const list = async (query: string) =>
      (await world.call(me, 'GET', `/api/notes?${query}`)).body.items.map(({ title }: { title: string }) => title)
    const one = await create({ title: 'old', created_at: EARLY, updated_at: EARLY }, me)
    await create({ title: 'older, changed later', created_at: '2018-01-01T00:00:00Z', updated_at: LATE }, me)
    await create({ title: 'new' }, me)
    expect(await list('sort=-updated')).toEqual(['new', 'older, changed later', 'old'])
    expect(await list('sort=created')).toEqual(['older, changed later', 'old', 'new'])
    expect(await list(`created_to=${LATE}&updated_from=${LATE}`)).toEqual(['older, changed later'])
    const page = await world.call(me, 'GET', '/api/notes?sort=-updated&limit=2')
    expect(await list(`sort=-updated&limit=2&cursor=${page.body.next_cursor}`)).toEqual(['old'])
    const patched = await world.call(me, 'PATCH', `/api/notes/${one.body.id}`, { pinned: true })
    expect([patched.body.created_at, patched.body.updated_at]).toEqual([EARLY, NOW])
    const { body } = await world.call(me, 'GET', '/api/changes?since=0')
    expect(body.items.map(({ seq, changed_at }: { seq: number; changed_at: string }) => [seq, changed_at])).toEqual([
      [2, LATE],
      [3, NOW],
      [4, NOW],
    ])
  })
})
