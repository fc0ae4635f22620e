import { afterAll, expect, test } from 'bun:test'
import { makeKey, makeWorld } from '../../support/world'

const world = await makeWorld()
afterAll(world.close)
const me = { key: makeKey(1) }
const get = (query: Record<string, string>) => world.call(me, 'GET', `/api/tasks?${new URLSearchParams(query)}`)

test('GET /api/tasks lists what a filter finds', async () => {
  for (const [title, date] of [
    ['Soon', '2026-03-03'],
    ['Late', '2026-03-01'],
    ['Now', '2026-03-02'],
  ])
    await world.call(me, 'POST', '/api/tasks', { title, due: { date } })
  const { status, body } = await get({ filter: 'today | overdue' })
  expect(status).toBe(200)
  expect(body.items.map((task: { title: string }) => task.title)).toEqual(['Late', 'Now'])
  const sooner = await get({
    filter: 'due<= +1d',
    sort: '-due',
    now: '2026-03-02T00:00:00Z',
    time_zone: 'Europe/Berlin',
  })
  expect(sooner.body.items.map((task: { title: string }) => task.title)).toEqual(['Soon', 'Now', 'Late'])
})

test('a plus that a client forgot to encode is still a day ahead', async () => {
  const { status, body } = await world.call(me, 'GET', '/api/tasks?filter=due%3C=+1d')
  expect(status).toBe(200)
  expect(body.items).toHaveLength(3)
})

test('a broken filter is 400 and tells where', async () => {
  const { status, body } = await get({ filter: '(today | overdue) & #Work & due<2026-13-01' })
  expect(status).toBe(400)
  expect(body).toMatchObject({
    code: 'invalid_filter',
    detail: '2026-13-01 is not a date',
    errors: [{ pointer: '/filter', code: 'invalid_date', column: 33, length: 10, detail: '2026-13-01 is not a date' }],
  })
  expect(body.errors[0].expected).toEqual(expect.arrayContaining(['YYYY-MM-DD', 'today', 'mon', '+7d']))
  expect((await get({ filter: '' })).body.errors).toMatchObject([{ code: 'missing_term', column: 1, length: 0 }])
})

test('a broken filter is not saved, nor put in the place of a saved one', async () => {
  const path = '/api/tasks/filters'
  const { body: saved } = await world.call(me, 'POST', path, { name: 'Soon', filter: 'today' })
  for (const filter of ['due <', 'today &', '((today)', 'today & #Nobody']) {
    const made = await world.call(me, 'POST', path, { name: filter, filter })
    const changed = await world.call(me, 'PATCH', `${path}/${saved.id}`, { filter })
    expect([made.status, made.body.code, changed.status, changed.body.code]).toEqual([
      400,
      'invalid_filter',
      400,
      'invalid_filter',
    ])
  }
  for (const filter of ['today | overdue', 'due<=2026-05-01', '(today)'])
    expect((await world.call(me, 'PATCH', `${path}/${saved.id}`, { filter })).status).toBe(200)
})
