import { afterAll, describe, expect, test } from 'bun:test'
import { useDatabase } from '../../support/database'
import { makeFolder } from '../../support/folder'
import { makeKey, makeWorld } from '../../support/world'

const folder = makeFolder()
const world = await makeWorld({ folder })
afterAll(world.close)

const [me, other] = [{ key: makeKey(1) }, { key: makeKey(2) }]
const add = async (who: { key: string }, title: string, properties: object): Promise<string> =>
  (await world.call(who, 'POST', '/api/notes', { title, body: 'text', properties })).body.id

async function titles(q: string, who = me): Promise<string[]> {
  const { status, body } = await world.call(who, 'GET', `/api/notes/search?${new URLSearchParams({ q, limit: '50' })}`)
  expect([q, status]).toEqual([q, 200])
  return body.items.map(({ title }: { title: string }) => title).sort()
}

await add(me, 'one', {
  status: 'Done',
  rating: 4,
  due: '2026-04-30',
  Author: ['Zoë', 'Bob'],
  open: true,
  size: '10 cm',
})
await add(me, 'two', {
  status: 'in progress',
  rating: 10,
  due: '2026-05-02T08:00',
  author: 'bob',
  open: false,
  rate: null,
})
await add(me, 'three', {
  Status: 'DONE',
  rating: '3.5',
  due: 'soon',
  author: { name: 'Bob' },
  'a"b': 1,
  größe: 'Straße',
})
await add(me, 'four', { rating: [1, 20] })
await add(me, 'status done', {})
await add(other, 'theirs', { theirs: 'x', rating: 4 })

describe('a property in a query', () => {
  const cases: [q: string, found: string[]][] = [
    ['status:done', ['one', 'three']],
    ['STATUS:Done', ['one', 'three']],
    ['status:"in progress"', ['two']],
    ['-status:done has:status', ['two']],
    ['rating>=4', ['four', 'one', 'two']],
    ['rating>4', ['four', 'two']],
    ['rating<4', ['four', 'three']],
    ['rating<=3.5', ['four', 'three']],
    ['rating:4', ['one']],
    ['rating:4.0', ['one']],
    ['rating:3.5', ['three']],
    ['rating>2 rating<10', ['four', 'one', 'three']],
    ['due<2026-05-01', ['one']],
    ['due>2026-05-01', ['two']],
    ['due<=2026-05', ['one', 'two']],
    ['due>2026-05', []],
    ['due:>=2026-05', ['two']],
    ['due:soon', ['three']],
    ['author:zoe', ['one']],
    ['author:bob', ['one', 'two']],
    ['has:author', ['one', 'three', 'two']],
    ['open:true', ['one']],
    ['open:false', ['two']],
    ['size:"10 cm"', ['one']],
    ['größe:STRASSE', ['three']],
    ['has:rating -rating>3', []],
    ['status:done OR rating:10', ['one', 'three', 'two']],
    ['status:done one', ['one']],
    ['status:do*', ['one', 'three']],
    ['status:IN*', ['two']],
    ['rating:1*', ['four', 'two']],
    ['due:2026-0*', ['one', 'two']],
    ['größe:straß*', ['three']],
    ['status:*progress*', ['two']],
    ['-status:do* has:status', ['two']],
    // Not how a value begins, and stars in quotes.
    ['status:progress*', []],
    ['status:one*', []],
    ['rating:0*', []],
    ['status:"do*"', []],
    ['status:"progress"', []],
    ['status:*prog', []],
    // Half of a value, and what no note has.
    ['status:do', []],
    ['rating:40', []],
    ['rating>=x', []],
  ]
  test.each(cases)('%s', async (q, found) => {
    expect(await titles(q)).toEqual(found)
  })

  test('that no note of the workspace has is text', async () => {
    expect(await titles('theirs:x')).toEqual([])
    expect(await titles('theirs:x', other)).toEqual(['theirs'])
    expect(await titles('done:status')).toEqual(['status done'])
    for (const name of ['theirs', 'rate', 'Todo']) {
      const { status, body } = await world.call(me, 'GET', `/api/notes/search?q=x%20has:${name}`)
      expect([name, status, body.code, body.column]).toEqual([name, 400, 'invalid_query', 3])
    }
  })

  test('finds notes in the search over everything', async () => {
    const { status, body } = await world.call(me, 'GET', '/api/search?q=status:done%20rating%3E=4')
    expect([status, body.items.map(({ title }: { title: string }) => title)]).toEqual([200, ['one']])
  })

  test('follows each write of its note', async () => {
    const id = await add(me, 'five', { stage: 'a' })
    const change = (properties: object) => world.call(me, 'PATCH', `/api/notes/${id}`, { properties })
    expect(await titles('stage:a')).toEqual(['five'])
    await change({ stage: 'b' })
    expect(await titles('stage:b')).toEqual(['five'])
    await world.call(me, 'DELETE', `/api/notes/${id}`)
    expect(await titles('stage:b')).toEqual([])
    await world.call(me, 'POST', `/api/notes/${id}/restore`)
    expect(await titles('stage:b')).toEqual(['five'])
    await change({ stage: null })
    expect(await titles('stage:b')).toEqual([])
    await change({ stage: 'a' })
    await world.call(me, 'DELETE', `/api/notes/${id}?permanent=true`)
    const sql = "SELECT count(*) AS n FROM note_properties WHERE name = 'stage'"
    expect(await useDatabase(folder, (db) => db.get<{ n: number }>(sql))).toEqual({ n: 0 })
  })
})
